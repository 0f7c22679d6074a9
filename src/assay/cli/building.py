"""`assay ingest` and `assay publish`."""

from typing import Annotated

import typer

from assay.app import Assay
from assay.cli import options
from assay.cli.build_text import build_body, preview_body, show_build, show_preview
from assay.cli.output import err, out, print_json
from assay.cli.progress import progress
from assay.cli.report_files import NOTHING_WRITTEN, Written
from assay.cli.reports import publish_body
from assay.cli.validation_text import show_validation
from assay.model.evaluation import Outcome, Verdict
from assay.model.generations import State

DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what would change and what it would cost, and build nothing.")
]


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
    dry_run: DryRun = False,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Read folders and sites of documentation and build a candidate; what is live stays untouched."""
    overrides = options.source_overrides(sources, base_url, name, current_version, default_locale, convention)
    with Assay.open(options.settings_from(config, data_dir, overrides)) as assay:
        if dry_run:
            found = assay.preview(rebuild=rebuild, progress=progress())
            print_json(preview_body(found)) if as_json else show_preview(out(), found)
            return
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
        told = report.validation
        written = Written.of(assay, told) if told and told.topics else NOTHING_WRITTEN
    if as_json:
        print_json(publish_body(report, generation, written.files))
    else:
        show_build(out(), report.build)
        if report.validation:
            show_validation(out(), report.validation)
        written.tell()
        if report.promoted:
            out().print(f'Generation [bold]{report.promoted.id}[/] is live. Try: assay search "your question"')
        elif report.verdict:
            err().print(_not_promoted(report.verdict))
    if as_json and written.problem:
        written.tell()
    if report.verdict:
        written.exit_with(report.verdict.outcome)


def _not_promoted(verdict: Verdict) -> str:
    if verdict.outcome is Outcome.INCONCLUSIVE:
        return "It waits as a candidate; `assay promote` judges it again. What was live before is live still."
    return "It was not promoted; what was live before is live still."
