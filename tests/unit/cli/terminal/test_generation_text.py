"""Verdicts, progress and messages on a terminal."""

import logging
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

import assay
from assay.cli.terminal.generation_text import show_verdict
from assay.cli.terminal.output import out
from assay.cli.terminal.progress import time_left
from assay.model.evaluation import Finding, Outcome, Verdict

PASSED = tuple(Finding(f"check {number}", Outcome.PASS, 1.0, "1", "as it should be") for number in range(17))
BAD = Finding("unreachable", Outcome.FAIL, 0.4, "at most 0.02", "40 of 100 titles find nothing", ("a page",), 1)


def verdict(outcome: Outcome, *findings: Finding) -> Verdict:
    return Verdict(outcome, "g1", "gate", "content", datetime(2026, 3, 2, tzinfo=UTC), findings)


def shown(of: Verdict, capsys: pytest.CaptureFixture[str]) -> list[str]:
    show_verdict(out(), of)
    return capsys.readouterr().out.splitlines()


def test_what_failed_is_told_and_the_rest_in_one_line(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "assay")
    lines = shown(verdict(Outcome.FAIL, *PASSED, BAD), capsys)
    assert lines[0] == "  ✓ 17 checks passed (`assay -v …` names them)"
    assert lines[1] == "  ✗ unreachable: 40 of 100 titles find nothing"
    assert [line for line in lines if "✓" in line] == lines[:1]


def test_every_check_is_told_where_the_log_is_asked_for(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "assay")
    lines = shown(verdict(Outcome.FAIL, *PASSED, BAD), capsys)
    assert sum("✓ check" in line for line in lines) == 17


@pytest.mark.contract("001.39")
def test_an_undecided_verdict_is_not_called_a_failed_one(capsys: pytest.CaptureFixture[str]) -> None:
    open_question = Finding("MRR", Outcome.INCONCLUSIVE, None, "at least 0.7", "too little is judged")
    undecided = verdict(Outcome.INCONCLUSIVE, open_question)
    assert undecided.summary.startswith("FAIL: inconclusive: ")
    lines = shown(undecided, capsys)
    assert lines[-1] == "INCONCLUSIVE: 1 of 1 check (MRR)"
    assert "FAIL" not in "".join(lines)


def test_the_summary_begins_with_the_check_that_decided() -> None:
    open_question = Finding("MRR", Outcome.INCONCLUSIVE, None, "at least 0.7", "too little is judged")
    summary = verdict(Outcome.FAIL, *PASSED, open_question, BAD).summary
    assert summary == "FAIL: unreachable: 40 of 100 titles find nothing; MRR: too little is judged"


def test_checks_that_are_open_for_the_same_reason_share_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    few = [Finding(name, Outcome.INCONCLUSIVE, 1.0, "a limit", "reached, but 1 topic") for name in ("RR", "Success@5")]
    lines = shown(verdict(Outcome.INCONCLUSIVE, *few), capsys)
    assert lines == ["  ? RR, Success@5: reached, but 1 topic", "INCONCLUSIVE: 2 of 2 checks (RR, Success@5)"]


@pytest.mark.parametrize("outcome", [Outcome.FAIL, Outcome.INCONCLUSIVE])
@pytest.mark.parametrize("failed", [1, 3, 9])
def test_what_failed_is_said_once_and_counted_in_the_last_line(
    outcome: Outcome, failed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = [
        Finding(
            f"limit {n}", outcome, 0.4, "1", f"too much of it: first-{n} and others", (f"first-{n}", f"next-{n}"), 3
        )
        for n in range(failed)
    ]
    of = verdict(outcome, *PASSED, *bad)
    text = "\n".join(lines := shown(of, capsys))
    for finding in bad:
        for once in (finding.detail, *finding.examples):
            assert text.count(once) == 1
    assert lines[-1].startswith(f"{outcome.value}: {failed} of {17 + failed} checks (limit 0")
    assert len(lines[-1]) < 80
    assert text.count("and 1 more") == failed
    assert all(finding.detail in of.summary for finding in bad)  # a report keeps the reasons


@pytest.mark.parametrize(
    ("done", "total", "elapsed", "said"),
    [
        (2, 1_000, 3.4, ""),  # the second page of a crawl
        (0, 10, 5.0, ""),
        (10, 10, 5.0, ""),
        (5, None, 5.0, ""),
        (20, 1_000, 10.0, "about 8 min"),
        (500, 1_000, 10.0, "about 10 s"),
        (50, 100, 100.0, "about 2 min"),
        (100, 100_000, 20.0, "about 5.5 h"),
        (2, 4, 6.0, "about 5 s"),
    ],
)
def test_the_remaining_time_is_shown_once_enough_is_done_and_roughly(
    done: int, total: int | None, elapsed: float, said: str
) -> None:
    assert time_left(done, total, elapsed) == said


def test_no_difference_or_bound_is_shown_as_a_negative_zero() -> None:
    source = Path(assay.__file__).parent
    signed = re.compile(
        r"\{[^{}]*(?:interval\.|bounds\.|\.difference|\.change)(?:low|high)?:\+?\.\df\}|\{[^{}]*:\+\.\df\}"
    )
    files = [*(source / "cli").rglob("*.py"), *(source / "validation").rglob("*.py")]
    assert [f"{path.name}: {found}" for path in files for found in signed.findall(path.read_text("utf-8"))] == []


def test_no_number_precedes_a_fixed_plural() -> None:
    nouns = "addresses chunks documents hits judgments labels pages points queries results settings texts tokens topics"
    plain = re.compile(rf"(?<!of )\{{[^{{}}]*\}} (?:{'|'.join(nouns.split())})\b")
    files = (Path(assay.__file__).parent / "cli").rglob("*.py")
    assert [f"{path.name}: {found}" for path in files for found in plain.findall(path.read_text("utf-8"))] == []
