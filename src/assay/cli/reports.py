"""Build, verdict and generation reports, as JSON bodies and as text for a terminal."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from assay.app import PublishReport
from assay.ingest.pipeline import BuildReport
from assay.model.evaluation import Finding, Outcome, Verdict
from assay.model.generations import Generation, State
from assay.release.promotion import verdict_record

_SHOWN = 10
_EXAMPLES = 5
_LONGEST_REASON = 60
_STYLES = {State.LIVE: "bold green", State.CANDIDATE: "bold", State.FAILED: "red", State.REJECTED: "red"}


def build_body(build: BuildReport, generation: Generation) -> dict[str, Any]:
    """The JSON body of `ingest`. generation: as it is now, which may be after a promotion."""
    return {
        "generation": generation.id,
        "state": generation.state.value,
        "built": not build.unchanged,
        "unchanged": build.unchanged,
        "documents": generation.documents,
        "chunks": generation.chunks,
        "embedded": build.embedded,
        "reused": build.reused,
        "added": len(build.added),
        "changed": len(build.changed),
        "kept": build.kept,
        "removed": len(build.removed),
        "removed_pages": list(build.removed),
        "carried": list(build.carried),
        "failed": [{"page": failure.key, "reason": failure.reason} for failure in build.failed],
        "excluded": [{"page": page.key, "reason": page.reason} for page in build.excluded],
        "empty": list(build.empty),
        "seconds": round(sum(build.seconds.values()), 3),
        "seconds_by_stage": {stage: round(seconds, 3) for stage, seconds in build.seconds.items()},
    }


def publish_body(
    report: PublishReport, generation: Generation, files: Mapping[str, Path] | None = None
) -> dict[str, Any]:
    """The JSON body of `publish`. unchanged: whether everything is as it was; built: whether a generation was built.

    Both are false where a candidate that an earlier run left was checked: then `promoted` and `verdict` say what
    became of it. files: of the report, where one was written.
    """
    verdict = verdict_record(report.verdict) if report.verdict else generation.verdict
    return build_body(report.build, generation) | {
        "unchanged": report.verdict is None,
        "verdict": verdict.get("outcome") if verdict else None,
        "summary": verdict.get("summary") if verdict else None,
        "findings": verdict.get("findings") if verdict else [],
        "notes": list(report.verdict.notes) if report.verdict else verdict_notes(generation),
        "promoted": report.promoted.id if report.promoted else None,
        "measures": {value.name: value.value for value in report.validation.measures} if report.validation else {},
        "files": {name: str(path) for name, path in (files or {}).items()},
    }


def generation_body(generation: Generation) -> dict[str, Any]:
    """One generation as JSON."""
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
        "reason": generation.reason,
    }


def verdict_notes(generation: Generation) -> list[str]:
    """The notes of the verdict that is stored with a generation."""
    notes = (generation.verdict or {}).get("notes")
    return [str(note) for note in notes] if isinstance(notes, list) else []


def show_build(console: Console, build: BuildReport) -> None:
    """What a build did, in a few lines."""
    generation = build.generation
    if build.unchanged and generation.state is State.CANDIDATE:
        console.print(
            f"Nothing was built: candidate [bold]{generation.id}[/] was waiting, and has these "
            f"{generation.documents} pages already."
        )
    elif build.unchanged:
        console.print(
            f"Nothing has changed: the {generation.state.value} generation [bold]{generation.id}[/] "
            f"has these {generation.documents} pages already."
        )
    else:
        seconds = sum(build.seconds.values())
        stages = ", ".join(f"{stage} {spent:.1f}" for stage, spent in build.seconds.items())
        console.print(
            f"Generation [bold]{generation.id}[/]: {generation.documents} pages, {generation.chunks} chunks; "
            f"{build.embedded} embedded, {build.reused} reused; {seconds:.1f} s ({stages})."
        )
        console.print(
            f"Pages: {len(build.added)} new, {len(build.changed)} changed, {build.kept} unchanged, "
            f"{len(build.removed)} removed, {len(build.failed)} failed, {len(build.excluded)} left out."
        )
    _show_list(console, "Failed", [f"{page.key}: {page.reason}" for page in build.failed], "red")
    _show_list(console, "Nothing to search for in", build.empty, "yellow")
    for reason, count in Counter(page.reason.split(";")[0] for page in build.excluded).most_common(_SHOWN):
        console.print(f"[dim]Left out: {count} × {escape(reason)}[/]")


def show_verdict(console: Console, verdict: Verdict) -> None:
    """Each check with its mark, and what to do about those that failed."""
    for finding in verdict.findings:
        mark = {"PASS": "[green]✓[/]", "FAIL": "[red]✗[/]", "INCONCLUSIVE": "[yellow]?[/]"}[finding.outcome.value]
        console.print(f"  {mark} {finding.check}: {escape(finding.detail or finding.limit)}")
        if finding.outcome is not Outcome.PASS:
            _show_examples(console, finding)
    colour = "green" if verdict.outcome is Outcome.PASS else "red"
    console.print(f"[bold {colour}]{escape(verdict.summary)}[/]")
    show_notes(console, verdict.notes)


def show_notes(console: Console, notes: Sequence[str]) -> None:
    """What a verdict does not say, or says only with a reservation."""
    for note in notes:
        console.print(f"[dim]{escape(note)}[/]")


def _show_examples(console: Console, finding: Finding) -> None:
    shown = finding.examples[:_EXAMPLES]
    for example in shown:
        console.print(f"      [dim]{escape(example)}[/]")
    if (more := finding.count - len(shown)) > 0:
        hint = " (--json names more)" if len(finding.examples) > len(shown) else ""
        console.print(f"      [dim]and {more} more{hint}[/]")


def show_generations(console: Console, generations: Sequence[Generation]) -> None:
    """A table, newest first."""
    if not generations:
        console.print("There are no generations yet. `assay publish FOLDER` makes the first.")
        return
    rows: list[tuple[str, ...]] = [("generation", "state", "pages", "chunks", "built", "went live", "verdict", "why")]
    rows += [_generation_row(generation) for generation in generations]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    styles = ["bold", *(_STYLES.get(generation.state, "") for generation in generations)]
    for row, style in zip(rows, styles, strict=True):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        # Never wrapped: an id that stands on two lines can be neither copied nor searched for.
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
        str((generation.verdict or {}).get("outcome") or ""),
        reason if len(reason) <= _LONGEST_REASON else f"{reason[: _LONGEST_REASON - 1]}…",
    )


def _show_list(console: Console, heading: str, lines: Sequence[str], colour: str) -> None:
    for line in lines[:_SHOWN]:
        console.print(f"[{colour}]{heading}:[/] {escape(line)}")
    if len(lines) > _SHOWN:
        console.print(f"[{colour}]{heading}:[/] … and {len(lines) - _SHOWN} more (--json lists all)")


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
