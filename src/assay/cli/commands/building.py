"""`assay ingest` and `assay publish`."""

from typing import Annotated

import typer
from rich.markup import escape

from assay.app import Assay, PublishReport
from assay.cli import options
from assay.cli.commands.report_files import NO_FILES, ReportFiles
from assay.cli.terminal.build_text import build_body, preview_body, show_build, show_preview
from assay.cli.terminal.generation_text import publish_body
from assay.cli.terminal.output import err, out, print_json
from assay.cli.terminal.progress import progress
from assay.cli.terminal.validation_text import show_validation
from assay.model.evaluation import Outcome
from assay.model.generations import Generation, State
from assay.release.promotion import lost_content, verdict_record

DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would change and what it would cost; build nothing.")
]


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
    """Read folders and sites of documentation and build a candidate. The live generation stays live."""
    overrides = options.source_overrides(sources, base_url, name, current_version, default_locale, convention)
    with Assay.open(options.settings_from(config, data_dir, overrides)) as assay:
        if dry_run:
            found = assay.builds.preview(rebuild=rebuild, progress=progress())
            print_json(preview_body(found)) if as_json else show_preview(out(), found)
            return
        build = assay.builds.ingest(rebuild=rebuild, progress=progress())
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
    allow_additions: options.AllowAdditions = False,
    testset: options.TestSetFile = None,
    no_testset: options.NoTestSet = False,
    data_dir: options.DataDir = None,
    config: options.Config = None,
    as_json: options.Json = False,
) -> None:
    """Build a candidate, validate it, and make it live if it passes: the job to schedule."""
    overrides = options.source_overrides(sources, base_url, name, current_version, default_locale, convention)
    overrides |= options.gate_overrides(allow_removals=allow_removals, allow_additions=allow_additions)
    overrides |= options.testset_overrides(testset, no_testset=no_testset)
    with Assay.open(options.settings_from(config, data_dir, overrides)) as assay:
        report = assay.publish(rebuild=rebuild, progress=progress())
        generation = assay.parts.catalog.generation(report.build.generation.id)
        is_live = assay.parts.catalog.live_id() is not None
        has_previous = assay.parts.adopted is None and assay.parts.lifecycle.previous() is not None
        validation = report.validation
        files = ReportFiles.write(assay, validation) if validation and validation.topics else NO_FILES
    if as_json:
        print_json(publish_body(report, generation, files.paths))
    else:
        show_build(out(), report.build)
        if report.validation:
            show_validation(out(), report.validation)
        files.show()
        _show_outcome(report, generation, is_live=is_live, has_previous=has_previous)
    if as_json and files.problem:
        files.show()
    if report.verdict:
        files.exit_with(report.verdict.outcome)


def _show_outcome(report: PublishReport, generation: Generation, *, is_live: bool, has_previous: bool) -> None:
    """Print which generation is live after the verdict.

    generation: the validated one, in its present state. is_live: whether any generation is live.
    has_previous: whether a rollback is possible.
    """
    verdict = report.verdict
    if report.promoted:
        out().print(f'Generation [bold]{report.promoted.id}[/] is live. Try: assay search "your question"')
    elif verdict and generation.state is State.LIVE:
        name = verdict.test_set_name
        test_set = f"the test set {escape(name)}" if name else "its checks"
        if verdict.outcome is Outcome.PASS:
            out().print(f"PASS: the live generation passes {test_set} too.")
        else:
            failed = "could not be judged by" if verdict.outcome is Outcome.INCONCLUSIVE else "does not pass"
            way_back = " `assay rollback` goes back to the previous one." if has_previous else ""
            err().print(f"The live generation {failed} {test_set}; it stays live.{way_back}")
    elif verdict:
        live = "the live generation is unchanged" if is_live else "nothing is live yet"
        if verdict.outcome is Outcome.INCONCLUSIVE:
            again = "`assay promote` validates it again"
            if lost_content(verdict_record(verdict)):
                again = f"{again} after labels changed, `assay publish` builds again after pages were restored"
            err().print(f"It stays a candidate, and {again}; {live}.")
        else:
            err().print(f"It was not promoted; {live}.")
