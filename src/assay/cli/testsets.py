"""`assay testset`: check, convert and make files of labelled queries."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from assay.app import examine_test_set
from assay.cli import options
from assay.cli.failures import EXIT_FAIL
from assay.cli.output import out, print_json
from assay.model.located import Problem
from assay.validation.testsets.reading import Reading

TestSetFile = Annotated[Path, typer.Argument(help="A test set: .yaml, .yml, .json, .jsonl or .ndjson.")]


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    group = typer.Typer(name="testset", help="Check, convert and make files of labelled queries.", no_args_is_help=True)
    group.command()(check)
    app.add_typer(group)


def check(
    file: TestSetFile,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail on what is odd too, not only on what is wrong.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Say what is wrong with a test set, line by line, and what is odd; exit code 1 if it cannot be used."""
    reading = examine_test_set(file)
    valid = reading.test_set is not None and not (strict and reading.warning_count)
    if as_json:
        print_json(_check_body(file, reading, valid=valid))
    else:
        _show_check(out(), file, reading)
    if not valid:
        raise typer.Exit(EXIT_FAIL)


def _check_body(file: Path, reading: Reading, *, valid: bool) -> dict[str, object]:
    test_set = reading.test_set
    return {
        "file": str(file),
        "valid": valid,
        "name": test_set.name if test_set else None,
        "topics": len(test_set.topics) if test_set else None,
        "fingerprint": test_set.fingerprint if test_set else None,
        "error_count": reading.error_count,
        "errors": [_problem_body(problem) for problem in reading.errors],
        "warning_count": reading.warning_count,
        "warnings": [_problem_body(problem) for problem in reading.warnings],
    }


def _problem_body(problem: Problem) -> dict[str, object]:
    place = problem.place
    return {"file": place.file, "line": place.line or None, "where": problem.where or None, "message": problem.message}


def _show_check(console: Console, file: Path, reading: Reading) -> None:
    _show_problems(console, "red", "Wrong", reading.errors, reading.error_count)
    _show_problems(console, "yellow", "Odd", reading.warnings, reading.warning_count)
    if reading.test_set is None:
        count = reading.error_count
        console.print(f"[red bold]{escape(str(file))} cannot be used: {count:,} {_things(count)} wrong with it.[/]")
        return
    topics = len(reading.test_set.topics)
    odd = f"; {reading.warning_count:,} {_things(reading.warning_count)} odd" if reading.warning_count else ""
    console.print(
        f"[green]{escape(str(file))} is a test set of {topics:,} {'topic' if topics == 1 else 'topics'}[/]{odd}."
    )


def _show_problems(console: Console, colour: str, word: str, problems: Sequence[Problem], count: int) -> None:
    for problem in problems:
        console.print(f"[{colour}]{word}:[/] {escape(str(problem))}", soft_wrap=True)
    if count > len(problems):
        console.print(f"[{colour}]{word}:[/] … and {count - len(problems):,} more")


def _things(count: int) -> str:
    return "thing is" if count == 1 else "things are"
