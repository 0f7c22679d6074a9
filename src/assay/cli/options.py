"""Options shared by several commands, and the settings that they override."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from assay.cli.terminal.output import err
from assay.settings import Settings, misspelled_variables, settings_for, source_named

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", help="Folder of the catalog and the indexes [default: .assay, or ASSAY_DATA_DIR]."),
]
Config = Annotated[
    Path | None, typer.Option("--config", help="Configuration file [default: assay.toml, if there is one].")
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output, everything else on standard error.")
]


def _generation(default: str, use: str = "") -> Any:  # noqa: ANN401 - as typer.Option
    return typer.Option(
        "--generation", help=f"The generation{use}: its id, `live` or `candidate` [default: {default}]."
    )


SearchedGeneration = Annotated[str | None, _generation("the live one", " to search")]
MeasuredGeneration = Annotated[str | None, _generation("the candidate, or the live one")]
ReadGeneration = Annotated[str | None, _generation("the live one, or the candidate")]


def _sources(default: str) -> Any:  # noqa: ANN401 - as typer.Argument
    return typer.Argument(
        help="Folders or files with Markdown, folders or archives of a built site, or URLs of sites [default: "
        f"{default}]."
    )


Sources = Annotated[list[str] | None, _sources("the sources in assay.toml")]
DerivedSources = Annotated[list[str] | None, _sources("the stored pages of a generation")]
BaseUrl = Annotated[str | None, typer.Option("--base-url", help="URL at which the folder's pages are published.")]
Name = Annotated[
    str | None,
    typer.Option("--name", help="Short name of the source [default: the folder's name, or the site's host]."),
]
CurrentVersion = Annotated[
    str | None, typer.Option("--current-version", help="Version searched by default [default: the latest].")
]
DefaultLocale = Annotated[
    str | None, typer.Option("--default-locale", help="Locale searched by default [default: the site's].")
]
Convention = Annotated[
    str | None,
    typer.Option(
        "--convention", help="How the folder is read: docusaurus, mkdocs, plain, or html (built) [default: detected]."
    ),
]
TestSetFile = Annotated[
    Path | None,
    typer.Option(
        "--testset",
        help="File of labelled queries [default: [validation] testset of assay.toml, else that of the last verdict].",
    ),
]
NoTestSet = Annotated[
    bool, typer.Option("--no-testset", help="For this run, judge only the structure, without any test set.")
]
TestSetArgument = Annotated[Path, typer.Argument(help="A test set: .yaml, .yml, .json, .jsonl or .ndjson.")]
Rebuild = Annotated[
    bool, typer.Option("--rebuild", help="Read, chunk and embed every page again; reuse nothing from earlier builds.")
]

AllowRemovals = Annotated[
    bool,
    typer.Option("--allow-removals", help="For this release, allow any number of live pages to be removed."),
]
AllowAdditions = Annotated[
    bool, typer.Option("--allow-additions", help="For this release, allow any number of new pages.")
]


def settings_from(config: Path | None, data_dir: Path | None, overrides: dict[str, Any] | None = None) -> Settings:
    """Load the settings of this run from file, environment and flags. Raises ConfigurationError.

    Prints warnings of misspelled variables, and of a data directory that does not hold the catalog.
    """
    for warning in misspelled_variables():
        err().print(f"[yellow]{escape(warning)}[/]")
    settings = settings_for(config, data_dir, overrides)
    if data_dir is not None and settings.catalog.url:
        err().print("[yellow]--data-dir does not change the catalog: catalog.url or DATABASE_URL names it.[/]")
    return settings


def gate_overrides(*, allow_removals: bool, allow_additions: bool) -> dict[str, Any]:
    """Lift the gate's limits on removed or new pages for this run."""
    lifted: dict[str, Any] = {}
    if allow_removals:
        lifted |= {"max_page_fall": 1.0, "max_anchor_fall": 1.0, "allow_removals": True}
    if allow_additions:
        lifted |= {"allow_additions": True}
    return {"gate": lifted} if lifted else {}


def testset_overrides(testset: Path | None, *, no_testset: bool) -> dict[str, Any]:
    """Use the test set named on the command line, or none at all. Raises typer.BadParameter for both."""
    if testset is not None and no_testset:
        raise typer.BadParameter("--testset and --no-testset cannot be combined.")
    if testset is not None and not testset.name:
        raise typer.BadParameter("--testset names no file.")
    if no_testset:
        return {"validation": {"testset": False}}
    return {} if testset is None else {"validation": {"testset": testset}}


def source_overrides(
    sources: list[str] | None,
    base_url: str | None,
    name: str | None,
    current_version: str | None,
    default_locale: str | None,
    convention: str | None,
) -> dict[str, Any]:
    """Replace the sources in assay.toml by those named on the command line.

    Raises typer.BadParameter for one name or base URL with several sources, or for options without a source.
    """
    options = {
        "base_url": base_url,
        "name": name,
        "current_version": current_version,
        "default_locale": default_locale,
        "convention": convention,
    }
    given = {key: value for key, value in options.items() if value is not None}
    if not sources:
        if given:
            flags = ", ".join("--" + key.replace("_", "-") for key in given)
            raise typer.BadParameter(f"{flags} needs a folder or site on the command line; or set it in assay.toml.")
        return {}
    if len(sources) > 1 and (base_url or name):
        raise typer.BadParameter("--base-url and --name need exactly one source; list several in assay.toml instead.")
    return {"sources": [source_named(source) | given for source in sources]}
