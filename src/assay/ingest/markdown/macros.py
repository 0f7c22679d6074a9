"""Jinja macros in MkDocs pages. Their output is known only to the site's build, so they are omitted."""

import re

_OPENING = re.compile(r"\{(?:\{[^{}]*+\}\}|([%#]))")
_ID = re.compile(r"\{#[\w-]++\s*+\}")


def macro_end(text: str, start: int, end: int) -> int:
    """The end of the macro that starts at `start`, at most `end`; -1 when there is none. `{#id}` is not a macro."""
    opening = _OPENING.match(text, start, end)
    if not opening or _ID.match(text, start, end):
        return -1
    if not (mark := opening[1]):
        return opening.end()
    closing = text.find(mark + "}", opening.end(), end)
    return closing + 2 if closing >= 0 else -1


def without_macros(text: str) -> str:
    """Remove macros. A mark without a closing one is searched once: it has none later either."""
    kept: list[str] = []
    after = 0
    unclosed = set()
    for opening in _OPENING.finditer(text):
        start, end, mark = opening.start(), opening.end(), opening[1]
        if start < after or mark in unclosed:
            continue
        if mark:
            closing = text.find(mark + "}", end)
            if closing < 0:
                unclosed.add(mark)
                continue
            end = closing + 2
        kept.append(text[after:start])
        after = end
    return "".join(kept) + text[after:]
