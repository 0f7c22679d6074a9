"""The first test set that anybody has: derived from the pages, and a verdict by it."""

import re
import shutil
from pathlib import Path

import pytest
from tests.conftest import ROOT
from tests.copies import copy_file, copy_tree
from tests.integration.cli.commands import Run

from assay.app.testsets import load_test_set

DERIVED = "derived.yaml"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first test leaves a copy of the folder that it begins with."""
    return tmp_path_factory.mktemp("made") / "folder"


@pytest.fixture
def handbook(assay: Run, folder: Path, made: Path) -> Run:
    """The command line over the handbook, live, with a derived test set."""
    if made.exists():
        shutil.copytree(made, folder, copy_function=copy_file, dirs_exist_ok=True)
        return assay
    shutil.copytree(ROOT / "examples" / "handbook", folder / "handbook")
    assert assay("publish", "handbook").code == 0
    assert assay("testset", "derive", "--output", DERIVED).code == 0
    copy_tree(folder, made)
    return assay


def _pages(folder: Path) -> list[Path]:
    return sorted((folder / "handbook" / "docs").rglob("[0-9]*.md"))


def _add_a_sentence(folder: Path) -> None:
    page = _pages(folder)[0]
    page.write_text(f"{page.read_text(encoding='utf-8')}\nOne more sentence.\n", encoding="utf-8")


def _cut_to_headings(folder: Path) -> None:
    """Every page keeps its title and headings, and says something else below them."""
    for number, page in enumerate(_pages(folder)):
        text = page.read_text(encoding="utf-8")
        front = re.match(r"---\n.*?\n---\n", text, re.DOTALL)
        filler = "\n\n".join(f"Paragraph {number} of {line} tells of other things altogether." for line in range(9))
        page.write_text(f"{front[0] if front else ''}# Notes {number}\n\n{filler}\n", encoding="utf-8")


def test_the_file_says_that_it_is_derived(handbook: Run, folder: Path) -> None:
    assert "\nderived: true\n" in (folder / DERIVED).read_text(encoding="utf-8")
    assert load_test_set(folder / DERIVED).derived


@pytest.mark.parametrize("mode", ["hybrid", "dense"])
def test_a_healthy_index_passes_by_a_derived_test_set(
    handbook: Run, folder: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_SEARCH__MODE", mode)
    _add_a_sentence(folder)
    said = handbook("publish", "handbook", "--testset", DERIVED, "--json")
    findings = {one["check"]: one for one in said.body["findings"]}
    assert (said.code, said.body["verdict"]) == (0, "PASS"), findings
    assert {"RR", "Success@5", "no worse than live"} <= findings.keys()
    assert not {"precision", "MRR"} & findings.keys()
    assert "derived topics" in said.body["summary"]


def test_the_seeds_criteria_are_listed_as_not_held_for_they_cannot_be_reached(handbook: Run) -> None:
    criteria = {one["name"]: one for one in handbook("validate", "--testset", DERIVED, "--json").body["criteria"]}
    for name in ("precision_at_5", "mrr"):
        assert (criteria[name]["met"], criteria[name]["reason"]) == (None, "derived")
    assert criteria["p95_latency"]["met"] is True


def test_an_index_that_lost_its_content_fails_by_a_derived_test_set(handbook: Run, folder: Path) -> None:
    _cut_to_headings(folder)
    said = handbook("publish", "handbook", "--testset", DERIVED, "--allow-removals", "--json")
    assert (said.code, said.body["verdict"]) == (1, "FAIL")
    failed = {one["check"] for one in said.body["findings"] if one["outcome"] == "FAIL"}
    assert failed & {"RR", "Success@5", "no worse than live"}


def test_a_hand_written_test_set_is_not_judged_as_a_derived_one(handbook: Run, folder: Path) -> None:
    file = folder / DERIVED
    file.write_text(
        file.read_text(encoding="utf-8").replace("derived: true\n", "derived: false\n", 1), encoding="utf-8"
    )
    checks = {one["check"] for one in handbook("validate", "--testset", DERIVED, "--json").body["gate"]["findings"]}
    assert {"precision", "MRR"} <= checks
    assert "RR" not in checks
