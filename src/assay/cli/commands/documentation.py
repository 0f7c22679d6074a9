"""`assay docs`: the documentation pages that come with Assay."""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from assay.app import shipped_folder
from assay.cli import options
from assay.cli.terminal.output import out, print_json
from assay.errors import InputError
from assay.model.spelling import nearest

_INDEX = "index"
_README = "readme"
_ROW = re.compile(r"^\| (?P<about>[^|]+) \| \[[^]]+\]\((?P<name>[\w-]+)\.md\) \|$")
_LEAST_SIMILARITY = 0.5
"""Lowest similarity, from 0 to 1, of an unknown page name to a suggested one."""


@dataclass(frozen=True, slots=True)
class DocsPage:
    """One page, as the index lists it.

    about: the task that the page helps with, in one line.
    group: the heading above it in the index; empty for the index itself.
    """

    name: str
    about: str
    group: str


def docs(
    name: Annotated[
        str | None, typer.Argument(help="Page to print, such as `settings` [default: list all pages].")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List the documentation pages, or print one."""
    folder = shipped_folder("docs")
    if name is None:
        pages = listed_pages((folder / f"{_INDEX}.md").read_text(encoding="utf-8"))
        if as_json:
            print_json({"pages": [{"name": page.name, "about": page.about, "group": page.group} for page in pages]})
        else:
            _show_list(out(), pages)
        return
    page, file = _found(name, _files(folder))
    text = file.read_text(encoding="utf-8")
    if as_json:
        print_json({"name": page, "text": text})
    elif sys.stdout.isatty():
        _show_page(out(), text)
    else:
        out().print(text, markup=False, soft_wrap=True, end="")


def listed_pages(index: str) -> list[DocsPage]:
    """Return the pages linked by the rows of the index, in its order, each once; the index is first."""
    pages = {_INDEX: DocsPage(_INDEX, "pick a page by your task", "")}
    group = ""
    for line in index.splitlines():
        if line.startswith("## "):
            group = line.removeprefix("## ")
        elif row := _ROW.match(line):
            pages.setdefault(row["name"], DocsPage(row["name"], row["about"].replace("`", ""), group))
    return list(pages.values())


def _files(folder: Path) -> dict[str, Path]:
    """Return every page by its name: the path without `.md`, such as `decisions/0029-selectolax-reads-html`.

    The README is in the folder above, in a checkout and in the installed package.
    """
    files = {file.relative_to(folder).with_suffix("").as_posix(): file for file in sorted(folder.rglob("*.md"))}
    readme = folder.parent / "README.md"
    return files | ({_README: readme} if readme.is_file() else {})


def _found(name: str, files: Mapping[str, Path]) -> tuple[str, Path]:
    """Return a page's name and file, or the page with a heading of this name.

    Raises InputError, with a similar name, if there is none.
    """
    wanted = name.removeprefix("docs/").removesuffix(".md").lower()
    if wanted in files:
        return wanted, files[wanted]
    heading = re.compile(rf"^#{{1,6}} {re.escape(wanted)}$", re.MULTILINE | re.IGNORECASE)
    for page, file in sorted(files.items(), key=lambda found: ("/" in found[0], found[0])):
        if heading.search(file.read_text(encoding="utf-8")):
            return page, file
    near = nearest(wanted, files, cutoff=_LEAST_SIMILARITY)
    suggestion = f" Did you mean {near}?" if near else ""
    raise InputError(f"There is no page {name!r}.{suggestion}", hint="`assay docs` lists the pages.")


def _show_list(console: Console, pages: list[DocsPage]) -> None:
    """Print a line for each page, grouped by heading."""
    table = Table.grid(padding=(0, 2))
    group = ""
    for page in pages:
        if page.group != group:
            group = page.group
            table.add_row("", "")
            table.add_row(f"[bold]{group}[/]", "")
        table.add_row(f"  {page.name}", page.about)
    console.print(table)
    console.print("\n`assay docs NAME` prints a page.")


def _show_page(console: Console, text: str) -> None:
    """Render a page in the terminal's pager."""
    from rich.markdown import Markdown

    os.environ.setdefault("LESS", "-FRX")  # less keeps the styles, and exits at once if the page fits the screen
    with console.pager(styles=True):
        console.print(Markdown(text, hyperlinks=False))
