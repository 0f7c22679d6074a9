"""Detects the trees of an MkDocs site, with translations in folders or by suffix, and their URLs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote, urlsplit

from assay.adapters.sources.folder.files import SUFFIXES, sample_files
from assay.adapters.sources.folder.mkdocs.config import (
    CONFIG_NAMES,
    UNCONFIGURED,
    MkDocsConfig,
    inherit,
    interpret_config,
    parse_config,
)
from assay.adapters.sources.folder.routing import Convention
from assay.adapters.sources.folder.tree import (
    Layout,
    LayoutOptions,
    Tree,
    below,
    choose_base_url,
    is_accessible,
    is_folder,
    is_repository,
    join,
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
"""ISO 639-1, and `em`, FastAPI's emoji edition."""

_LANGUAGES = frozenset(_LANGUAGE_CODES.split())

_LOCALE = re.compile(r"(?P<language>[a-z]{2})(?:[-_][A-Za-z]{2,4})?")
_MAX_INHERIT = 5


@dataclass(frozen=True, slots=True)
class _Site:
    """An MkDocs site. folder: of its configuration, relative to the root. configured: it has a configuration."""

    root: Path
    folder: str
    config: MkDocsConfig
    configured: bool
    options: LayoutOptions


def has_config(root: Path, folder: str) -> bool:
    """Whether a folder holds an MkDocs configuration."""
    return is_accessible(root / folder) and any((root / folder / name).is_file() for name in CONFIG_NAMES)


def is_locale(name: str) -> bool:
    """Whether a folder name is a language, with or without a region or script: `fr`, `pt-BR`, `zh-hant`."""
    match = _LOCALE.fullmatch(name)
    return match is not None and match["language"] in _LANGUAGES


def translated_sites(root: Path) -> str | None:
    """The folder in which each locale has its own site, as in `docs/en/docs`; None when there is none."""
    return next((base for base in ("docs", "") if _site_locales(root, base)), None)


def _site_locales(root: Path, base: str) -> list[str]:
    """The locales with their own `docs` folder; none if any of them has pages outside it."""
    locales = [name for name in subfolders(root, base) if is_locale(name) and is_folder(root, join(base, name, "docs"))]
    return [] if any(_has_other_pages(root, join(base, locale)) for locale in locales) else locales


def _has_other_pages(root: Path, folder: str) -> bool:
    """Whether a folder that is not a site has pages outside `docs`."""
    if has_config(root, folder):
        return False
    others = (root / folder / name for name in subfolders(root, folder) if name != "docs")
    return any(next(sample_files(other, 1), None) is not None for other in others)


def docs_folder(root: Path, folder: str) -> str:
    """The docs_dir of a site, relative to the root.

    Raises SourceError for an unreadable configuration.
    """
    return join(folder, interpret_config(_read(root, folder)).docs_dir)


def mkdocs_layout(root: Path, options: LayoutOptions) -> Layout:
    """The layout of an MkDocs site, or of a docs folder without its site.

    Raises SourceError for a configuration that is unreadable or points outside the root, ConfigurationError for an
    unknown locale, or for a version: MkDocs has none.
    """
    site = _find_site(root, options)
    notices = list(site.config.notices)
    base = choose_base_url(options, site.config.site_url, notices)
    locales_base = translated_sites(root) if not (site.configured and has_config(root, "")) else None
    if locales_base is not None:
        trees = _sites_by_locale(site, base, locales_base)
    else:
        docs = _docs_folder(site)
        start = _tree(site, docs, base)
        trees = _by_suffix(site, start) or _by_folder(site, start) or [replace(start, locale=options.default_locale)]
    _check_options(trees, options)
    # Embedded files are searched in the configured folders, the site's folder, the root and the docs.
    configured = [join(site.folder, path) for path in site.config.snippet_paths]
    folders = tuple(dict.fromkeys([*configured, site.folder, "", *(tree.folder for tree in trees)]))
    appended = site.config.appended
    return Layout(Convention.MKDOCS, base, tuple(trees), site.folder, folders, tuple(notices), appended=appended)


def docs_only_layout(options: LayoutOptions) -> Layout:
    """The layout of pages without their site."""
    notices: list[str] = []
    base = choose_base_url(options, None, notices)
    site = _Site(Path(), "", UNCONFIGURED, configured=False, options=options)
    trees = [_tree(site, "", base, options.default_locale)]
    _check_options(trees, options)
    return Layout(Convention.MKDOCS, base, tuple(trees), include_folders=("",), notices=tuple(notices))


def _find_site(root: Path, options: LayoutOptions) -> _Site:
    """Find the site in a root: configured in the root, in a subfolder, or in its default locale's folder."""
    locales_base = translated_sites(root)
    candidates = [""]
    if locales_base is not None:
        locales = _site_locales(root, locales_base)
        candidates.append(join(locales_base, _default(locales, options.default_locale)))
    candidates += subfolders(root, "")
    for folder in candidates:
        if has_config(root, folder):
            return _Site(root, folder, interpret_config(_read(root, folder)), configured=True, options=options)
    folder = candidates[1] if locales_base is not None else ""
    return _Site(root, folder, UNCONFIGURED, configured=False, options=options)


def _read(root: Path, folder: str) -> Mapping[str, object]:
    """The settings of a folder's configuration, with inherited ones."""
    path = next(join(folder, name) for name in CONFIG_NAMES if (root / folder / name).is_file())
    chain: list[dict[str, object]] = []
    try:
        for _ in range(_MAX_INHERIT):
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
                f"The site's docs are in {site.config.docs_dir!r}, outside the given folder.",
                hint="Give the parent folder that holds both the site and its docs.",
            )
        raise SourceError(
            f"The site's configuration sets docs_dir to {docs!r}, but there is no such folder.",
            hint="Check docs_dir in mkdocs.yml.",
        )
    return "docs" if is_repository(site.root) else ""


def _tree(site: _Site, folder: str, address: str, locale: str | None = None) -> Tree:
    """A tree of pages. Links starting with a slash are relative to the host, as in MkDocs."""
    host = urlsplit(address)
    return Tree(
        folder=folder,
        address=address,
        site_root=f"{host.scheme}://{host.netloc}",
        convention=Convention.MKDOCS,
        locale=locale,
        trailing_slash=site.config.directory_urls,
        directory_urls=site.config.directory_urls,
        exclude_patterns=site.config.exclude_patterns,
        titles=site.config.titles,
        plugins=site.config.plugins,
        rules=site.config.rules,
    )


def _default(locales: list[str], *requested: str | None) -> str:
    """The default locale: the first requested one that exists, else English, else the first."""
    named = next((locale for locale in requested if locale in locales), None)
    return named or ("en" if "en" in locales else locales[0])


def _in_locales(site: _Site, start: Tree, base: str, locales: list[str], folders: Mapping[str, str]) -> list[Tree]:
    """A tree for each locale; the default one comes first and has no locale in its URL."""
    default = _default(locales, site.config.default_locale, site.options.default_locale)
    primary = site.options.default_locale or default
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


def _sites_by_locale(site: _Site, base: str, locales_base: str) -> list[Tree]:
    locales = _site_locales(site.root, locales_base)
    folders = {locale: join(locales_base, locale, "docs") for locale in locales}
    return _in_locales(site, _tree(site, "", base), base, locales, folders)


def _by_folder(site: _Site, start: Tree) -> list[Tree]:
    """Trees for locales in subfolders: as the i18n plugin is configured, else if all subfolders are locales."""
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
    """Trees for locales by suffix, as in `page.fr.md`; files without one are the default locale's."""
    if site.config.structure != "suffix" or not site.config.locales:
        return []
    locales = list(site.config.locales)
    default = _default(locales, site.config.default_locale, site.options.default_locale)
    trees = _in_locales(site, start, start.address, locales, dict.fromkeys(locales, start.folder))
    return [
        replace(
            tree,
            suffix="" if tree.locale == default else tree.locale or "",
            other_suffixes=tuple(locale for locale in locales if locale not in {tree.locale, default}),
        )
        for tree in trees
    ]


def _check_options(trees: list[Tree], options: LayoutOptions) -> None:
    if options.current_version is not None:
        raise ConfigurationError(
            f"{options.name} has no version {options.current_version!r}: an MkDocs folder has only one.",
            hint="Leave current_version out.",
        )
    locales = [tree.locale for tree in trees if tree.locale is not None]
    if options.default_locale is not None and options.default_locale not in locales:
        raise ConfigurationError(
            f"{options.name} has no locale {options.default_locale!r}; it has {', '.join(locales)}.",
            hint="Set default_locale to one of these, or leave it out for the site's own.",
        )
