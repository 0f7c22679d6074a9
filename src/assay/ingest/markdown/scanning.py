"""A limit on looking ahead in vain, so that unclosed brackets cannot make a page take quadratic time."""

from collections.abc import MutableMapping
from typing import Any

from assay.ingest.markdown.javascript import flat_end, skip_braces
from assay.ingest.markdown.tags import Tag, parse_tag

_KEY = "characters left to scan"
_NO_COMMENT = "no comment ends after"
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
    searched, first, last = environment.get(_NO_COMMENT, (None, 0, 0))
    if searched is source and position >= first and end <= last:
        return -1
    close = source.find("-->", position + 4, end)
    if close < 0:
        environment[_NO_COMMENT] = (source, position, end)
        return -1
    return close + 3


def charge(environment: MutableMapping[str, Any], characters: int) -> bool:
    """Take characters from the account. Returns whether there was something left."""
    left = environment[_KEY]
    environment[_KEY] = left - characters
    return bool(left > 0)


def _nearby(source: str, position: int, end: int) -> int:
    """Where to stop looking once nothing is left to scan: the end of the line, or a little further on."""
    newline = source.find("\n", position, position + _NEARBY)
    return min(end, newline if newline >= 0 else position + _NEARBY)
