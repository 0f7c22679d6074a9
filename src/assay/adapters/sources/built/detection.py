"""Whether a folder or a file is a built site, and not the Markdown that a site is built from."""

import os
from itertools import islice
from pathlib import Path

from assay.adapters.sources.built.archive import ROOT_FILES, is_archive
from assay.adapters.sources.built.files import PAGE_SUFFIXES
from assay.adapters.sources.folder.files import SUFFIXES, document_files, read_head
from assay.adapters.sources.folder.projects import main_project, projects_in

_SAMPLE = 5_000
_HEAD_BYTES = 4_096
_MARKS = ("<!doctype html", "<html")


def is_built_site(path: Path) -> bool:
    """Whether a folder or file is read as built HTML if no convention is set.

    An archive is. A folder is if it has an HTML page and no Markdown. A folder with Markdown is if its root has an
    index page or a sitemap, it has at least as many HTML files as Markdown files, and no generator is configured to
    take its Markdown from there: many generators write a Markdown copy of each page next to its HTML. A project whose
    pages are in another format, such as AsciiDoc, is not a built site, even if it holds one.
    """
    if is_archive(path):
        return path.is_file()
    try:
        names = set(os.listdir(path))  # noqa: PTH208 - names only
    except OSError:
        return False
    has_root_file = not names.isdisjoint(ROOT_FILES)
    pages = markdown = 0
    for found in islice(document_files(path), _SAMPLE):
        lowered = found.lower()
        if lowered.endswith(SUFFIXES):
            markdown += 1
            if not has_root_file:
                return False
        elif lowered.endswith(PAGE_SUFFIXES):
            pages += 1 if pages else _is_page(found)
    if not pages or pages < markdown:
        return False
    if markdown:
        return not any(project.claims(path) for project in projects_in(path, names))
    return has_root_file or (next(projects_in(path, names), None) is None and main_project(path) is None)


def _is_page(path: str) -> bool:
    """Whether a file is a page, and not a template or a part of one."""
    head = read_head(path, _HEAD_BYTES).lower()
    return any(mark in head for mark in _MARKS)
