"""What a reader must see of a page: normalized text, and behind each heading the id that its author chose."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tests.site_generators.manual import Block, ManualPage, Value, item_parts, kind_of, plain

if TYPE_CHECKING:
    from tests.site_generators.dialect import Dialect


def expected_text(page: ManualPage, dialect: "Dialect") -> str:
    """The page as the reader must give it; `{#id}` behind headings whose id the author chose."""
    parts = [
        f"# {dialect.title_shown(page)}",
        dialect.lead(page),
        *_blocks(page.blocks, dialect),
        dialect.extra_expected(page),
    ]
    notes = next((block["footnotes"] for block in page.blocks if "footnotes" in block), None)
    if notes and dialect.can("footnotes"):
        parts.append("\n".join(f"[^{name}]: {plain(note)}" for name, note in notes.items()))
    text = "\n\n".join(part for part in parts if part) + "\n"
    return text if dialect.can("footnotes") else text.replace("[^1]", "").replace("[^2]", "")


def _blocks(blocks: tuple[Block, ...] | list[Block], dialect: "Dialect") -> list[str]:
    return [_block(block, dialect) for block in blocks if dialect.shows(block)]


def _block(block: Block, dialect: "Dialect") -> str:
    kind = kind_of(block)
    value = block[kind]
    match kind:
        case "p":
            written = dialect.math_in(plain(value), value)
        case "h":
            shown = plain(value["text"]).replace("'", dialect.apostrophe)
            own = f" {{#{value['id']}}}" if "id" in value and dialect.can("ids") else ""
            written = "#" * min(value["level"], dialect.deepest) + " " + shown + own
        case "ul" | "ol" | "task":
            written = "\n".join(_item(kind, number, item, dialect) for number, item in enumerate(value, 1))
        case "quote":
            written = "\n".join(f"> {plain(line)}" for line in value)
        case "image":
            written = str(value["alt"])
        case "table":
            written = _table(value["rows"])
        case "code":
            written = _code(value, dialect)
        case "math":
            written = dialect.math_block(value)
        case "deflist":
            written = "\n".join(
                "\n".join([plain(term), *dialect.meanings([plain(one) for one in meanings])])
                for term, meanings in value
            )
        case "html":
            written = str(block["expect"]).strip()
        case _:
            written = _labelled(kind, value, dialect)
    return written


def _defined(term: str, meanings: list[str], dialect: "Dialect") -> str:
    return "\n".join([term, *dialect.meanings(meanings)])


def _labelled(kind: str, value: Value, dialect: "Dialect") -> str:
    match kind:
        case "tabs":
            panels = [_under(f"{tab['label']}:", _blocks(tab["blocks"], dialect)) for tab in value]
            return "\n\n".join(panels)
        case "codetabs":
            panels = [_under(dialect.tab_label(tab["label"]), [_code(dialect.tab_code(tab), dialect)]) for tab in value]
            return "\n\n".join(panels)
        case "note":
            return _under(
                dialect.label(value["kind"], plain(value.get("title", ""))), _blocks(value["blocks"], dialect)
            )
        case "folded":
            return _under(dialect.folded_label(value["kind"], plain(value["title"])), _blocks(value["blocks"], dialect))
        case "details":
            return _under(plain(value["summary"]), _blocks(value["blocks"], dialect))
        case _:
            return ""


def _under(label: str, blocks: list[str]) -> str:
    return "\n".join([label, "\n\n".join(blocks)]).strip("\n")


def _item(kind: str, number: int, item: Value, dialect: "Dialect") -> str:
    if kind == "task":
        is_done, item = item
        mark = f"- [{'x' if is_done else ' '}] "
    else:
        mark = f"{number}. " if kind == "ol" else "- "
    text, below = item_parts(item)
    inner = "\n".join(_blocks(below, dialect))
    indent = " " * len(mark)
    return "\n".join([mark + plain(text), *(indent + line for line in inner.split("\n") if inner)])


def _table(rows: list[list[str]]) -> str:
    first, *others = [f"| {' | '.join(plain(cell, in_cell=True) for cell in row)} |" for row in rows]
    return "\n".join([first, f"| {' | '.join(['---'] * len(rows[0]))} |", *others])


def _code(value: Mapping[str, Value], dialect: "Dialect") -> str:
    language = dialect.language(value["lang"])
    title = value.get("title", "") if dialect.can("code titles") or "label" in value else ""
    info = f'{language} title="{title}"' if title else language
    content = value["text"].replace("\t", dialect.tabulator)
    fence = "````" if "```" in content else "```"
    return f"{fence}{info}\n{content}\n{fence}"
