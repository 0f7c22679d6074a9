"""What stands above an admonition, a tab or something foldable: one form for every way of writing them."""

import re

from assay.ingest.text.inlines import EMPTY, Inline, joined

_ENTRY = re.compile(r"\{([^{}]*)\}")
_PROPERTY = re.compile(r"""["']?\b(label|value)["']?\s*:\s*(?:"([^"]*)"|'([^']*)'|`([^`]*)`)""")
_ENDS_ITSELF = tuple(":?!.…。\uff1a\uff1f\uff01")  # the last three are the fullwidth ones

_APART = {"seealso": "see also", "tldr": "tl;dr"}
"""Kinds whose names are not the words that a page shows for them."""

_TABS = {"tab", "tab-item"}
_FOLDED = {"details", "dropdown", "collapse", "toggle"}
_UNNAMED = {
    "block", "caption", "card", "cards", "code-group", "container", "definition", "div", "figure", "figure-caption",
    "grid", "html", "raw", "tab-set", "table-caption", "tabs", "v-pre",
}  # fmt: skip


def container_label(kind: str, title: Inline) -> Inline:
    """The label of a container by the kind that an author names: an admonition, a tab, a fold, or none of these."""
    name = kind.lower()
    if is_tab(kind):
        return Inline(tab_label(title.text))
    if name in _FOLDED or name in _UNNAMED:
        return title
    return admonition_label(kind, title)


def is_tab(kind: str) -> bool:
    """Whether a container is one panel of many, whose label says nothing when the panel is empty."""
    return kind.lower() in _TABS


def admonition_label(kind: str, title: Inline) -> Inline:
    """`Note: Title`, or `Note:` without a title or with one that only says the kind again."""
    shown = _APART.get(kind.lower(), kind).replace("-", " ").replace("_", " ").capitalize()
    if title.text.casefold() == shown.casefold():
        title = EMPTY
    return joined([Inline(f"{shown}:"), title], " ")


def tab_label(label: str) -> str:
    """`npm:`; a label that ends in a mark of its own stays as it is."""
    label = label.strip()
    return label if not label or label.endswith(_ENDS_ITSELF) else f"{label}:"


def tab_values(expression: str) -> dict[str, str]:
    """Label by value of the tabs that `values={[{label: 'npm', value: 'npm'}, …]}` lists."""
    values: dict[str, str] = {}
    for entry in _ENTRY.finditer(expression[1:-1]):
        named = {found[1]: found[2] or found[3] or found[4] or "" for found in _PROPERTY.finditer(entry[1])}
        if "value" in named and "label" in named:
            values[named["value"]] = named["label"]
    return values
