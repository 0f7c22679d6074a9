"""Heading anchors as the site generators make them, so that deep links work.

Each class gives the headings of one page (or one imported file) their ids, in order.
"""

import re
import unicodedata
from typing import Protocol

_CIRCLED_LETTERS = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
_NOT_IN_ASCII_SLUG = re.compile(r"[^a-z0-9_ -]")
_NOT_WORD = re.compile(r"[^\w\s-]")
_RUN_OF_BLANKS = re.compile(r"[-\s]+")
_NUMBERED = re.compile(r"(.+)_([0-9]{1,1000})")


_BRACED_ID = re.compile(r"\{#([^{}]+)\}$")
_COMMENT_ID = re.compile(r"\{/\*[ \t]*+#(\S+)[ \t]*\*/\}$")
_ATTRIBUTES = re.compile(r"\{:?[ \t]*+((?:[.#][\w.:-]|[\w:-]++=(?:\"[^\"]*+\"|'[^']*+'|[^\s{}]))[^{}]*+|:[^{}]*+)\}$")
_ID = re.compile(r"(?:^|\s)#([^\s#.{}]+)")


def braced_id(content: str) -> tuple[str, str | None]:
    """Split a heading into its text and the id written at its end as `{#id}` or `{/* #id */}`, if any."""
    if not content.endswith("}"):
        return content, None
    braced, comment = content.rfind("{"), content.rfind("{/*")
    found = _BRACED_ID.match(content, max(braced, 0)) or _COMMENT_ID.match(content, max(comment, 0))
    return (content[: found.start()].rstrip(" \t"), found[1].strip()) if found else (content, None)


def attribute_list_id(content: str) -> tuple[str, str | None]:
    """Split off the attribute list at a heading's end; return the text and the id in the list, if any."""
    if content.endswith("}") and (found := _ATTRIBUTES.search(content)):
        given = _ID.search(found[1])
        return content[: found.start()].rstrip(" \t"), given[1] if given else None
    return content, None


class Anchors(Protocol):
    """Gives the headings of one page their ids, in order."""

    def anchor(self, text: str, level: int, explicit: str | None) -> str | None:
        """Id of the next heading; None where the page gives it none.

        text: the heading's text as the generator slugs it: code without backticks, no markup.
        explicit: the id that the author wrote, if any.
        """


def github_slug(text: str) -> str:
    """The slug of a text as in github-slugger: lower case, letters, marks, digits, `_` and `-`, blanks to `-`."""
    lowered = text.lower()
    if lowered.isascii():
        return _NOT_IN_ASCII_SLUG.sub("", lowered).replace(" ", "-")
    return "".join("-" if c == " " else c for c in lowered if _is_kept(c))


def _is_kept(character: str) -> bool:
    """Whether github-slugger keeps it: Alphabetic, Mark, Decimal_Number, Connector_Punctuation, blank or hyphen."""
    category = unicodedata.category(character)
    if category[0] in "LM" or category in {"Nd", "Nl", "Pc"} or character in " -":
        return True
    return category == "So" and any(first <= ord(character) <= last for first, last in _CIRCLED_LETTERS)


class GithubAnchors:
    """Slugs numbered as in github-slugger: `name`, `name-1`, `name-2`. Explicit ids do not count.

    title_has_anchor: a level-1 heading has an id in the page. Docusaurus counts its slug but omits the id.
    """

    def __init__(self, *, title_has_anchor: bool) -> None:
        self._title_has_anchor = title_has_anchor
        self._occurrences: dict[str, int] = {}

    def anchor(self, text: str, level: int, explicit: str | None) -> str | None:
        """Id of the next heading; None for a level-1 heading whose id the generator leaves away."""
        slug = explicit or self._unique(github_slug(text))
        return slug if slug and (level > 1 or self._title_has_anchor) else None

    def _unique(self, slug: str) -> str:
        result = slug
        while result in self._occurrences:
            self._occurrences[slug] += 1
            result = f"{slug}-{self._occurrences[slug]}"
        self._occurrences[result] = 0
        return result


class TocAnchors:
    """Slugs as in Python-Markdown's toc extension: ASCII only, duplicates as `name_1`.

    taken: explicit ids anywhere in the page; no slug may equal one.
    """

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._last: dict[str, str] = {}

    def anchor(self, text: str, level: int, explicit: str | None) -> str | None:  # noqa: ARG002  (level: see Protocol)
        """Id of the next heading; every level has one."""
        if explicit:
            return explicit
        ascii_only = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
        plain = _RUN_OF_BLANKS.sub("-", _NOT_WORD.sub("", ascii_only).strip().lower())
        slug, passed = plain, []
        while slug in self._taken or not slug:
            passed.append(slug)
            slug = self._last.get(slug) or _next(slug)
        self._taken.add(slug)
        self._last |= dict.fromkeys(passed, slug)  # every slug between each of them and this one is taken
        return slug


def _next(slug: str) -> str:
    """The slug to try next."""
    numbered = _NUMBERED.fullmatch(slug)
    return f"{numbered[1]}_{int(numbered[2]) + 1}" if numbered else f"{slug}_1"
