"""Build HTML and SVG safely: plain strings are escaped, and only the results of `element` and `joined` are not."""

import html
from collections.abc import Iterable

from assay.validation.report.wording import printable


class Markup(str):
    """Escaped markup. Only this module creates it."""

    __slots__ = ()


Child = str | None | Iterable["Child"]
"""Text, markup, nothing, or several of them."""

_VOID = frozenset({"meta", "br", "hr", "input", "link"})
NOTHING = Markup("")


def element(tag: str, /, *children: Child, **attributes: str | float | bool | None) -> Markup:
    """One element.

    attributes: `class_` is `class`, other underscores are hyphens; None and False leave an attribute out, and True
        gives it no value.
    """
    opening = f"<{tag}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    if tag in _VOID:
        return Markup(opening)
    return Markup(f"{opening}{joined(*children)}</{tag}>")


def joined(*children: Child) -> Markup:
    """Concatenate children."""
    return Markup("".join(_text(child) for child in children))


def _text(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return child
    if isinstance(child, str):
        return html.escape(printable(child))
    return "".join(_text(inner) for inner in child)


def _attribute(name: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    attribute = name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {attribute}"
    text = f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    return f' {attribute}="{html.escape(printable(text))}"'


def with_code(text: str) -> Markup:
    """Format the parts between backticks as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return joined(text)
    return joined(element("code", part) if place % 2 else part for place, part in enumerate(parts))


def link(url: str, text: Child) -> Markup:
    """A link if the URL is http or https; else only the text."""
    if not url.lower().startswith(("https://", "http://")) or any(character <= " " for character in url):
        return element("bdi", text)
    return element("a", element("bdi", text), href=url, rel="noreferrer noopener")
