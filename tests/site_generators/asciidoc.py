"""AsciiDoc, as Antora has it."""

from collections.abc import Mapping

from tests.site_generators.dialect import EVERYTHING, Dialect
from tests.site_generators.manual import Block, ManualPage, Value, item_parts, tokens


class Antora(Dialect):
    """Antora with Asciidoctor, its tabs, and formulas that a browser draws."""

    name = "antora"
    apostrophe = "’"
    suffix = ".adoc"
    features = EVERYTHING - {"folded", "codetabs"}
    kinds = frozenset({"note", "tip", "important", "warning", "caution"})

    def __init__(self) -> None:
        self._notes: Mapping[str, str] = {}
        self._depth = 0

    def page(self, page: ManualPage) -> str:
        self._notes = next((block["footnotes"] for block in page.blocks if "footnotes" in block), {})
        return super().page(page)

    def head(self, page: ManualPage) -> str:
        return f"= {self.inline(page.title)}\n:navtitle: {page.short}\n:description: Said of the page\n\n"

    def block(self, block: Block) -> str:
        if "quote" in block:
            return "[quote]\n____\n" + "\n\n".join(self.inline(line) for line in block["quote"]) + "\n____"
        if "html" in block:
            return f"++++\n{block['html']}\n++++"
        return "'''" if "hr" in block else super().block(block)

    def special(self, kind: str, value: Value) -> str:
        match kind:
            case "image":
                return f"image::{value['file']}[{value['alt']}]"
            case "math":
                return f"[stem]\n++++\n{value}\n++++"
            case "deflist":
                return "\n".join(
                    f"{self.inline(term)}:: " + "\n+\n".join(self.inline(one) for one in meanings)
                    for term, meanings in value
                )
            case "footnotes":
                return ""
            case _:
                return super().special(kind, value)

    def meanings(self, shown: list[str]) -> list[str]:
        """One definition of many paragraphs."""
        return [f": {shown[0]}", *(f"  {one}" for one in shown[1:])]

    def math_inline(self, tex: str) -> str:
        return f"\\({tex}\\)"

    def heading(self, level: int, text: str, own_id: str) -> str:
        return (f"[#{own_id}]\n" if own_id else "") + "=" * level + f" {text}"

    def items(self, kind: str, items: list[Value]) -> str:
        self._depth += 1
        written = super().items(kind, items)
        self._depth -= 1
        return written

    def item(self, kind: str, number: int, item: Value) -> str:
        mark = ("." if kind == "ol" else "*") * self._depth + " "
        if kind == "task":
            is_done, item = item
            mark += f"[{'x' if is_done else ' '}] "
        text, below = item_parts(item)
        parts = [self.block(block) for block in below]
        between = "\n" if any("ul" in block for block in below) else "\n+\n"
        return between.join([mark + self.inline(text), *parts])

    def table(self, align: list[str], rows: list[list[str]]) -> str:
        marks = {"left": "<", "center": "^", "right": ">"}
        head, *body = ["".join(f"|{self.cell(cell)} " for cell in row) for row in rows]
        columns = ",".join(marks[one] for one in align)
        return "\n".join([f'[cols="{columns}",options=header]', "|===", head, "", *body, "|==="])

    def code(self, value: Mapping[str, Value]) -> str:
        style = f"[source,{value['lang']}" if value["lang"] else "[listing"
        style += ",linenums" * bool(value.get("linenos"))
        title = f".{value['title']}\n" if value.get("title") else ""
        return f"{title}{style}]\n----\n{value['text']}\n----"

    def note(self, kind: str, title: str, body: str) -> str:
        named = f".{title}\n" if title else ""
        return f"{named}[{kind.upper()}]\n====\n{body}\n===="

    def details(self, summary: str, body: str) -> str:
        return f".{summary}\n[%collapsible]\n====\n{body}\n===="

    def tabs(self, panels: list[tuple[str, str]]) -> str:
        items = "\n\n".join(f"{label}::\n+\n--\n{body}\n--" for label, body in panels)
        return f"[tabs]\n======\n{items}\n======"

    def inline(self, text: str) -> str:
        return "".join(self.run(kind, inner, target) for kind, inner, target in tokens(text))

    def run(self, kind: str, inner: str, target: str) -> str:
        match kind:
            case "code":
                written = f"`+{inner.strip('`')}+`"
            case "keys":
                written = f"kbd:[{inner}]"
            case "link" if target.startswith("page:"):
                written = f"xref:{self.link(target)}[{self.inline(inner)}]"
            case "link":
                written = f"{target}[{self.inline(inner)}]"
            case "sub":
                written = f"~{inner}~"
            case "struck":
                written = f"[.line-through]#{inner}#"
            case "strong":
                written = f"*{inner}*"
            case "em":
                written = f"_{inner}_"
            case "math":
                written = f"stem:[{inner.strip('$')}]"
            case "note":
                written = f"footnote:[{self.inline(self._notes[inner])}]"
            case _:
                written = inner
        return written
