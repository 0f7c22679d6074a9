"""A limit on failed lookaheads, so that unclosed brackets cannot make a page take quadratic time."""

import re
from collections.abc import MutableMapping
from typing import Any

from assay.ingest.markdown.javascript import flat_end, skip_braces
from assay.ingest.markdown.tags import Tag, parse_tag

_KEY = "characters left to scan"
_NOT_CLOSED = "not closed by "
_DECLARATION = re.compile(r"<![A-Za-z\[]")
_MIN_BUDGET = 200_000
_BUDGET_PER_CHARACTER = 20
_FALLBACK_LOOKAHEAD = 200


def allow_scanning(environment: MutableMapping[str, Any], source: str) -> None:
    """Set a page's budget: the characters that failed lookaheads may scan."""
    environment[_KEY] = _MIN_BUDGET + _BUDGET_PER_CHARACTER * len(source)


def expression_end(environment: MutableMapping[str, Any], source: str, position: int, end: int) -> int:
    """The end of the expression that starts with a brace; -1 when it has none, or the budget is used up."""
    if environment[_KEY] <= 0:
        return flat_end(source, position, end)
    after = skip_braces(source, position, end)
    if after < 0:
        environment[_KEY] -= end - position
    return after


def tag_at(environment: MutableMapping[str, Any], source: str, position: int, end: int) -> tuple[Tag, int] | None:
    """The tag that starts here and its end; None when there is none, or the budget is used up."""
    if environment[_KEY] <= 0:
        end = _nearby(source, position, end)
    parsed = parse_tag(source, position, end)
    if parsed is None and "{" in source[position : position + 500]:
        environment[_KEY] -= end - position
    return parsed


def comment_end(environment: MutableMapping[str, Any], source: str, position: int, end: int) -> int:
    """The end of the comment that starts here; -1 when it has none."""
    return _find_close(environment, source, position + 4, end, "-->")


def declaration_end(environment: MutableMapping[str, Any], source: str, position: int, end: int) -> int:
    """The end of the declaration or processing instruction that starts here; -1 when there is none."""
    if source.startswith("<?", position):
        return _find_close(environment, source, position + 2, end, "?>")
    if _DECLARATION.match(source, position, end):
        return _find_close(environment, source, position + 3, end, ">")
    return -1


def _find_close(environment: MutableMapping[str, Any], source: str, position: int, end: int, close: str) -> int:
    """The end of the next `close`; -1 when there is none. A failed search is remembered."""
    searched, first, last = environment.get(_NOT_CLOSED + close, (None, 0, 0))
    if searched is source and position >= first and end <= last:
        return -1
    found = source.find(close, position, end)
    if found < 0:
        environment[_NOT_CLOSED + close] = (source, position, end)
        return -1
    return found + len(close)


def charge(environment: MutableMapping[str, Any], characters: int) -> bool:
    """Subtract characters from the budget. Return whether something was left."""
    left = environment[_KEY]
    environment[_KEY] = left - characters
    return bool(left > 0)


def _nearby(source: str, position: int, end: int) -> int:
    """Where to stop once the budget is used up: the end of the line, or a little further."""
    newline = source.find("\n", position, position + _FALLBACK_LOOKAHEAD)
    return min(end, newline if newline >= 0 else position + _FALLBACK_LOOKAHEAD)
