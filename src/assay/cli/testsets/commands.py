"""`assay testset`: check, convert and create files of labelled queries."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from assay.app import Assay
from assay.app.testsets import examine_test_set, save_test_set, text_of
from assay.cli import options
from assay.cli.failures import EXIT_FAIL
from assay.cli.terminal.help_text import PlainTyper
from assay.cli.terminal.output import err, out, print_json
from assay.cli.terminal.progress import progress
from assay.cli.testsets.exchange import export_file, import_files
from assay.cli.testsets.repair import repair
from assay.cli.testsets.stats import stats
from assay.errors import InputError
from assay.model.counting import counted
from assay.model.located import Problem
from assay.ports import track
from assay.settings import CONFIG_FILE
from assay.validation.deriving.deriving import Derivation, derive
from assay.validation.gate.quality import topics_needed_of_derived
from assay.validation.testsets.plain import to_plain
from assay.validation.testsets.reading import ReadTestSet
from assay.validation.testsets.stats import few_labels

_HEADING = """Queries derived from these pages by `assay testset derive`: link texts, and headings that are questions.
Read through it once and remove what nobody would ask."""


def check(
    file: options.TestSetArgument,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings too.")] = False,
    as_json: options.Json = False,
) -> None:
    """Print the errors and warnings of a test set, with line numbers; exit code 1 if it cannot be used."""
    reading = examine_test_set(file)
    valid = reading.test_set is not None and not (strict and reading.warning_count)
    if as_json:
        print_json(_check_body(file, reading, valid=valid))
    else:
        _show_check(out(), file, reading)
    if not valid:
        raise typer.Exit(EXIT_FAIL)


def derive_from_documents(
    sources: options.DerivedSources = None,
    base_url: options.BaseUrl = None,
    current_version: options.CurrentVersion = None,
    default_locale: options.DefaultLocale = None,
    convention: options.Convention = None,
    generation: options.ReadGeneration = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write: .yaml, .json or .jsonl [default: print YAML].")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Name of the test set.")] = "derived",
    most: Annotated[int | None, typer.Option("--most", min=1, help="Most topics to derive [default: all].")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Create a first test set without labelling, from the link texts and question headings of the pages."""
    overrides = options.source_overrides(sources, base_url, None, current_version, default_locale, convention)
    with Assay.open(options.settings_from(config, data_dir, overrides)) as assay:
        documents = assay.builds.read_documents() if sources else assay.labels.linked_documents(generation)
        derivation = derive(track(documents, progress(), "derive"), name, most)
        needed = topics_needed_of_derived(assay.systems.gate.quality)
    if derivation.test_set is None:
        raise InputError(
            f"No queries could be derived from {counted(derivation.pages, 'page')} ({_left_out(derivation)}).",
            hint="Write some by hand: `assay docs testsets` shows how.",
        )
    if output is not None:
        save_test_set(output, derivation.test_set, heading=_HEADING, overwrite=force)
    if as_json:
        print_json(_derivation_body(derivation, output))
        return
    if output is None:
        out().print(text_of(derivation.test_set, "yaml", heading=_HEADING), markup=False, soft_wrap=True, end="")
    err().print(
        f"{counted(len(derivation.test_set.topics), 'topic')} from {counted(derivation.pages, 'page')}: "
        f"{derivation.links:,} from link texts, {derivation.questions:,} from question headings."
    )
    err().print(f"[dim]Left out: {_left_out(derivation)}.[/]")
    if (found := len(derivation.test_set.topics)) < needed:
        err().print(
            f"[yellow]{counted(found, 'topic')}; the gate needs {needed}, or the verdict is INCONCLUSIVE.[/] "
            "Write more (`assay docs testsets`), or derive from more pages."
        )
    if output is not None:
        shown = escape(str(output))
        err().print(f"Wrote {shown}. Read through it, then run: assay validate --testset {shown}")
        # soft_wrap: a setting on two lines cannot be copied
        err().print(
            f"To judge every candidate by it, add to {CONFIG_FILE}: "
            f"{escape('[validation]')} testset = {escape(json.dumps(str(output), ensure_ascii=False))}",
            soft_wrap=True,
        )


def _left_out(derivation: Derivation) -> str:
    return "; ".join(f"{reason} ({count:,})" for reason, count in derivation.left_out.items()) or "nothing"


def _derivation_body(derivation: Derivation, output: Path | None) -> dict[str, object]:
    test_set = derivation.test_set
    assert test_set is not None
    return {
        "pages": derivation.pages,
        "topics": len(test_set.topics),
        "from_links": derivation.links,
        "from_headings": derivation.questions,
        "left_out": dict(derivation.left_out),
        "fingerprint": test_set.fingerprint,
        "output": str(output) if output else None,
        "test_set": None if output else to_plain(test_set),
    }


def _check_body(file: Path, reading: ReadTestSet, *, valid: bool) -> dict[str, object]:
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


def _show_check(console: Console, file: Path, reading: ReadTestSet) -> None:
    _show_problems(console, "red", "Error", reading.errors, reading.error_count)
    _show_problems(console, "yellow", "Warning", reading.warnings, reading.warning_count)
    if reading.test_set is None:
        errors = counted(reading.error_count, "error")
        console.print(f"[red bold]{escape(str(file))} cannot be used: {errors}.[/]")
        return
    topics = counted(len(reading.test_set.topics), "topic")
    warnings = f"; {counted(reading.warning_count, 'warning')}" if reading.warning_count else ""
    console.print(f"[green]{escape(str(file))} is a test set of {topics}[/]{warnings}.")
    if (few := few_labels(reading.test_set)) is not None:
        console.print(
            f"[dim]{few.topics} of {topics} have fewer than {few.needed} relevant passages, and P@5 divides by five: "
            f"with one chunk each, the labels allow at most {few.ceiling:.2f}. For such a test set, set \\[gate] "
            'precision = "attainable", or label more.[/]'
        )


def _show_problems(console: Console, colour: str, word: str, problems: Sequence[Problem], count: int) -> None:
    for problem in problems:
        console.print(f"[{colour}]{word}:[/] {escape(str(problem))}", soft_wrap=True)
    if count > len(problems):
        console.print(f"[{colour}]{word}:[/] … and {count - len(problems):,} more")


testset = PlainTyper(name="testset", help="Check, convert and create files of labelled queries.", no_args_is_help=True)
testset.command()(check)
testset.command("stats")(stats)
testset.command("import")(import_files)
testset.command("export")(export_file)
testset.command("derive")(derive_from_documents)
testset.command("repair")(repair)
