"""JSON and JSON Lines of test sets; positions are computed only for faults and edits."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from assay.adapters.testset_files.positions import Mark, MarkKind, locator
from assay.model.field_errors import lower_first
from assay.model.located import MOST_PROBLEMS, Located, Place, Problem, Unparsed

_TOKEN = re.compile(r'[ \t\r\n]*(?:("(?:[^"\\]|\\.)*")|([{\[])|([}\]])|([,:])|([^\s{}\[\],:"]+))')


class _Repeated(Exception):
    """An object has a key twice."""


def read_json(text: str, name: str) -> Located:
    """Parse a JSON text. Raises Unparsed for invalid JSON and too deep nesting."""
    problems: list[Problem] = []
    value = _parse(text, Place(name, 1), lambda: problems.extend(_repeated_keys(text, name)))
    return Located(value, name, locator(text, name, json_marks), tuple(problems))


def read_json_lines(text: str, name: str) -> Iterator[tuple[int, dict[str, object]]]:
    """The object and number of each line that is not blank. Raises Unparsed."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, _object_of(line, Place(name, number))


def _object_of(line: str, place: Place) -> dict[str, object]:
    def refuse_repeated() -> None:
        raise Unparsed(next(_repeated_keys(line, place.file, place.line)))

    value = _parse(line, place, refuse_repeated)
    if not isinstance(value, dict):
        raise Unparsed(Problem(place, "", 'every line has to be an object, such as {"id": "a", "text": "…"}'))
    return value


def json_marks(text: str) -> Iterator[Mark]:
    """Marks of a valid JSON text."""
    position = line = line_start = 0
    is_key: list[bool] = []
    while token := _TOKEN.match(text, position):
        string, opening, closing, _, word = token.groups()
        start, end = token.start(token.lastindex or 0), token.end()
        newlines = text.count("\n", position, start)
        if newlines:
            line += newlines
            line_start = text.rfind("\n", position, start) + 1
        position = end
        where = (start, end, line, start - line_start)
        if opening:
            kind = MarkKind.MAPPING if opening == "{" else MarkKind.SEQUENCE
            yield Mark(kind, *where, flow=True)
            is_key.append(kind is MarkKind.MAPPING)
        elif closing:
            is_key.pop()
            yield Mark(MarkKind.END, *where)
        elif string is not None:
            yield Mark(MarkKind.SCALAR, *where, value=json.loads(string) if is_key and is_key[-1] else "")
        elif word is not None:
            yield Mark(MarkKind.SCALAR, *where)


def _parse(text: str, place: Place, on_repeated: Callable[[], Any]) -> object:
    try:
        value: object = json.loads(text, object_pairs_hook=_without_repeated_keys)
    except _Repeated:
        on_repeated()
        value = json.loads(text)
    except json.JSONDecodeError as error:
        where = Place(place.file, place.line + error.lineno - 1)
        words = f"not valid JSON ({lower_first(error.msg)}, column {error.colno})"
        raise Unparsed(Problem(where, "", words)) from None
    except RecursionError:
        raise Unparsed(Problem(place, "", "it is nested too deep")) from None
    except ValueError as error:  # a number with too many digits
        raise Unparsed(Problem(place, "", str(error))) from None
    return value


def _without_repeated_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise _Repeated
    return result


def _repeated_keys(text: str, name: str, first_line: int = 1) -> Iterator[Problem]:
    """The first repeated keys of objects."""
    found = 0
    open_: list[dict[str, int] | None] = []
    expects_key = False
    for mark in json_marks(text):
        if mark.kind is MarkKind.END:
            open_.pop()
            expects_key = bool(open_) and open_[-1] is not None
            continue
        seen = open_[-1] if open_ else None
        if seen is not None and expects_key:
            expects_key = False
            if mark.value in seen:
                place = Place(name, mark.line + first_line)
                yield Problem(place, "", f"the key `{mark.value}` repeats the one on line {seen[mark.value]}")
                found += 1
                if found > MOST_PROBLEMS:
                    return
            seen[mark.value] = mark.line + first_line
        elif mark.kind is MarkKind.SCALAR:
            expects_key = seen is not None
        else:
            open_.append({} if mark.kind is MarkKind.MAPPING else None)
            expects_key = mark.kind is MarkKind.MAPPING
