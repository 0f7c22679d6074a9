"""Ids and slugs: the same page gives the same ones everywhere."""

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.ids import chunk_id, content_hash, document_id, query_embedding_id, slug_from_path

URL = "https://docs.example.org/concepts/nodes"


@pytest.mark.contract("003.8")
@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("docs/chapter-1/index.md", "chapter-1-index"),
        ("intro.md", "intro"),
        ("/docs/a/b/c.MDX", "b-c"),
        ("docs/über uns/räder & co.md", "über-uns-räder-co"),
        ("docs/a%20b/c.html", "a-b-c"),
        ("v1.0/notes.txt", "v1.0-notes"),
        ("", "index"),
        ("///", "index"),
        ("docs/---/***.md", "index"),
    ],
)
def test_a_slug_is_the_last_parts_of_the_path_joined_by_hyphens(path: str, slug: str) -> None:
    assert slug_from_path(path) == slug


@pytest.mark.contract("003.8")
@given(st.text(max_size=300) | st.lists(st.text(min_size=1), min_size=1).map("/".join))
def test_a_slug_has_1_to_100_characters(path: str) -> None:
    slug = slug_from_path(path)
    assert 1 <= len(slug) <= 100
    assert re.fullmatch(r"[\w.-]+", slug)


@pytest.mark.parametrize(("length", "expected"), [(99, 99), (100, 100), (101, 100), (1_000, 100)])
def test_a_long_slug_keeps_its_end(length: int, expected: int) -> None:
    slug = slug_from_path("x" * (length - 1) + "y.md")
    assert (len(slug), slug[-1]) == (expected, "y")


def test_ids_are_uuids_of_version_5_and_differ_by_what_they_are_made_of() -> None:
    ids = {
        document_id(URL),
        document_id(f"{URL}/x"),
        chunk_id(URL, content_hash("a"), 0),
        chunk_id(URL, content_hash("a"), 1),
        chunk_id(URL, content_hash("b"), 0),
        query_embedding_id("model", "a"),
        query_embedding_id("other", "a"),
        query_embedding_id("model", "b"),
    }
    assert len(ids) == 8
    assert {UUID(each).version for each in ids} == {5}


def test_an_id_is_the_same_on_every_machine_and_every_run() -> None:
    assert document_id(URL) == "3021ffae-0c66-5ef0-8b07-aed72684d904"
    assert chunk_id(URL, content_hash("Nodes talk."), 0) == "b83ce8f2-72af-54ac-af47-48221090031f"
    assert query_embedding_id("0f" * 32, "nodes") == "944978fa-3390-59d5-849a-121674f0d1bb"


def test_a_content_hash_is_sha_256_of_the_utf_8_text() -> None:
    assert content_hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert content_hash("Räder 🤖") == "a35d93b8a7b79bd361a9ccf5684cacef7a57dda0763fdbce1b95e52eb78e877c"
