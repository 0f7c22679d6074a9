"""`assay ingest` and `assay publish`."""

import typer

from assay.app import Assay
from assay.cli import options
from assay.cli.output import err, out, print_json, progress
from assay.cli.reports import build_body, publish_body, show_build, show_verdict
from assay.model.evaluation import Outcome
from assay.model.generations import State

_EXIT_CODES = {Outcome.PASS: 0, Outcome.FAIL: 1, Outcome.INCONCLUSIVE: 3}


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
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Build a candidate, check it, and make it live if it passes: the job to schedule."""
    overrides = options.source_overrides(sources, base_url, name, current_version, default_locale, convention)
    overrides |= options.gate_overrides(allow_removals=allow_removals)
    with Assay.open(options.settings_from(config, data_dir, overrides)) as assay:
        report = assay.publish(rebuild=rebuild, progress=progress())
        generation = assay.catalog.generation(report.build.generation.id)
    if as_json:
        print_json(publish_body(report, generation))
    else:
        show_build(out(), report.build)
        if report.verdict:
            show_verdict(out(), report.verdict)
        if report.promoted:
            out().print(f'Generation [bold]{report.promoted.id}[/] is live. Try: assay search "your question"')
        elif report.verdict:
            err().print("It was not promoted; what was live before is live still.")
    if report.verdict and report.verdict.outcome is not Outcome.PASS:
        raise typer.Exit(_EXIT_CODES[report.verdict.outcome])
