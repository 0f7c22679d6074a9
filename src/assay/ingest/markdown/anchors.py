"""Heading anchors as the site generators make them, so that deep links work.

Each class gives the headings of one page (or one imported file) their ids, in order.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Protocol
from urllib.parse import quote

from assay.model.documents import USUAL_MKDOCS, MkDocsRules

_CIRCLED_LETTERS = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189))
_NOT_IN_ASCII_SLUG = re.compile(r"[^a-z0-9_ -]")
_NOT_WORD = re.compile(r"[^\w\s-]")
_NOT_IN_PYMDOWNX_SLUG = re.compile(r"[^\w\- ]")
_ASCII_CAPITALS = re.compile("[A-Z]+")
_TAG = re.compile(r"</?[^>]*>")
_NUMBERED = re.compile(r"(.*)_([0-9]{1,1000})")


_BRACED_ID = re.compile(r"\{#([^{}]+)\}$")
_COMMENT_ID = re.compile(r"\{/\*[ \t]*+#(\S+)[ \t]*\*/\}$")
_TEXT_DIRECTIVE = re.compile(r"(?<!:):[A-Za-z](?:[A-Za-z0-9_-]*[A-Za-z0-9])?(?![A-Za-z0-9_:-])")
_LIST_START = re.compile(r"[ ]\{:?[ ]*(?=[^}\n ])")
_ATTRIBUTE = re.compile(r"""(?P<key>[^ =}]+)=(?P<value>".*?"|'.*?'|[^ =}]+)|(?P<word>[^ =}]+)|[ ]""")


def braced_id(content: str, *, in_comment: bool = True) -> tuple[str, str | None]:
    """Split a heading into its text and the id written at its end as `{#id}`, if any; in_comment: or `{/* #id */}`."""
    if not content.endswith("}"):
        return content, None
    braced, comment = content.rfind("{"), content.rfind("{/*")
    found = _BRACED_ID.match(content, max(braced, 0))
    if found is None and in_comment:
        found = _COMMENT_ID.match(content, max(comment, 0))
    return (content[: found.start()].rstrip(" \t"), found[1].strip()) if found else (content, None)


def attribute_list_id(content: str) -> tuple[str, str | None]:
    """Split off the attribute list at a heading's end; return the text and the id in the list, if any.

    As Python-Markdown's attr_list reads it: after a blank, from the first brace that follows the last code span.
    """
    end = content.rfind("}")
    if end < 0 or content[end + 1 :].strip(" "):
        return content, None
    start = _LIST_START.search(content, max(content.rfind("`") + 1, 0), end)
    if start is None:
        return content, None
    given, position = None, start.end()
    while position < end and (found := _ATTRIBUTE.match(content, position, end)):
        position = found.end()
        if found["key"] == "id":
            given = found["value"].strip("\"'")
        elif (found["word"] or "").startswith("#"):
            given = found["word"][1:]
    if "}" in content[position:end]:  # more than a list
        return content, None
    return content[: start.start()].rstrip(" \t").rstrip("#").rstrip(), given or None


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


def without_directives(text: str) -> str:
    """A heading's text for its slug in Docusaurus, which takes `:name` for a directive and shows it all the same."""
    return _TEXT_DIRECTIVE.sub("", text) if ":" in text else text


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
    """Slugs as in Python-Markdown's toc extension; duplicates and empty ones are numbered: `name_1`, `_1`.

    taken: explicit ids anywhere in the page; no slug may equal one.
    """

    def __init__(self, taken: set[str], rules: MkDocsRules | None = None) -> None:
        self._taken = taken
        self._rules = rules or USUAL_MKDOCS
        self._last: dict[str, str] = {}

    def anchor(self, text: str, level: int, explicit: str | None) -> str | None:  # noqa: ARG002  (level: see Protocol)
        """Id of the next heading; every level has one."""
        if explicit:
            return explicit
        slug, passed = toc_slug(text, self._rules), []
        while slug in self._taken or not slug:
            passed.append(slug)
            slug = self._last.get(slug) or _next(slug)
        self._taken.add(slug)
        self._last |= dict.fromkeys(passed, slug)  # every slug between each of them and this one is taken
        return slug


def toc_slug(text: str, rules: MkDocsRules) -> str:
    """The slug of a heading's text, which may be empty."""
    shown = " ".join(text.split())
    if rules.slug == "pymdownx":
        return _pymdownx_slug(shown, rules)
    if rules.slug == "ascii":
        shown = unicodedata.normalize("NFKD", shown).encode("ascii", "ignore").decode("ascii")
    slug = _NOT_WORD.sub("", shown).strip().lower()
    return _separators(rules.separator).sub(lambda _: rules.separator, slug)


@lru_cache(maxsize=8)
def _separators(separator: str) -> re.Pattern[str]:
    return re.compile(rf"[{re.escape(separator)}\s]+")


def _pymdownx_slug(text: str, rules: MkDocsRules) -> str:
    slug = _TAG.sub("", unicodedata.normalize(rules.normalization, text)).strip()
    match rules.case:
        case "lower":
            slug = slug.lower()
        case "lower-ascii":
            slug = _ASCII_CAPITALS.sub(lambda found: found[0].lower(), slug)
        case "fold":
            slug = slug.casefold()
    slug = _NOT_IN_PYMDOWNX_SLUG.sub("", slug).replace(" ", rules.separator)
    return quote(slug) if rules.percent_encode else slug


def _next(slug: str) -> str:
    """The slug to try next."""
    numbered = _NUMBERED.fullmatch(slug)
    return f"{numbered[1]}_{int(numbered[2]) + 1}" if numbered else f"{slug}_1"
