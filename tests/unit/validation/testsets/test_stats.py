"""What a test set holds, counted."""

# ruff: noqa: E501 - a topic on each line

from dataclasses import replace
from pathlib import Path

import pytest
from tests.testset_samples import read_file, written

from assay.validation.testsets.stats import FewLabels, few_labels, stats_of, typical_differences

TEXT = """
topics:
  - {id: a, text: how?, category: factual, judgments: [{url: "https://x.example/a", quote: w, label: 2}, {url: "https://x.example/a", label: 0}]}
  - {id: b, text: what?, type: broad, derived: link, judgments: [{url: "https://x.example/b", section: s, label: 1}]}
  - {id: c, text: HOW?, judgments: [{chunk_id: c, label: 0}]}
  - {id: d, text: why?}
  - {id: e, text: which?, type: paraphrase, paraphrase_of: a}
  - {id: f, text: weather, type: edge, expect: no_answer}
"""


def test_everything_is_counted(tmp_path: Path) -> None:
    found = stats_of(read_file(written(tmp_path, TEXT)))
    assert (found.topics, found.answerable, found.no_answer) == (6, 3, 1)
    assert found.unanswered == ("c", "d")
    assert found.by_type == {"specific": 3, "broad": 1, "edge": 1, "paraphrase": 1}
    assert found.by_category == {"factual": 1}
    assert found.by_origin == {"by hand": 5, "link": 1}
    assert found.labels == {0: 3, 1: 1, 2: 2}
    assert found.judgments_per_topic == (0, 1, 2)
    assert found.histogram == {0: 1, 1: 2, 2: 2}
    assert found.passages == {"page": 2, "quote": 2, "chunk": 1, "section": 1}
    assert found.pages == 2
    assert found.duplicates == {"c": "a"}
    assert (found.paraphrases, found.inherited) == (1, 1)


def test_a_test_set_of_edge_topics_only_concludes_nothing(tmp_path: Path) -> None:
    found = stats_of(read_file(written(tmp_path, "topics: [{id: f, text: w, type: edge, expect: no_answer}]")))
    assert (found.answerable, found.judgments_per_topic, found.smallest_differences) == (0, (0, 0, 0), {})


def test_four_times_as_many_topics_show_half_the_difference() -> None:
    few, many = typical_differences(100), typical_differences(400)
    assert few == pytest.approx({what: 2 * difference for what, difference in many.items()})
    # 3.3393 is z(1 - .025 / 4) + z(.8), for four measures that are compared together.
    assert few == pytest.approx({"variants of one search": 0.0234, "different kinds of search": 0.1069}, abs=1e-4)
    assert typical_differences(1) == {}


@pytest.mark.parametrize(
    ("labels", "found"),
    [([1] * 12, FewLabels(12, 4, 0.2)), ([2, 3, 4], FewLabels(2, 4, 0.6)), ([4, 5], None)],
)
def test_topics_with_too_few_labels_for_the_limit_on_precision_are_counted(
    tmp_path: Path, labels: list[int], found: FewLabels | None
) -> None:
    judged = [
        ", ".join(f"{{url: 'https://x.example/{n}/{k}', label: 2}}" for k in range(count))
        for n, count in enumerate(labels)
    ]
    text = "topics:\n" + "".join(
        f"  - {{id: t{n}, text: how {n}?, judgments: [{one}]}}\n" for n, one in enumerate(judged)
    )
    test_set = read_file(written(tmp_path, text))
    assert few_labels(test_set) == found
    assert few_labels(replace(test_set, derived=True)) is None
