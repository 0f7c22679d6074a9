"""`assay audit`: check every page, chunk and vector of a generation."""

import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from assay.app import Assay, AuditReport
from assay.cli import options
from assay.cli.commands.adoption import examine_adopted
from assay.cli.commands.diagnosis import embeds_locally, show_diagnosis
from assay.cli.failures import EXIT_FAIL
from assay.cli.terminal.output import err, out, print_json
from assay.cli.terminal.progress import progress
from assay.model.counting import counted
from assay.model.evaluation import MOST_EXAMPLES, Outcome
from assay.model.generations import Generation, State
from assay.validation.integrity import KINDS, EmbeddingCost

_SHOWN = 5
_REPAIR = "Rebuild it with `assay publish --rebuild`."
_UNTIL_THEN = (
    "Until then `assay rollback` goes back to generation {0}, if that one is sound (`assay audit --generation {0}` "
    "checks it)."
)
_RESTORE_SETTINGS = (
    "Restore the [embedding] and [sparse] settings that it was built with, or rebuild it with `assay publish`."
)


def audit(
    generation: options.ReadGeneration = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            min=1,
            help="Embed N chunks again and compare the vectors, even with a paid provider.",
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Embed every chunk again and compare the vectors, even with a paid provider [default: all with the "
            "built-in model, none with others].",
        ),
    ] = False,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Check every page, chunk and vector of a generation; exit code 1 if any check fails.

    For an adopted collection, checks every point, as `assay doctor` does.
    """
    if everything and sample is not None:
        raise typer.BadParameter("--sample N and --all cannot be combined.")
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        if assay.parts.adopted is not None:
            if generation is not None:
                raise typer.BadParameter(f"The adopted collection {assay.parts.adopted} has no generations.")
            _audit_adopted(assay, ask=everything or sample is not None, as_json=as_json)
            return
        report = assay.auditor.audit(
            generation,
            sample=sample,
            everything=everything,
            agree=_announce_cost(confirm=everything and not as_json and sys.stdin.isatty()),
            progress=progress(),
        )
        previous = assay.parts.lifecycle.previous() if report.generation.state is State.LIVE else None
    if as_json:
        print_json(audit_body(report))
    else:
        show_audit(out(), report, previous)
    if not report.sound:
        raise typer.Exit(EXIT_FAIL)


def _audit_adopted(assay: Assay, *, ask: bool, as_json: bool) -> None:
    """Check every point of an adopted collection. ask: use the embedder even with a paid provider."""
    assay.parts.store.check()
    report = examine_adopted(assay, progress(), ask_provider=ask or embeds_locally(assay), sample=None)
    survey = report.found.get("survey")
    faults = survey["faults"] if isinstance(survey, dict) else {}
    sound = not faults and all(check.level != "fail" for check in report.checks)
    if as_json:
        checks = [check.as_body() for check in report.checks]
        print_json({"adopted": report.found, "sound": sound, "checks": checks})
    else:
        show_diagnosis(out(), report.checks)
        verdict = "[green bold]is sound[/]" if sound else "[red bold]is not sound[/]"
        out().print(
            f"The collection {assay.parts.adopted} {verdict}, as far as Assay can check a collection that it did not "
            "build."
        )
    if not sound:
        raise typer.Exit(EXIT_FAIL)


def audit_body(report: AuditReport) -> dict[str, Any]:
    """Return the JSON body of `audit`."""
    found = report.audit
    return {
        "generation": report.generation.id,
        "state": report.generation.state.value,
        "sound": report.sound,
        "documents": found.documents,
        "chunks": found.chunks,
        "vectors_compared": found.compared_vectors,
        "keyword_vectors_compared": found.compared_keywords,
        "seconds": round(report.seconds, 3),
        "checks": [
            {
                "check": kind,
                "promise": promise,
                "looked_at": kind not in found.skipped,
                "why_not": found.skipped.get(kind),
                "faults": found.faults[kind].count,
                "cause": found.faults[kind].cause or None,
                "examples": found.faults[kind].examples[:MOST_EXAMPLES],
            }
            for kind, promise in KINDS.items()
        ]
        + [
            {
                "check": one.check,
                "promise": one.limit,
                "looked_at": one.outcome is not Outcome.INCONCLUSIVE,
                "why_not": one.detail if one.outcome is Outcome.INCONCLUSIVE else None,
                "faults": max(one.count, 1) if one.outcome is Outcome.FAIL else 0,
                "cause": one.detail if one.outcome is Outcome.FAIL else None,
                "examples": list(one.examples),
            }
            for one in report.vectors
        ],
    }


def show_audit(console: Console, report: AuditReport, previous: Generation | None = None) -> None:
    """Print each check with its mark and faults, then how to repair the generation.

    previous: the generation that a rollback makes live, if there is one.
    """
    found, generation = report.audit, report.generation
    for kind, promise in KINDS.items():
        fault = found.faults[kind]
        if fault.count:
            console.print(f"  [red]✗[/] {kind}: {counted(fault.count, 'violation')} of: {escape(promise)}")
            if fault.cause:
                console.print(f"      {escape(fault.cause)}")
            _show_examples(console, fault.examples, fault.count)
        elif kind in found.skipped:
            console.print(f"  [yellow]–[/] {kind}: not checked: {escape(found.skipped[kind])}")
        else:
            checked = found.looked_at(kind)
            part = "" if checked == found.chunks else f" ({checked} of {found.chunks} checked)"
            console.print(f"  [green]✓[/] {kind}: {escape(promise)}{part}")
    _show_vectors(console, report)
    scope = f"{counted(found.documents, 'page')} and {counted(found.chunks, 'chunk')} in {report.seconds:.1f} s"
    if report.sound:
        console.print(f"[green bold]Generation {generation.id} is sound[/]: {scope}.")
        if "embeddings" in found.skipped:
            console.print("[dim]`--sample N` embeds N chunks again to compare, and shows the cost first.[/]")
        return
    failed = sum(one.outcome is Outcome.FAIL for one in report.vectors)
    console.print(
        f"[red bold]Generation {generation.id} is not sound[/]: {counted(found.count + failed, 'fault')}; {scope}."
    )
    only_identity = found.faults["identity"].count == found.count + failed
    console.print(escape(_RESTORE_SETTINGS if only_identity else _REPAIR))
    if previous is not None and not only_identity:
        console.print(escape(_UNTIL_THEN.format(previous.id)))


def _show_vectors(console: Console, report: AuditReport) -> None:
    for one in report.vectors:
        if one.outcome is Outcome.FAIL:
            console.print(f"  [red]✗[/] {one.check}: {escape(one.detail)}")
            _show_examples(console, list(one.examples), one.count)
        elif one.outcome is Outcome.INCONCLUSIVE:
            console.print(f"  [yellow]–[/] {one.check}: not checked: {escape(one.detail)}")
        else:
            console.print(f"  [green]✓[/] {one.check}: {escape(one.limit)}")


def _show_examples(console: Console, examples: list[str], count: int) -> None:
    for example in examples[:_SHOWN]:
        console.print(f"      [dim]{escape(example)}[/]")
    if count > _SHOWN:
        hint = " (--json names more)" if len(examples) > _SHOWN else ""
        console.print(f"      [dim]and {count - _SHOWN} more{hint}[/]")


def _announce_cost(*, confirm: bool) -> Callable[[EmbeddingCost], bool]:
    """Return a function that prints the cost before anything is embedded. confirm: ask the user to go on."""

    def agree(cost: EmbeddingCost) -> bool:
        identity = cost.embedder
        err().print(
            f"To compare, {identity.provider} {identity.model} embeds {counted(cost.texts, 'text')} again, "
            f"about {counted(cost.tokens, 'token')}."
        )
        return not confirm or typer.confirm("Go on?", default=False, err=True)

    return agree
