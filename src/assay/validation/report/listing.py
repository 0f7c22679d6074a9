"""The reports in a folder, and the HTML page of one."""

import html
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from assay.errors import InputError
from assay.model.evaluation import Outcome
from assay.model.validations import ReportFile

_NAME = re.compile(r"(report|sweep)_([0-9]{8}_[0-9]{6})(?:_[0-9]{1,4})?")
_TITLE = re.compile(rb"<title>([^<]*)</title>")
_HEAD_BYTES = 8_192
"""The title is among the first bytes of the page."""

_MOST = 200
_SUFFIX = " · Assay"


def list_reports(folder: Path) -> list[ReportFile]:
    """The newest reports of a folder with an HTML page; empty if there is no folder."""
    return sorted(_reports(folder), key=lambda one: (one.at, one.name), reverse=True)[:_MOST]


def report_page(folder: Path, name: str) -> bytes:
    """The HTML page of a report. Raises InputError if the folder has no such report."""
    path = folder / f"{name}.html"
    if _NAME.fullmatch(name) and _is_inside(path, folder):
        try:
            return path.read_bytes()
        except OSError:
            pass
    raise InputError(f"report: there is no report {name}.")


def _is_inside(path: Path, folder: Path) -> bool:
    """Whether a path leads to a file of this folder, and is no link to another one."""
    return path.resolve().parent == folder.resolve()


def _reports(folder: Path) -> Iterator[ReportFile]:
    for path in folder.glob("*.html"):
        named = _NAME.fullmatch(path.stem)
        if named is None or not _is_inside(path, folder):
            continue
        try:
            at = datetime.strptime(named[2], "%Y%m%d_%H%M%S").replace(tzinfo=UTC)
            with path.open("rb") as file:
                head = file.read(_HEAD_BYTES)
        except (OSError, ValueError):  # removed meanwhile, or no such day
            continue
        found = _TITLE.search(head)
        title = html.unescape(found[1].decode("utf-8", "replace")).removesuffix(_SUFFIX) if found else path.stem
        outcome = next((one for one in Outcome if title.startswith(f"{one.value}: ")), None)
        yield ReportFile(path.stem, named[1], at, title, outcome)
