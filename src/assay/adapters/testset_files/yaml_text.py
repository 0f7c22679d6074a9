"""Parser of test sets in YAML 1.2 (core schema), with limits, and with the line of every fault.

`yes`, `on` and dates are text, as in YAML 1.2. Unquoted values of text keys are text too (`id: 0012`,
`quote: null pointer`, `content_hash: 1e10…`).
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from assay.adapters.testset_files.positions import Mark, MarkKind, locator
from assay.model.located import MOST_PROBLEMS, Located, Place, Problem, Unparsed

MAX_DEPTH = 50
"""Maximum depth of nesting."""

MAX_REPEATED = 1_000_000
"""Maximum number of values repeated by all aliases."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # PyYAML without libyaml has only the slow loader

_CORE = "tag:yaml.org,2002:"
_NULLS = {"", "~", "null", "Null", "NULL"}
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL_FLOATS = {
    **{f"{sign}.{word}": float(f"{sign}inf") for sign in ("", "+", "-") for word in ("inf", "Inf", "INF")},
    **{word: float("nan") for word in (".nan", ".NaN", ".NAN")},
}
_MAX_DIGITS = 4_000
_MAY_BE_NUMBER = frozenset("0123456789+-.")
_COLLECTIONS = {_CORE + "map", _CORE + "seq", "!"}


@dataclass(slots=True)
class _Frame:
    """An open collection.

    free: whether its keys are user-defined, so that none is a text key.
    as_text: whether its scalars are text.
    lines: by key.
    key: whose value is next; None if a key is next.
    """

    container: dict[str, object] | list[object]
    free: bool
    as_text: bool
    anchor: str | None
    size: int = 1
    lines: dict[str, int] = field(default_factory=dict)
    key: str | None = None


class _Parser:
    """Builds values from the parser's events."""

    def __init__(self, text: str, name: str, text_keys: Collection[str], free_key: str) -> None:
        self._text = text
        self._name = name
        self._text_keys = frozenset(text_keys)
        self._free_key = free_key
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[object, int]] = {}
        self._repeated = 0
        self._counted, self._line = 0, 1
        self._root: list[object] = []
        self.problems: list[Problem] = []

    def read(self) -> object:
        """The value of the document; None for an empty text."""
        begun = False
        for event in yaml.parse(self._text, Loader=_LOADER):
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._scalar(event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._begin(event)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._end()
            elif kind is yaml.AliasEvent:
                self._alias(event)
            elif kind is yaml.DocumentStartEvent:
                if begun:
                    raise self._fault(event, "a second YAML document begins here; a test set is one document")
                begun = True
        return self._root[0] if self._root else None

    def _scalar(self, event: Any) -> None:  # noqa: ANN401 - the parser's events have no types
        frame = self._stack[-1] if self._stack else None
        if frame is not None and frame.key is None and type(frame.container) is dict:
            self._take_key(frame, event)
            return
        value = self._value(event, frame)
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        self._put(value, 1)

    def _take_key(self, frame: _Frame, event: Any) -> None:  # noqa: ANN401
        key: str = event.value
        line = self._line_at(event.start_mark.index)
        if key in frame.lines:
            words = f"the key `{key}` repeats the one on line {frame.lines[key]}"
            self.problems.append(Problem(Place(self._name, line), "", words))
        if key == "<<" and event.implicit[0]:
            raise self._fault(event, "merge keys (`<<`) are not supported; write the keys out")
        frame.lines[key] = line
        frame.key = key

    def _line_at(self, position: int) -> int:
        """Line of a position; positions have to ascend, so that each line is counted once."""
        self._line += self._text.count("\n", self._counted, position)
        self._counted = position
        return self._line

    def _value(self, event: Any, frame: _Frame | None) -> object:  # noqa: ANN401
        text: str = event.value
        tag = event.tag
        if tag is not None and tag != "!":
            return self._tagged(event, tag, text)
        if not event.implicit[0]:  # quoted, or a block scalar
            return text
        if frame is not None and (frame.as_text or (frame.key in self._text_keys and not frame.free)):
            return None if text in _NULLS and text in {"", "~"} else text
        return _plain(text)

    def _tagged(self, event: Any, tag: str, text: str) -> object:  # noqa: ANN401
        if tag == _CORE + "str":
            return text
        wanted = {"int": int, "float": (int, float), "bool": bool, "null": type(None)}.get(tag.removeprefix(_CORE))
        if wanted is None or not tag.startswith(_CORE):
            raise self._fault(event, f"the YAML tag {_tag_name(tag)} is not supported")
        value = _plain(text)
        if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):  # type: ignore[arg-type]
            raise self._fault(event, f"{text[:40]!r} is not {_tag_name(tag)}")
        return float(value) if tag == _CORE + "float" and isinstance(value, int) else value

    def _begin(self, event: Any) -> None:  # noqa: ANN401
        if event.tag is not None and event.tag not in _COLLECTIONS:
            raise self._fault(event, f"the YAML tag {_tag_name(event.tag)} is not supported")
        if len(self._stack) >= MAX_DEPTH:
            raise self._fault(event, f"it is nested more than {MAX_DEPTH} deep")
        parent = self._stack[-1] if self._stack else None
        if parent is not None and parent.key is None and type(parent.container) is dict:
            raise self._fault(event, "a key has to be text, not a list or a mapping")
        key = parent.key if parent else None
        free = parent is not None and (parent.free or key == self._free_key)
        is_list = type(event) is yaml.SequenceStartEvent
        as_text = is_list and not free and key in self._text_keys
        container: dict[str, object] | list[object] = [] if is_list else {}
        self._stack.append(_Frame(container, free, as_text, event.anchor))

    def _end(self) -> None:
        frame = self._stack.pop()
        if frame.anchor:
            self._anchors[frame.anchor] = (frame.container, frame.size)
        self._put(frame.container, frame.size)

    def _alias(self, event: Any) -> None:  # noqa: ANN401
        known = self._anchors.get(event.anchor)
        if any(frame.anchor == event.anchor for frame in self._stack) and known is None:
            raise self._fault(event, f"the alias *{event.anchor} is inside its own anchor")
        if known is None:
            raise self._fault(event, f"the alias *{event.anchor} has no anchor before it")
        value, size = known
        self._repeated += size
        if self._repeated > MAX_REPEATED:
            raise self._fault(event, f"aliases repeat more than {MAX_REPEATED:,} values")
        frame = self._stack[-1] if self._stack else None
        if frame is not None and frame.key is None and type(frame.container) is dict:
            raise self._fault(event, "an alias cannot be a key")
        self._put(value, size)

    def _put(self, value: object, size: int) -> None:
        if not self._stack:
            self._root.append(value)
            return
        frame = self._stack[-1]
        frame.size += size
        container = frame.container
        if type(container) is dict:
            container[str(frame.key)] = value
            frame.key = None
        else:
            container.append(value)  # type: ignore[union-attr]

    def _fault(self, event: Any, words: str) -> Unparsed:  # noqa: ANN401
        return Unparsed(Problem(Place(self._name, line_at(self._text, event.start_mark.index)), "", words))


def read_yaml(text: str, name: str, *, text_keys: Collection[str] = (), free_key: str = "") -> Located:
    """Parse a YAML text with one document.

    text_keys: keys whose scalars, and whose lists' scalars, are text, except inside free_key.

    Raises Unparsed for invalid YAML, custom tags, several documents, nesting deeper than MAX_DEPTH, and too many
    repeated values.
    """
    parser = _Parser(text, name, text_keys, free_key)
    try:
        value = parser.read()
    except yaml.YAMLError as error:
        raise Unparsed(explain(error, name, text)) from None
    return Located(value, name, locator(text, name, yaml_marks), tuple(parser.problems[: MOST_PROBLEMS + 1]))


def line_at(text: str, position: int) -> int:
    """Line of a position, from 1, as editors count; the parser also counts U+2028 and U+0085 as line ends."""
    return text.count("\n", 0, position) + 1


def explain(error: yaml.YAMLError, name: str, text: str) -> Problem:
    """Describe a syntax error with its line."""
    if isinstance(error, yaml.reader.ReaderError):
        character = error.character if isinstance(error.character, int) else ord(str(error.character)[:1] or "\0")
        position = text.find(chr(character))
        line = line_at(text, position) if position >= 0 else 0
        words = f"the character U+{character:04X} is not allowed in YAML; write it as an escape"
        return Problem(Place(name, line), "", words)
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    context = getattr(error, "context", None)
    line = line_at(text, mark.index) if mark else 0
    column = f", column {mark.column + 1}" if mark else ""
    hint = ""
    if any(words in problem for words in ("found a tab", "character '\\t'", "cannot start any token")):
        hint = "; YAML is indented with spaces, not with tabs, and a text that begins with @, ` or % needs quotes"
    elif "mapping values are not allowed" in problem:
        hint = "; a text with a colon and a space needs quotes"
    reason = f"{context}, {problem}" if context else problem
    return Problem(Place(name, line), "", f"not valid YAML ({reason}{column}){hint}")


def yaml_marks(text: str) -> Iterator[Mark]:
    """Marks of a valid YAML text."""
    event: Any
    line = seen = 0
    for event in yaml.parse(text, Loader=_LOADER):
        kind = type(event)
        start, end = event.start_mark, event.end_mark
        line += text.count("\n", seen, start.index)
        seen = max(seen, start.index)
        where = (start.index, end.index, line, start.column)
        if kind is yaml.ScalarEvent:
            yield Mark(MarkKind.SCALAR, *where, value=event.value, block_scalar=event.style in {"|", ">"})
        elif kind is yaml.MappingStartEvent:
            yield Mark(MarkKind.MAPPING, *where, flow=event.flow_style)
        elif kind is yaml.SequenceStartEvent:
            yield Mark(MarkKind.SEQUENCE, *where, flow=event.flow_style)
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            yield Mark(MarkKind.END, *where)
        elif kind is yaml.AliasEvent:
            yield Mark(MarkKind.ALIAS, *where)


def _plain(text: str) -> object:
    """Value of an unquoted scalar."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text[0] in _MAY_BE_NUMBER:
        if len(text) < _MAX_DIGITS and _INTEGER.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
        return _SPECIAL_FLOATS.get(text, text)
    return text


def _tag_name(tag: str) -> str:
    return "!!" + tag.removeprefix(_CORE) if tag.startswith(_CORE) else tag
