"""From bytes to one JSON object."""

import math

import pytest

from assay.contracts.json_object import read_json_object
from assay.errors import InputError


def test_an_object_in_utf_8_is_read() -> None:
    assert read_json_object('{"query": "räder 🤖", "top_k": 3}'.encode()) == {"query": "räder 🤖", "top_k": 3}


def test_a_byte_order_mark_is_not_part_of_the_object() -> None:
    assert read_json_object(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


def test_nan_is_left_for_the_field_that_holds_it() -> None:
    value = read_json_object(b'{"threshold": NaN}')["threshold"]
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        pytest.param(b"", "it is empty", id="nothing"),
        pytest.param(b'{"query": ', "line 1, column 11", id="cut off"),
        pytest.param(b'{\n"query": x}', "line 2, column 10", id="not JSON on the second line"),
        pytest.param(b"query=nodes", "not valid JSON", id="a form"),
        pytest.param(b'{"query": "a"} extra', "extra data", id="something after the object"),
        pytest.param(b'["nodes"]', "a list of 1 was sent", id="a list"),
        pytest.param(b'"nodes"', 'the string "nodes" was sent', id="a string"),
        pytest.param(b"null", "null was sent", id="null"),
        pytest.param(b'{"query": "\xff"}', "byte 11 is not", id="not UTF-8"),
        pytest.param('{"query": "a"}'.encode("utf-16"), "must be UTF-8", id="UTF-16"),
        pytest.param(b'{"query": "a", "query": "b"}', 'the field "query" occurs twice', id="a field twice"),
        pytest.param(b'{"f": {"x": 1, "x": 1}}', 'the field "x" occurs twice', id="an inner field twice"),
        pytest.param(b'{"top_k": ' + b"9" * 5_000 + b"}", "too many digits", id="a number of 5,000 digits"),
        pytest.param(b"[" * 60_000, "nested too deeply", id="60,000 open brackets"),
        pytest.param(b'{"a":' * 10_000, "nested too deeply", id="10,000 open braces"),
    ],
)
def test_a_body_that_is_not_one_object_is_refused_with_the_reason(body: bytes, complaint: str) -> None:
    with pytest.raises(InputError, match=r"^body: ") as caught:
        read_json_object(body)
    assert complaint in str(caught.value)


@pytest.mark.parametrize("depth", range(900, 1000, 7))
def test_nesting_near_the_limit_of_the_interpreter_is_read_or_refused(depth: int) -> None:
    with pytest.raises(InputError):
        read_json_object(b"[" * depth + b"]" * depth)
