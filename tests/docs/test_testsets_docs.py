"""docs/testsets.md says what test sets are."""

import re
from pathlib import Path

import pytest

from assay.adapters.testset_files.loading import SUFFIXES
from assay.app.testsets import Format
from assay.model.evaluation import Category, TopicType
from assay.validation.testsets.keys import FILTER_KEYS, JUDGMENT_KEYS, TOP_KEYS, TOPIC_KEYS
from assay.validation.testsets.reading import examine
from assay.validation.testsets.stats import typical_differences
from tests.docs.pages import DOCS
from tests.testset_samples import load_file, written

PAGE = (DOCS / "testsets.md").read_text(encoding="utf-8")
SAMPLE = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0]


def test_the_sample_is_a_test_set(tmp_path: Path) -> None:
    reading = examine(load_file(written(tmp_path, SAMPLE)), "sample")
    assert (reading.error_count, reading.warning_count) == (0, 0), (reading.errors, reading.warnings)
    assert reading.test_set is not None
    first, second, third = reading.test_set.topics
    assert second.judgments == first.judgments
    assert not third.expects_answer


@pytest.mark.parametrize("key", [*TOP_KEYS, *TOPIC_KEYS, *JUDGMENT_KEYS, *FILTER_KEYS])
def test_every_key_is_on_the_page(key: str) -> None:
    assert re.search(rf"`{key}`|\b{key}:", PAGE), f"{key} is not described"


@pytest.mark.parametrize("word", [*TopicType, *Category, *(f"`{suffix}`" for suffix in SUFFIXES), *Format])
def test_every_word_that_a_file_may_have_is_on_the_page(word: str) -> None:
    assert re.search(rf"\b{word}\b" if word.isalpha() else re.escape(word), PAGE), f"{word} is not described"


def test_the_table_of_differences_follows_from_the_code() -> None:
    rows = re.findall(r"^\| (\d+) \| (\.\d+) \| (\.\d+) \|$", PAGE, re.MULTILINE)
    assert [int(topics) for topics, _, _ in rows] == [20, 50, 100, 200, 500]
    for topics, *differences in rows:
        expected = [f"{value:.3f}".removeprefix("0") for value in typical_differences(int(topics)).values()]
        assert list(differences) == expected
