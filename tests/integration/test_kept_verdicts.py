"""A FAIL by a test set goes on to hold for the same content, at whatever moment the next build is killed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.killing import Watched
from tests.copies import copy_tree

from assay.app import Assay
from assay.model.evaluation import Outcome
from assay.model.generations import State
from assay.settings import load_settings

PARTS = ("gripper", "camera", "battery", "wheel", "motor", "sensor")
CHANGES = ("delete", "add_generation", "create", "seal", "update_generation", "transition", "forget")
"""Calls that change what is there."""


class Killed(BaseException):
    """The process is no more: nobody catches this, and nothing is done afterwards."""


class Death:
    """Lets a process die before or after its so-manieth change; what it still calls does nothing."""

    def __init__(self, change: int, when: str) -> None:
        self.change = change
        self.when = when
        self.changes = 0
        self.dead = False

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: object, **named: object) -> Any:  # noqa: ANN401 - whatever the function returns
            if self.dead:
                raise Killed
            self.changes += function.__name__ in CHANGES
            mine = self.changes == self.change and function.__name__ in CHANGES
            self.dead = mine and self.when == "before"
            if self.dead:
                raise Killed
            result = function(*arguments, **named)
            self.dead = mine
            if self.dead:
                raise Killed
            return result

        return counted


def _open(folder: Path, **overrides: Any) -> Assay:  # noqa: ANN401 - tables of settings
    source = {"path": folder / "docs", "base_url": "https://docs.example", "name": "docs", "convention": "plain"}
    return Assay.open(load_settings(None, {"data_dir": folder / "data", "sources": [source], **overrides}))


@pytest.fixture(scope="module")
def rejected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose pages were built once, and rejected by a test set whose answers are elsewhere."""
    folder = tmp_path_factory.mktemp("rejected")
    (folder / "docs").mkdir()
    topics = []
    for place, part in enumerate(PARTS):
        (folder / "docs" / f"{part}.md").write_text(f"# About the {part}\n\nThe {part} is checked every day.\n")
        wrong = {"url": f"https://docs.example/{part}", "quote": f"The {part} is checked", "label": 2}
        right = {"url": f"https://docs.example/{PARTS[place - 1]}", "label": 0}
        topics.append({"id": part, "text": f"When is the {PARTS[place - 1]} checked?", "judgments": [wrong, right]})
        topics[-1]["judgments"] += [{"url": f"https://docs.example/{p}", "label": 0} for p in PARTS if p != part]
    test_set = folder / "topics.json"
    test_set.write_text(json.dumps({"name": "parts", "topics": topics}))
    with _open(folder, validation={"testset": test_set}) as assay:
        report = assay.publish()
        assert report.verdict is not None
        assert report.verdict.outcome is Outcome.FAIL
        assert [one.state for one in assay.generations()] == [State.REJECTED]
    return folder


def _build(folder: Path, death: Death) -> None:
    with _open(folder) as assay:
        catalog, store = assay.parts.catalog, assay.parts.store
        assay.parts._catalog = Watched(catalog, death)  # type: ignore[assignment]  # the point of this test
        assay.parts.store = Watched(store, death)  # type: ignore[misc,assignment]  # likewise
        try:
            assay.builds.ingest()
        except Killed:
            assert death.dead
        finally:
            death.dead = False  # what is closed now, the system would have closed


def test_a_build_that_is_killed_at_any_change_loses_no_verdict(rejected: Path, tmp_path: Path) -> None:
    living = Death(0, "before")
    _build(copy_tree(rejected, tmp_path / "whole"), living)
    assert living.changes >= 8
    # After one change is before the next, but for the last.
    for change, when in [*((change, "before") for change in range(1, living.changes + 1)), (living.changes, "after")]:
        folder = copy_tree(rejected, tmp_path / f"{change}-{when}")
        _build(folder, Death(change, when))
        with _open(folder) as assay:
            report = assay.publish()
            assert report.verdict is not None, (change, when)
            assert (report.verdict.outcome, report.promoted) == (Outcome.FAIL, None), (change, when)
            assert report.verdict.test_set is not None


def test_a_build_that_is_done_leaves_no_trace_of_what_was_rejected(rejected: Path, tmp_path: Path) -> None:
    folder = copy_tree(rejected, tmp_path / "done")
    with _open(folder) as assay:
        assay.builds.ingest()
        (candidate,) = assay.generations()
        assert candidate.state is State.CANDIDATE
        assert candidate.verdict is not None
        assert candidate.verdict["outcome"] == "FAIL"
        assert assay.parts.store.generations() == [candidate.id]
