"""A limit on looking ahead in vain, so that unclosed brackets cannot make a page take quadratic time."""

import re
from collections.abc import MutableMapping
from typing import Any

from assay.ingest.markdown.javascript import flat_end, skip_braces
from assay.ingest.markdown.tags import Tag, parse_tag

_KEY = "characters left to scan"
_NOT_CLOSED = "not closed by "
_DECLARATION = re.compile(r"<![A-Za-z\[]")
_LEAST = 200_000
_TIMES = 20
_NEARBY = 200


def allow_scanning(environment: MutableMapping[str, Any], source: str) -> None:
    """Start a page's account: so many characters may be scanned without finding an end."""
    environment[_KEY] = _LEAST + _TIMES * len(source)


def expression_end(environment: MutableMapping[str, Any], source: str, position: int, end: int) -> int:
    """Where the expression that begins with a brace ends; -1 when it does not, or nothing is left to scan."""
    if environment[_KEY] <= 0:
        return flat_end(source, position, end)
    after = skip_braces(source, position, end)
    if after < 0:
        environment[_KEY] -= end - position
    return after


def tag_at(environment: MutableMapping[str, Any], source: str, position: int, end: int) -> tuple[Tag, int] | None:
    """The tag that begins here and where it ends; None when there is none, or nothing is left to scan."""
    if environment[_KEY] <= 0:
        end = _nearby(source, position, end)
    parsed = parse_tag(source, position, end)
    if parsed is None and "{" in source[position : position + 500]:
        environment[_KEY] -= end - position
    return parsed


def comment_end(environment: MutableMapping[str, Any], source: str, position: int, end: int) -> int:
    """Where the comment that begins here ends; -1 when it does not."""
    return _closed(environment, source, position + 4, end, "-->")


def declaration_end(environment: MutableMapping[str, Any], source: str, position: int, end: int) -> int:
    """Where the declaration or processing instruction that begins here ends; -1 when there is none."""
    if source.startswith("<?", position):
        return _closed(environment, source, position + 2, end, "?>")
    if _DECLARATION.match(source, position, end):
        return _closed(environment, source, position + 3, end, ">")
    return -1


def _closed(environment: MutableMapping[str, Any], source: str, position: int, end: int, close: str) -> int:
    """Where the next `close` ends; -1 when there is none. What was looked for in vain is not looked for again."""
    searched, first, last = environment.get(_NOT_CLOSED + close, (None, 0, 0))
    if searched is source and position >= first and end <= last:
        return -1
    found = source.find(close, position, end)
    if found < 0:
        environment[_NOT_CLOSED + close] = (source, position, end)
        return -1
    return found + len(close)


def charge(environment: MutableMapping[str, Any], characters: int) -> bool:
    """Take characters from the account. Returns whether there was something left."""
    left = environment[_KEY]
    environment[_KEY] = left - characters
    return bool(left > 0)


def _nearby(source: str, position: int, end: int) -> int:
    """Where to stop looking once nothing is left to scan: the end of the line, or a little further on."""
    newline = source.find("\n", position, position + _NEARBY)
    return min(end, newline if newline >= 0 else position + _NEARBY)
