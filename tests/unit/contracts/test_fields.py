"""What is said about a field that breaks a rule."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated

import pytest
from pydantic import Field
from tests.borders import text_borders

from assay.contracts.fields import (
    IS_TEXT,
    NOT_BLANK,
    QUOTED_CHARACTERS,
    RequestModel,
    check_fields,
    quoted,
    utc_timestamp,
    was_sent,
)
from assay.errors import InputError
from assay.model.ranking import Mode

Word = Annotated[str, Field(min_length=1, max_length=4), IS_TEXT]


class Inner(RequestModel):
    words: Annotated[list[Word], Field(max_length=2)] = Field(default=[])
    exact: bool = False


class Outer(RequestModel):
    query: Annotated[str, Field(min_length=1, max_length=1_500), IS_TEXT, NOT_BLANK]
    top_k: Annotated[int, Field(ge=1, le=20)] = 5
    share: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    mode: Mode | None = Field(default=None, strict=False)
    inner: Inner = Inner()


def complaint(**fields: object) -> str:
    with pytest.raises(InputError) as caught:
        check_fields(Outer, {"query": "nodes", **fields})
    return str(caught.value)


def test_valid_fields_come_back_as_the_model() -> None:
    assert check_fields(Outer, {"query": "nodes", "share": 1, "mode": "dense"}) == Outer(
        query="nodes", share=1.0, mode=Mode.DENSE
    )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"top_k": 21}, "top_k: it must be a whole number from 1 to 20; 21 was sent."),
        ({"top_k": "5"}, 'top_k: it must be a whole number from 1 to 20; the string "5" was sent.'),
        ({"top_k": 5.0}, "top_k: it must be a whole number from 1 to 20; 5.0 was sent."),
        ({"top_k": True}, "top_k: it must be a whole number from 1 to 20; true was sent."),
        ({"top_k": None}, "top_k: it must be a whole number from 1 to 20; null was sent."),
        ({"share": float("nan")}, "share: it must be a number from 0 to 1; NaN was sent."),
        ({"share": float("inf")}, "share: it must be a number from 0 to 1; Infinity was sent."),
        ({"share": False}, "share: it must be a number from 0 to 1; false was sent."),
        ({"mode": "fuzzy"}, 'mode: it must be one of hybrid, dense, sparse; the string "fuzzy" was sent.'),
        ({"query": ""}, "query: it must be a string of 1 to 1,500 characters; an empty string was sent."),
        (
            {"query": " \t\u3000"},
            (
                "query: it has only white space (it must be a string of 1 to 1,500 characters); "
                'the string " \\t\\u3000" was sent.'
            ),
        ),
        ({"query": {"a": 1}}, "query: it must be a string of 1 to 1,500 characters; an object was sent."),
        ({"inner": [1]}, "inner: it must be an object; a list of 1 was sent."),
        ({"inner": {"exact": 1}}, "inner.exact: it must be true or false; 1 was sent."),
        ({"inner": {"words": "a"}}, 'inner.words: it must be a list of at most 2 strings; the string "a" was sent.'),
        (
            {"inner": {"words": ["a"] * 3}},
            "inner.words: it must be a list of at most 2 strings; a list of 3 was sent.",
        ),
        (
            {"inner": {"words": ["a", ""]}},
            "inner.words[1]: it must be a string of 1 to 4 characters; an empty string was sent.",
        ),
    ],
)
def test_a_message_names_the_field_its_limit_and_what_was_sent(fields: dict[str, object], said: str) -> None:
    assert complaint(**fields) == said


def test_the_message_for_a_missing_field_says_that_it_is_required() -> None:
    with pytest.raises(InputError) as caught:
        check_fields(Outer, {})
    assert str(caught.value) == "query: it is required and must be a string of 1 to 1,500 characters."


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"topk": 3}, "There is no field `topk`; did you mean `top_k`?"),
        ({"Query": 3}, "There is no field `Query`; did you mean `query`?"),
        ({"inner": {"word": []}}, "There is no field `word` in inner; did you mean `words`?"),
        ({"words": ["a"]}, "There is no field `words`; did you mean `inner.words`?"),
        ({"word": "a"}, "There is no field `word`; did you mean `inner.words`?"),
        ({"zzz": 3}, "There is no field `zzz`; the fields are inner, mode, query, share, top_k."),
        ({"": 3}, "There is no field ``; the fields are inner, mode, query, share, top_k."),
        ({"x\ny\ud800": 3}, "There is no field `x\\ny\\ud800`; the fields are inner, mode, query, share, top_k."),
    ],
)
def test_an_unknown_field_is_named_with_a_suggestion(fields: dict[str, object], said: str) -> None:
    assert complaint(**fields) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\0b", "query: character 2 is NUL (U+0000), which is not allowed in text"),
        ("\ud800", "query: character 1 is half of a surrogate pair (U+D800), which is not allowed in text"),
        ("ab\udfff", "query: character 3 is half of a surrogate pair (U+DFFF), which is not allowed in text"),
    ],
)
def test_characters_that_are_not_text_are_refused_with_their_position(text: str, said: str) -> None:
    message = complaint(query=text)
    assert message.startswith(said)
    message.encode("utf-8")  # can be sent


def test_length_counts_code_points() -> None:
    assert check_fields(Outer, {"query": "🤖" * 1_500}).query == "🤖" * 1_500
    assert "of 1,501 characters was sent" in complaint(query="🤖" * 1_501)


def test_every_problem_is_named_up_to_five() -> None:
    message = complaint(top_k=0, share=2, a=1, b=1, c=1, d=1, e=1)
    assert message.startswith("top_k: ")
    assert "share: " in message
    assert message.endswith("And 2 more.")


def test_a_long_value_is_shortened() -> None:
    message = complaint(query="x" * 100_000)
    assert len(message) < 200
    assert "of 100,000 characters was sent" in message


def test_a_value_is_shown_with_escapes_for_what_cannot_be_printed() -> None:
    assert quoted("a\u202eb\x07") == '"a\\u202eb\\u0007"'
    assert len(quoted(10**4_000)) == QUOTED_CHARACTERS + 1
    assert was_sent("räder") == 'the string "räder" was sent'


def test_a_timestamp_is_in_utc_and_ends_in_z() -> None:
    assert utc_timestamp(datetime(2026, 3, 1, 8, 15, tzinfo=UTC)) == "2026-03-01T08:15:00Z"
    east = timezone(timedelta(hours=5, minutes=30))
    assert utc_timestamp(datetime(2026, 3, 1, 1, 0, 0, 250_000, tzinfo=east)) == "2026-02-28T19:30:00.250000Z"


class Asked(RequestModel):
    query: Annotated[str, Field(min_length=1, max_length=10), IS_TEXT, NOT_BLANK]
    name: Annotated[str, Field(min_length=1, max_length=10), IS_TEXT]


@pytest.mark.parametrize("field", ["query", "name"])
@pytest.mark.parametrize(("value", "_"), [border for border in text_borders(10) if isinstance(border.values[0], str)])
def test_the_openapi_document_says_which_text_is_taken(field: str, value: str, _: bool) -> None:
    try:
        check_fields(Asked, {"query": "nodes", "name": "nodes", field: value})
        taken = True
    except InputError:
        taken = False
    schema = Asked.model_json_schema()["properties"][field]
    said = schema["minLength"] <= len(value) <= schema["maxLength"] and re.search(schema["pattern"], value)
    surrogate = any("\ud800" <= character <= "\udfff" for character in value)  # no JSON text has one
    assert surrogate or taken == bool(said)


@pytest.mark.parametrize("code", [*range(0x21), 0x7F, 0x85, 0xA0, 0x1680, 0x2003, 0x2028, 0x200B, 0x3000, 0xFEFF])
def test_white_space_is_the_same_to_the_document_and_to_the_rule(code: int) -> None:
    pattern = Asked.model_json_schema()["properties"]["query"]["pattern"]
    try:
        check_fields(Asked, {"query": chr(code), "name": "nodes"})
        taken = True
    except InputError:
        taken = False
    # To JSON Schema's own dialect U+FEFF is white space: there the document promises less than is taken.
    assert taken == bool(re.search(pattern, chr(code)))
