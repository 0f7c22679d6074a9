"""`assay ingest` and `assay publish`."""

import typer
from rich.markup import escape

from assay.app import Assay
from assay.cli import options
from assay.cli.output import err, out, print_json
from assay.cli.progress import progress
from assay.cli.reports import build_body, publish_body, show_build
from assay.cli.validating import EXIT_CODES
from assay.cli.validation_text import show_validation
from assay.model.evaluation import Outcome, Verdict
from assay.model.generations import State


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(ingest)
    app.command()(publish)


def ingest(
    sources: options.Sources = None,
    base_url: options.BaseUrl = None,
    name: options.Name = None,
    current_version: options.CurrentVersion = None,
    default_locale: options.DefaultLocale = None,
    convention: options.Convention = None,
    rebuild: options.Rebuild = False,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Read folders of documentation and build a candidate; what is live stays untouched."""
    overrides = options.source_overrides(sources, base_url, name, current_version, default_locale, convention)
    with Assay.open(options.settings_from(config, data_dir, overrides)) as assay:
        build = assay.ingest(rebuild=rebuild, progress=progress())
    if as_json:
        print_json(build_body(build, build.generation))
        return
    show_build(out(), build)
    if build.generation.state is State.CANDIDATE:
        out().print("`assay promote` checks it and makes it live.")


def publish(
    sources: options.Sources = None,
    base_url: options.BaseUrl = None,
    name: options.Name = None,
    current_version: options.CurrentVersion = None,
    default_locale: options.DefaultLocale = None,
    convention: options.Convention = None,
    rebuild: options.Rebuild = False,
    allow_removals: options.AllowRemovals = False,
    testset: options.TestSetFile = None,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Build a candidate, validate it, and make it live if it passes: the job to schedule."""
    overrides = options.source_overrides(sources, base_url, name, current_version, default_locale, convention)
    overrides |= options.gate_overrides(allow_removals=allow_removals) | options.testset_overrides(testset)
    with Assay.open(options.settings_from(config, data_dir, overrides)) as assay:
        report = assay.publish(rebuild=rebuild, progress=progress())
        generation = assay.catalog.generation(report.build.generation.id)
        files = assay.write_report(report.validation) if report.validation and report.validation.topics else {}
    if as_json:
        print_json(publish_body(report, generation, files))
    else:
        show_build(out(), report.build)
        if report.validation:
            show_validation(out(), report.validation)
        if files:
            err().print(f"Report: {escape(str(files['html']))}", soft_wrap=True)
        if report.promoted:
            out().print(f'Generation [bold]{report.promoted.id}[/] is live. Try: assay search "your question"')
        elif report.verdict:
            err().print(_not_promoted(report.verdict))
    if report.verdict and report.verdict.outcome is not Outcome.PASS:
        raise typer.Exit(EXIT_CODES[report.verdict.outcome])


def _not_promoted(verdict: Verdict) -> str:
    if verdict.outcome is Outcome.INCONCLUSIVE:
        return "It waits as a candidate; `assay promote` judges it again. What was live before is live still."
    return "It was not promoted; what was live before is live still."
