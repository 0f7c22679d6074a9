"""`assay docs`: the pages of documentation that come with Assay."""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table

from assay.app import shipped_folder
from assay.cli import options
from assay.cli.terminal.output import out, print_json
from assay.errors import InputError
from assay.model.spelling import nearest

_INDEX = "index"
_ROW = re.compile(r"^\| (?P<about>.+?) \| \[[^]]+\]\((?P<name>[\w-]+)\.md\) \|$")
_NEARLY = 0.5
"""How alike two names are, from 0 to 1, when one is taken for a misspelling of the other."""


@dataclass(frozen=True, slots=True)
class DocsPage:
    """One page, as the index lists it.

    about: what the reader wants to do, in one line.
    group: heading of the index that it is under; empty for the index itself.
    """

    name: str
    about: str
    group: str


def register(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(docs)


def docs(
    name: Annotated[
        str | None, typer.Argument(help="Page to print, such as `settings`; without one, all pages are listed.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List the pages of documentation, or print one."""
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
    """The pages that the rows of the index link to, in its order, each once; the index is the first."""
    pages = {_INDEX: DocsPage(_INDEX, "find your way by what you want to do", "")}
    group = ""
    for line in index.splitlines():
        if line.startswith("## "):
            group = line.removeprefix("## ")
        elif row := _ROW.match(line):
            pages.setdefault(row["name"], DocsPage(row["name"], row["about"].replace("`", ""), group))
    return list(pages.values())


def _files(folder: Path) -> dict[str, Path]:
    """Every page by its name, which is its path without `.md`: `settings`, `decisions/0029-selectolax-reads-html`."""
    return {file.relative_to(folder).with_suffix("").as_posix(): file for file in sorted(folder.rglob("*.md"))}


def _found(name: str, files: Mapping[str, Path]) -> tuple[str, Path]:
    """A page's name and file. Raises InputError, with the name that may be meant, when there is no such page."""
    wanted = name.removeprefix("docs/").removesuffix(".md").lower()
    if wanted in files:
        return wanted, files[wanted]
    near = nearest(wanted, files, cutoff=_NEARLY)
    meant = f" Did you mean {near}?" if near else ""
    raise InputError(f"There is no page {name!r}.{meant}", hint="`assay docs` lists the pages.")


def _show_list(console: Console, pages: list[DocsPage]) -> None:
    """Print a line for each page, those of one heading together."""
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
    """Print a page, laid out, through the pager of the terminal."""
    os.environ.setdefault("LESS", "-FRX")  # less shows the styles, and ends at once where the page fits the screen
    with console.pager(styles=True):
        console.print(Markdown(text, hyperlinks=False))
