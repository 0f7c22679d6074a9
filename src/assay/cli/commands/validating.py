"""`assay validate`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from assay.app import Assay
from assay.app.served import validate_served
from assay.cli import options
from assay.cli.commands.report_files import NOTHING_WRITTEN, Written
from assay.cli.commands.sweeping import run_sweep
from assay.cli.terminal.output import out, print_json
from assay.cli.terminal.progress import progress
from assay.cli.terminal.validation_text import show_validation
from assay.contracts.validation_report import to_dict
from assay.validation.latency import ClosedLoop, Load, OpenLoop

_IN_A_ROW = 100
"""Searches of seed 001's specification."""

_SECONDS = 30.0


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(validate)


def validate(
    testset: options.TestSetFile = None,
    generation: options.MeasuredGeneration = None,
    url: Annotated[
        str | None,
        typer.Option("--url", help="Validate what a running Assay answers, by its address; nothing is stored."),
    ] = None,
    api_key: Annotated[
        str | None,
        typer.Option(
            "--api-key", envvar="ASSAY_API_KEY", help="Key with the scope `search`, where --url asks for one."
        ),
    ] = None,
    output_dir: Annotated[
        Path | None, typer.Option("--output-dir", help="Folder of the reports [default: validation_results].")
    ] = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency", min=1, help="Measure latency with so many searches at once too, and 100 in a row."
        ),
    ] = None,
    load: Annotated[
        float | None,
        typer.Option("--load", help="Measure latency with so many searches a second too, however long they take."),
    ] = None,
    duration: Annotated[
        float | None, typer.Option("--duration", help="Seconds for which --load goes on [default: 30].")
    ] = None,
    sweep: Annotated[
        str | None,
        typer.Option(
            "--sweep",
            metavar="FILE",
            help="Measure the settings and chunkers of a TOML file beside one another, or those of a grid (`default`); "
            "no verdict is given, and nothing is stored.",
        ),
    ] = None,
    check_urls: Annotated[
        bool, typer.Option("--check-urls", help="Ask the address of each hit too; a dead one is a FAIL.")
    ] = False,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no files.")] = False,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Measure the candidate, or what is live: labelled queries, latency, metadata, integrity; PASS or FAIL.

    Only a PASS is promoted. Without a test set the structure alone is judged, and the verdict says so.
    """
    with Assay.open(options.settings_from(config, data_dir, _overrides(testset, output_dir))) as assay:
        loads = _loads(concurrency, load, duration)
        if sweep is not None:
            if url is not None or loads:
                raise typer.BadParameter("--sweep goes with neither --url nor --load nor --concurrency.")
            run_sweep(assay, sweep, generation, write=not no_report, as_json=as_json)
            return
        if url is not None:
            if check_urls:
                raise typer.BadParameter("--check-urls goes with what is here, and --url with what is served there.")
            if generation is not None:
                raise typer.BadParameter("--url validates what is served there, and --generation what is here.")
            validation = validate_served(assay, url, api_key, None, progress(), loads)
        else:
            validation = assay.validate(generation, progress=progress(), load=loads, check_urls=check_urls)
        report = NOTHING_WRITTEN if no_report else Written.of(assay, validation)
    if as_json:
        print_json(to_dict(validation) | {"files": report.as_body()})
    else:
        show_validation(out(), validation)
    if report.problem or not as_json:
        report.tell()
    report.exit_with(validation.verdict.outcome)


def _overrides(testset: Path | None, output_dir: Path | None) -> dict[str, Any]:
    given = {"testset": testset, "output_dir": output_dir}
    return {"validation": {name: path for name, path in given.items() if path is not None}}


def _loads(concurrency: int | None, rate: float | None, duration: float | None) -> list[Load]:
    """What is measured besides the searches of the topics. Raises typer.BadParameter, InputError."""
    if duration is not None and rate is None:
        raise typer.BadParameter("--duration says how long --load goes on, and needs it.")
    loads: list[Load] = []
    if concurrency is not None:
        loads += [ClosedLoop(1, _IN_A_ROW), ClosedLoop(concurrency, max(concurrency, _IN_A_ROW))]
    if rate is not None:
        loads.append(OpenLoop(rate, _SECONDS if duration is None else duration))
    return loads
