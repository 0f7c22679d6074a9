"""What holds for every test set and the formats of other tools: what they can say reads back equal."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from tests.testset_samples import labelled_sets

from assay.adapters.testset_files.exchange import doc_id_of
from assay.app.testsets import Format, export_test_set, import_test_set
from assay.model.evaluation import TestSet, Topic, TopicType
from assay.model.ranking import Filters
from assay.validation.testsets.plain import make_test_set, plain_judgment


def back(test_set: TestSet, format_: Format) -> tuple[TestSet, tuple[str, ...]]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / ("set.csv" if format_ is Format.CSV else "set")
        lost = export_test_set(test_set, path, format_)
        paths = [path / "topics.trec", path / "qrels.txt"] if format_ is Format.TREC else [path]
        found, left_out = import_test_set(paths, format_, name=test_set.name)
        assert left_out == ()
        return found, lost


@pytest.mark.parametrize("format_", [Format.BEIR, Format.CSV])
@given(labelled_sets())
def test_beir_and_tables_lose_nothing(format_: Format, test_set: TestSet) -> None:
    found, lost = back(test_set, format_)
    assert lost == ()
    assert found == test_set


def as_trec_can_say(topic: Topic) -> Topic:
    """A topic without what TREC has no place for."""
    criteria = {
        key: " ".join(value.split())
        for key in ("description", "narrative")
        if isinstance(value := topic.expected_criteria.get(key), str)
    }
    return replace(
        topic,
        text=" ".join(topic.text.split()),
        type=TopicType.SPECIFIC,
        category=None,
        top_k=5,
        judgments=tuple(one for one in topic.judgments if doc_id_of(plain_judgment(one)) is not None),
        excluded=(),
        paraphrase_of=None,
        expects_answer=True,
        expected_criteria=criteria,
        filters=Filters(),
        derived=None,
    )


@given(labelled_sets())
def test_trec_loses_what_it_says_it_loses_and_nothing_else(test_set: TestSet) -> None:
    asking = [topic for topic in test_set.topics if topic.text.strip()]
    if not asking:
        return
    test_set = make_test_set(test_set.name, [replace(topic, paraphrase_of=None) for topic in asking])
    found, lost = back(test_set, Format.TREC)
    kept = make_test_set(test_set.name, [as_trec_can_say(topic) for topic in test_set.topics])
    assert found == kept
    assert bool(lost) == (kept != test_set)
