"""The generators with little more than CommonMark, and Hugo with Docsy's shortcodes."""

from collections.abc import Mapping
from typing import ClassVar

from tests.site_generators.dialect import EVERYTHING, Dialect
from tests.site_generators.dialects import _nav
from tests.site_generators.manual import ManualPage, Value, plain, tokens


class MdBook(Dialect):
    """mdBook 0.5."""

    name = "mdbook"
    apostrophe = "’"
    features = EVERYTHING - {"tabs", "codetabs", "code titles", "folded"}
    kinds = frozenset({"note", "tip", "important", "warning", "caution"})

    def info(self, value: Mapping[str, Value]) -> str:
        return str(value["lang"])

    def note(self, kind: str, title: str, body: str) -> str:
        lines = [f"[!{kind.upper()}]", *([f"**{title}**", ""] if title else []), *body.split("\n")]
        return "\n".join(f"> {line}".rstrip() for line in lines)

    def label(self, kind: str, title: str) -> str:
        return f"{kind.capitalize()}:\n{title}" if title else f"{kind.capitalize()}:"

    def special(self, kind: str, value: Value) -> str:
        return f"\\\\[ {value} \\\\]" if kind == "math" else super().special(kind, value)

    def run(self, kind: str, inner: str, target: str) -> str:
        return f"\\\\({inner.strip('$')}\\\\)" if kind == "math" else super().run(kind, inner, target)

    def math_inline(self, tex: str) -> str:
        return f"\\({tex}\\)"

    def math_block(self, tex: str) -> str:
        return f"\\[ {tex} \\]"


class HonKit(Dialect):
    """HonKit, which goes on with GitBook as it was before it was hosted."""

    name = "honkit"
    tabulator = "    "
    features = EVERYTHING - {"tabs", "codetabs", "code titles", "folded", "note", "details", "deflist", "math", "task"}

    def cell(self, text: str) -> str:
        """Its Markdown has no way to escape a pipe."""
        runs = [
            f"<code>{inner.strip('`')}</code>" if kind == "code" and "|" in inner else self.run(kind, inner, target)
            for kind, inner, target in tokens(text.replace("\\|", "|"))
        ]
        return "".join(runs).replace("|", "&#124;")

    def info(self, value: Mapping[str, Value]) -> str:
        return str(value["lang"])

    def run(self, kind: str, inner: str, target: str) -> str:
        return inner if kind == "math" else super().run(kind, inner, target)

    def math_inline(self, tex: str) -> str:
        return f"${tex}$"


class JustTheDocs(Dialect):
    """Jekyll with kramdown and the theme Just the Docs; the names of callouts are in its configuration."""

    name = "justthedocs"
    apostrophe = "’"
    features = EVERYTHING - {"tabs", "codetabs", "code titles", "folded"}
    kinds = frozenset({"note", "tip", "info", "warning", "danger", "important", "caution"})

    def head(self, page: ManualPage) -> str:
        front = _nav(page, title=page.short, parent="Section nav", last_modified_date="2024-05-06")
        return front + super().head(page) + "1. Of no account\n{:toc}\n\n"

    def info(self, value: Mapping[str, Value]) -> str:
        return str(value["lang"])

    def cell(self, text: str) -> str:
        runs = [(kind, self.run(kind, inner, target)) for kind, inner, target in tokens(text.replace("\\|", "|"))]
        return "".join(shown if kind in {"code", "link"} else shown.replace("|", "\\|") for kind, shown in runs)

    def special(self, kind: str, value: Value) -> str:
        if kind == "deflist":
            return "\n\n".join(
                "\n".join([self.inline(term), *(f": {self.inline(one)}" for one in meanings)])
                for term, meanings in value
            )
        return super().special(kind, value)

    def note(self, kind: str, title: str, body: str) -> str:
        lines = [*([title, ""] if title else []), *body.split("\n")]
        return "\n".join([f"{{: .{kind}{'-title' if title else ''} }}", *(f"> {line}".rstrip() for line in lines)])

    def details(self, summary: str, body: str) -> str:
        return f'<details markdown="block"><summary>{summary}</summary>\n\n{body}\n\n</details>'

    def run(self, kind: str, inner: str, target: str) -> str:
        return f"$${inner.strip('$')}$$" if kind == "math" else super().run(kind, inner, target)

    def math_inline(self, tex: str) -> str:
        return f"\\({tex}\\)"

    def math_block(self, tex: str) -> str:
        return f"\\[{tex}\\]"

    def page_link(self, slug: str) -> str:
        return f"{{% link {slug}.md %}}"

    def image(self, file: str) -> str:
        return f"{{% link {file} %}}"


class Docsy(Dialect):
    """Hugo with Docsy's shortcodes; the first heading comes from the front matter."""

    name = "docsy"
    apostrophe = "’"
    features = EVERYTHING - {"code titles", "folded"}
    kinds = frozenset({"note", "tip", "info", "warning", "danger", "important", "caution"})
    _colours: ClassVar[dict[str, str]] = {"info": "info", "danger": "danger"}

    def lead(self, page: ManualPage) -> str:
        return "Said of the page"

    def head(self, page: ManualPage) -> str:
        return _nav(
            page,
            title=plain(page.title),
            linkTitle=page.short,
            description="Said of the page",
            weight=1,
            tags=["pantry-tag"],
        )

    def info(self, value: Mapping[str, Value]) -> str:
        options = ["linenos=table"] * bool(value.get("linenos"))
        if value.get("highlight"):
            lines = ", ".join(f'"{one}"' for one in value["highlight"].split(","))
            options.append(f"hl_lines=[{lines}]")
        return str(value["lang"]) + (f" {{{','.join(options)}}}" if options else "")

    def note(self, kind: str, title: str, body: str) -> str:
        if kind in self._colours:
            named = f' title="{title}"' if title else ""
            return f'{{{{% alert color="{self._colours[kind]}"{named} %}}}}\n{body}\n{{{{% /alert %}}}}'
        first = f"[!{kind.upper()}]{f' {title}' if title else ''}"
        return "\n".join(f"> {line}".rstrip() for line in [first, *body.split("\n")])

    def tabs(self, panels: list[tuple[str, str]]) -> str:
        items = "\n".join(f'{{{{% tab header="{label}" %}}}}\n{body}\n{{{{% /tab %}}}}' for label, body in panels)
        return f"{{{{< tabpane text=true >}}}}\n{items}\n{{{{< /tabpane >}}}}"

    def code_tabs(self, tabs: list[Mapping[str, Value]]) -> str:
        items = "\n".join(
            f'{{{{< tab header="{tab["label"]}" lang="{tab["lang"]}" >}}}}\n{tab["text"]}\n{{{{< /tab >}}}}'
            for tab in tabs
        )
        return f"{{{{< tabpane >}}}}\n{items}\n{{{{< /tabpane >}}}}"

    def page_link(self, slug: str) -> str:
        return f"/docs/{slug}/"

    def image(self, file: str) -> str:
        return f"/{file}"
