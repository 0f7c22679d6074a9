"""The plugins of mkdocs.yml that change pages: those that are obeyed, and a notice for those that are not."""

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from assay.adapters.sources.folder.mkdocs.extensions import entries

NOT_FOLLOWED = {
    "macros": "the templates in pages are left out",
    "markdownextradata": "the templates in pages are left out",
    "table-reader": "the tables that it reads from files are missing",
    "gen-files": "generated pages are missing",
    "api-autonav": "generated pages are missing",
    "autoapi": "generated pages are missing",
    "mkdocstrings": "the documentation of code that it inserts is missing",
    "mkautodoc": "the documentation of code that it inserts is missing",
    "mkdocs-click": "the documentation of commands that it inserts is missing",
    "mkdocs-typer": "the documentation of commands that it inserts is missing",
    "mkdocs-jupyter": "notebooks are not read",
    "swagger-ui-tag": "the API descriptions that it shows are missing",
    "render_swagger": "the API descriptions that it shows are missing",
    "file-filter": "the pages that it leaves out are read",
    "monorepo": "the sites that it includes are missing",
    "multirepo": "the sites that it includes are missing",
    "projects": "the sites that it includes are missing",
    "hooks": "the changes that these programs make to pages are missing",
    "meta": "the metadata in .meta.yml files is ignored",
}
"""Plugins, extensions and hooks that change pages in a way that only the site's build knows, and the consequence."""


@dataclass(frozen=True, slots=True)
class BlogRules:
    """The blog plugin of Material: where its posts are, and the form of their URLs.

    folder, posts: paths in docs_dir; folder is "" for the docs themselves.
    url_format: with {date}, {slug}, {file} and {categories}. date_format: as in yyyy/MM/dd.
    separator: between the words of a slug.
    """

    folder: str = "blog"
    posts: str = "blog/posts"
    url_format: str = "{date}/{slug}"
    date_format: str = "yyyy/MM/dd"
    max_categories: int = 1
    separator: str = "-"


@dataclass(frozen=True, slots=True)
class Plugins:
    """The plugins' rules for pages.

    names: of all plugins, as written.
    excluded: patterns of the paths in docs_dir that are not pages. unsearched: of those that the search leaves out.
    blogs: the blogs. includes_markdown: `{% include-markdown %}` is obeyed.
    """

    names: tuple[str, ...] = ()
    excluded: tuple[re.Pattern[str], ...] = ()
    unsearched: tuple[re.Pattern[str], ...] = ()
    blogs: tuple[BlogRules, ...] = ()
    includes_markdown: bool = False


def read_plugins(listed: object) -> Plugins:
    """The plugins of a configuration's list or mapping; one with `enabled: false` is off."""
    plugins = [
        (name.removeprefix("material/"), options)
        for name, options in entries(listed)
        if options.get("enabled") is not False
    ]
    excluded: list[re.Pattern[str]] = []
    unsearched: list[re.Pattern[str]] = []
    for name, options in plugins:
        if name == "exclude":
            excluded += _globs(_texts(options.get("glob")))
            excluded += _compiled(_texts(options.get("regex")))
        elif name == "exclude-search":
            named = [entry for entry in _texts(options.get("exclude")) if "#" not in entry]
            unsearched += _globs(entry.removesuffix(".md") + ".md" for entry in named)
    return Plugins(
        names=tuple(name for name, _ in plugins),
        excluded=tuple(excluded),
        unsearched=tuple(unsearched),
        blogs=tuple(_blog(options) for name, options in plugins if name == "blog"),
        includes_markdown=any(name == "include-markdown" for name, _ in plugins),
    )


def plugin_notices(names: Iterable[str]) -> Iterator[str]:
    """A notice with the plugins and extensions that are not followed, and the way out; none if there are none."""
    named = [f"{name} ({NOT_FOLLOWED[name]})" for name in dict.fromkeys(names) if name in NOT_FOLLOWED]
    if named:
        yield (
            f"Plugins in mkdocs.yml that are not followed: {', '.join(named)}. If that matters, build the site with "
            "`mkdocs build` and publish `site/` instead."
        )


def _texts(value: object) -> list[str]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]


def _globs(patterns: Iterator[str] | list[str]) -> Iterator[re.Pattern[str]]:
    return (re.compile(fnmatch.translate(pattern)) for pattern in patterns)


def _compiled(patterns: list[str]) -> Iterator[re.Pattern[str]]:
    for pattern in patterns:
        try:
            yield re.compile(pattern)
        except re.error:
            continue


def _blog(options: Mapping[str, object]) -> BlogRules:
    def text(name: str, default: str) -> str:
        value = options.get(name)
        return value if isinstance(value, str) else default

    folder = text("blog_dir", "blog").strip("/").removeprefix("./")
    folder = "" if folder == "." else folder
    most = options.get("post_url_max_categories")
    return BlogRules(
        folder=folder,
        posts=text("post_dir", "{blog}/posts").replace("{blog}", folder).strip("/"),
        url_format=text("post_url_format", "{date}/{slug}"),
        date_format=text("post_url_date_format", "yyyy/MM/dd"),
        max_categories=most if isinstance(most, int) else 1,
        separator=text("post_slugify_separator", "-"),
    )
