"""Reads the values that decide URLs from mkdocs.yml, without importing what it names."""

import fnmatch
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from assay.adapters.sources.folder.bounded_yaml import load_yaml
from assay.adapters.sources.folder.mkdocs.extensions import entries, markdown_rules
from assay.adapters.sources.folder.mkdocs.plugins import Plugins, plugin_notices, read_plugins
from assay.errors import InputError
from assay.model.documents import USUAL_MKDOCS, MkDocsRules

CONFIG_NAMES = ("mkdocs.yml", "mkdocs.yaml")

_ALWAYS_EXCLUDED = "/templates/\n"  # MkDocs excludes it whatever exclude_docs says


@dataclass(frozen=True, slots=True)
class PathPattern:
    """One line of a gitignore-like list. parts: segments to match, "**" for any number of them."""

    parts: tuple[str, ...]
    only_folders: bool
    keeps: bool


NO_PLUGINS = Plugins()


@dataclass(frozen=True, slots=True)
class MkDocsConfig:
    """The pages and addresses of an MkDocs configuration.

    exclude_patterns: paths in docs_dir that are not pages.
    locales, default_locale, structure: of the i18n plugin; structure is "folder", "suffix" or "" without the plugin.
    snippet_paths: folders searched for embedded files, relative to the configuration's.
    appended: files that are embedded at the end of each page.
    titles: of its nav, by path in docs_dir.
    plugins: what its plugins decide.
    rules: of its Markdown extensions. notices: settings that are not known.
    """

    site_url: str | None = None
    docs_dir: str = "docs"
    directory_urls: bool = True
    exclude_patterns: tuple[PathPattern, ...] = ()
    locales: tuple[str, ...] = ()
    default_locale: str | None = None
    structure: str = ""
    snippet_paths: tuple[str, ...] = ()
    appended: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    plugins: Plugins = NO_PLUGINS
    rules: MkDocsRules = USUAL_MKDOCS
    notices: tuple[str, ...] = ()


def parse_config(text: str) -> dict[str, object]:
    """Parse a mkdocs.yml. Raises InputError, which names the line, when it is not a YAML mapping."""
    settings = load_yaml(text, tolerant=True)
    if settings is None:
        return {}
    if not isinstance(settings, dict):
        raise InputError("line 1: the file must be a mapping of settings to values")
    return settings


def inherit(parent: Mapping[str, object], child: Mapping[str, object]) -> dict[str, object]:
    """Merge two configurations as `INHERIT` does: the child's values win, mappings are merged, lists replaced."""
    merged = dict(parent)
    for key, value in child.items():
        below = merged.get(key)
        merged[key] = inherit(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def interpret_config(settings: Mapping[str, object]) -> MkDocsConfig:
    """Interpret settings; one of the wrong type counts as not set."""
    locales, default, structure = _languages(_options(settings.get("plugins"), "i18n"))
    plugins = read_plugins(settings.get("plugins"))
    extensions = [name for name, _ in entries(settings.get("markdown_extensions"))]
    hooks = ["hooks"] if settings.get("hooks") else []
    notices = list(plugin_notices([*plugins.names, *extensions, *hooks]))
    rules = markdown_rules(settings, notices)
    hidden = "\n".join([_ALWAYS_EXCLUDED, _text(settings.get("exclude_docs")), _text(settings.get("draft_docs"))])
    return MkDocsConfig(
        site_url=_text(settings.get("site_url")) or None,
        docs_dir=_text(settings.get("docs_dir")) or "docs",
        directory_urls=settings.get("use_directory_urls") is not False,
        exclude_patterns=path_patterns(hidden),
        locales=locales,
        default_locale=default,
        structure=structure,
        snippet_paths=tuple(_snippet_paths(settings.get("markdown_extensions"))),
        appended=tuple(_appended(settings.get("markdown_extensions"))),
        titles=dict(_titles(settings.get("nav"))),
        plugins=plugins,
        rules=rules,
        notices=tuple(notices),
    )


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _options(listed: object, name: str) -> Mapping[str, object] | None:
    """Options of a plugin or extension by name, from a list or a mapping; None when it is not listed."""
    entries = listed if isinstance(listed, list) else [listed]
    for entry in entries:
        if entry == name:
            return {}
        if isinstance(entry, Mapping) and name in entry:
            options = entry[name]
            return options if isinstance(options, Mapping) else {}
    return None


def _languages(options: Mapping[str, object] | None) -> tuple[tuple[str, ...], str | None, str]:
    """Locales, default locale and structure of the i18n plugin, whose older form maps locales to names."""
    if options is None:
        return (), None, ""
    structure = "folder" if options.get("docs_structure") == "folder" else "suffix"
    listed = options.get("languages")
    if isinstance(listed, Mapping):
        default = _text(options.get("default_language")) or None
        return tuple(key for key in listed if isinstance(key, str) and key != "default"), default, structure
    languages = [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else []
    built = [entry for entry in languages if entry.get("build") is not False and _text(entry.get("locale"))]
    default = next((_text(entry["locale"]) for entry in built if entry.get("default") is True), None)
    locales = tuple(_text(entry["locale"]) for entry in built if entry["locale"] != "null")
    return locales, default, structure


def _snippet_paths(extensions: object) -> Iterator[str]:
    for name in ("pymdownx.snippets", "markdown_include.include", "mdx_include"):
        base = (_options(extensions, name) or {}).get("base_path")
        for path in base if isinstance(base, list) else [base]:
            if _text(path):
                yield _text(path)


def _titles(nav: object) -> Iterator[tuple[str, str]]:
    """The path and title of each page that a nav names with a title."""
    for entry in nav if isinstance(nav, list) else []:
        for title, target in entry.items() if isinstance(entry, Mapping) else ():
            if isinstance(target, str) and isinstance(title, str) and title.strip():
                yield target, title.strip()
            else:
                yield from _titles(target)


def _appended(extensions: object) -> Iterator[str]:
    listed = (_options(extensions, "pymdownx.snippets") or {}).get("auto_append")
    for path in listed if isinstance(listed, list) else [listed]:
        if _text(path):
            yield _text(path)


# --- gitignore-like lists ------------------------------------------------------------------------------------------


def path_patterns(lines: str) -> tuple[PathPattern, ...]:
    """Parse a gitignore-like list: one pattern a line, `#` for comments, `!` to include again."""
    found = []
    for line in lines.splitlines():
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        keeps = pattern.startswith("!")
        body = pattern.removeprefix("!").removeprefix("\\")
        parts = [part for part in body.split("/") if part]
        if "/" not in body.rstrip("/"):
            parts.insert(0, "**")
        if parts[-1:] == ["**"]:
            parts.append("*")
        found.append(PathPattern(tuple(parts), body.endswith("/"), keeps))
    return tuple(found)


def is_excluded(path: str, patterns: tuple[PathPattern, ...]) -> bool:
    """Whether a path is excluded: the last pattern that matches it or a folder above it decides."""
    names = path.split("/")
    verdict = False
    for pattern in patterns:
        if pattern.keeps == verdict and _matches(names, pattern):
            verdict = not pattern.keeps
    return verdict


def _matches(names: list[str], pattern: PathPattern) -> bool:
    """Whether a pattern matches. reached: how many names it can have consumed so far."""
    reached = {0}
    for part in pattern.parts:
        if not reached:
            return False
        if part == "**":
            reached = set(range(min(reached), len(names) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(names) and fnmatch.fnmatchcase(names[at], part)}
    return bool(reached) and (not pattern.only_folders or min(reached) < len(names))


UNCONFIGURED = replace(interpret_config({}), rules=USUAL_MKDOCS)
"""For pages without a mkdocs.yml: the usual extensions are on."""
