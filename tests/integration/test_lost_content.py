"""An index that lost content never looks better for it: the handbook, with pages replaced by a login page."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import ROOT
from tests.copies import copy_tree

from assay.adapters.embedders.static import StaticEmbedder
from assay.app import Assay
from assay.experiments import compare
from assay.model.comparisons import Comparison, Conclusion
from assay.model.evaluation import Finding, Outcome
from assay.ports import Silence
from assay.settings import load_settings
from assay.validation.comparing import worse

TESTS = ROOT / "examples" / "handbook.testset.yaml"
_FRONT = re.compile(r"---\n.*?\n---\n", re.DOTALL)


class _Newer(StaticEmbedder):
    """The same vectors, by another revision of the model."""

    def __init__(self) -> None:
        super().__init__()
        self.identity = replace(self.identity, revision="newer")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The handbook, live."""
    folder = tmp_path_factory.mktemp("lost")
    shutil.copytree(ROOT / "examples" / "handbook", folder / "handbook")
    with _open(folder) as assay:
        assay.publish()
    return folder


@pytest.fixture
def folder(published: Path, tmp_path: Path) -> Path:
    """A copy of it of one's own."""
    return copy_tree(published, tmp_path / "copy")


def _open(folder: Path, **settings: Any) -> Assay:  # noqa: ANN401 - settings of any kind
    source = {"path": folder / "handbook", "name": "handbook"}
    return Assay.open(load_settings(None, {"data_dir": folder / "data", "sources": [source], **settings}))


def _pages(folder: Path, count: int) -> Iterator[Path]:
    yield from sorted((folder / "handbook" / "docs").rglob("[0-9]*.md"))[::4][:count]


def _sign_in(folder: Path, count: int) -> None:
    """Replace so many pages; they keep their addresses."""
    for number, page in enumerate(_pages(folder, count)):
        front = _FRONT.match(page.read_text(encoding="utf-8"))
        page.write_text(
            f"{front[0] if front else ''}# Sign in to read page {number}\n\nEnter your name and password.\n",
            encoding="utf-8",
        )


def _beside_live(folder: Path, *measures: str, allow_removals: bool = False, **settings: Any) -> Comparison:  # noqa: ANN401
    with _open(folder, **settings) as assay:
        old = assay.parts.catalog.live_id()
        assert old is not None
        new = assay.builds.ingest().generation.id
        return compare(
            assay, (old, new), measures=measures, test_set=TESTS, allow_removals=allow_removals, progress=Silence()
        )


def test_recall_falls_where_pages_are_lost(folder: Path) -> None:
    _sign_in(folder, 5)
    comparison = _beside_live(folder, "Recall@10", "AP")
    found = {one.difference.measure: one for one in comparison.measures}
    assert comparison.lost[0] == 0 < comparison.lost[1]
    for one in found.values():
        assert one.difference.difference < -0.02
        assert one.conclusion is Conclusion.WORSE
    assert found["Recall@10"].difference.a == pytest.approx(0.535, abs=0.001)


def test_compare_names_the_topics_that_lost_their_answer_and_calls_it_worse_as_publish_does(folder: Path) -> None:
    for page in (folder / "handbook" / "docs").rglob("*.md"):
        page.write_text(f"# Sign in to read {page.stem}\n\nEnter your name and password.\n", encoding="utf-8")
    comparison = _beside_live(folder, "Recall@10")
    found = comparison.lost_topics
    assert found is not None
    assert (found.outcome, found.count > 1) == (Outcome.FAIL, True)
    assert f"topics that {comparison.a.name} answers lost their answer: " in found.detail
    assert "https://handbook.example/" in found.examples[0]
    assert worse(replace(comparison, measures=()), "any") is Conclusion.WORSE


@pytest.mark.parametrize(("pages", "outcome"), [(2, Outcome.FAIL), (0, Outcome.PASS)])
def test_no_fall_of_recall_is_allowed_and_two_login_pages_are_one(folder: Path, pages: int, outcome: Outcome) -> None:
    _sign_in(folder, pages)
    note = folder / "handbook" / "docs" / "11-glossary.md"
    note.write_text(f"{note.read_text(encoding='utf-8')}\nOne more sentence.\n", encoding="utf-8")
    with _open(folder, gate={"Recall@10": {"max_drop_vs_live": 0.0}}, validation={"testset": TESTS}) as assay:
        report = assay.publish()
    assert report.verdict is not None
    finding = _finding(report.verdict.findings, "Recall@10 against live")
    assert finding.outcome is outcome, report.verdict.summary
    assert ("in this generation account for" in finding.detail) == (outcome is Outcome.FAIL)


def test_pages_removed_on_purpose_are_left_out_on_both_sides_and_listed(folder: Path) -> None:
    removed = list(_pages(folder, 3))
    for page in removed:
        page.unlink()
    lost = {one.difference.measure: one.difference for one in _beside_live(folder, "Recall@10").measures}
    left_out = _beside_live(folder, "Recall@10", allow_removals=True)
    recall = next(one.difference for one in left_out.measures if one.difference.measure == "Recall@10")
    assert lost["Recall@10"].difference < -0.01
    assert recall.difference >= lost["Recall@10"].difference + 0.01
    [note] = [one for one in left_out.warnings if "removed on purpose" in one]
    assert note.count("https://handbook.example/") == 3


def test_a_release_without_some_pages_is_not_judged_by_what_stood_on_them(folder: Path) -> None:
    for page in _pages(folder, 5):
        page.unlink()
    gate = {"max_page_fall": 1.0, "no_worse_than_live": True}
    lost = {}
    for allowed in (False, True):
        with _open(folder, gate={**gate, "allow_removals": allowed}, validation={"testset": TESTS}) as assay:
            if not allowed:
                assay.builds.ingest()
            lost[allowed] = assay.validate().verdict
    assert _finding(lost[False].findings, "judgments found").outcome is Outcome.INCONCLUSIVE
    assert _finding(lost[False].findings, "no worse than live").outcome is Outcome.FAIL
    assert lost[True].outcome is Outcome.PASS, lost[True].summary
    assert any("removed on purpose" in note for note in lost[True].notes)


def test_a_live_generation_of_another_model_cannot_be_compared_with(folder: Path) -> None:
    with _open(folder, gate={"no_worse_than_live": True}, validation={"testset": TESTS}) as assay:
        assay.parts.embedder = _Newer()  # type: ignore[misc]  # a cached property, which is set at first use
        assay.builds.ingest()
        verdict = assay.validate().verdict
    finding = _finding(verdict.findings, "no worse than live")
    assert finding.outcome is Outcome.INCONCLUSIVE
    assert "no_worse_than_live = false" in finding.detail


def test_chunks_of_another_size_are_told_and_compared_by_passage(folder: Path) -> None:
    found = _beside_live(folder, "Recall@10", chunking={"max_characters": 600})
    assert {one.difference.measure for one in found.measures} == {"Recall@10", "passages@10"}
    [note] = [one for one in found.warnings if "relevant chunks" in one]
    assert "different numbers of chunks" in note
    recall = next(one for one in found.measures if one.difference.measure == "Recall@10")
    assert recall.conclusion is not Conclusion.BETTER


def _finding(findings: tuple[Finding, ...], check: str) -> Finding:
    return next(one for one in findings if one.check == check)
