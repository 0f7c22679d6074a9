"""JSON and JSON Lines of test sets: what is refused, and with which line."""

import pytest

from assay.adapters.testset_files.json_text import json_marks, read_json, read_json_lines
from assay.model.located import Unparsed


def refusal(text: str) -> str:
    with pytest.raises(Unparsed) as refused:
        read_json(text, "set.json")
    return refused.value.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{\n"a": 1\n"b": 2}', "set.json:3: not valid JSON (expecting ',' delimiter, column 1)."),
        ('{"a": 1,}', "set.json:1: not valid JSON ("),
        ("{'a': 1}", "set.json:1: not valid JSON ("),
        ('{"a": 1}\n\n{"b": 2}', "set.json:3: not valid JSON (extra data, column 1)."),
        ("[" * 100_000, "set.json:1: it is nested too deep."),
        ('{"a": ' + "1" * 5_000 + "}", "set.json:1: "),
    ],
)
def test_what_is_not_json_is_refused_with_its_line(text: str, words: str) -> None:
    assert refusal(text).startswith(words)


def test_a_key_that_is_there_twice_is_told_with_both_lines() -> None:
    text = '{"a": {"x": 1},\n "b": [{"c": "c", "d": {"c": 1},\n "c": 3}],\n"a": "a"}'
    located = read_json(text, "set.json")
    assert [str(problem) for problem in located.problems] == [
        "set.json:3: the key `c` repeats the one on line 2",
        "set.json:4: the key `a` repeats the one on line 1",
    ]


def test_places_are_those_of_keys_and_items() -> None:
    text = '{"a": [\n  {"b": "{\\"",\n   "c é 😀": [1,\n 2]},\n\n  true, "x"], "d":\n null}'
    wanted = {
        ("a",): 1,
        ("a", 0): 2,
        ("a", 0, "c é 😀"): 3,
        ("a", 0, "c é 😀", 1): 4,
        ("a", 1): 6,
        ("a", 2): 6,
        ("d",): 6,
    }
    located = read_json(text, "set.json")
    assert {path: place.line for path, place in located.locate(wanted).items()} == wanted


def test_marks_are_places_in_the_text() -> None:
    text = '{"é": ["😀\\n", -1.5e3,\ntrue]}'
    assert [(text[mark.start : mark.end], mark.line, mark.column) for mark in json_marks(text)] == [
        ("{", 0, 0),
        ('"é"', 0, 1),
        ("[", 0, 6),
        ('"😀\\n"', 0, 7),
        ("-1.5e3", 0, 14),
        ("true", 1, 0),
        ("]", 1, 4),
        ("}", 1, 5),
    ]


def test_lines_are_read_with_their_numbers() -> None:
    text = '{"a": 1}\r\n\n   \n{"b": "\u2028"}'
    assert list(read_json_lines(text, "set.jsonl")) == [(1, {"a": 1}), (4, {"b": "\u2028"})]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[1]", "set.jsonl:3: every line has to be an object"),
        ('{"a": 1', "set.jsonl:3: not valid JSON ("),
        ('{"a": 1, "a": 2}', "set.jsonl:3: the key `a` repeats the one on line 3."),
    ],
)
def test_a_line_that_is_no_object_is_refused(line: str, words: str) -> None:
    with pytest.raises(Unparsed) as refused:
        list(read_json_lines(f'{{"id": "a"}}\n\n{line}\n', "set.jsonl"))
    assert refused.value.message.startswith(words)
