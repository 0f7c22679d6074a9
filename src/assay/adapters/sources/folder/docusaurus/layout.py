"""Detects the trees of a Docusaurus site: its docs plugins, versions and locales, and their URLs."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from assay.adapters.sources.folder.docusaurus.config import CONFIG_NAMES, DocsInstance, DocusaurusConfig, read_config
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

_DEFAULT_ROUTE = "docs"
_PLUGIN = "docusaurus-plugin-content-docs"
_CURRENT = "current"


@dataclass(frozen=True, slots=True)
class _Version:
    """A version of one docs plugin's docs.

    name: Docusaurus's own, "current" for the unreleased one. label: shown to readers; None if there is only one
        version.
    folder: of its pages in the default locale; None when it has none. segment: of its URL, "" for the last version.
    is_default: shown to readers first: the last version, or the newest that has a folder.
    """

    name: str
    label: str | None
    folder: str | None
    segment: str
    is_default: bool


@dataclass(frozen=True, slots=True)
class _Site:
    """A Docusaurus site. folder: of its configuration, relative to the root."""

    root: Path
    folder: str
    config: DocusaurusConfig
    options: LayoutOptions
    notices: list[str]


def is_site_folder(root: Path, folder: str) -> bool:
    """Whether a folder is a Docusaurus site: it has a configuration, or versions or translations of docs."""
    if not is_accessible(root / folder):
        return False
    if any((root / folder / name).is_file() for name in CONFIG_NAMES):
        return True
    if is_folder(root, join(folder, "versioned_docs")):
        return True
    translations = join(folder, "i18n")
    return any(
        name.startswith(_PLUGIN)
        for locale in subfolders(root, translations)
        for name in subfolders(root, join(translations, locale))
    )


def docs_folders(root: Path, folder: str) -> Iterator[str]:
    """The folders that a site may take docs from, relative to the root.

    Raises SourceError for an unreadable configuration.
    """
    for instance in _read(root, folder).instances:
        prefix = "" if instance.id == "default" else f"{instance.id}_"
        yield join(folder, instance.path)
        yield join(folder, f"{prefix}versioned_docs")
        if instance == DocsInstance() and folder:
            yield "docs"
    yield join(folder, "i18n")


def docusaurus_layout(root: Path, options: LayoutOptions) -> Layout:
    """The layout of a Docusaurus site, of a repository with one, or of a docs folder without its site.

    Raises SourceError for a configuration that is unreadable or points outside the root, ConfigurationError for an
    unknown version or locale.
    """
    folder = next((folder for folder in ("", *subfolders(root, "")) if is_site_folder(root, folder)), None)
    if folder is None and not is_repository(root):
        return docs_folder_layout(options)
    notices: list[str] = []
    site = _Site(root, folder or "", _read(root, folder or ""), options, notices)
    url, base_path = site.config.url, site.config.base_path or ""
    configured = f"{url.rstrip('/')}/{base_path.strip('/')}" if url else None
    base = choose_base_url(options, configured, notices, base_path)
    if "baseUrl" in site.config.computed and not urlsplit(options.base_url or "").path.strip("/"):
        notices.append(
            "The configuration computes baseUrl, so the path under which the site is served is unknown, and pages get "
            f"addresses under {base}. If that is wrong, set the whole address with --base-url."
        )
    site_root = _site_root(base, site.config)
    trees = [tree for instance in site.config.instances for tree in _instance_trees(site, instance, site_root)]
    if not trees:
        return docs_folder_layout(options)
    _check_version(trees, options)
    _check_locale(trees, options)
    return Layout(Convention.DOCUSAURUS, base, tuple(trees), site.folder, (), tuple(notices))


def docs_folder_layout(options: LayoutOptions) -> Layout:
    """The layout of a docs folder without its site: the base URL is the folder's own, with the plugin's route."""
    notices: list[str] = []
    base = choose_base_url(options, None, notices)
    tree = Tree(
        folder="",
        address=base,
        site_root=base.removesuffix(f"/{_DEFAULT_ROUTE}"),
        convention=Convention.DOCUSAURUS,
        locale=options.default_locale,
    )
    _check_version([tree], options)
    return Layout(Convention.DOCUSAURUS, base, (tree,), notices=tuple(notices))


def _read(root: Path, folder: str) -> DocusaurusConfig:
    for name in CONFIG_NAMES:
        try:
            text = read_config_text(root, join(folder, name))
        except InputError as error:
            raise SourceError(f"The site's configuration cannot be read: {error.message}.") from None
        if text is not None:
            return read_config(text)
    return DocusaurusConfig()


def _site_root(base: str, config: DocusaurusConfig) -> str:
    """The site's own URL, even if the given base URL is that of its docs.

    A base URL that ends in the route is the docs', unless the site itself is served under that path.
    """
    route = _route(config.instances[0]) if config.instances else ""
    served_at = (config.base_path or "").strip("/")
    if route and base.endswith(f"/{route}") and (not served_at or served_at != urlsplit(base).path.strip("/")):
        return base.removesuffix(f"/{route}")
    return base


def _route(instance: DocsInstance) -> str:
    return _DEFAULT_ROUTE if instance.route is None else instance.route


def _instance_trees(site: _Site, instance: DocsInstance, site_root: str) -> Iterator[Tree]:
    versions = _versions(site, instance)
    translated = list(_locales(site))
    site_default = site.config.default_locale or site.options.default_locale or "en"
    has_locales = bool(translated) or bool(site.config.default_locale) or bool(site.options.default_locale)
    for version in versions:
        for locale in dict.fromkeys([site_default, *translated]):
            is_site_default = locale == site_default
            root_url = site_root if is_site_default else below(site_root, quote(locale, safe=""))
            # Translations into the default locale come first: Docusaurus uses them instead of the docs.
            folders = [_translated_folder(site, instance, version, locale)]
            folders += [version.folder] if is_site_default else []
            for folder in folders:
                if folder is None or not is_folder(site.root, folder):
                    continue
                yield Tree(
                    folder=folder,
                    address=below(root_url, _route(instance), version.segment),
                    site_root=root_url,
                    convention=Convention.DOCUSAURUS,
                    version=version.label,
                    locale=locale if has_locales else None,
                    version_is_current=_is_current(version, versions, site.options),
                    locale_is_default=locale == (site.options.default_locale or site_default),
                    group=f"{instance.id}/{version.name}",
                    numbers=instance.numbers,
                    markdown_format=site.config.markdown_format,
                    trailing_slash=site.config.trailing_slash,
                )


def _translated_folder(site: _Site, instance: DocsInstance, version: _Version, locale: str) -> str | None:
    plugin = _PLUGIN if instance.id == "default" else f"{_PLUGIN}-{instance.id}"
    name = version.name if version.name == _CURRENT else f"version-{version.name}"
    return join(site.folder, "i18n", locale, plugin, name)


def _locales(site: _Site) -> Iterator[str]:
    for locale in subfolders(site.root, join(site.folder, "i18n")):
        if site.config.locales is None or locale in site.config.locales:
            yield locale
        else:
            notice = f"i18n/{locale} is not read: the site's configuration does not list that locale."
            if notice not in site.notices:
                site.notices.append(notice)


def _is_current(version: _Version, versions: list[_Version], options: LayoutOptions) -> bool:
    requested = options.current_version
    if requested is not None and any(requested in {other.name, other.label} for other in versions):
        return requested in {version.name, version.label}
    return version.is_default


# --- versions ------------------------------------------------------------------------------------------------------


def _versions(site: _Site, instance: DocsInstance) -> list[_Version]:
    """The versions that the site serves: the last one first, then the unreleased one, then older ones."""
    docs = _docs_folder(site, instance)
    prefix = "" if instance.id == "default" else f"{instance.id}_"
    released, absent = _released(site, prefix) if instance.versioned else ([], [])
    has_current = docs is not None and (instance.include_current or len(released) == len(absent))
    names = [*([_CURRENT] if has_current else []), *released]
    if instance.only_versions is not None:
        names = [name for name in names if name in instance.only_versions]
    last = _last_version(site, instance, names)
    existing = [name for name in names if name not in absent]
    default = last if last in existing else next((name for name in existing if name != _CURRENT), _CURRENT)
    paths = dict(instance.version_paths)
    versions = []
    for name in sorted(existing, key=lambda name: (name != default, names.index(name))):
        label = name if name != _CURRENT or last == _CURRENT else "next"
        default_segment = "" if name == last else quote(label, safe="")
        folder = docs if name == _CURRENT else join(site.folder, f"{prefix}versioned_docs", f"version-{name}")
        versions.append(
            _Version(name, label if released else None, folder, paths.get(name, default_segment), name == default)
        )
    return versions


def _docs_folder(site: _Site, instance: DocsInstance) -> str | None:
    path = join(site.folder, instance.path)
    if is_folder(site.root, path):
        return path
    if path.startswith(".."):
        raise SourceError(
            f"The site's docs are in {instance.path!r}, outside the given folder.",
            hint="Give the parent folder that holds both the site and its docs.",
        )
    # A repository may keep its docs next to the site; only the configuration would tell.
    is_unknown = instance == DocsInstance() and site.folder
    return "docs" if is_unknown and is_folder(site.root, "docs") else None


def _released(site: _Site, prefix: str) -> tuple[list[str], list[str]]:
    """Released versions, newest first, and those of them without a folder.

    versions.json lists them; without it, the folders do.
    """
    folder = join(site.folder, f"{prefix}versioned_docs")
    present = [name.removeprefix("version-") for name in subfolders(site.root, folder) if name.startswith("version-")]
    path = join(site.folder, f"{prefix}versions.json")
    try:
        text = read_config_text(site.root, path)
        listed = None if text is None else json.loads(text)
    except (InputError, ValueError, RecursionError) as error:
        raise SourceError(f"{path} cannot be read: {error}.", hint="It must be a JSON list of names.") from None
    if listed is None:
        return sorted(present, key=version_order, reverse=True), []
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise SourceError(f"{path} is not a JSON list of names.", hint="Docusaurus writes one version a line into it.")
    for name in present:
        if name not in listed:
            site.notices.append(f"{folder}/version-{name} is not read: {path} does not list it.")
    absent = [name for name in dict.fromkeys(listed) if name not in present]
    for name in absent:
        site.notices.append(
            f"{path} lists version {name}, but {folder}/version-{name} does not exist: its pages are missing. Other "
            "versions keep their addresses."
        )
    return list(dict.fromkeys(listed)), absent


def _last_version(site: _Site, instance: DocsInstance, names: list[str]) -> str:
    if instance.last_version is not None:
        if instance.last_version in names:
            return instance.last_version
        site.notices.append(
            f"The configured last version {instance.last_version!r} does not exist; the newest is used."
        )
    return next((name for name in names if name != _CURRENT), _CURRENT)


def version_order(name: str) -> tuple[object, ...]:
    """Sort key of a version name: numbers by value, `1.x` after every `1.9`, a pre-release before its release."""
    core, _, extra = name.removeprefix("v").partition("-")
    numbers = tuple(_number(part) for part in core.split("."))
    pieces = tuple((piece.isdigit(), int(piece[:18]) if piece.isdigit() else 0, piece) for piece in _pieces(extra))
    return (numbers[0] >= 0, numbers, not extra, pieces, name)


def _number(part: str) -> float:
    if re.fullmatch(r"[0-9]{1,18}", part):
        return int(part)
    return float("inf") if part in {"x", "X", "*"} else -1


def _pieces(text: str) -> list[str]:
    return re.findall(r"[0-9]+|[A-Za-z]+", text)


def _check_version(trees: list[Tree], options: LayoutOptions) -> None:
    requested = options.current_version
    labels = list(dict.fromkeys(tree.version for tree in trees if tree.version is not None))
    if requested is None or requested in labels or (requested == _CURRENT and "next" in labels):
        return
    raise ConfigurationError(
        f"{options.name} has no version {requested!r}; it has {', '.join(labels) or 'no versions'}.",
        hint="Set current_version to one of these, or leave it out for the last one.",
    )


def _check_locale(trees: list[Tree], options: LayoutOptions) -> None:
    locales = list(dict.fromkeys(tree.locale for tree in trees if tree.locale is not None))
    if options.default_locale is not None and not any(tree.locale_is_default for tree in trees):
        raise ConfigurationError(
            f"{options.name} has no locale {options.default_locale!r}; it has {', '.join(locales) or 'no locales'}.",
            hint="Set default_locale to one of these, or leave it out for the site's own.",
        )
