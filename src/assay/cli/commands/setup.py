"""`assay init`, `assay doctor` and `assay demo`."""

import json
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from assay.app import Assay, shipped_folder
from assay.cli import options
from assay.cli.commands.adoption import examine_adopted, show_settings
from assay.cli.commands.diagnosis import diagnose, embeds_locally, show_diagnosis
from assay.cli.commands.report_files import NO_FILES, ReportFiles
from assay.cli.commands.searching import search_body, show_ranking
from assay.cli.terminal.build_text import show_build
from assay.cli.terminal.generation_text import publish_body
from assay.cli.terminal.output import out, print_json
from assay.cli.terminal.progress import progress
from assay.cli.terminal.validation_text import show_validation
from assay.errors import InputError
from assay.model.ranking import Query
from assay.path_checks import is_folder
from assay.settings import CONFIG_FILE, is_site, load_settings

DEMO_BASE_URL = "https://handbook.example"
DEMO_QUERIES = (
    "How do nodes exchange messages?",
    "what happens when the emergency stop is pressed",
    "robot falls over while walking on uneven ground",
)
_ASSAY_TOML = """\
# Assay's settings. `assay docs settings` lists every one with its default.

{source}

[embedding]
provider = "static"         # built in; "cohere" with COHERE_API_KEY, "openai" with OPENAI_API_KEY, "azure", "fastembed"

[search]
mode = "hybrid"
top_k = 5

[gate]
# a candidate fails if
max_failed_pages = 0.05     # more than 5% of the pages failed
max_page_fall = 0.2         # more than 20% of the live pages or their text are missing
# no_worse_than_live = true # a measure of the test set is significantly lower than the live generation's

# [validation]
# testset = "docs.testset.yaml" # judges every candidate; `assay testset derive -o docs.testset.yaml` makes it
"""

_FOLDER = """\
[[sources]]
path = {place}
{base_url}     # URL at which these pages are published"""

_SITE = """\
[[sources]]
url = {place}
# include = ["/guide"]       # read only pages under these paths; the folder of `url` if unset
# exclude = ["/guide/old"]
# max_pages = 20000
# delay_seconds = 0.5        # between two requests; robots.txt may require more"""

_DOCS_FOLDERS = ("docs", "doc", "documentation", "content")


def init(
    source: Annotated[
        str | None,
        typer.Argument(help="Folder with the documentation, or URL of a site [default: docs]."),
    ] = None,
    base_url: options.BaseUrl = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing assay.toml.")] = False,
) -> None:
    """Write assay.toml into the working directory."""
    path = Path(CONFIG_FILE)
    if path.exists() and not force:
        raise InputError(f"{path} already exists.", hint="Use --force to overwrite it.")
    docs = None
    if source is not None and is_site(source):
        table = _SITE.format(place=_toml(source))
    else:
        docs = Path(source or next((name for name in _DOCS_FOLDERS if is_folder(Path(name))), "docs"))
        # Without an address publish warns; an invented one would look right.
        address = f"base_url = {_toml(base_url)}" if base_url else '# base_url = "https://docs.example.org"'
        table = _FOLDER.format(place=_toml(docs.as_posix()), base_url=address)
    path.write_text(_ASSAY_TOML.format(source=table), encoding="utf-8")
    out().print(f"Wrote {path}.")
    if docs is not None and not is_folder(docs):
        out().print(f"[yellow]There is no folder {escape(str(docs))} yet: set `path` in {CONFIG_FILE}.[/]")
    out().print("Next: assay publish")


def _toml(text: str) -> str:
    """Quote a string for TOML, which accepts JSON strings."""
    return json.dumps(text, ensure_ascii=False)


def doctor(
    data_dir: options.DataDir = None,
    config: options.Config = None,
    ask_provider: Annotated[
        bool,
        typer.Option("--ask-provider", help="Also embed a few words with a paid provider, which may bill them."),
    ] = False,
    adopt: Annotated[
        str | None,
        typer.Option("--adopt", help="Check this collection of the Qdrant server, as if set with [index] adopt."),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option("--sample", min=1, help="Number of points of an adopted collection to check [default: all]."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Check the installation, the settings, the stores and the live generation, or an adopted collection."""
    overrides = {"index": {"adopt": adopt}} if adopt is not None else {}
    with Assay.open(options.settings_from(config, data_dir, overrides)) as assay:
        if sample is not None and assay.parts.adopted is None:
            raise typer.BadParameter("--sample is for an adopted collection: add --adopt, or set [index] adopt.")
        checks = diagnose(assay, ask_provider=ask_provider)
        adoption = None
        if assay.parts.adopted is not None:
            ask = ask_provider or embeds_locally(assay)
            adoption = examine_adopted(assay, progress(), ask_provider=ask, sample=sample)
            checks += adoption.checks
    if as_json:
        body: dict[str, object] = {"checks": [check.as_body() for check in checks]}
        print_json(body | {"adopted": adoption.found} if adoption else body)
    else:
        show_diagnosis(out(), checks)
        if adoption:
            show_settings(out(), adoption)
    if any(check.level == "fail" for check in checks):
        raise typer.Exit(1)


def demo(data_dir: options.DataDir = None, as_json: options.Json = False) -> None:
    """Ingest, validate, promote and search the example handbook in a temporary folder; needs no network."""
    folder = data_dir or Path(tempfile.mkdtemp(prefix="assay-demo-"))
    source = {"path": shipped_folder("examples") / "handbook", "base_url": DEMO_BASE_URL, "name": "handbook"}
    local = {"catalog": {"url": None}, "index": {"store": "embedded", "adopt": None}}
    validation = {
        "testset": shipped_folder("examples") / "handbook.testset.yaml",
        "output_dir": folder / "validation_results",
    }
    settings = load_settings(None, {"data_dir": folder, "sources": [source], "validation": validation, **local})
    with Assay.open(settings) as assay:
        report = assay.publish(progress=progress())
        generation = assay.parts.catalog.generation(report.build.generation.id)
        files = ReportFiles.write(assay, report.validation) if report.validation else NO_FILES
        if report.validation and not report.promoted:
            if as_json:
                print_json(publish_body(report, generation, files.paths) | {"searches": []})
            else:
                show_validation(out(), report.validation)
                files.show()
            raise typer.Exit(1)
        rankings = [assay.searches.search(Query(text, 3)) for text in DEMO_QUERIES]
    if as_json:
        print_json(
            publish_body(report, generation, files.paths) | {"searches": [search_body(ranking) for ranking in rankings]}
        )
        return
    show_build(out(), report.build)
    if report.validation:
        show_validation(out(), report.validation)
    for ranking in rankings:
        out().rule(f'assay search "{ranking.query.text}"')
        show_ranking(out(), ranking, full=False)
    if files.paths:
        out().print(f"The report as an HTML page: {escape(str(files.paths['html']))}\n")
    else:
        files.show()
    shown = escape(str(folder))
    out().print(f"Next, try (the demo's index stays in {shown}; delete it when you are done):\n")
    program = escape(program_name())
    out().print(f'  {program} search "battery runs low" --data-dir {shown}')
    out().print(f"  {program} serve --data-dir {shown}")
    out().print(f"  {program} publish path/to/your/docs --base-url https://docs.example.org")


def program_name() -> str:
    """Return the command that starts this program: `assay` if the shell's search path leads to it, else its path."""
    program = sys.argv[0]
    if Path(program).name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m assay"
    found = shutil.which("assay")
    if os.sep not in program or (found and Path(program).exists() and Path(found).samefile(program)):
        return "assay"
    return shlex.quote(program)
