"""Labels of admonitions, tabs and collapsible sections, in one form for all notations."""

import re

from assay.ingest.text.inlines import EMPTY, Inline, join_inlines

_ENTRY = re.compile(r"\{([^{}]*)\}")
_PROPERTY = re.compile(r"""["']?\b(label|value)["']?\s*:\s*(?:"([^"]*)"|'([^']*)'|`([^`]*)`)""")
_END_PUNCTUATION = tuple(":?!.…。\uff1a\uff1f\uff01")  # the last three are fullwidth

_DISPLAY_NAMES = {"seealso": "see also", "tldr": "tl;dr"}
"""Kinds with a display name of their own."""

_TABS = {"tab", "tab-item"}
_COLLAPSIBLE = {"details", "dropdown", "collapse", "toggle"}
_TITLE_ONLY = {
    "block", "caption", "card", "cards", "code-group", "container", "definition", "div", "figure", "figure-caption",
    "grid", "html", "raw", "tab-set", "table-caption", "tabs", "v-pre",
}  # fmt: skip


def container_label(kind: str, title: Inline) -> Inline:
    """The label of a container by its kind: an admonition, a tab, a collapsible section, or none of these."""
    name = kind.lower()
    if is_tab(kind):
        return Inline(tab_label(title.text))
    if name in _COLLAPSIBLE or name in _TITLE_ONLY:
        return title
    return admonition_label(kind, title)


def is_tab(kind: str) -> bool:
    """Whether a container is a tab; the label of an empty tab is not written."""
    return kind.lower() in _TABS


def admonition_label(kind: str, title: Inline) -> Inline:
    """`Note: Title`, or `Note:` without a title or with one that repeats the kind."""
    shown = _DISPLAY_NAMES.get(kind.lower(), kind).replace("-", " ").replace("_", " ").capitalize()
    if title.text.casefold() == shown.casefold():
        title = EMPTY
    return join_inlines([Inline(f"{shown}:"), title], " ")


def tab_label(label: str) -> str:
    """`npm:`; a label that ends in punctuation is unchanged."""
    label = label.strip()
    return label if not label or label.endswith(_END_PUNCTUATION) else f"{label}:"


def tab_values(expression: str) -> dict[str, str]:
    """Labels by value in `values={[{label: 'npm', value: 'npm'}, …]}`."""
    values: dict[str, str] = {}
    for entry in _ENTRY.finditer(expression[1:-1]):
        named = {found[1]: found[2] or found[3] or found[4] or "" for found in _PROPERTY.finditer(entry[1])}
        if "value" in named and "label" in named:
            values[named["value"]] = named["label"]
    return values
