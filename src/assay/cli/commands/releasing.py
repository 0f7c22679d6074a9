"""`assay promote`, `assay rollback` and `assay generations`."""

from typing import Annotated

import typer
from rich.markup import escape

from assay.app import Assay
from assay.cli import options
from assay.cli.terminal.generation_text import (
    generation_body,
    readable_summary,
    show_generations,
    show_notes,
    verdict_notes,
)
from assay.cli.terminal.output import err, out, pages_and_chunks, print_json
from assay.cli.terminal.progress import progress
from assay.cli.terminal.visible import visible
from assay.model.evaluation import Outcome
from assay.model.generations import Generation, State


def promote(
    generation: Annotated[
        str | None,
        typer.Argument(help="Id of a candidate or a retired generation, or `candidate` [default: the candidate]."),
    ] = None,
    allow_removals: options.AllowRemovals = False,
    allow_additions: options.AllowAdditions = False,
    testset: options.TestSetFile = None,
    no_testset: options.NoTestSet = False,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Make the candidate live. Validates it first, unless it has a valid PASS."""
    overrides = options.gate_overrides(allow_removals=allow_removals, allow_additions=allow_additions)
    overrides |= options.testset_overrides(testset, no_testset=no_testset)
    with Assay.open(options.settings_from(config, data_dir, overrides)) as assay:
        named = assay.parts.catalog.generations() if assay.parts.adopted is None else []
        was_judged = {one.id for one in named if one.state is not State.CANDIDATE}
        promoted = assay.promote(generation, progress())
    if as_json:
        print_json(generation_body(promoted))
    else:
        out().print(
            f"Generation [bold]{promoted.id}[/] is live: {pages_and_chunks(promoted.documents, promoted.chunks)}."
        )
        if promoted.id not in was_judged:  # the verdict of a retired or live one is of earlier
            show_notes(out(), verdict_notes(promoted))
        _warn_of_verdict(promoted)


def rollback(data_dir: options.DataDir = None, config: options.Config = None, as_json: options.Json = False) -> None:
    """Make the previous live generation live again."""
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        promoted = assay.rollback()
    if as_json:
        print_json(generation_body(promoted))
    else:
        out().print(f"Back to generation [bold]{promoted.id}[/], built {promoted.created_at:%Y-%m-%d %H:%M} UTC.")
        _warn_of_verdict(promoted)


def generations(data_dir: options.DataDir = None, config: options.Config = None, as_json: options.Json = False) -> None:
    """List all generations with their states, newest first."""
    with Assay.open(options.settings_from(config, data_dir)) as assay:
        listed = assay.generations()
    if as_json:
        print_json({"generations": [generation_body(generation) for generation in listed]})
    else:
        show_generations(out(), listed)


def _warn_of_verdict(generation: Generation) -> None:
    """Warn if the generation that is live now did not pass its last validation."""
    verdict = generation.verdict or {}
    if verdict and verdict.get("outcome") != Outcome.PASS.value:
        summary = readable_summary(str(verdict["summary"]))
        err().print(f"[yellow]It did not pass its last validation: {escape(visible(summary))}[/]")
