"""Finds out how a folder of Markdown is served: by which convention, with which versions and locales, and where."""

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from assay.adapters.sources.folder.docusaurus.layout import (
    docs_alone,
    docs_folders,
    docusaurus_layout,
    is_site_folder,
)
from assay.adapters.sources.folder.files import document_paths, inside, read_head, sample_files
from assay.adapters.sources.folder.generators import Project, projects_in
from assay.adapters.sources.folder.mkdocs.layout import (
    docs_folder,
    has_config,
    mkdocs_alone,
    mkdocs_layout,
    translated_sites,
)
from assay.adapters.sources.folder.routing import Convention
from assay.adapters.sources.folder.tree import (
    Layout,
    Tree,
    Wishes,
    choose_base_url,
    is_folder,
    is_repository,
    join,
    may_be_entered,
    related,
    subfolders,
)
from assay.errors import ConfigurationError

_MOST_ABOVE = 2
_PAGES_FOR_A_SIGN = 20
"""One page in so many has to have a sign: among hundreds, one or two only show what another generator's look like."""

_SAMPLE = 200
_HEAD_BYTES = 16_384

_DOCUSAURUS = re.compile(
    r"^import\b[^\n]{1,200}['\"]@(?:theme|site|docusaurus)/"
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


def find_layout(given: Path, wishes: Wishes) -> Layout:
    """How a folder is read: as the configuration that claims it says, else by how it is laid out and written.

    given: resolved. Raises SourceError for a configuration that cannot be read, ConfigurationError for a wish that
    the folder cannot fulfil, and for a folder that is made for a generator that is not read from source.
    """
    if wishes.convention is Convention.PLAIN:
        return replace(_plain_layout(wishes), root=given)
    for root in folders_above(given):
        layout = _claimed(root, given, wishes)
        if layout is not None:
            return layout
    if wishes.convention is not None:
        return replace(_LAYOUTS[wishes.convention](given, wishes), root=given)
    project = _main_project(given)
    if project is not None:
        raise _refusal(project, f"Most documents of {given} are in {project.folder.relative_to(given)}, which")
    convention = detect_convention(given)
    layout = replace(_LAYOUTS[convention](given, wishes), root=given)
    return replace(layout, information=(_TAKEN[convention],))


_TAKEN = {
    Convention.PLAIN: "No site's configuration claims this folder, so it is read as plain Markdown: the address of a "
    "page is the base URL and the path without its suffix. If a generator serves it, set --convention.",
    Convention.DOCUSAURUS: "No docusaurus.config claims this folder, and its pages are written for Docusaurus: their "
    "addresses are the base URL, which has to end in the docs' route (as in /docs), and the path without numbers, or "
    "`slug` and `id`. --convention plain takes the path as it is.",
    Convention.MKDOCS: "No mkdocs.yml claims this folder, and its pages are written for MkDocs: their addresses are "
    "the base URL and the path without its suffix. Set --convention if that is wrong.",
}


def folders_above(given: Path) -> Iterator[Path]:
    """A folder and those above it in which its configuration is looked for, up to the root of its repository.

    One more than may have a claim on any folder in it: the content folder of some generators is three deep.
    """
    for folder in (given, *given.parents)[: _MOST_ABOVE + 2]:
        if not may_be_entered(folder):
            return
        yield folder
        if (folder / ".git").exists():
            return


def _claimed(root: Path, given: Path, wishes: Wishes) -> Layout | None:
    """How the site that is configured in a root reads a folder in it; None where there is none that claims it."""
    within = join(given.relative_to(root).as_posix())
    is_far = within.count("/") >= _MOST_ABOVE
    for convention, site in () if is_far else _sites(root, within):
        if wishes.convention in {None, convention} and _takes_pages_from(root, convention, site, within):
            layout = _part(_LAYOUTS[convention](root, wishes), wishes, root, within)
            if layout is not None:
                return layout
    claims = [one for one in projects_in(root, _names(root)) if (given in one.content if is_far else one.claims(given))]
    if not claims or wishes.convention is not None:
        return None
    project = claims[0]
    if project.generator.build is None:
        layout = _plain_layout(wishes)
        return replace(layout, root=given, notices=(*layout.notices, _unbuilt(project)))
    raise _refusal(project)


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names alone
    except OSError:
        return []


def _sites(root: Path, within: str) -> Iterator[tuple[Convention, str]]:
    """The Docusaurus and the MkDocs site of a root, the likelier first: convention, and folder relative to the root.

    A site in a folder of the root counts for the root itself, and for what is beside it in one repository.
    """
    has_mkdocs = has_config(root, "")
    folders = list(subfolders(root, "")) if not within or (root / ".git").exists() else []
    if is_site_folder(root, ""):
        yield Convention.DOCUSAURUS, ""
    if has_mkdocs:
        yield Convention.MKDOCS, ""
    docusaurus = next((folder for folder in folders if is_site_folder(root, folder)), None)
    if docusaurus is not None and not is_site_folder(root, ""):
        yield Convention.DOCUSAURUS, docusaurus
    mkdocs = next((folder for folder in folders if has_config(root, folder)), None)
    if mkdocs is not None and not has_mkdocs:
        yield Convention.MKDOCS, mkdocs


def _takes_pages_from(root: Path, convention: Convention, site: str, within: str) -> bool:
    """Whether a site makes pages of what is in a folder; the one that is given with its configuration is the user's."""
    if not within:
        return True
    folders = docs_folders(root, site) if convention is Convention.DOCUSAURUS else [docs_folder(root, site)]
    return any(is_folder(root, folder) and related(folder, within) for folder in folders)


def _part(layout: Layout, wishes: Wishes, root: Path, within: str) -> Layout | None:
    """The part of a site that lies in one folder; None when there is none.

    Where the site's default version and locale are outside, the first that are there are searched by default.
    """
    if not within:
        return replace(layout, root=root)
    trees = [tree for tree in layout.trees if related(tree.folder, within)]
    if not trees:
        return None
    first = trees[0]
    if wishes.current_version is None and not any(tree.version_is_current for tree in trees):
        trees = [replace(tree, version_is_current=tree.version == first.version) for tree in trees]
    if wishes.default_locale is None and not any(tree.locale_is_default for tree in trees):
        trees = [replace(tree, locale_is_default=tree.locale == first.locale) for tree in trees]
    generator = "Docusaurus" if layout.convention is Convention.DOCUSAURUS else "MkDocs"
    information = (
        f"Addresses are those of the {generator} site in {root / layout.site}, which this folder is a part of."
    )
    return replace(layout, trees=tuple(trees), root=root, within=within, information=(information,))


_PROJECT_FOLDERS = ("docs", "doc", "documentation", "website", "site")


def _main_project(root: Path) -> Project | None:
    """The project of another generator, in a folder of the root, that has most of the root's documents."""
    for name in _PROJECT_FOLDERS:
        folder = root / name
        if not is_folder(root, name):
            continue
        for project in projects_in(folder, _names(folder)):
            if project.generator.build is None or not project.claims(folder):
                continue
            inner = [any(inside(content, path) for content in project.content) for path in document_paths(root)]
            if sum(inner) * 2 > len(inner):
                return project
    return None


def _unbuilt(project: Project) -> str:
    return (
        f"This folder is written for {project.title}, which makes no site on this machine. It is read as plain "
        f"Markdown, and the marks of {project.generator.name} stay in the text. If it is published, read the site "
        "instead: `assay publish https://…`."
    )


def _refusal(project: Project, what: str = "This folder") -> ConfigurationError:
    generator = project.generator
    return ConfigurationError(
        f"{what} is made for {project.title}, and Assay does not read that generator's pages from source.",
        hint=f"Publish the site's address: `assay publish https://…`. Or build it in {project.folder} with "
        f"`{generator.build}`, serve it with `python3 -m http.server -d {generator.output}`, and run "
        "`assay publish http://localhost:8000`. `--convention plain` reads the folder as plain Markdown all the same: "
        f"addresses may be wrong, and the marks of {generator.name} stay in the text.",
    )


def foreign_project(folder: str, names: Collection[str]) -> tuple[str, str, Collection[str]] | None:
    """The generator that is set up in a folder, as a Recogniser gives it; None for one that nothing builds here."""
    project = next(projects_in(Path(folder), names), None)
    if project is None or project.generator.build is None or not project.claims(Path(folder)):
        return None
    return project.generator.name, project.config, [str(path) for path in project.content]


def file_layout(path: Path, wishes: Wishes) -> Layout:
    """How one file alone is read. path: resolved. Raises ConfigurationError as find_layout does."""
    match wishes.convention or convention_of([read_head(str(path), _HEAD_BYTES)]):
        case Convention.DOCUSAURUS:
            layout = docs_alone(wishes)
        case Convention.MKDOCS:
            layout = mkdocs_alone(wishes)
        case Convention.PLAIN:
            layout = _plain_layout(wishes)
    return replace(layout, root=path.parent)


def detect_convention(root: Path) -> Convention:
    """Whose rules a folder without a configuration follows: by its layout, else by how most pages are written.

    Only the first pages are looked at, in ascending order of their paths, so the answer is quick and stays the same.
    """
    if translated_sites(root) is not None:
        return Convention.MKDOCS
    pages = sample_files(root / "docs" if is_repository(root) else root, _SAMPLE)
    return convention_of([read_head(file.path, _HEAD_BYTES) for file in pages])


def convention_of(pages: list[str]) -> Convention:
    """Whose syntax more of these texts are written in; plain when hardly any has signs of either."""
    docusaurus = sum(_DOCUSAURUS.search(page) is not None for page in pages)
    mkdocs = sum(_MKDOCS.search(page) is not None for page in pages)
    if (docusaurus + mkdocs) * _PAGES_FOR_A_SIGN < len(pages) or not docusaurus + mkdocs:
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


def _plain(_root: Path, wishes: Wishes) -> Layout:
    return _plain_layout(wishes)


_LAYOUTS: Mapping[Convention, Callable[[Path, Wishes], Layout]] = {
    Convention.DOCUSAURUS: docusaurus_layout,
    Convention.MKDOCS: mkdocs_layout,
    Convention.PLAIN: _plain,
}
