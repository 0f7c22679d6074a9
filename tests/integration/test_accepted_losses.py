"""Judgments that were lost before the live generation passed do not block later releases."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.copies import copy_tree
from tests.integration.test_lost_topics import _open, _quotes
from tests.integration.test_lost_topics import published as published  # noqa: PLC0414 - a fixture
from tests.small_site import ENCRYPTION_REWORDED

from assay.app.reports import PublishReport
from assay.app.testsets import load_test_set, save_test_set
from assay.model.evaluation import Outcome, TestSet, Verdict

LEFT_OUT = "1 judgment was lost before the live generation passed with this test set, and was left out: label "


@pytest.fixture(scope="module")
def judged(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small site, judged by quotes and links."""
    root = copy_tree(published, tmp_path_factory.mktemp("judged") / "site")
    links = load_test_set(root / "small.yaml")
    _save(root, replace(links, topics=(*links.topics, *_quotes().topics)))
    with _open(root) as assay:
        assert assay.validate("live", root / "both.yaml").verdict.outcome is Outcome.PASS
    return root


@pytest.fixture
def root(judged: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return copy_tree(judged, tmp_path / "copy")


def _save(root: Path, test_set: TestSet) -> None:
    save_test_set(root / "both.yaml", test_set, overwrite=True)


def _publish(root: Path, *, allow_removals: bool = False) -> PublishReport:
    with _open(
        root, **({"allow_removals": True, "max_page_fall": 1.0, "max_anchor_fall": 1.0} if allow_removals else {})
    ) as assay:
        return assay.publish()


def _edited(root: Path, text: str) -> Verdict:
    """The verdict after one more sentence on another page."""
    (root / "docs" / "sizing.md").open("a", encoding="utf-8").write(f"\n{text}\n")
    verdict = _publish(root).verdict
    assert verdict is not None
    return verdict


def _live_verdict(root: Path) -> Mapping[str, object]:
    with _open(root) as assay:
        return assay.parts.catalog.generation(assay.parts.catalog.live_id() or "").verdict or {}


def test_a_reworded_answer_blocks_no_later_release_and_is_named_in_each(root: Path) -> None:
    (root / "docs" / "encryption.md").write_text(ENCRYPTION_REWORDED, encoding="utf-8")
    first = _publish(root)
    assert first.promoted is not None
    assert first.verdict is not None
    assert "1 topic is answered in other words: label encryption again." in first.verdict.summary
    for text in ("One more sentence.", "Another one."):
        verdict = _edited(root, text)
        assert verdict.outcome is Outcome.PASS
        assert [one for one in verdict.notes if one.startswith(f"{LEFT_OUT}encryption again")]


def test_a_judgment_that_is_lost_on_both_is_not_accepted_by_the_pass_of_another_test_set(root: Path) -> None:
    (root / "docs" / "encryption.md").write_text(ENCRYPTION_REWORDED, encoding="utf-8")
    assert _publish(root).promoted is not None
    changed = load_test_set(root / "both.yaml")
    _save(root, replace(changed, topics=changed.topics[1:]))
    verdict = _edited(root, "One more sentence.")
    assert [one.check for one in verdict.findings if one.outcome is not Outcome.PASS] == ["known answers"]


def test_pages_removed_on_purpose_block_no_later_release(root: Path) -> None:
    (root / "docs" / "alarms.md").unlink()
    assert _publish(root, allow_removals=True).promoted is not None
    before = _live_verdict(root)
    unchanged = _publish(root)
    assert (unchanged.verdict, _live_verdict(root)) == (None, before)
    verdict = _edited(root, "One more sentence.")
    assert verdict.outcome is Outcome.PASS
    assert [one for one in verdict.notes if "lost before the live generation passed" in one]


def test_the_live_generation_passes_again_without_what_its_pass_accepted(root: Path) -> None:
    (root / "docs" / "encryption.md").write_text(ENCRYPTION_REWORDED, encoding="utf-8")
    assert _publish(root).promoted is not None
    with _open(root) as assay:
        verdict = assay.validate("live", root / "both.yaml").verdict
    assert verdict.outcome is Outcome.PASS
    assert [one for one in verdict.notes if one.startswith(LEFT_OUT)]
