"""Detects how a folder of Markdown is served: its convention, versions, locales and URLs."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.adapters.sources.folder.docusaurus.layout import (
    docs_folder_layout,
    docs_folders,
    docusaurus_layout,
    is_site_folder,
)
from assay.adapters.sources.folder.files import find_files, read_head, sample_files
from assay.adapters.sources.folder.mkdocs.layout import (
    docs_folder,
    docs_only_layout,
    has_config,
    mkdocs_layout,
    translated_sites,
)
from assay.adapters.sources.folder.projects import (
    Project,
    foreign_project,
    main_project,
    projects_in,
    refusal,
    unbuildable_notice,
)
from assay.adapters.sources.folder.routing import Convention
from assay.adapters.sources.folder.translations import Translations, find_translations, has_locale_name
from assay.adapters.sources.folder.tree import (
    Layout,
    LayoutOptions,
    Tree,
    choose_base_url,
    is_accessible,
    is_folder,
    is_repository,
    join,
    related,
    subfolders,
)
from assay.errors import ConfigurationError
from assay.model.counting import some_of

_MAX_PARENTS = 2
_NAMED = 5
"""Versions or locales that a message names."""
_PAGES_PER_SIGN = 20
"""At least one page in this many must show a convention's syntax; fewer may only quote it."""

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


def find_layout(given: Path, options: LayoutOptions) -> Layout:
    """Detect a folder's layout: from the configuration that claims it, else from its structure and syntax.

    given: resolved. Raises SourceError for an unreadable configuration; ConfigurationError for a requested version or
        locale that the folder lacks, and for a folder of a generator that is not read from source.
    """
    if options.convention is Convention.PLAIN:
        return replace(_plain_layout(given, options), root=given)
    unbuildable: list[Project] = []
    for root in folders_above(given):
        layout = _layout_from_config(root, given, options, unbuildable)
        if layout is not None:
            return layout
    if options.convention is not None:
        return replace(_LAYOUTS[options.convention](given, options), root=given)
    project = next(iter(unbuildable), None) or main_project(given)
    if project is not None:
        return _foreign_layout(project, given, options)
    convention = detect_convention(given)
    layout = replace(_LAYOUTS[convention](given, options), root=given)
    return replace(layout, information=(_CHOSEN_CONVENTION[convention], *layout.information))


def _foreign_layout(project: Project, given: Path, options: LayoutOptions) -> Layout:
    """A plain layout with a notice for a project that nothing builds; ConfigurationError for the others."""
    below = project.folder.relative_to(given).as_posix() if project.folder.is_relative_to(given) else "."
    what = "This folder" if below == "." else f"Most documents of {given} are in {below}, which"
    if below != "." and not project.claims(given):
        what = f"Most documents of {given} are in projects of site generators. The largest, {below},"
    if project.generator.build is not None:
        raise refusal(project, options.base_url and options.base_url.rstrip("/"), what)
    layout = _plain_layout(given, options)
    return replace(layout, root=given, notices=(*layout.notices, unbuildable_notice(project, what)))


_CHOSEN_CONVENTION = {
    Convention.PLAIN: "No site configuration claims this folder, so it is read as plain Markdown: the address of a "
    "page is the base URL and the path without its suffix. If a generator builds it, set --convention.",
    Convention.DOCUSAURUS: "No docusaurus.config claims this folder, but its pages are written for Docusaurus: the "
    "address of a page is the base URL and the path without numbers, or the page's `slug` or `id`. If this folder is "
    "the docs folder itself, the base URL must end in the docs' route (as in /docs). --convention plain uses the path "
    "as it is.",
    Convention.MKDOCS: "No mkdocs.yml claims this folder, but its pages are written for MkDocs: their addresses are "
    "the base URL and the path without its suffix. Set --convention if that is wrong.",
}


def folders_above(given: Path) -> Iterator[Path]:
    """Yield the folder and its parents in which to look for its configuration, up to the root of its repository.

    One more parent than usually matters: some generators' content folder is three levels deep.
    """
    for folder in (given, *given.parents)[: _MAX_PARENTS + 2]:
        if not is_accessible(folder):
            return
        yield folder
        if (folder / ".git").exists():
            return


def _layout_from_config(root: Path, given: Path, options: LayoutOptions, unbuildable: list[Project]) -> Layout | None:
    """The layout of a folder by the site configured in a root; None if no site there claims it.

    unbuildable: projects that claim it, but that nothing builds, are added; a site may be edited with such a program.
    """
    within = join(given.relative_to(root).as_posix())
    is_far = within.count("/") >= _MAX_PARENTS
    for convention, site in () if is_far else _sites(root, within):
        if options.convention in {None, convention} and _has_pages_in(root, convention, site, within):
            layout = _layout_within(_LAYOUTS[convention](root, options), options, root, within)
            if layout is not None:
                return layout
    if options.convention is not None:
        return None
    for project in projects_in(root):
        is_claimed = given in project.content if is_far else project.claims(given)
        if is_claimed and project.generator.build is None:
            unbuildable.append(project)
        elif is_claimed and not project.generator.read_from_source:
            return _foreign_layout(project, given, options)
    return None


def _sites(root: Path, within: str) -> Iterator[tuple[Convention, str]]:
    """Yield the Docusaurus and MkDocs sites of a root, the likelier first: convention, and folder relative to the root.

    A site in a subfolder counts for the root itself, and for its neighbours in the same repository.
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


def _has_pages_in(root: Path, convention: Convention, site: str, within: str) -> bool:
    """Whether a site takes pages from a folder; always true for the folder that holds the configuration."""
    if not within:
        return True
    folders = docs_folders(root, site) if convention is Convention.DOCUSAURUS else [docs_folder(root, site)]
    return any(is_folder(root, folder) and related(folder, within) for folder in folders)


def _layout_within(layout: Layout, options: LayoutOptions, root: Path, within: str) -> Layout | None:
    """The part of a site inside one folder; None when there is none.

    If the site's default version and locale are outside, the first ones inside become the default.
    """
    if not within:
        return replace(layout, root=root)
    trees = [tree for tree in layout.trees if related(tree.folder, within)]
    if not trees:
        return None
    first = trees[0]
    if options.current_version is None and not any(tree.version_is_current for tree in trees):
        trees = [replace(tree, version_is_current=tree.version == first.version) for tree in trees]
    if options.default_locale is None and not any(tree.locale_is_default for tree in trees):
        trees = [replace(tree, locale_is_default=tree.locale == first.locale) for tree in trees]
    generator = "Docusaurus" if layout.convention is Convention.DOCUSAURUS else "MkDocs"
    information = (
        f"Addresses are those of the {generator} site in {root / layout.site}, to which this folder belongs.",
        *_outside(layout, trees),
    )
    return replace(layout, trees=tuple(trees), root=root, within=within, information=information)


def _outside(layout: Layout, inside: Sequence[Tree]) -> Iterator[str]:
    """Yield a sentence with the site's versions and locales that the folder lacks; none if it has all."""
    lacking: dict[str, dict[str | None, None]] = {
        "version": {tree.version: None for tree in layout.trees},
        "locale": {tree.locale: None for tree in layout.trees},
    }
    for tree in inside:
        lacking["version"].pop(tree.version, None)
        lacking["locale"].pop(tree.locale, None)
    named = [
        f"{word if len(names) == 1 else f'{word}s'} {some_of(names, _NAMED)}"
        for word, values in lacking.items()
        if (names := [name for name in values if name is not None])
    ]
    if named:
        yield f"It does not hold the site's {' and '.join(named)}. To read these too, give the folder of the site."


def file_layout(path: Path, options: LayoutOptions) -> Layout:
    """The layout of a single file. path: resolved. Raises ConfigurationError as find_layout does."""
    match options.convention or convention_of([read_head(str(path), _HEAD_BYTES)]):
        case Convention.DOCUSAURUS:
            layout = docs_folder_layout(options)
        case Convention.MKDOCS:
            layout = docs_only_layout(options)
        case Convention.PLAIN:
            layout = _plain_layout(path, options)
    return replace(layout, root=path.parent)


def detect_convention(root: Path) -> Convention:
    """Detect the convention of an unconfigured folder: by structure, else by the syntax of its first pages."""
    if translated_sites(root) is not None:
        return Convention.MKDOCS
    pages = sample_files(root / "docs" if is_repository(root) else root, _SAMPLE)
    return convention_of([read_head(file.path, _HEAD_BYTES) for file in pages])


def convention_of(pages: list[str]) -> Convention:
    """The convention whose syntax most of these texts use; plain when hardly any uses either."""
    docusaurus = sum(_DOCUSAURUS.search(page) is not None for page in pages)
    mkdocs = sum(_MKDOCS.search(page) is not None for page in pages)
    if (docusaurus + mkdocs) * _PAGES_PER_SIGN < len(pages) or not docusaurus + mkdocs:
        return Convention.PLAIN
    return Convention.DOCUSAURUS if docusaurus >= mkdocs else Convention.MKDOCS


def _plain_layout(root: Path, options: LayoutOptions) -> Layout:
    if options.current_version is not None:
        raise ConfigurationError(
            f"{options.name} has no version {options.current_version!r}: a plain folder has only one.",
            hint="Leave current_version out, or set convention to the site's generator.",
        )
    notices: list[str] = []
    base = choose_base_url(options, None, notices)
    tree = Tree("", base, base, Convention.PLAIN, locale=options.default_locale)
    translations = _translations(root, options) if root.is_dir() else None
    if translations is None:
        return Layout(Convention.PLAIN, base, (tree,), notices=tuple(notices))
    tree = replace(tree, locale=translations.default, translations=translations.locale_of)
    others = (replace(tree, locale=name, locale_is_default=False) for name in translations.others)
    default = translations.default
    named = translations.others if default is None else (f"{default} (default)", *translations.others)
    message = (
        f"Translations: {', '.join(named)}; searches read {default or 'the pages without a locale in their path'} "
        f"unless they ask for another locale (--locale {translations.others[0]})."
        f"{' Name theirs with --default-locale.' if default is None else ''}"
    )
    return Layout(Convention.PLAIN, base, (tree, *others), notices=tuple(notices), information=(message,))


def _translations(root: Path, options: LayoutOptions) -> Translations | None:
    """The translations in a plain folder. Raises ConfigurationError if they lack the requested default locale."""
    if not any(has_locale_name(file.key) for file in sample_files(root)):
        return None
    detect_project = None if options.convention else foreign_project
    return find_translations(find_files(root, "", detect_project=detect_project).files, options)


_LAYOUTS: Mapping[Convention, Callable[[Path, LayoutOptions], Layout]] = {
    Convention.DOCUSAURUS: docusaurus_layout,
    Convention.MKDOCS: mkdocs_layout,
    Convention.PLAIN: _plain_layout,
}
