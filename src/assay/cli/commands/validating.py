"""`assay validate`."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from assay.app import Assay
from assay.cli import options
from assay.cli.commands.report_files import NO_FILES, ReportFiles
from assay.cli.failures import failure_of, show_error
from assay.cli.terminal.output import err, out, print_json
from assay.cli.terminal.progress import progress
from assay.cli.terminal.sweep_text import show_sweep
from assay.cli.terminal.validation_text import show_validation
from assay.contracts.comparisons import sweep_body
from assay.errors import CatalogError
from assay.model.validations import Validation
from assay.validation.report.files import write_reports
from assay.validation.report.sweep_page import to_html
from assay.validation.running.latency import ClosedLoop, Load, OpenLoop

_SEQUENTIAL_SEARCHES = 100
"""As seed 001 specifies."""

_SECONDS = 30.0


_Url = Annotated[
    str | None,
    typer.Option("--url", help="Validate the running Assay at this URL; the verdict is not stored."),
]
_ApiKey = Annotated[
    str | None,
    typer.Option("--api-key", envvar="ASSAY_API_KEY", help="Key with the scope `search`, if --url requires one."),
]
_OutputDir = Annotated[
    Path | None,
    typer.Option(
        "--output-dir", help="Folder of the reports [default: [validation] output_dir, or validation_results]."
    ),
]
_Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        min=1,
        help="Also measure latency with N searches at the same time, and with 100 one after another.",
    ),
]
_Load = Annotated[
    float | None,
    typer.Option("--load", help="Also measure latency with N searches started every second."),
]
_Duration = Annotated[float | None, typer.Option("--duration", help="Duration of --load, in seconds [default: 30].")]
_Grid = Annotated[
    str | None,
    typer.Option(
        "--sweep",
        metavar="FILE",
        help="Compare the settings and chunkers of a TOML file, or those of the built-in grid `default`. Gives no "
        "verdict and stores nothing.",
    ),
]
_CheckUrls = Annotated[
    bool, typer.Option("--check-urls", help="Also request the URL of each hit; a dead link is a FAIL.")
]
_NoReport = Annotated[bool, typer.Option("--no-report", help="Write no report files.")]


def validate(
    testset: options.TestSetFile = None,
    no_testset: options.NoTestSet = False,
    generation: options.MeasuredGeneration = None,
    url: _Url = None,
    api_key: _ApiKey = None,
    output_dir: _OutputDir = None,
    concurrency: _Concurrency = None,
    load: _Load = None,
    duration: _Duration = None,
    sweep: _Grid = None,
    check_urls: _CheckUrls = False,
    no_report: _NoReport = False,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Validate the candidate, or the live generation: labelled queries, latency, metadata, integrity; PASS or FAIL.

    Only a PASS can be promoted. Without a test set, only structural checks run, and the verdict says so.
    """
    overrides = options.testset_overrides(testset, no_testset=no_testset)
    if output_dir is not None:
        overrides = {"validation": overrides.get("validation", {}) | {"output_dir": output_dir}}
    with Assay.open(options.settings_from(config, data_dir, overrides)) as assay:
        loads = _loads(concurrency, load, duration)
        if sweep is not None:
            if url is not None or loads:
                raise typer.BadParameter("--sweep cannot be combined with --url, --load or --concurrency.")
            _sweep(assay, sweep, generation, write=not no_report, as_json=as_json)
            return
        if url is not None:
            if check_urls:
                raise typer.BadParameter("--check-urls needs a local generation, so it cannot be combined with --url.")
            if generation is not None:
                raise typer.BadParameter(
                    "--generation names a local generation, so it cannot be combined with --url: a server is validated "
                    "with the generation that it serves."
                )
            from assay.app.served import validate_served

            validation = validate_served(assay, url, api_key, progress(), loads)
            unstored = None
        else:
            validation = assay.evaluation.validate(
                generation, None, progress(), loads, check_urls=check_urls, store_verdict=False
            )
            unstored = _store(assay, validation)
        files = NO_FILES if no_report else ReportFiles.write(assay, validation)
    if as_json:
        from assay.contracts.validation_report import to_dict

        print_json(to_dict(validation) | {"files": files.as_body()})
    else:
        show_validation(out(), validation)
    if files.problem or not as_json:
        files.show()
    if unstored is not None:
        show_error(err(), unstored, as_json=False)
    files.exit_with(validation.verdict.outcome)
    if unstored is not None:
        raise typer.Exit(failure_of(unstored).exit_code)


def _store(assay: Assay, validation: Validation) -> CatalogError | None:
    """Store the verdict. Returns the error instead of raising it, so that the report is shown first."""
    try:
        assay.evaluation.store_verdict(validation.verdict)
    except CatalogError as error:
        return error
    return None


def _loads(concurrency: int | None, rate: float | None, duration: float | None) -> list[Load]:
    """Return the loads to measure in addition to the topics. Raises typer.BadParameter, InputError."""
    if duration is not None and rate is None:
        raise typer.BadParameter("--duration is the duration of --load, and needs it.")
    loads: list[Load] = []
    if concurrency is not None:
        loads += [ClosedLoop(1, _SEQUENTIAL_SEARCHES), ClosedLoop(concurrency, max(concurrency, _SEQUENTIAL_SEARCHES))]
    if rate is not None:
        loads.append(OpenLoop(rate, _SECONDS if duration is None else duration))
    return loads


def _sweep(assay: Assay, grid: str, generation: str | None, *, write: bool, as_json: bool) -> None:
    """Run a sweep and show it. write: also write it as HTML and JSON to the folder of the reports."""
    from assay.experiments import sweep

    found = sweep(assay, grid, generation=generation, progress=progress())
    files = {}
    if write:
        body = json.dumps(sweep_body(found), ensure_ascii=False, indent=2)
        contents = {
            "html": to_html(found).encode("utf-8", "replace"),
            "json": f"{body}\n".encode("utf-8", "replace"),
        }
        files = write_reports(assay.settings.validation.output_dir, found.started_at, contents, kind="sweep")
    if as_json:
        print_json(sweep_body(found) | {"files": {name: str(path) for name, path in files.items()}})
        return
    show_sweep(out(), found)
    if files:
        err().print(f"Report: {escape(str(files['html']))} (also as JSON)", soft_wrap=True)
