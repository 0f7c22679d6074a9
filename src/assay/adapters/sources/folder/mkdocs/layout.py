"""Finds the pages of an MkDocs site, with translations in folders or by suffix, and the URLs that they are under."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote, urlsplit

from assay.adapters.sources.folder.files import SUFFIXES, sample_files
from assay.adapters.sources.folder.mkdocs.config import (
    CONFIG_NAMES,
    MkDocsConfig,
    inherit,
    interpret_config,
    parse_config,
)
from assay.adapters.sources.folder.routing import Convention
from assay.adapters.sources.folder.tree import (
    Layout,
    Tree,
    Wishes,
    below,
    choose_base_url,
    is_folder,
    is_repository,
    join,
    may_be_entered,
    read_config_text,
    subfolders,
)
from assay.errors import ConfigurationError, InputError, SourceError

_LANGUAGE_CODES = """
    aa ab af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cv cy da de dv dz ee el em en eo
    es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz id ie ig ii ik is it iu ja jv ka kg
    ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng
    nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st
    su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
"""ISO 639-1, and `em`, which FastAPI gives to its emoji edition."""

_LANGUAGES = frozenset(_LANGUAGE_CODES.split())

_LOCALE = re.compile(r"(?P<language>[a-z]{2})(?:[-_][A-Za-z]{2,4})?")
_MOST_PARENTS = 5
_UNFOLLOWED = {
    "include-markdown": "what it includes is missing from the pages",
    "macros": "its templates stay in the text of the pages",
    "gen-files": "the pages that it makes are missing",
    "exclude": "pages that it leaves out of the site are read, unless exclude_docs names them too",
    "monorepo": "the sites that it brings together are missing",
}
"""Plugins that change which pages there are or what they say, and what follows."""


@dataclass(frozen=True, slots=True)
class _Site:
    """An MkDocs site. folder: of its configuration, relative to the root. configured: whether there is one."""

    root: Path
    folder: str
    config: MkDocsConfig
    configured: bool
    wishes: Wishes


def has_config(root: Path, folder: str) -> bool:
    """Whether a folder holds the configuration of an MkDocs site."""
    return may_be_entered(root / folder) and any((root / folder / name).is_file() for name in CONFIG_NAMES)


def is_locale(name: str) -> bool:
    """Whether a folder's name is a language, with or without a region or script: `fr`, `pt-BR`, `zh-hant`."""
    match = _LOCALE.fullmatch(name)
    return match is not None and match["language"] in _LANGUAGES


def translated_sites(root: Path) -> str | None:
    """The folder in which each locale has a site of its own, as in `docs/en/docs`; None when there is none."""
    return next((base for base in ("docs", "") if _site_locales(root, base)), None)


def _site_locales(root: Path, base: str) -> list[str]:
    """The locales with a `docs` folder of their own; none where other pages are beside one of these."""
    locales = [name for name in subfolders(root, base) if is_locale(name) and is_folder(root, join(base, name, "docs"))]
    return [] if any(_has_other_pages(root, join(base, locale)) for locale in locales) else locales


def _has_other_pages(root: Path, folder: str) -> bool:
    """Whether a folder has pages outside `docs`, and is no site of its own."""
    if has_config(root, folder):
        return False
    others = (root / folder / name for name in subfolders(root, folder) if name != "docs")
    return any(next(sample_files(other, 1), None) is not None for other in others)


def docs_folder(root: Path, folder: str) -> str:
    """The folder that the site in a folder of a root takes its pages from, relative to the root.

    Raises SourceError for a configuration that cannot be read.
    """
    return join(folder, interpret_config(_read(root, folder)).docs_dir)


def mkdocs_layout(root: Path, wishes: Wishes) -> Layout:
    """How the docs of an MkDocs site, or a docs folder alone, are read.

    Raises SourceError for a configuration that cannot be read or that points out of the root, ConfigurationError for
    a locale that is not there, or for a version: MkDocs has none.
    """
    site = _find(root, wishes)
    notices = [
        f"The plugin {name} of mkdocs.yml is not followed: {_UNFOLLOWED[name]}."
        for name in site.config.plugins
        if name in _UNFOLLOWED
    ]
    base = choose_base_url(wishes, site.config.site_url, notices)
    shared = translated_sites(root) if not (site.configured and has_config(root, "")) else None
    if shared is not None:
        trees = _sites_by_locale(site, base, shared)
    else:
        docs = _docs_folder(site)
        start = _tree(site, docs, base)
        trees = _by_suffix(site, start) or _by_folder(site, start) or [replace(start, locale=wishes.default_locale)]
    _check(trees, wishes)
    folders = _include_folders(site, trees)
    return Layout(Convention.MKDOCS, base, tuple(trees), site.folder, folders, tuple(notices))


def mkdocs_alone(wishes: Wishes) -> Layout:
    """Pages without the site that they belong to."""
    notices: list[str] = []
    base = choose_base_url(wishes, None, notices)
    site = _Site(Path(), "", interpret_config({}), configured=False, wishes=wishes)
    trees = [_tree(site, "", base, wishes.default_locale)]
    _check(trees, wishes)
    return Layout(Convention.MKDOCS, base, tuple(trees), include_folders=("",), notices=tuple(notices))


def _find(root: Path, wishes: Wishes) -> _Site:
    """The site in a root: configured in the root, in a folder of it, or in that of its default locale."""
    shared = translated_sites(root)
    candidates = [""]
    if shared is not None:
        locales = _site_locales(root, shared)
        candidates.append(join(shared, _default(locales, wishes.default_locale)))
    candidates += subfolders(root, "")
    for folder in candidates:
        if has_config(root, folder):
            return _Site(root, folder, interpret_config(_read(root, folder)), configured=True, wishes=wishes)
    folder = candidates[1] if shared is not None else ""
    return _Site(root, folder, interpret_config({}), configured=False, wishes=wishes)


def _read(root: Path, folder: str) -> Mapping[str, object]:
    """The settings of a folder's configuration and of those that it inherits from."""
    path = next(join(folder, name) for name in CONFIG_NAMES if (root / folder / name).is_file())
    chain: list[dict[str, object]] = []
    try:
        for _ in range(_MOST_PARENTS):
            text = read_config_text(root, path)
            if text is None:
                break
            chain.append(parse_config(text))
            parent = chain[-1].get("INHERIT")
            if not isinstance(parent, str):
                break
            path = join(path.rpartition("/")[0], parent)
            if path.startswith(".."):
                break
    except InputError as error:
        reason = error.message if error.message.startswith(path) else f"{path}: {error.message}"
        raise SourceError(f"The site's configuration cannot be read: {reason}.") from None
    settings: dict[str, object] = {}
    for layer in reversed(chain):
        settings = inherit(settings, layer)
    return settings


def _docs_folder(site: _Site) -> str:
    if site.configured:
        docs = join(site.folder, site.config.docs_dir)
        if is_folder(site.root, docs):
            return docs
        if docs.startswith(("..", "/")):
            raise SourceError(
                f"The site's docs are in {site.config.docs_dir!r}, outside the folder that was given.",
                hint="Give the folder above, which holds both the site and its docs.",
            )
        raise SourceError(
            f"The site's configuration says that its docs are in {docs!r}, and there is no such folder.",
            hint="Check docs_dir in mkdocs.yml.",
        )
    return "docs" if is_repository(site.root) else ""


def _tree(site: _Site, folder: str, address: str, locale: str | None = None) -> Tree:
    """A tree of pages; links that begin with a slash are resolved at the host, as MkDocs leaves them."""
    host = urlsplit(address)
    return Tree(
        folder=folder,
        address=address,
        site_root=f"{host.scheme}://{host.netloc}",
        convention=Convention.MKDOCS,
        locale=locale,
        directory_urls=site.config.directory_urls,
        left_out=site.config.left_out,
    )


def _default(locales: list[str], *wished: str | None) -> str:
    """The site's default locale: the first wished one that is there, else English, else the first."""
    named = next((locale for locale in wished if locale in locales), None)
    return named or ("en" if "en" in locales else locales[0])


def _in_locales(site: _Site, start: Tree, base: str, locales: list[str], folders: Mapping[str, str]) -> list[Tree]:
    """A tree for each locale, the default one without its name in the URL and first."""
    default = _default(locales, site.config.default_locale, site.wishes.default_locale)
    primary = site.wishes.default_locale or default
    return [
        replace(
            start,
            folder=folders[locale],
            address=base if locale == default else below(base, quote(locale, safe="")),
            locale=locale,
            locale_is_default=locale == primary,
            group="translated",
        )
        for locale in sorted(locales, key=lambda locale: (locale != default, locale))
    ]


def _sites_by_locale(site: _Site, base: str, shared: str) -> list[Tree]:
    locales = _site_locales(site.root, shared)
    folders = {locale: join(shared, locale, "docs") for locale in locales}
    return _in_locales(site, _tree(site, "", base), base, locales, folders)


def _by_folder(site: _Site, start: Tree) -> list[Tree]:
    """Locales in folders of the docs folder: as the i18n plugin is set up, else where nothing but locales is there."""
    names = list(subfolders(site.root, start.folder))
    if site.config.structure == "folder":
        locales = [name for name in names if name in site.config.locales]
    else:
        locales = [name for name in names if is_locale(name)]
        has_pages = any(
            entry.suffix.lower() in SUFFIXES for entry in (site.root / start.folder).iterdir() if entry.is_file()
        )
        if site.configured or has_pages or len(locales) < 2 or "en" not in locales:
            return []
    if not locales:
        return []
    folders = {locale: join(start.folder, locale) for locale in locales}
    return _in_locales(site, start, start.address, locales, folders)


def _by_suffix(site: _Site, start: Tree) -> list[Tree]:
    """Locales by suffix, as in `page.fr.md`; files without one are the default locale's."""
    if site.config.structure != "suffix" or not site.config.locales:
        return []
    locales = list(site.config.locales)
    default = _default(locales, site.config.default_locale, site.wishes.default_locale)
    trees = _in_locales(site, start, start.address, locales, dict.fromkeys(locales, start.folder))
    return [
        replace(
            tree,
            suffix="" if tree.locale == default else tree.locale or "",
            other_suffixes=tuple(locale for locale in locales if locale not in {tree.locale, default}),
        )
        for tree in trees
    ]


def _include_folders(site: _Site, trees: list[Tree]) -> tuple[str, ...]:
    """Where embedded files are looked for: as configured, then from the site's folder, the root and the docs."""
    configured = [join(site.folder, path) for path in site.config.snippet_paths]
    return tuple(dict.fromkeys([*configured, site.folder, "", *(tree.folder for tree in trees)]))


def _check(trees: list[Tree], wishes: Wishes) -> None:
    if wishes.current_version is not None:
        raise ConfigurationError(
            f"{wishes.name} has no version {wishes.current_version!r}: an MkDocs folder has only one.",
            hint="Leave current_version out.",
        )
    locales = [tree.locale for tree in trees if tree.locale is not None]
    if wishes.default_locale is not None and wishes.default_locale not in locales:
        raise ConfigurationError(
            f"{wishes.name} has no locale {wishes.default_locale!r}; it has {', '.join(locales)}.",
            hint="Set default_locale to one of these, or leave it out for the site's own.",
        )
