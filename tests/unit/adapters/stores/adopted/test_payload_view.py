"""Reading a payload by dotted paths."""

import json
from typing import Any

import pytest

from assay.adapters.stores.adopted.payload_view import PayloadView, replace_surrogates

PAYLOAD: dict[str, Any] = {
    "url": "u",
    "meta": {"page": {"title": "t"}, "page.title": "dotted", "none": None, "list": [{"a": 1}]},
    "node": json.dumps({"text": "inside", "more": json.dumps({"text": "deeper"})}),
    "number": 7,
    "top.dotted": "never",
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("url", "u"),
        ("meta.page.title", "dotted"),
        ("node.text", "inside"),
        ("node.more.text", "deeper"),
        ("node", PAYLOAD["node"]),
        ("meta.none", None),
        ("meta.none.more", None),
        ("meta.list.a", None),
        ("number.more", None),
        ("url.more", None),
        ("missing", None),
        ("missing.more", None),
        ("", None),
        (".", None),
    ],
)
def test_a_path_leads_to_its_value_or_to_nothing(path: str, found: object) -> None:
    assert PayloadView(PAYLOAD).find(path) == found


def test_json_inside_of_a_text_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []
    loads = json.loads
    monkeypatch.setattr(json, "loads", lambda text: parsed.append(text) or loads(text))
    view = PayloadView(PAYLOAD)
    assert [view.find("node.text"), view.find("node.more"), view.find("node.none")][0] == "inside"
    assert parsed == [PAYLOAD["node"]]


@pytest.mark.parametrize("text", ["", "plain", "👍🏽 é \0", "\u202e"])
def test_a_text_that_can_be_encoded_stays_as_it_is(text: str) -> None:
    assert replace_surrogates(text) is text


@pytest.mark.parametrize(
    ("text", "expected"), [("a\ud83d\ude00b", "a😀b"), ("a\ud83d", "a\ufffd"), ("\ude00b", "\ufffdb")]
)
def test_half_a_surrogate_pair_is_replaced_and_two_halves_are_one(text: str, expected: str) -> None:
    assert replace_surrogates(text) == expected
