"""A judgment goes in and comes out again, and every other byte of the file stays, whoever else writes to it."""

import multiprocessing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.app.testsets import add_judgment, load_test_set, remove_judgment
from assay.errors import InputError
from assay.model.evaluation import Judgment, Passage, Quote, Span
from assay.model.labelling import Addition

YAML = """\
# A comment
name: s
topics:
  - id: a
    text: "First?"   # why
    judgments:
      - {url: https://docs.example/a, label: 2}
  - id: b
    text: Second?
  - {id: c, text: "Third?", judgments: []}
# The end
"""
JSON = '{"name": "s",\r\n "topics": [{"id": "a", "text": "First?", "judgments": [{"chunk_id": "x", "label": 1}]},\r\n'
JSON += '  {"id": "b", "text": "Second?"}, {"id": "c", "text": "Third?"}]}\r\n'
JSONL = '{"name": "s"}\n{"id": "a", "text": "First?"}\n\n{"id": "b", "text": "Zweite? ü"}\n{"id": "c", "text": "3?"}'

FILES = {
    "s.yaml": YAML.encode(),
    "windows.yaml": YAML.replace("\n", "\r\n").encode(),
    "mark.yaml": b"\xef\xbb\xbf" + YAML.encode(),
    "wide.yaml": b"\xff\xfe" + YAML.encode("utf-16-le"),
    "s.json": JSON.encode(),
    "s.jsonl": JSONL.encode(),
}


def judgment(number: int, label: int = 1) -> Judgment:
    quote = Quote(f"Words: “{number}” of\nthe page", "before ", " # after")
    return Judgment(Passage("https://docs.example/a", quote, Span(number, number + 9), "0" * 64), label)


def record_addition(path: Path, topic: str, number: int) -> Addition:
    found = add_judgment(path, topic, judgment(number))
    assert isinstance(found, Addition)
    return found


@pytest.fixture(params=FILES, ids=str)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    found = tmp_path / request.param
    found.write_bytes(FILES[request.param])
    return found


@pytest.mark.parametrize("text_hash", [None, "1" * 64])
def test_the_same_words_of_a_changed_page_keep_their_first_label(path: Path, text_hash: str | None) -> None:
    record_addition(path, "b", 5)
    before = path.read_bytes()
    position = None if text_hash is None else Span(105, 114)
    changed = replace(judgment(5).passage, position=position, text_hash=text_hash)

    assert add_judgment(path, "b", Judgment(changed, 2)) == judgment(5)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "other",
    [
        {"position": Span(50, 59)},
        {"url": "https://docs.example/b", "text_hash": "1" * 64},
        {"quote": Quote("Words: “5” of\nthe page", "other ", " # after"), "text_hash": "1" * 64},
    ],
    ids=["elsewhere on the page", "on another page", "in another context"],
)
def test_equal_words_at_another_place_have_a_label_of_their_own(path: Path, other: dict[str, Any]) -> None:
    record_addition(path, "b", 5)

    assert isinstance(add_judgment(path, "b", Judgment(replace(judgment(5).passage, **other), 2)), Addition)


@pytest.mark.parametrize("topic", ["a", "b", "c"])
def test_what_is_taken_back_leaves_the_file_byte_for_byte_as_it_was(path: Path, topic: str) -> None:
    before = path.read_bytes()
    addition = record_addition(path, topic, 1)
    assert judgment(1) in next(one for one in load_test_set(path).topics if one.id == topic).judgments
    remove_judgment(addition)
    assert path.read_bytes() == before


def test_one_after_the_other_is_taken_back_to_the_beginning(path: Path) -> None:
    states = [path.read_bytes()]
    additions = []
    for number, topic in enumerate("aabbca"):
        additions.append(record_addition(path, topic, number))
        states.append(path.read_bytes())
    for addition in reversed(additions):
        assert path.read_bytes() == states.pop()
        remove_judgment(addition)
    assert path.read_bytes() == states.pop()


def test_what_another_session_added_meanwhile_stays(path: Path) -> None:
    first = record_addition(path, "a", 1)
    other = record_addition(path, "a", 2)
    elsewhere = record_addition(path, "b", 3)
    remove_judgment(first)
    topics = {topic.id: topic.judgments for topic in load_test_set(path).topics}
    assert judgment(1) not in topics["a"]
    assert judgment(2) in topics["a"]
    assert judgment(3) in topics["b"]
    remove_judgment(other)
    remove_judgment(elsewhere)
    assert {one for topic in load_test_set(path).topics for one in topic.judgments}.isdisjoint(map(judgment, range(4)))


def test_what_an_editor_changed_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(YAML, encoding="utf-8")
    addition = record_addition(path, "a", 1)
    edited = path.read_text(encoding="utf-8").replace("Second?", "Another question?").replace("# The end", "# End")
    path.write_text(edited, encoding="utf-8")
    remove_judgment(addition)
    assert path.read_text(encoding="utf-8") == YAML.replace("Second?", "Another question?").replace(
        "# The end", "# End"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [("label: 1", "label: 2"), ("Words:", "Word:"), ("- {url: https://docs.example/a, quote", "- {quote")],
)
def test_a_judgment_that_an_editor_changed_is_not_taken_back(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(YAML, encoding="utf-8")
    addition = record_addition(path, "a", 1)
    edited = path.read_text(encoding="utf-8").replace(old, new)
    assert edited != path.read_text(encoding="utf-8")
    path.write_text(edited, encoding="utf-8")
    with pytest.raises(InputError, match="changed by another program"):
        remove_judgment(addition)
    assert path.read_text(encoding="utf-8") == edited


def test_the_same_judgment_of_two_topics_is_taken_from_neither_where_it_is_not_certain_which(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(YAML, encoding="utf-8")
    addition = record_addition(path, "a", 1)
    add_judgment(path, "c", judgment(1))
    state = path.read_bytes()
    try:
        remove_judgment(addition)
    except InputError:
        assert path.read_bytes() == state
    else:
        topics = {topic.id: topic.judgments for topic in load_test_set(path).topics}
        assert judgment(1) not in topics["a"]
        assert judgment(1) in topics["c"]


def test_a_passage_that_is_judged_already_keeps_its_label(path: Path) -> None:
    record_addition(path, "a", 1)
    before = path.read_bytes()
    assert add_judgment(path, "a", judgment(1, label=0)) == judgment(1)
    assert path.read_bytes() == before


def test_a_topic_that_is_gone_is_said(path: Path) -> None:
    with pytest.raises(InputError, match="no topic z"):
        add_judgment(path, "z", judgment(1))


def _add_many(path: str, first: int) -> None:
    for number in range(first, first + 12):
        add_judgment(Path(path), "ab"[number % 2], judgment(number))


def test_two_processes_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(YAML, encoding="utf-8")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_add_many, args=(str(path), first)) for first in (0, 100)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
        assert writer.exitcode == 0
    found = {one for topic in load_test_set(path).topics for one in topic.judgments}
    assert {judgment(number) for number in (*range(12), *range(100, 112))} <= found
    assert len(found) == 25
