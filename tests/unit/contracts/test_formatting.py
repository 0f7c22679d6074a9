"""An answer as JSON with the time that it took."""

import json

import pytest

from assay.contracts.formatting import format_answer, to_json


def test_json_is_compact_utf_8() -> None:
    assert to_json({"query": "Räder 🤖", "results": []}) == '{"query":"Räder 🤖","results":[]}'.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_json_does_not_have_is_never_sent(value: float) -> None:
    assert to_json({"score": value}) == b'{"score":null}'


def test_the_closing_fields_come_last_and_know_the_time_of_the_others() -> None:
    told: list[float] = []

    def closing(milliseconds: float) -> dict[str, object]:
        told.append(milliseconds)
        return {"time": {"ms": milliseconds}}

    answer = format_answer(lambda: {"query": "}", "results": [{}]}, closing)
    assert told == [answer.milliseconds]
    assert answer.milliseconds > 0
    pairs = json.loads(answer.content, object_pairs_hook=lambda pairs: pairs)
    assert [name for name, _ in pairs] == ["query", "results", "time"]
    assert json.loads(answer.content) == {"query": "}", "results": [{}], "time": {"ms": answer.milliseconds}}


def test_an_answer_of_closing_fields_only_is_json_too() -> None:
    assert json.loads(format_answer(dict, lambda _ms: {"time": 1}).content) == {"time": 1}


def test_nothing_to_close_with_changes_nothing() -> None:
    assert format_answer(lambda: {"query": "nodes"}, lambda _ms: {}).content == b'{"query":"nodes"}'


def test_an_answer_without_closing_fields_is_as_it_was_made() -> None:
    assert format_answer(lambda: {"query": "nodes"}).content == b'{"query":"nodes"}'
