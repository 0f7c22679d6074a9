"""Keeps pages beyond all reason from taking quadratic time, which a parser needs for what is nested or named too often.

At every tag a parser looks through all elements that are open, at every attribute through all before it, and at every
option of a list through all options of that list.
"""

import re

_DEEPEST = 512
"""Elements in each other; browsers stop at as many."""
_STRETCH = 4_000
"""Characters in which tags are counted at once."""
_LONG_TAG = 10_000
_MOST_ATTRIBUTES = 500
_MOST_OPTIONS = 1_000
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/<>\0]*)[^<>]*>?|<!--.*?(?:-->|\Z)", re.DOTALL)
_LONG = re.compile(rf"<([a-zA-Z][^\s/<>]*)[^<>]{{{_LONG_TAG},}}>?")
_ATTRIBUTE = re.compile(r"""[^\s"'=<>/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?""")
_OPTION = re.compile(r"</?option(?=[\s/>])[^<>]*>?", re.IGNORECASE)
_UNCLOSED = (
    "area base br col embed hr img input link meta param source track wbr li p dt dd tr td th option optgroup thead "
    "tbody tfoot colgroup rp rt html head body"
)
_NOT_COUNTED = frozenset(_UNCLOSED.split())
"""What never has content, or ends where the next of its kind begins."""


_FOREIGN = frozenset("circle ellipse g line path polygon polyline rect stop use".split())  # noqa: SIM905  (as above)
"""What `/>` closes, as it does in drawings only."""


def tamed(content: str) -> str:
    """The page without tags of elements in more than 512 others, and without attributes and options beyond reason.

    Nearly every page is given back as it is.
    """
    if any(content.find(">", start, start + _LONG_TAG // 2) < 0 for start in range(0, len(content), _LONG_TAG // 2)):
        content = _LONG.sub(_without_attributes, content)
    if content.count("<o") + content.count("<O") > _MOST_OPTIONS:
        content = _without_options(content)
    return _flattened(content) if _may_be_deep(content) and _deepest(content) > _DEEPEST else content


def _without_attributes(tag: re.Match[str]) -> str:
    return f"<{tag[1]}>" if len(_ATTRIBUTE.findall(tag[0])) > _MOST_ATTRIBUTES else tag[0]


def _without_options(content: str) -> str:
    """The page without the tags of options, where it has very many; a form's text is not read."""
    return _OPTION.sub(" ", content) if sum(1 for _ in _OPTION.finditer(content)) > _MOST_OPTIONS else content


def _may_be_deep(content: str) -> bool:
    """Whether elements can stand so deep in each other, as a count of tags tells that takes nearly no time."""
    opened = 0
    for start in range(0, len(content), _STRETCH):
        end = start + _STRETCH
        closing = content.count("</", start, end + 1)
        opening = content.count("<", start, end) - closing - content.count("<br>", start, end + 3)
        if opened + opening > _DEEPEST:
            return True
        opened = max(0, opened + opening - closing)
    return False


def _deepest(content: str) -> int:
    """How many elements stand in each other, as far as their tags tell."""
    depth = deepest = 0
    for found in _TAG.finditer(content):
        depth = max(0, depth + _step(found))
        deepest = max(deepest, depth)
    return deepest


def _flattened(content: str) -> str:
    parts: list[str] = []
    depth = position = 0
    for found in _TAG.finditer(content):
        step = _step(found)
        depth += max(step, 0)
        if step and depth > _DEEPEST:
            parts.append(content[position : found.start()])
            position = found.end()
        depth = max(0, depth + min(step, 0))
    parts.append(content[position:])
    return "".join(parts)


def _step(found: re.Match[str]) -> int:
    """1 for a tag that opens an element, -1 for one that closes it, 0 for what does neither."""
    name = (found[2] or "").lower()
    if not name or name in _NOT_COUNTED or (name in _FOREIGN and found[0].endswith("/>")):
        return 0
    return -1 if found[1] else 1
