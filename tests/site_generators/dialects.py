"""The generators whose pages are written in Markdown or MDX, and how each of them differs."""

import json
import re
from collections.abc import Mapping
from typing import ClassVar

from tests.site_generators.dialect import EVERYTHING, Dialect
from tests.site_generators.manual import ManualPage, Value, tokens


def _nav(page: ManualPage, **more: object) -> str:
    """Front matter, in the form that YAML and JSON share."""
    return (
        "---\n"
        + "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in more.items())
        + "---\n\n"
    )


class Material(Dialect):
    """MkDocs with Material: pymdownx extensions."""

    name = "material"
    tabulator = "    "
    kinds = frozenset({"note", "tip", "info", "warning", "danger"})

    def head(self, page: ManualPage) -> str:
        return _nav(page, tags=["pantry-tag"]) + super().head(page)

    def item_indent(self, kind: str) -> int:
        return 4

    def cell(self, text: str) -> str:
        """A pipe needs no escape in code, and a backslash there would be shown."""
        runs = [(kind, self.run(kind, inner, target)) for kind, inner, target in tokens(text.replace("\\|", "|"))]
        return "".join(shown if kind == "code" else shown.replace("|", "\\|") for kind, shown in runs)

    def info(self, value: Mapping[str, Value]) -> str:
        parts = [value["lang"] or "text"]
        if value.get("title"):
            parts.append(f'title="{value["title"]}"')
        if value.get("linenos"):
            parts.append('linenums="1"')
        if value.get("highlight"):
            parts.append(f'hl_lines="{value["highlight"].replace(",", " ")}"')
        return " ".join(parts)

    def language(self, name: str) -> str:
        return name or "text"

    def heading(self, level: int, text: str, own_id: str) -> str:
        return "#" * level + f" {text}" + (f" {{ #{own_id} }}" if own_id else "")

    def note(self, kind: str, title: str, body: str) -> str:
        named = f' "{title}"' if title else ""
        return f"!!! {kind}{named}\n\n{self.indented(body)}"

    def folded(self, kind: str, title: str, body: str) -> str:
        return f'??? {kind} "{title}"\n\n{self.indented(body)}'

    def details(self, summary: str, body: str) -> str:
        return f'<details markdown="1"><summary>{summary}</summary>\n\n{body}\n\n</details>'

    def tabs(self, panels: list[tuple[str, str]]) -> str:
        return "\n\n".join(f'=== "{label}"\n\n{self.indented(body)}' for label, body in panels)

    def keys(self, keys: str) -> str:
        return f"++{keys.lower()}++"

    def run(self, kind: str, inner: str, target: str) -> str:
        return f"~{inner}~" if kind == "sub" else super().run(kind, inner, target)


class Myst(Dialect):
    """Sphinx with Furo: MyST Markdown."""

    name = "furo"
    apostrophe = "’"
    deepest = 3
    kinds = frozenset({"note", "tip", "important", "warning", "danger", "caution"})

    def heading(self, level: int, text: str, own_id: str) -> str:
        return (f"({own_id})=\n" if own_id else "") + "#" * level + f" {text}"

    def code(self, value: Mapping[str, Value]) -> str:
        options = {"caption": value.get("title"), "emphasize-lines": value.get("highlight")}
        lines = [f":{name}: {setting}" for name, setting in options.items() if setting]
        lines += [":linenos:"] * bool(value.get("linenos"))
        fence = "````" if "```" in value["text"] else "```"
        if not lines:
            return f"{fence}{value['lang'] or 'text'}\n{value['text']}\n{fence}"
        return f"{fence}{{code-block}} {value['lang']}\n" + "\n".join([*lines, "", value["text"], fence])

    def language(self, name: str) -> str:
        return name or "text"

    def note(self, kind: str, title: str, body: str) -> str:
        if title:
            return f":::::{{admonition}} {title}\n:class: {kind}\n\n{body}\n:::::"
        return f":::::{{{kind}}}\n{body}\n:::::"

    def folded(self, kind: str, title: str, body: str) -> str:
        return f":::::{{dropdown}} {title}\n{body}\n:::::"

    def folded_label(self, kind: str, title: str) -> str:
        return title

    def details(self, summary: str, body: str) -> str:
        return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"

    def tabs(self, panels: list[tuple[str, str]]) -> str:
        inner = "\n\n".join(f":::::{{tab-item}} {label}\n{body}\n:::::" for label, body in panels)
        return f"::::::{{tab-set}}\n{inner}\n::::::"

    def keys(self, keys: str) -> str:
        return f"{{kbd}}`{keys}`"

    def run(self, kind: str, inner: str, target: str) -> str:
        return f"{{sub}}`{inner}`" if kind == "sub" else super().run(kind, inner, target)


class VitePress(Dialect):
    """VitePress with its plugins for footnotes and definition lists."""

    name = "vitepress"
    features = EVERYTHING - {"tabs", "folded", "code titles"}
    kinds = frozenset({"note", "tip", "info", "warning", "danger", "important", "caution"})

    def head(self, page: ManualPage) -> str:
        return _nav(page, description="Said of the page") + super().head(page)

    def info(self, value: Mapping[str, Value]) -> str:
        lines = f"{{{value['highlight']}}}" if value.get("highlight") else ""
        numbers = ":line-numbers" if value.get("linenos") else ""
        return f"{value['lang']}{numbers}{lines}{value.get('group', '')}"

    def note(self, kind: str, title: str, body: str) -> str:
        if kind in {"note", "important", "caution"}:
            return "\n".join(
                f"> {line}".rstrip() for line in [f"[!{kind.upper()}]{f' {title}' if title else ''}", *body.split("\n")]
            )
        return f"::: {kind} {title}".rstrip() + f"\n{body}\n:::"

    def details(self, summary: str, body: str) -> str:
        return f"::: details {summary}\n{body}\n:::"

    def code_tabs(self, tabs: list[Mapping[str, Value]]) -> str:
        blocks = "\n".join(self.code({**tab, "group": f" [{tab['label']}]"}) for tab in tabs)
        return f"::: code-group\n{blocks}\n:::"

    def language(self, name: str) -> str:
        return name

    def tab_code(self, tab: Mapping[str, Value]) -> Mapping[str, Value]:
        return {**tab, "title": tab["label"]}

    def tab_label(self, label: str) -> str:
        return ""

    # MathJax draws its formulas and leaves MathML, no TeX.
    _mathml: ClassVar[dict[str, str]] = {
        "c = n \\times p^2": "c = n × p 2",
        "w_i": "w i",
        "\\sum_{i=1}^{n} w_i \\leq W": "∑ i = 1 n w i ≤ W",
    }

    def math_inline(self, tex: str) -> str:
        return f"${self._mathml[tex]}$"

    def math_block(self, tex: str) -> str:
        return f"$$\n{self._mathml[tex]}\n$$"

    def page_link(self, slug: str) -> str:
        return f"./{slug}"


class _Mdx(Dialect):
    suffix = ".mdx"

    def tabs(self, panels: list[tuple[str, str]]) -> str:
        items = "\n".join(f"<TabItem {self.tab(label)}>\n\n{body}\n\n</TabItem>" for label, body in panels)
        return f"<Tabs>\n{items}\n</Tabs>"

    def tab(self, label: str) -> str:
        return f'label="{label}"'


class Starlight(_Mdx):
    """Astro's Starlight, with Expressive Code. It draws the first heading from the front matter."""

    name = "starlight"
    apostrophe = "’"
    tabulator = "  "
    features = EVERYTHING - {"ids", "folded", "math", "deflist"}
    kinds = frozenset({"note", "tip", "danger", "caution"})

    def title_shown(self, page: ManualPage) -> str:
        return super().title_shown(page).replace("`", "")

    def head(self, page: ManualPage) -> str:
        front = _nav(page, title=self.title_shown(page), sidebar={"label": page.short})
        front = front.replace("\n---\n", "\nlastUpdated: 2024-05-06\n---\n", 1)
        parts = "Tabs, TabItem, Steps, FileTree, Card, CardGrid, LinkCard, Badge, Aside"
        return front + f"import {{ {parts} }} from '@astrojs/starlight/components';\n\n"

    def info(self, value: Mapping[str, Value]) -> str:
        return super().info({**value, "linenos": False})

    def language(self, name: str) -> str:
        return name or "plaintext"

    def page_link(self, slug: str) -> str:
        return f"/{slug}/"

    def image(self, file: str) -> str:
        return f"../../assets/{file}"


class Docusaurus(_Mdx):
    """Docusaurus 3."""

    name = "docusaurus"
    features = EVERYTHING - {"folded", "deflist"}
    kinds = frozenset({"note", "tip", "info", "warning", "danger"})

    def head(self, page: ManualPage) -> str:
        changed = {"date": "2024-05-06", "author": "Shelf maker"}
        front = _nav(
            page, sidebar_label=page.short, pagination_label=page.short, tags=["pantry-tag"], last_update=changed
        )
        return (
            front
            + "import Tabs from '@theme/Tabs';\nimport TabItem from '@theme/TabItem';\n\n"
            + super(_Mdx, self).head(page)
        )

    def heading(self, level: int, text: str, own_id: str) -> str:
        return "#" * level + f" {text}" + (f" {{#{own_id}}}" if own_id else "")

    def block(self, block: Mapping[str, Value]) -> str:
        return super().block(block).replace(' class="box"', ' className="box"')

    def tab(self, label: str) -> str:
        return f'value="{label.split(maxsplit=1)[0].lower()}" label="{label}"'

    def page_link(self, slug: str) -> str:
        return f"./{slug}.mdx"

    def image(self, file: str) -> str:
        return f"./{file}"


class Nextra(_Mdx):
    """Nextra's docs theme, Next's app router with a content folder."""

    name = "nextra"
    apostrophe = "’"
    features = EVERYTHING - {"folded", "deflist"}
    kinds = frozenset({"tip", "info", "warning", "danger", "important"})
    _types: ClassVar[dict[str, str]] = {"tip": "default", "danger": "error"}

    def head(self, page: ManualPage) -> str:
        front = _nav(page, sidebarTitle=page.short)
        parts = "Callout, Tabs, Steps, FileTree, Cards"
        return front + f"import {{ {parts} }} from 'nextra/components'\n\n" + super(_Mdx, self).head(page)

    def heading(self, level: int, text: str, own_id: str) -> str:
        return "#" * level + f" {text}" + (f" [#{own_id}]" if own_id else "")

    def block(self, block: Mapping[str, Value]) -> str:
        return super().block(block).replace(' class="box"', ' className="box"')

    def info(self, value: Mapping[str, Value]) -> str:
        return super().info(value).replace("title=", "filename=")

    def note(self, kind: str, title: str, body: str) -> str:
        first = f"**{title}**\n\n" if title else ""
        return f'<Callout type="{self._types.get(kind, kind)}">\n\n{first}{body}\n\n</Callout>'

    def label(self, kind: str, title: str) -> str:
        shown = {"danger": "Error"}.get(kind, kind.capitalize())
        return f"{shown}:\n{title}" if title else f"{shown}:"

    def language(self, name: str) -> str:
        return ""

    def tabs(self, panels: list[tuple[str, str]]) -> str:
        names = json.dumps([label for label, _ in panels])
        items = "\n".join(f"<Tabs.Tab>\n\n{body}\n\n</Tabs.Tab>" for _, body in panels)
        return f"<Tabs items={{{names}}}>\n{items}\n</Tabs>"

    def page_link(self, slug: str) -> str:
        return f"/{slug}"

    def image(self, file: str) -> str:
        return f"/{file}"


class VuePress(Dialect):
    """VuePress 2 with its default theme, and its plugins for tabs, footnotes and tasks."""

    name = "vuepress"
    features = EVERYTHING - {"ids", "folded", "math", "deflist"}
    kinds = frozenset({"note", "tip", "info", "warning", "important", "caution"})

    def info(self, value: Mapping[str, Value]) -> str:
        lines = f"{{{value['highlight']}}}" if value.get("highlight") else ""
        title = f' title="{value["title"]}"' if value.get("title") else ""
        return f"{value['lang']}{lines}{':line-numbers' if value.get('linenos') else ''}{title}"

    def language(self, name: str) -> str:
        return name or "text"

    def note(self, kind: str, title: str, body: str) -> str:
        return f"::: {kind} {title}".rstrip() + f"\n{body}\n:::"

    def details(self, summary: str, body: str) -> str:
        return f"::: details {summary}\n{body}\n:::"

    def tabs(self, panels: list[tuple[str, str]]) -> str:
        items = "\n\n".join(f"@tab {label}\n\n{body}" for label, body in panels)
        return f"::: tabs\n\n{items}\n\n:::"

    def code_tabs(self, tabs: list[Mapping[str, Value]]) -> str:
        return self.tabs([(tab["label"], self.code(tab)) for tab in tabs]).replace("::: tabs", "::: code-tabs")

    def page_link(self, slug: str) -> str:
        return f"./{slug}.md"

    def image(self, file: str) -> str:
        return f"./{file}"


class Rspress(_Mdx):
    """Rspress 2."""

    name = "rspress"
    features = EVERYTHING - {"folded", "math", "deflist"}
    kinds = frozenset({"note", "tip", "info", "warning", "danger", "caution"})

    def head(self, page: ManualPage) -> str:
        parts = "import { Tabs, Tab } from '@rspress/core/theme';\n\n"
        return _nav(page, description="Said of the page") + parts + super(_Mdx, self).head(page)

    def heading(self, level: int, text: str, own_id: str) -> str:
        return "#" * level + f" {text}" + (f" \\{{#{own_id}}}" if own_id else "")

    def info(self, value: Mapping[str, Value]) -> str:
        return super().info(value).replace("showLineNumbers", "lineNumbers")

    def block(self, block: Mapping[str, Value]) -> str:
        return super().block(block).replace(' class="box"', ' className="box"')

    def note(self, kind: str, title: str, body: str) -> str:
        return f":::{kind}{f' {title}' if title else ''}\n\n{body}\n\n:::"

    def tabs(self, panels: list[tuple[str, str]]) -> str:
        items = "\n".join(f'<Tab label="{label}">\n\n{body}\n\n</Tab>' for label, body in panels)
        return f"<Tabs>\n{items}\n</Tabs>"

    def label(self, kind: str, title: str) -> str:
        """It leaves out the code in a title."""
        return super().label(kind, re.sub(r"`.*?`", "", title))

    def page_link(self, slug: str) -> str:
        return f"./{slug}"

    def image(self, file: str) -> str:
        return f"./{file}"
