"""A chunk goes into a payload and comes back the same, under the names that outside readers know."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.stores.payload import facets, from_payload, read_stored, to_payload, url_facet, url_paths
from assay.errors import PointCorrupt
from assay.model.documents import Chunk, DocumentInfo
from assay.model.headings import InnerHeading
from assay.testing.index_samples import point

TEXT = st.text(max_size=40)
MAYBE = st.none() | TEXT
NAMES_FOR_OUTSIDE = {
    *("text", "url", "chunk_id", "position", "title", "content_hash", "source_path", "slug", "order_index", "section"),
    *("document_id", "created_at", "anchor", "version", "locale", "start", "end", "previous", "next"),
}

DOCUMENTS = st.builds(
    DocumentInfo,
    id=TEXT,
    url=TEXT.map(lambda path: f"https://x.example/{path}"),
    title=TEXT,
    source=TEXT,
    source_path=TEXT,
    slug=TEXT,
    source_type=TEXT,
    version=MAYBE,
    locale=MAYBE,
    version_is_current=st.booleans(),
    locale_is_default=st.booleans(),
    tags=st.lists(TEXT, max_size=3).map(tuple),
    address=st.just("") | TEXT,
)
CHUNKS = st.builds(
    Chunk,
    id=TEXT,
    document=DOCUMENTS,
    text=TEXT,
    start=st.integers(0, 2**50),
    end=st.integers(0, 2**50),
    position=st.integers(0, 10**6),
    section=TEXT,
    heading_path=st.lists(TEXT, max_size=4).map(tuple),
    anchor=MAYBE,
    token_count=st.integers(0, 10**6),
    tokenizer=TEXT,
    content_hash=TEXT,
    embedded_hash=TEXT,
    repeated_before=TEXT,
    repeated_after=TEXT,
    previous_id=MAYBE,
    next_id=MAYBE,
    created_at=st.none() | st.datetimes(timezones=st.just(UTC)),
    inner_headings=st.lists(st.builds(InnerHeading, st.integers(1, 9), st.integers(0, 6), TEXT, MAYBE), max_size=3).map(
        tuple
    ),
)


@given(chunk=CHUNKS)
def test_every_field_of_a_chunk_survives_a_payload_in_json(chunk: Chunk) -> None:
    assert from_payload(json.loads(json.dumps(to_payload(chunk))), chunk.id) == chunk


@pytest.mark.contract("002.22", "003.31", "003.32", "003.33", "003.34", "003.35", "003.36")
def test_the_names_that_others_read_are_always_there() -> None:
    payload = to_payload(point("guide/start", version=None, locale=None).chunk)
    assert payload.keys() >= NAMES_FOR_OUTSIDE
    assert payload["version"] is None
    assert payload["previous"] is None
    assert payload["order_index"] == payload["position"] + 1


def test_times_are_utc_with_a_z() -> None:
    chunk = point("page").chunk
    noon = datetime(2026, 3, 14, 13, 0, 0, 5, tzinfo=timezone(timedelta(hours=1)))
    payload = to_payload(Chunk(**{name: getattr(chunk, name) for name in chunk.__slots__} | {"created_at": noon}))
    assert payload["created_at"] == "2026-03-14T12:00:00.000005Z"


WRONG: tuple[object, ...] = (None, "", "word", 7, 1.5, True, [], ["word", 7], {}, {"a": 1})
"""Values of every type that JSON has."""

CHUNK = point("page", version="1", locale="en").chunk
PAYLOAD = to_payload(replace(CHUNK, inner_headings=(InnerHeading(2, 1, "Install", "install"),)))
POINT = PAYLOAD["chunk_id"]
INSIDE = json.loads(PAYLOAD["rest"])
FIELDS = sorted([*PAYLOAD, *(f"rest.{name}" for name in INSIDE)])
ALWAYS = [name for name in FIELDS if name not in {"rest.address", "rest.inner_headings"}]
"""Without those that older versions did not write."""


def _with(name: str, *value: object) -> dict[str, object]:
    """A payload whose field has another value, or none; a field inside of `rest` is called `rest.name`."""
    outer, _, inner = name.partition(".")
    values = INSIDE if inner else PAYLOAD
    changed = {key: old for key, old in values.items() if key != (inner or outer)} | dict.fromkeys(
        [inner or outer][: len(value)], *value
    )
    return PAYLOAD | {"rest": json.dumps(changed)} if inner else changed


def _can_be(name: str, value: object) -> bool:
    """Whether a sound payload may have this value there."""
    if name in {"created_at", "chunk_id", "rest"}:
        return value is None and name == "created_at"
    if name in {"anchor", "version", "locale", "previous", "next"}:
        return value is None or isinstance(value, str)
    sound = INSIDE[name.removeprefix("rest.")] if name.startswith("rest.") else PAYLOAD[name]
    return type(value) is type(sound) and value != ["word", 7]


@pytest.mark.contract("000.35")
@pytest.mark.parametrize("name", ALWAYS)
def test_a_payload_without_one_of_its_fields_is_refused_by_name(name: str) -> None:
    with pytest.raises(PointCorrupt, match=rf"The point {POINT} of the index is damaged: its payload lacks `{name}`"):
        from_payload(_with(name), POINT)


@pytest.mark.parametrize("value", WRONG, ids=repr)
@pytest.mark.parametrize("name", FIELDS)
def test_a_field_of_every_other_type_is_refused_by_point_and_field_and_never_read_as_something_else(
    name: str, value: object
) -> None:
    payload = _with(name, value)
    if _can_be(name, value):
        from_payload(payload, POINT)
        return
    with pytest.raises(PointCorrupt, match=rf"The point {POINT} .*`{name}`") as caught:
        from_payload(payload, POINT)
    assert "assay publish --rebuild" in caught.value.hint
    assert "assay rollback" in caught.value.hint
    chunk, problems = read_stored(payload, POINT)
    assert chunk is None
    assert f"`{name}`" in problems[0]


@pytest.mark.parametrize(
    "heading",
    [[2, 1, "Install"], ["2", 1, "Install", None], [2, None, "Install", None], [2, 1, None, "a"], [2, 1, "Install", 7]],
    ids=repr,
)
def test_a_heading_that_is_not_complete_is_refused(heading: list[object]) -> None:
    with pytest.raises(PointCorrupt, match=r"not a list of headings as `rest.inner_headings`"):
        from_payload(_with("rest.inner_headings", [heading]), POINT)


def test_a_chunk_without_inner_headings_has_no_field_for_them() -> None:
    assert "inner_headings" not in json.loads(to_payload(CHUNK)["rest"])


@pytest.mark.parametrize(
    "damage", [{"rest": "{"}, {"rest": "[]"}, {"rest": "[" * 100_000}, {"created_at": "yesterday"}]
)
def test_text_that_does_not_say_what_it_should_is_refused(damage: dict[str, object]) -> None:
    with pytest.raises(PointCorrupt, match=f"`{next(iter(damage))}`"):
        from_payload(PAYLOAD | damage, POINT)


@pytest.mark.parametrize(
    ("url", "paths"),
    [
        ("https://x.example/", ["https://x.example", "https://x.example/"]),
        ("https://x.example/a", ["https://x.example", "https://x.example/a"]),
        (
            "https://x.example:8080/a/b?q=c/d",
            [
                "https://x.example:8080",
                "https://x.example:8080/a",
                "https://x.example:8080/a/b",
                "https://x.example:8080/a/b?q=c/d",
            ],
        ),
        ("file:///docs/a.md", ["file://", "file:///docs", "file:///docs/a.md"]),
    ],
)
def test_a_url_begins_with_these_paths(url: str, paths: list[str]) -> None:
    assert url_paths(url) == paths


def test_a_trailing_slash_of_a_prefix_says_nothing() -> None:
    assert url_facet("https://x.example/a/") == url_facet("https://x.example/a")
    assert url_facet("https://x.example/") == url_facet("https://x.example")


def test_facets_say_what_a_filter_can_ask_for_and_nothing_that_is_missing() -> None:
    chunk = point("a", version=None, locale="fr", locale_is_default=False).chunk
    assert set(facets(chunk)) == {
        "source:docs",
        "section:Part 0",
        "locale:fr",
        "scope:current_version",
        "url:https://docs.example.org",
        "url:https://docs.example.org/a",
    }


def test_a_name_that_looks_like_another_facet_is_not_taken_for_it() -> None:
    chunk = point("a", source="version:1.0", version="2.0").chunk
    assert "version:1.0" not in facets(chunk)


# --- read back by whoever checks it --------------------------------------------------------------------------------

ODD = st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.lists(TEXT, max_size=2) | st.just({})


@given(chunk=CHUNKS)
def test_a_payload_as_it_was_written_is_read_back_without_a_word(chunk: Chunk) -> None:
    assert read_stored(to_payload(chunk), chunk.id) == (chunk, ())


@given(chunk=CHUNKS, name=st.sampled_from(sorted(to_payload(point("a").chunk))))
def test_a_payload_that_lacks_a_field_is_said_to_lack_it(chunk: Chunk, name: str) -> None:
    payload = to_payload(chunk)
    del payload[name]
    assert read_stored(payload, chunk.id) == (None, (f"has a payload that lacks `{name}`",))


@given(chunk=CHUNKS, name=st.sampled_from(sorted(to_payload(point("a").chunk))), value=ODD)
def test_whatever_a_payload_holds_it_is_read_or_said_to_be_wrong_and_nothing_is_raised(
    chunk: Chunk, name: str, value: object
) -> None:
    payload = to_payload(chunk) | {name: value}
    read, problems = read_stored(payload, chunk.id)
    assert read == chunk or problems or read is not None  # another value is held against the catalog
    assert (read is None) <= bool(problems)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"facets": []}, "has values of facets that contradict its other fields"),
        ({"order_index": 7}, "has values of order_index that contradict its other fields"),
        ({"rest": "{"}, "has a `rest` that is not a JSON object"),
        ({"text": 5}, "has a number as `text` instead of text"),
        ({"text": 5, "url": None}, "a number as `text` instead of text, and has null as `url`"),
    ],
)
def test_what_contradicts_the_other_fields_is_named(change: dict[str, object], says: str) -> None:
    chunk = point("a").chunk
    (problem,) = read_stored(to_payload(chunk) | change, chunk.id)[1]
    assert says in problem
