"""reStructuredText, as Sphinx with the theme of Read the Docs has it."""

import unicodedata
from collections.abc import Mapping

from tests.site_generators.dialect import EVERYTHING
from tests.site_generators.dialects import Myst
from tests.site_generators.manual import ManualPage, Value, tokens

_UNDERLINES = {1: "=", 2: "-", 3: "~", 4: "^"}


class Rst(Myst):
    """Only what reStructuredText itself and sphinx-design have."""

    name = "rtd"
    tabulator = "     "  # up to the eighth column of the source
    features = EVERYTHING - {"task", "details"}
    suffix = ".rst"

    def meanings(self, shown: list[str]) -> list[str]:
        """One definition of many paragraphs."""
        return [f": {shown[0]}", *(f"  {one}" for one in shown[1:])]

    def head(self, page: ManualPage) -> str:
        return self.heading(1, self.inline(page.title), "") + "\n\n"

    def heading(self, level: int, text: str, own_id: str) -> str:
        width = sum(2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in text)
        return (f".. _{own_id}:\n\n" if own_id else "") + f"{text}\n{_UNDERLINES[min(level, 3)] * width}"

    def items(self, kind: str, items: list[Value]) -> str:
        return "\n\n".join(self.item(kind, number, item) for number, item in enumerate(items, 1))

    def item(self, kind: str, number: int, item: Value) -> str:
        return (
            super().item(kind, number, item).replace("\n", "\n\n", 1)
            if not isinstance(item, str)
            else super().item(kind, number, item)
        )

    def table(self, align: list[str], rows: list[list[str]]) -> str:
        lines = [".. list-table::", "   :header-rows: 1", ""]
        for row in rows:
            for index, cell in enumerate(row):
                lines.append(f"   {'*' if index == 0 else ' '} - {self.inline(cell)}".rstrip())
        return "\n".join(lines)

    def special(self, kind: str, value: Value) -> str:
        match kind:
            case "image":
                return f".. image:: {value['file']}\n   :alt: {value['alt']}"
            case "math":
                return f".. math::\n\n   {value}"
            case "deflist":
                return "\n\n".join(
                    f"{self.inline(term)}\n" + "\n\n".join(f"    {self.inline(one)}" for one in meanings)
                    for term, meanings in value
                )
            case "footnotes":
                return "\n".join(f".. [{name}] {self.inline(note)}" for name, note in value.items())
            case _:
                return super().special(kind, value)

    def block(self, block: Mapping[str, Value]) -> str:
        if "quote" in block:
            return "\n\n".join(f"   {self.inline(line)}" for line in block["quote"])
        if "html" in block:
            return ".. raw:: html\n\n" + self.indented(block["html"], 3)
        if "hr" in block:
            return "----"
        return super().block(block)

    def code(self, value: Mapping[str, Value]) -> str:
        options = {"caption": value.get("title"), "emphasize-lines": value.get("highlight")}
        lines = [f"   :{name}: {setting}" for name, setting in options.items() if setting]
        lines += ["   :linenos:"] * bool(value.get("linenos"))
        return "\n".join([f".. code-block:: {value['lang'] or 'text'}", *lines, "", self.indented(value["text"], 3)])

    def note(self, kind: str, title: str, body: str) -> str:
        if title:
            return f".. admonition:: {title}\n   :class: {kind}\n\n{self.indented(body, 3)}"
        return f".. {kind}::\n\n{self.indented(body, 3)}"

    def folded(self, kind: str, title: str, body: str) -> str:
        return f".. dropdown:: {title}\n\n{self.indented(body, 3)}"

    def tabs(self, panels: list[tuple[str, str]]) -> str:
        items = "\n\n".join(f"   .. tab-item:: {label}\n\n{self.indented(body, 6)}" for label, body in panels)
        return f".. tab-set::\n\n{items}"

    def run(self, kind: str, inner: str, target: str) -> str:
        match kind:
            case "code":
                written = f"``{inner.strip('`')}``"
            case "keys":
                written = f":kbd:`{inner}`"
            case "link":
                written = self.reference(inner, target)
            case "sub":
                written = f"\\ :sub:`{inner}`\\ "
            case "math":
                written = f":math:`{inner.strip('$')}`"
            case "note":
                written = f"\\ [{inner}]_"
            case "struck":
                written = inner
            case _:
                written = super().run(kind, inner, target)
        return written

    def reference(self, text: str, target: str) -> str:
        if not target.startswith("page:"):
            return f"`{text} <{target}>`__"
        slug, _, fragment = target.removeprefix("page:").partition("#")
        return f":ref:`{text} <{fragment}>`" if fragment else f":doc:`{text} <{slug}>`"

    def inline(self, text: str) -> str:
        return "".join(self.run(kind, inner, target) for kind, inner, target in tokens(text))
