"""The fingerprint of a test set."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.testset_samples import read_file, written

from assay.validation.testsets.plain import make_test_set

TEXT = """
name: a
topics:
  - id: a
    text: how?
    judgments: [{url: "https://docs.example/a", label: 2}]
  - id: b
    text: why?
"""


def test_layout_comments_defaults_and_the_name_do_not_change_the_fingerprint(tmp_path: Path) -> None:
    other = """# a comment
topics: [{text: "how?", id: a, type: specific, top_k: 5, expect: answer,
  judgments: [{label: 2, url: https://docs.example/a/}]}, {id: b, text: 'why?', judgments: [], filters: {}}]
"""
    first, second = read_file(written(tmp_path, TEXT, "x.yaml")), read_file(written(tmp_path, other, "y.yaml"))
    assert first.fingerprint == second.fingerprint
    assert first.topics == second.topics
    assert (first.name, second.name) == ("a", "y")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("how?", "how"),
        ("id: a", "id: c"),
        ("label: 2", "label: 1"),
        ("example/a", "example/b"),
        ("id: b", "id: b\n    top_k: 6"),
    ],
)
def test_every_change_of_what_is_said_changes_the_fingerprint(tmp_path: Path, before: str, after: str) -> None:
    first = read_file(written(tmp_path, TEXT))
    second = read_file(written(tmp_path, TEXT.replace(before, after)))
    assert first.fingerprint != second.fingerprint


def test_the_order_of_topics_is_part_of_what_is_said(tmp_path: Path) -> None:
    first = read_file(written(tmp_path, TEXT))
    assert make_test_set("a", reversed(first.topics)).fingerprint != first.fingerprint
    assert replace(first, fingerprint="") != first
