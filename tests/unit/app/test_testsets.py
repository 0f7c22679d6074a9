"""Test sets by path: loaded, saved, and changed as what they mean."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.testset_samples import labelled_sets, written

from assay.app.testsets import add_judgment, change_many, examine_test_set, load_test_set, save_test_set
from assay.errors import InputError
from assay.model.evaluation import Judgment, Passage, Quote, TestSet

PAGE = "https://docs.example/a"
NEW = Judgment(Passage(PAGE, Quote("some words")), 2)


def test_a_test_set_without_a_name_is_called_as_its_file(tmp_path: Path) -> None:
    assert load_test_set(written(tmp_path, "topics: [{id: a, text: x}]", "handbook.testset.yaml")).name == "handbook"
    assert load_test_set(written(tmp_path, '{"id": "a", "text": "x"}', "handbook.jsonl")).name == "handbook"


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    first = load_test_set(written(tmp_path, "topics: [{id: a, text: x}]", "handbook.testset.yaml"))
    for name in ("a.yaml", "a.json", "a.jsonl"):
        save_test_set(tmp_path / name, first)
        assert load_test_set(tmp_path / name) == first


def test_a_file_that_is_there_is_replaced_only_when_that_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, "mine")
    test_set = load_test_set(written(tmp_path, "topics: [{id: a, text: x}]", "other.yaml"))
    with pytest.raises(InputError, match="already exists"):
        save_test_set(path, test_set)
    assert path.read_text(encoding="utf-8") == "mine"
    save_test_set(path, test_set, overwrite=True)
    assert load_test_set(path).topics == test_set.topics


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"does not have a suffix of a test set: \.yaml"):
        load_test_set(written(tmp_path, "", "set.txt"))


def test_the_first_own_judgment_of_a_paraphrase_does_not_lose_those_of_its_original(tmp_path: Path) -> None:
    text = f"""topics:
- id: a
  text: x
  judgments: [{{url: "{PAGE}/a", label: 1}}]
- id: b
  text: y
  type: paraphrase
  paraphrase_of: a
"""
    path = written(tmp_path, text)
    before = load_test_set(path)
    add_judgment(path, "b", NEW)
    after = load_test_set(path)
    assert after.topics[0] == before.topics[0]
    assert after.topics[1].judgments == (*before.topics[1].judgments, NEW)
    add_judgment(path, "b", Judgment(Passage(chunk_id="c"), 0))
    assert len(load_test_set(path).topics[1].judgments) == 3


def test_a_judgment_becomes_another(tmp_path: Path) -> None:
    path = written(
        tmp_path, "topics:\n- id: a\n  text: x\n  judgments:\n  - {chunk_id: c, label: 2}  # found by hand\n"
    )
    change_many(path, {"a": {0: Judgment(Passage(PAGE, Quote("some words"), chunk_id="c"), 2)}})
    assert load_test_set(path).topics[0].judgments[0].passage == Passage(PAGE, Quote("some words"), chunk_id="c")
    assert path.read_text(encoding="utf-8").endswith("# found by hand\n")


def test_a_file_with_a_fault_is_neither_loaded_nor_changed(tmp_path: Path) -> None:
    path = written(tmp_path, "topics: [{id: a, text: x, top_k: 0}]")
    assert examine_test_set(path).error_count == 1
    for attempt in (lambda: load_test_set(path), lambda: add_judgment(path, "a", NEW)):
        with pytest.raises(InputError, match="top_k: has to be a whole number"):
            attempt()


@given(labelled_sets(), st.data())
def test_appending_is_what_appending_means(
    tmp_path_factory: pytest.TempPathFactory, test_set: TestSet, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("sets") / "set.yaml"
    save_test_set(path, test_set)
    topic = data.draw(st.sampled_from(test_set.topics))
    if any(judgment.passage == NEW.passage for judgment in topic.judgments) or not topic.expects_answer:
        return
    add_judgment(path, topic.id, NEW)
    after = {one.id: one for one in load_test_set(path).topics}
    assert after[topic.id].judgments == (*topic.judgments, NEW)
