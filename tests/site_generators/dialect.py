"""What the dialects of Markdown have in common: each generator's own says where it differs."""

from collections.abc import Mapping
from typing import ClassVar

from tests.site_generators.manual import MANUAL, Block, ManualPage, Value, item_parts, kind_of, plain, tokens

EVERYTHING = frozenset(
    {
        "footnotes",
        "ids",
        "tabs",
        "codetabs",
        "code titles",
        "note",
        "folded",
        "details",
        "deflist",
        "math",
        "task",
        "html",
    }
)


def _of_last_page(page: ManualPage, file: str) -> str:
    path = MANUAL / "only" / file
    return path.read_text("utf-8").strip() if page.slug == "tongues" and path.exists() else ""


class Dialect:
    """Writes the manual for one generator.

    features: what of EVERYTHING the generator has; a block that it has not is left out, here and in what is expected.
    kinds: the admonitions that it has, by the manual's name for them.
    apostrophe: what it shows for one in running text; tabulator: what it shows for one in code.
    deepest: the level below which it has no headings.
    """

    name: ClassVar[str]
    features: ClassVar[frozenset[str]] = EVERYTHING
    kinds: ClassVar[frozenset[str]] = frozenset()
    suffix: ClassVar[str] = ".md"
    apostrophe: ClassVar[str] = "'"
    tabulator: ClassVar[str] = "\t"
    deepest: ClassVar[int] = 6

    def can(self, feature: str) -> bool:
        return feature in self.features

    def shows(self, block: Block) -> bool:
        """Whether the generator has a way to write this block."""
        kind = kind_of(block)
        if kind in {"hr", "footnotes"}:
            return False
        if kind == "note":
            return block["note"]["kind"] in self.kinds
        return kind not in EVERYTHING or self.can(kind)

    # --- what is expected ---

    def title_shown(self, page: ManualPage) -> str:
        """The first heading."""
        return plain(page.title)

    def lead(self, page: ManualPage) -> str:
        """What the generator shows between the first heading and the page's own text."""
        return ""

    def meanings(self, shown: list[str]) -> list[str]:
        """The lines of a term's definitions."""
        return [f": {one}" for one in shown]

    def label(self, kind: str, title: str) -> str:
        """What stands above an admonition in the normalized text."""
        return f"{kind.capitalize()}: {title}".rstrip()

    def folded_label(self, kind: str, title: str) -> str:
        return self.label(kind, title)

    def language(self, name: str) -> str:
        """The language that the built page says, for the one the author wrote."""
        return name

    def math_in(self, shown: str, source: str) -> str:
        """A paragraph with its formulas."""
        for kind, inner, _ in tokens(source):
            if kind == "math":
                shown = shown.replace(inner, self.math_inline(inner.strip("$")))
        return shown

    def math_inline(self, tex: str) -> str:
        return f"${tex}$"

    def math_block(self, tex: str) -> str:
        return f"$$\n{tex}\n$$"

    def tab_code(self, tab: Mapping[str, Value]) -> Mapping[str, Value]:
        """A tab of a code group as a code block."""
        return tab

    def tab_label(self, label: str) -> str:
        """What stands above such a block."""
        return f"{label}:"

    def extra(self, page: ManualPage) -> str:
        """What only this generator has, at the end of the last page."""
        return _of_last_page(page, f"{self.name}{self.suffix}")

    def extra_expected(self, page: ManualPage) -> str:
        """And what is seen of it."""
        return _of_last_page(page, f"{self.name}.expected.md")

    # --- pages ---

    def page(self, page: ManualPage) -> str:
        """The page's file."""
        return "\n\n".join([self.head(page) + self.blocks(page.blocks), self.extra(page)])

    def head(self, page: ManualPage) -> str:
        return f"# {self.inline(page.title)}\n\n"

    def blocks(self, blocks: tuple[Block, ...] | list[Block]) -> str:
        written = [self.block(block) for block in blocks if self.shows(block) or kind_of(block) in {"hr", "footnotes"}]
        return "\n\n".join(part for part in written if part)

    def block(self, block: Block) -> str:
        kind = kind_of(block)
        value = block[kind]
        match kind:
            case "p":
                written = self.inline(value)
            case "h":
                written = self.heading(value["level"], self.inline(value["text"]), value.get("id", ""))
            case "ul" | "ol" | "task":
                written = self.items(kind, value)
            case "table":
                written = self.table(value["align"], value["rows"])
            case "quote":
                written = "\n>\n".join(f"> {self.inline(line)}" for line in value)
            case "html":
                written = str(value)
            case "hr":
                written = "* * *"
            case _:
                written = self.special(kind, value)
        return written

    def special(self, kind: str, value: Value) -> str:
        match kind:
            case "code":
                written = self.code(value)
            case "image":
                written = f"![{value['alt']}]({self.image(value['file'])})"
            case "math":
                written = f"$$\n{value}\n$$"
            case "deflist":
                written = "\n\n".join(
                    self.inline(term) + "\n\n" + "\n\n".join(f":   {self.inline(one)}" for one in meanings)
                    for term, meanings in value
                )
            case "footnotes":
                written = (
                    "\n\n".join(f"[^{name}]: {self.inline(note)}" for name, note in value.items())
                    if self.can("footnotes")
                    else ""
                )
            case "note":
                written = self.note(value["kind"], self.inline(value.get("title", "")), self.blocks(value["blocks"]))
            case "folded":
                written = self.folded(value["kind"], self.inline(value["title"]), self.blocks(value["blocks"]))
            case "details":
                written = self.details(self.inline(value["summary"]), self.blocks(value["blocks"]))
            case "tabs":
                written = self.tabs([(tab["label"], self.blocks(tab["blocks"])) for tab in value])
            case "codetabs":
                written = self.code_tabs(value)
            case _:
                raise ValueError(kind)
        return written

    def heading(self, level: int, text: str, own_id: str) -> str:
        return "#" * level + f" {text}" + (f" {{#{own_id}}}" if own_id and self.can("ids") else "")

    def items(self, kind: str, items: list[Value]) -> str:
        return "\n".join(self.item(kind, number, item) for number, item in enumerate(items, 1))

    def item(self, kind: str, number: int, item: Value) -> str:
        mark = f"{number}. " if kind == "ol" else "- "
        if kind == "task":
            is_done, item = item
            mark += f"[{'x' if is_done else ' '}] "
        text, below = item_parts(item)
        inner = "\n\n".join(self.block(block) for block in below)
        between = "\n\n" if "```" in inner else "\n"
        return mark + self.inline(text) + (between + self.indented(inner, self.item_indent(kind)) if inner else "")

    def item_indent(self, kind: str) -> int:
        return 3 if kind == "ol" else 2

    @staticmethod
    def indented(text: str, by: int = 4) -> str:
        return "\n".join(" " * by + line if line else "" for line in text.split("\n"))

    def table(self, align: list[str], rows: list[list[str]]) -> str:
        rule = {"left": ":---", "center": ":-:", "right": "---:"}
        cells = [[self.cell(cell) for cell in row] for row in rows]
        lines = [cells[0], [rule[one] for one in align], *cells[1:]]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def cell(self, text: str) -> str:
        return self.inline(text.replace("\\|", "|")).replace("|", "\\|")

    def code(self, value: Mapping[str, Value]) -> str:
        fence = "````" if "```" in value["text"] else "```"
        return f"{fence}{self.info(value)}\n{value['text']}\n{fence}"

    def info(self, value: Mapping[str, Value]) -> str:
        parts = [value["lang"]]
        if value.get("title"):
            parts.append(f'title="{value["title"]}"')
        if value.get("highlight"):
            parts.append(f"{{{value['highlight']}}}")
        if value.get("linenos"):
            parts.append("showLineNumbers")
        return " ".join(parts).strip()

    def note(self, kind: str, title: str, body: str) -> str:
        return f":::{kind}[{title}]\n\n{body}\n\n:::" if title else f":::{kind}\n\n{body}\n\n:::"

    def folded(self, kind: str, title: str, body: str) -> str:
        raise NotImplementedError

    def details(self, summary: str, body: str) -> str:
        return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"

    def tabs(self, panels: list[tuple[str, str]]) -> str:
        raise NotImplementedError

    def code_tabs(self, tabs: list[Mapping[str, Value]]) -> str:
        """Tabs that have one code block each."""
        return self.tabs([(tab["label"], self.code(tab)) for tab in tabs])

    def image(self, file: str) -> str:
        return file

    # --- inline ---

    def inline(self, text: str) -> str:
        return "".join(self.run(kind, inner, target) for kind, inner, target in tokens(text))

    def run(self, kind: str, inner: str, target: str) -> str:
        match kind:
            case "keys":
                written = self.keys(inner)
            case "link":
                written = f"[{self.inline(inner)}]({self.link(target)})"
            case "struck":
                written = f"~~{inner}~~"
            case "sub":
                written = f"<sub>{inner}</sub>"
            case "strong":
                written = f"**{inner}**"
            case "em":
                written = f"*{inner}*"
            case "note":
                written = f"[^{inner}]" if self.can("footnotes") else ""
            case _:
                written = inner
        return written

    def keys(self, keys: str) -> str:
        return "+".join(f"<kbd>{key}</kbd>" for key in keys.split("+"))

    def link(self, target: str) -> str:
        """Where a link leads: `page:slug#id`, or an address as it is."""
        if not target.startswith("page:"):
            return target
        slug, _, fragment = target.removeprefix("page:").partition("#")
        return self.page_link(slug) + (f"#{fragment}" if fragment else "")

    def page_link(self, slug: str) -> str:
        return f"{slug}{self.suffix}"
