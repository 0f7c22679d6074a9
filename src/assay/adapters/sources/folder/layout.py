"""Finds out how a folder of Markdown is served: by which convention, with which versions and locales, and where."""

import re
from pathlib import Path

from assay.adapters.sources.folder.docusaurus_layout import docs_alone, docusaurus_layout, find_site
from assay.adapters.sources.folder.files import read_head, sample_files
from assay.adapters.sources.folder.mkdocs_layout import has_config, mkdocs_alone, mkdocs_layout, translated_sites
from assay.adapters.sources.folder.routing import Convention
from assay.adapters.sources.folder.tree import Layout, Tree, Wishes, choose_base_url
from assay.errors import ConfigurationError

_SAMPLE = 200
_HEAD_BYTES = 16_384

_DOCUSAURUS = re.compile(
    r"^:::(?:note|tip|info|warning|danger|caution|important)\b"
    r"|^import\b[^\n]{1,200}['\"]@(?:theme|site|docusaurus)/"
    r"|^(?:sidebar_label|sidebar_position|hide_title|hide_table_of_contents|pagination_(?:label|next|prev)"
    r"|displayed_sidebar|custom_edit_url|unlisted)[ \t]*:",
    re.MULTILINE,
)
_MKDOCS = re.compile(
    r"^(?:!!!|\?\?\?\+?|///)[ ]\w"
    r"|^===[ ]\""
    r"|^[ \t]*-{2,}8<-{2,}[ \t]"
    r"|^\{[*!]>?[^{}\n]{1,200}[*!]\}"
    r"|^:::[ ]\w+(?:\.\w+)+[ \t]*$",
    re.MULTILINE,
)


def find_layout(root: Path, wishes: Wishes) -> Layout:
    """How a folder is read.

    root: resolved. Raises SourceError for a configuration that cannot be read, ConfigurationError for a wish that
    the folder cannot fulfil.
    """
    match wishes.convention or detect_convention(root):
        case Convention.DOCUSAURUS:
            return docusaurus_layout(root, wishes)
        case Convention.MKDOCS:
            return mkdocs_layout(root, wishes)
        case Convention.PLAIN:
            return _plain_layout(wishes)


def file_layout(path: str, wishes: Wishes) -> Layout:
    """How one file alone is read; path: where it can be opened. Raises ConfigurationError as find_layout does."""
    match wishes.convention or convention_of([read_head(path, _HEAD_BYTES)]):
        case Convention.DOCUSAURUS:
            return docs_alone(wishes)
        case Convention.MKDOCS:
            return mkdocs_alone(wishes)
        case Convention.PLAIN:
            return _plain_layout(wishes)


def detect_convention(root: Path) -> Convention:
    """Which generator serves a folder: by its configuration, by its layout, else by how most pages are written.

    Only the first pages are looked at, in ascending order of their paths, so the answer is quick and stays the same.
    """
    site = find_site(root)
    if site == "":
        return Convention.DOCUSAURUS
    if has_config(root, ""):
        return Convention.MKDOCS
    if site is not None:
        return Convention.DOCUSAURUS
    if translated_sites(root) is not None or any(has_config(root, folder) for folder in _folders(root)):
        return Convention.MKDOCS
    return convention_of([read_head(file.path, _HEAD_BYTES) for file in sample_files(root, _SAMPLE)])


def _folders(root: Path) -> list[str]:
    return sorted(entry.name for entry in root.iterdir() if entry.is_dir() and not entry.name.startswith("."))


def convention_of(pages: list[str]) -> Convention:
    """Whose syntax more of these texts are written in; plain when there is neither."""
    docusaurus = sum(_DOCUSAURUS.search(page) is not None for page in pages)
    mkdocs = sum(_MKDOCS.search(page) is not None for page in pages)
    if not docusaurus and not mkdocs:
        return Convention.PLAIN
    return Convention.DOCUSAURUS if docusaurus >= mkdocs else Convention.MKDOCS


def _plain_layout(wishes: Wishes) -> Layout:
    if wishes.current_version is not None:
        raise ConfigurationError(
            f"{wishes.name} has no version {wishes.current_version!r}: a plain folder has only one.",
            hint="Leave current_version out, or set convention to the site's generator.",
        )
    notices: list[str] = []
    base = choose_base_url(wishes, None, notices)
    tree = Tree("", base, base, Convention.PLAIN, locale=wishes.default_locale)
    return Layout(Convention.PLAIN, base, (tree,), notices=tuple(notices))
