"""A test set of nine topics notices two lost pages, though no paired test could."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.copies import copy_tree
from tests.small_site import ENCRYPTION_REWORDED, LOGIN, PAGES, plant_small_site

from assay.app import Assay
from assay.app.testsets import save_test_set
from assay.errors import PromotionRefused, StoreUnavailable
from assay.model.evaluation import Finding, Judgment, Outcome, Passage, Quote, TestSet, Topic, Verdict
from assay.model.generations import State
from assay.model.validations import Validation
from assay.retrieval.searcher import Searcher
from assay.settings import load_settings
from assay.validation.deriving.deriving import derive


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small site, live, with a derived test set."""
    root = tmp_path_factory.mktemp("small")
    plant_small_site(root / "docs")
    with _open(root) as assay:
        assay.publish()
        test_set = derive(assay.labels.linked_documents(), "small").test_set
    assert test_set is not None
    assert len(test_set.topics) == 9
    save_test_set(root / "small.yaml", test_set, overwrite=True)
    save_test_set(root / "quotes.yaml", _quotes())
    return root


def _quotes() -> TestSet:
    """Labels by quote, each in the second half of its page."""
    asked = {
        "network": ("When do jobs run?", "Bandwidth limits are set per network name, so that a phone's hotspot"),
        "encryption": ("What happens to chunks when keys are rotated?", "Rotating keys rewrites the index"),
        "logs": ("How often do logs rotate?", "Logs rotate after ten megabytes"),
        "sizing": ("How much memory does the index need?", "one gigabyte of memory for each ten million chunks"),
        "alarms": ("How long do acknowledged alarms stay silent?", "fortnight"),
    }
    topics = [
        Topic(page, text, judgments=(Judgment(Passage(f"https://kestrel.example/{page}", Quote(quote)), 2),))
        for page, (text, quote) in asked.items()
    ]
    return TestSet("quotes", tuple(topics), "")


def _open(root: Path, **gate: float) -> Assay:
    source = {"path": root / "docs", "base_url": "https://kestrel.example", "name": "kestrel"}
    return Assay.open(load_settings(None, {"data_dir": root / "data", "sources": [source], "gate": gate}))


def _published(
    published: Path,
    tmp_path: Path,
    pages: dict[str, str | None],
    *,
    test_set: str = "small.yaml",
    allow_removals: bool = False,
) -> Verdict:
    """The verdict on a copy with these pages changed; None removes one."""
    root = tmp_path / "copy"
    copy_tree(published, root)
    for name, text in pages.items():
        page = root / "docs" / name
        page.unlink() if text is None else page.write_text(text, encoding="utf-8")
    with _open(root, allow_removals=allow_removals) as assay:
        candidate = assay.builds.ingest().generation
        return assay.validate(candidate.id, root / test_set).verdict


def _finding(verdict: Verdict, check: str = "lost topics") -> Finding:
    return next(one for one in verdict.findings if one.check == check)


def test_two_of_twelve_pages_that_became_a_login_page_fail(published: Path, tmp_path: Path) -> None:
    verdict = _published(published, tmp_path, {"encryption.md": LOGIN, "logs.md": LOGIN})
    assert verdict.outcome is Outcome.FAIL
    assert [one.check for one in verdict.findings if one.outcome is not Outcome.PASS] == ["lost topics"]
    found = _finding(verdict)
    assert found.count == 2
    assert "https://kestrel.example/encryption" in found.detail
    assert "https://kestrel.example/logs" in found.detail


def test_one_lost_page_is_a_notice_in_the_line_of_the_verdict(published: Path, tmp_path: Path) -> None:
    verdict = _published(published, tmp_path, {"encryption.md": LOGIN})
    assert verdict.outcome is Outcome.PASS
    assert "1 topic lost its answer: link-passphrases-and-recovery-sheets-" in verdict.summary
    assert "(https://kestrel.example/encryption)" in verdict.summary
    assert "This test set detects a fall of 0." in verdict.summary


def test_a_page_in_other_words_still_answers(published: Path, tmp_path: Path) -> None:
    verdict = _published(published, tmp_path, {"encryption.md": ENCRYPTION_REWORDED})
    assert (verdict.outcome, _finding(verdict).count) == (Outcome.PASS, 0)
    assert "lost its answer" not in verdict.summary


def _first_half(name: str) -> str:
    text = PAGES[name]
    return text[: text.rfind(" ", 0, len(text) // 2)] + "\n"


def test_the_first_half_of_a_page_is_no_answer_if_the_quoted_words_were_in_the_second(
    published: Path, tmp_path: Path
) -> None:
    cut: dict[str, str | None] = {name: _first_half(name) for name in ("encryption.md", "logs.md", "alarms.md")}
    verdict = _published(published, tmp_path, cut, test_set="quotes.yaml")
    found = _finding(verdict)
    assert (verdict.outcome, found.outcome) == (Outcome.FAIL, Outcome.FAIL)
    assert [one.split(":")[0] for one in found.examples] == ["encryption", "logs", "alarms"]


def test_one_quoted_passage_that_is_gone_leaves_the_verdict_open(published: Path, tmp_path: Path) -> None:
    verdict = _published(published, tmp_path, {"logs.md": _first_half("logs.md")}, test_set="quotes.yaml")
    assert (_finding(verdict).outcome, _finding(verdict).count) == (Outcome.PASS, 1)
    assert _finding(verdict, "known answers").outcome is Outcome.INCONCLUSIVE


def test_a_quote_in_other_words_still_answers(published: Path, tmp_path: Path) -> None:
    pages: dict[str, str | None] = {
        "encryption.md": ENCRYPTION_REWORDED,
        "alarms.md": PAGES["alarms.md"].replace("silent for a fortnight", "quiet for two weeks"),
    }
    verdict = _published(published, tmp_path, pages, test_set="quotes.yaml")
    assert _finding(verdict).count == 0
    assert _finding(verdict, "known answers").outcome is Outcome.PASS


def test_pages_that_were_removed_on_purpose_are_not_lost(published: Path, tmp_path: Path) -> None:
    pages: dict[str, str | None] = {"sizing.md": None, "alarms.md": None}
    assert _finding(_published(published, tmp_path, pages)).outcome is Outcome.FAIL
    shutil.rmtree(tmp_path / "copy")
    assert _finding(_published(published, tmp_path, pages, allow_removals=True)).count == 0


@pytest.mark.parametrize("when", ["before", "while the promotion measures"])
def test_a_pass_against_another_live_generation_is_measured_again(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    root = tmp_path / "copy"
    copy_tree(published, root)
    small = root / "small.yaml"
    for name in ("encryption.md", "logs.md"):
        (root / "docs" / name).write_text(LOGIN, encoding="utf-8")
    with _open(root, max_lost_topics=1.0, no_worse_than_live=False) as assay:
        assay.validate("live", small)
        worse = assay.publish().promoted
        assert worse is not None
    (root / "docs" / "sizing.md").open("a", encoding="utf-8").write("\nOne more sentence.\n")
    with _open(root) as assay:
        candidate = assay.builds.ingest().generation
        if when == "before":
            verdict = assay.validate(candidate.id, small).verdict
            assert (verdict.outcome, verdict.live) == (Outcome.PASS, worse.id)
            better = assay.rollback()
        else:
            validate = assay.evaluation.validate

            def overtaken(*given: Any) -> Validation:  # noqa: ANN401 - passed on as it is
                validated = validate(*given)
                if assay.parts.catalog.live_id() == worse.id:
                    assert validated.verdict.outcome is Outcome.PASS
                    assay.rollback()
                return validated

            monkeypatch.setattr(assay.evaluation, "validate", overtaken)
            (better,) = [one for one in assay.generations() if one.state is State.RETIRED]
        with pytest.raises(PromotionRefused, match="lost topics"):
            assay.promote(candidate.id, test_set=small)
        assert assay.parts.catalog.live_id() == better.id
        again = assay.parts.catalog.generation(candidate.id).verdict
        assert again is not None
        assert again["live"] == better.id


def _derived(root: Path) -> Assay:
    """The copy's Assay; its labels count as derived, so that it has to be no worse than what is live."""
    return _open(root, no_worse_than_live=True)


def _damage_index(root: Path, _: str) -> None:
    shutil.rmtree(root / "data" / "generations")


def _damage_record(root: Path, live: str) -> None:
    with sqlite3.connect(root / "data" / "catalog.sqlite") as catalog:
        changed = catalog.execute("UPDATE document_revisions SET url = 'x' WHERE url LIKE '%/logs'")
        assert changed.rowcount == 1


@pytest.mark.parametrize("damage", [_damage_index, _damage_record])
@pytest.mark.parametrize("command", ["publish", "promote"])
def test_a_live_generation_that_is_damaged_does_not_block_its_replacement(
    published: Path, tmp_path: Path, damage: Callable[[Path, str], None], command: str
) -> None:
    root = tmp_path / "copy"
    copy_tree(published, root)
    with _derived(root) as assay:
        live = assay.parts.catalog.live_id()
        assert live is not None
        assay.validate("live", root / "small.yaml")
    damage(root, live)
    (root / "docs" / "logs.md").open("a", encoding="utf-8").write("\nOne more sentence.\n")
    with _derived(root) as assay:
        if command == "publish":
            promoted = assay.publish().promoted
            assert promoted is not None
        else:
            promoted = assay.promote(assay.builds.ingest().generation.id)
        assert promoted.id != live
        notes = (assay.parts.catalog.generation(promoted.id).verdict or {})["notes"]
    assert isinstance(notes, list)
    assert any("Lost topics are not checked: the candidate cannot be compared" in note for note in notes)


def test_a_live_index_that_cannot_be_reached_for_the_moment_leaves_the_verdict_open(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "copy"
    copy_tree(published, root)
    (root / "docs" / "logs.md").write_text(LOGIN, encoding="utf-8")
    with _open(root) as assay:
        candidate = assay.builds.ingest().generation
        reached = assay.systems.open

        def open_reached(opened: ExitStack, generation_id: str) -> Searcher:
            if generation_id != candidate.id:
                raise StoreUnavailable("The server does not answer.")
            return reached(opened, generation_id)

        monkeypatch.setattr(assay.systems, "open", open_reached)
        verdict = assay.validate(candidate.id, root / "small.yaml").verdict
    assert (verdict.outcome, _finding(verdict).outcome) == (Outcome.INCONCLUSIVE, Outcome.INCONCLUSIVE)
    assert "Run this again when it answers" in _finding(verdict).detail
