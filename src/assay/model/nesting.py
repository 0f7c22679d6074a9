"""Limit nesting, attributes and options of an HTML page, for which the parser needs quadratic time.

At every tag the parser scans all open elements, at every attribute all previous ones, and at every option of a list all
options of that list.
"""

import re
from collections import Counter

_MAX_DEPTH = 512
"""Nesting limit, the same as in browsers."""
_MANY_TAGS = 20_000
"""Nested tags that take the parser half a second; a page with more tags is checked tag by tag."""
_WINDOW = 4_000
"""Characters of a window in which tags are counted."""
_LONG_TAG = 10_000
_MOST_ATTRIBUTES = 500
_MOST_OPTIONS = 1_000
_ATTRIBUTES = r"""(?:[^>=]++|=\s*+"[^"]*+"|=\s*+'[^']*+'|=)*+"""
_TAG = re.compile(
    rf"""<!--(?:-?>|.*?(?:--!?>|\Z))               # a comment, empty or not
        |(?P<data><!\[CDATA\[)
        |<[!?][^>]*+>?|</[^a-zA-Z>][^>]*+>?         # parsed as a comment
        |<(?P<close>/?)(?P<name>[a-zA-Z][^\s/>\0]*+){_ATTRIBUTES}>?""",
    re.DOTALL | re.VERBOSE,
)
"""A tag as browsers parse it, not a `<` or `>` in an attribute's value or in a comment."""
_LONG = re.compile(rf"<(?=[^<>]{{{_LONG_TAG}}})([a-zA-Z][^\s/<>]*+)[^<>]*+>?")
_ATTRIBUTE = re.compile(r"""[^\s"'=<>/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?""")
_OPTION = re.compile(r"</?option(?=[\s/>])[^<>]*>?", re.IGNORECASE)
_OPTION_START = re.compile("<[oO][pP]")
_MOST_PASSED_OVER = 10_000
"""Maximum number of ignorable tags with attributes. The parser copies the text before each of them."""
_PASSED_OVER = re.compile(
    rf"<(/[a-z][^\s/<>]*+|(?:html|head|body|form|input|caption|col|colgroup|t[dhr]|tbody|thead|tfoot)(?=[\s/]))"
    rf"(?=[^<>]){_ATTRIBUTES}(>?)",
    re.IGNORECASE,
)
"""Tags with attributes that a parser may ignore: closing tags, and those of tables and pages."""
_UNCLOSED = (
    "area base br col embed hr img input link meta param source track wbr li p dt dd tr td th option thead "
    "tbody tfoot colgroup html head body"
)
_NOT_COUNTED = frozenset(_UNCLOSED.split())
"""Elements that never have content, or end where the next of their kind begins."""

_ENDS_WITHIN = {"rp": "ruby", "rt": "ruby", "optgroup": "select"}
"""Elements that end in the same way within another element, and nest anywhere else."""

_RAW = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext")
}
"""Elements that contain no tags except their closing tag."""

_ANY_TAG = re.compile(
    rf"""<!--(?:-?>|.*?(?:--!?>|\Z))
        |<[!?][^>]*+>?|</[^a-zA-Z>][^>]*+>?
        |<({"|".join(_RAW)})(?=[\s/>]){_ATTRIBUTES}>[^<]*+(?:<(?!/\1[\s/>])[^<]*+)*+
        |<(/?)([a-z][^\s/>\0]*+){_ATTRIBUTES}>?""",
    re.DOTALL | re.VERBOSE | re.IGNORECASE,
)
"""_TAG, extended by the content of raw elements, so that findall lists all tags of a page."""

_FOREIGN = frozenset("circle ellipse g line path polygon polyline rect stop use".split())  # noqa: SIM905  (as above)
"""SVG elements, which `/>` closes."""


def limit_nesting(content: str) -> str:
    """Remove tags nested deeper than 512 levels, and attributes and options if there are too many.

    Nearly every page is returned unchanged.
    """
    if any(content.find(">", start, start + _LONG_TAG // 2) < 0 for start in range(0, len(content), _LONG_TAG // 2)):
        content = _LONG.sub(_without_attributes, content)
    if _OPTION_START.search(content) and content.count("<o") + content.count("<O") > _MOST_OPTIONS:
        content = _without_options(content)
    tags = content.count("<")
    if tags > _MOST_PASSED_OVER and sum(1 for _ in _PASSED_OVER.finditer(content)) > _MOST_PASSED_OVER:
        content = _PASSED_OVER.sub(r"<\1\2", content)
    may_be_deep = _may_be_deep(content) if tags > _MANY_TAGS else tags > _MAX_DEPTH and _looks_deep(content)
    return _flattened(content) if may_be_deep else content


def _without_attributes(tag: re.Match[str]) -> str:
    return f"<{tag[1]}>" if len(_ATTRIBUTE.findall(tag[0])) > _MOST_ATTRIBUTES else tag[0]


def _without_options(content: str) -> str:
    """Remove the tags of options if there are very many; the text of forms is not indexed."""
    return _OPTION.sub(" ", content) if sum(1 for _ in _OPTION.finditer(content)) > _MOST_OPTIONS else content


def _looks_deep(content: str) -> bool:
    """Whether opening tags far outnumber closing tags, by a fast count."""
    opened = 0
    has_breaks = "<br>" in content
    for start in range(0, len(content), _WINDOW):
        end = start + _WINDOW
        closing = content.count("</", start, end + 1)
        opening = content.count("<", start, end) - closing
        if has_breaks:
            opening -= content.count("<br>", start, end + 3)
        if opened + opening > _MAX_DEPTH:
            return True
        opened = max(0, opened + opening - closing)
    return False


def _may_be_deep(content: str) -> bool:
    """Whether nesting may exceed the limit; a faster approximation of _flattened."""
    if "<![CDATA[" in content:
        return True
    opened: dict[str, int] = {}
    depth = 0
    for _, close, written in _ANY_TAG.findall(content):
        name = written if written in _NOT_COUNTED else written.lower()
        if not name or name in _NOT_COUNTED:
            continue
        if not close:
            opened[name] = opened.get(name, 0) + 1
            depth += 1
            if depth > _MAX_DEPTH:
                return True
        elif opened.get(name):
            opened[name] -= 1
            depth -= 1
    return False


class _Depth:
    """Tracks the open elements of a page by its tags."""

    def __init__(self) -> None:
        self.depth = 0
        self._open: Counter[str] = Counter()

    def opens(self, name: str) -> bool:
        """Whether the opening tag of an element increases the depth."""
        outer = _ENDS_WITHIN.get(name)
        return not self._open[outer] if outer else name not in _NOT_COUNTED

    def enter(self, name: str) -> None:
        """Open an element."""
        self._open[name] += 1
        self.depth += 1

    def leave(self, name: str) -> bool:
        """Close an element; return False if none of that name is open, in which case browsers ignore the tag."""
        if not self._open[name]:
            return False
        self._open[name] -= 1
        self.depth -= 1
        return True


def _flattened(content: str) -> str:
    """Remove the tags of elements nested deeper than 512 levels; return the same string if there are none."""
    parts: list[str] = []
    state = _Depth()
    position = place = data_end = 0
    has_data = True
    while found := _TAG.search(content, place):
        place = found.end()
        name = (found["name"] or "").lower()
        if found["data"] and has_data and place > data_end:  # ignored in SVG; elsewhere its tags count
            data_end = content.find("]]>", place)
            has_data = data_end >= 0
        if not name or (name in _FOREIGN and found[0].endswith("/>")):
            continue
        if found["close"]:
            is_deep = state.depth > _MAX_DEPTH
            if place > data_end and state.leave(name) and is_deep:
                parts.append(content[position : found.start()])
                position = place
            continue
        if state.opens(name):
            state.enter(name)
            if state.depth > _MAX_DEPTH:
                parts.append(content[position : found.start()])
                position = place
        if name in _RAW:
            closing = _RAW[name].search(content, place)
            place = closing.start() if closing else len(content)
    return "".join([*parts, content[position:]]) if parts else content
