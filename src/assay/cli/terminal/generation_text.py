"""Verdict and generation reports, as JSON bodies and as text for a terminal."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from assay.app import PublishReport
from assay.cli.terminal.build_text import build_body
from assay.cli.terminal.output import on_one_line
from assay.model.bounds import shortened
from assay.model.counting import counted
from assay.model.evaluation import Finding, Outcome, Verdict
from assay.model.generations import Generation, State
from assay.release.promotion import verdict_record

_EXAMPLES, _NAMED = 5, 4
"""Most examples shown of a finding, and most checks named in the last line."""

_LONGEST_REASON = 60
_STYLES = {State.LIVE: "bold green", State.CANDIDATE: "bold", State.FAILED: "red", State.REJECTED: "red"}


def publish_body(
    report: PublishReport, generation: Generation, files: Mapping[str, Path] | None = None
) -> dict[str, Any]:
    """Return the JSON body of `publish`.

    `unchanged` and `built` are both false if an earlier run's candidate was validated; see `promoted` and `verdict`.
    files: the paths of the report's files, if written.
    """
    verdict = verdict_record(report.verdict) if report.verdict else generation.verdict
    return build_body(report.build, generation) | {
        "unchanged": report.verdict is None,
        "verdict": verdict.get("outcome") if verdict else None,
        "summary": verdict.get("summary") if verdict else None,
        "findings": verdict.get("findings") if verdict else [],
        "notes": [*(report.verdict.notes if report.verdict else verdict_notes(generation)), *report.notes],
        "promoted": report.promoted.id if report.promoted else None,
        "measures": {value.name: value.value for value in report.validation.measures} if report.validation else {},
        "files": {name: str(path) for name, path in (files or {}).items()},
    }


def generation_body(generation: Generation) -> dict[str, Any]:
    """Return one generation as JSON."""
    return {
        "generation": generation.id,
        "state": generation.state.value,
        "live": generation.state is State.LIVE,
        "created_at": _time(generation.created_at),
        "promoted_at": _time(generation.promoted_at) if generation.promoted_at else None,
        "documents": generation.documents,
        "chunks": generation.chunks,
        "sources": list(generation.sources),
        "embedder": f"{generation.embedder.provider}/{generation.embedder.model}",
        "verdict": (generation.verdict or {}).get("outcome"),
        "verdict_of": (generation.verdict or {}).get("generation"),
        "test_set": (generation.verdict or {}).get("test_set_name"),
        "reason": generation.reason,
    }


def verdict_notes(generation: Generation) -> list[str]:
    """Return the notes of the verdict stored with a generation."""
    notes = (generation.verdict or {}).get("notes")
    return [str(note) for note in notes] if isinstance(notes, list) else []


def show_verdict(console: Console, verdict: Verdict) -> None:
    """Print the checks that did not pass, and count those that did; with -v, print every check."""
    names_all = logging.getLogger("assay").isEnabledFor(logging.INFO)
    passed = [finding for finding in verdict.findings if finding.outcome is Outcome.PASS]
    if passed and not names_all:
        console.print(f"  [green]✓[/] {counted(len(passed), 'check')} passed (`assay -v …` names them)")
    shown = verdict.findings if names_all else [one for one in verdict.findings if one not in passed]
    for finding, names in _by_detail(shown):
        mark = {"PASS": "[green]✓[/]", "FAIL": "[red]✗[/]", "INCONCLUSIVE": "[yellow]?[/]"}[finding.outcome.value]
        console.print(f"  {mark} {names}: {on_one_line(finding.detail or finding.limit)}")
        if finding.outcome is not Outcome.PASS:
            _show_examples(console, finding)
    colour = {"PASS": "green", "FAIL": "red", "INCONCLUSIVE": "yellow"}[verdict.outcome.value]
    console.print(f"[bold {colour}]{on_one_line(_last_line(verdict))}[/]")
    show_notes(console, verdict.notes)


def _by_detail(findings: Sequence[Finding]) -> list[tuple[Finding, str]]:
    """The findings, each with the names of the checks that say the same, such as that there are too few topics."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        alike = finding.outcome is Outcome.INCONCLUSIVE and finding.detail and not finding.examples
        groups.setdefault(finding.detail if alike else id(finding), []).append(finding)
    return [(group[0], ", ".join(one.check for one in group)) for group in groups.values()]


def _last_line(verdict: Verdict) -> str:
    """Summarize the verdict; the lines above it have the reasons."""
    if verdict.outcome is Outcome.PASS:
        return verdict.summary
    named = [finding.check for finding in verdict.findings if finding.outcome is verdict.outcome]
    shown = ", ".join([*named[:_NAMED], *(["…"] if len(named) > _NAMED else [])])
    return f"{verdict.outcome.value}: {len(named)} of {counted(len(verdict.findings), 'check')} ({shown})"


def readable_summary(summary: str) -> str:
    """Replace seed 001's `FAIL: inconclusive` in the summary of a verdict by INCONCLUSIVE."""
    prefix = "FAIL: inconclusive: "
    return f"INCONCLUSIVE: {summary.removeprefix(prefix)}" if summary.startswith(prefix) else summary


def show_notes(console: Console, notes: Sequence[str]) -> None:
    """Print the notes of a verdict: reservations, and what it does not cover."""
    for note in notes:
        console.print(f"[dim]{on_one_line(note)}[/]")


def _show_examples(console: Console, finding: Finding) -> None:
    shown = finding.examples[:_EXAMPLES]
    for example in shown:
        if example in finding.detail:
            continue
        console.print(f"      [dim]{on_one_line(example)}[/]")
    if (more := finding.count - len(shown)) > 0:
        hint = " (--json names more)" if len(finding.examples) > len(shown) else ""
        console.print(f"      [dim]and {more} more{hint}[/]")


def show_generations(console: Console, generations: Sequence[Generation]) -> None:
    """Print a table of generations, newest first."""
    if not generations:
        console.print("There are no generations yet. `assay publish FOLDER` builds the first.")
        return
    rows: list[tuple[str, ...]] = [("generation", "state", "pages", "chunks", "built", "went live", "verdict", "why")]
    rows += [_generation_row(generation) for generation in generations]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    styles = ["bold", *(_STYLES.get(generation.state, "") for generation in generations)]
    for row, style in zip(rows, styles, strict=True):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        # Never wrapped: an id on two lines can be neither copied nor searched for.
        console.print(Text(line, style=style), soft_wrap=True)


def _generation_row(generation: Generation) -> tuple[str, ...]:
    reason = " ".join((generation.reason or "").split())
    return (
        generation.id,
        generation.state.value,
        str(generation.documents),
        str(generation.chunks),
        _time(generation.created_at),
        _time(generation.promoted_at) if generation.promoted_at else "",
        _verdict_cell(generation),
        shortened(reason, _LONGEST_REASON),
    )


def _verdict_cell(generation: Generation) -> str:
    """The outcome, and what it is short of: another generation's, of the same content, or without a test set."""
    verdict = generation.verdict
    if not verdict:
        return ""
    of = "" if verdict.get("generation") == generation.id else " of equal content"
    by = "" if verdict.get("test_set") else " without a test set"
    return f"{verdict.get('outcome')}{of}{by}"


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
