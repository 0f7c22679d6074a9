"""Whether a file of a tree is a page, and the page's URL and title, by the tree's convention. No I/O."""

import re
from collections.abc import Mapping

from assay.adapters.sources.folder.front_matter import FrontMatter, is_true
from assay.adapters.sources.folder.mkdocs.blog import is_post, post_path
from assay.adapters.sources.folder.mkdocs.config import is_excluded
from assay.adapters.sources.folder.routing import (
    Convention,
    docusaurus_route,
    excluded_path,
    file_stem,
    mkdocs_route,
    plain_route,
    strip_locale,
    strip_number,
)
from assay.adapters.sources.folder.tree import Tree

_NOT_IN_SEARCH = "excluded from the site's search"

_PARTS_OF_PAGES = frozenset({"_sidebar", "_navbar", "_coverpage", "_header", "_footer"})
"""Names of files, in lower case, that Docsify and the wikis of GitHub and GitLab show around each page."""

_CONTENTS = "summary"
"""Name of the table of contents of mdBook, HonKit and GitBook, in lower case; other pages may have it too."""

_LINE_OF_CONTENTS = re.compile(r"#.*|[*_-]{3,}|<!--.*|[*+-][ \t].*|\[.*\]\(.*\)")
_RULE = re.compile(r"[*_-]{3,}")
_LINKED_LINE = re.compile(r"(?:[*+-][ \t]+)?\[.*\]\(.*\)")


def path_in_tree(tree: Tree, key: str) -> str | None:
    """A file's path in its tree without the locale suffix; None when it belongs to another tree of the folder.

    A plain page keeps the locale in its path, which is its address.
    """
    if tree.translations:
        is_own = key not in tree.translations if tree.locale_is_default else tree.translations.get(key) == tree.locale
        return key if is_own else None
    path = key[len(tree.folder) + 1 :] if tree.folder else key
    stem = path.rpartition(".")[0]
    if tree.suffix:
        return strip_locale(path, tree.suffix) if stem.endswith(f".{tree.suffix}") else None
    if any(stem.endswith(f".{suffix}") for suffix in tree.other_suffixes):
        return None
    return strip_locale(path, tree.locale) if tree.other_suffixes and tree.locale else path


def exclusion_reason(tree: Tree, path: str) -> str | None:
    """Why a path is not a page; None when it is."""
    if tree.convention is Convention.DOCUSAURUS:
        return excluded_path(path)
    if tree.convention is Convention.PLAIN and file_stem(path).lower() in _PARTS_OF_PAGES:
        return "a part of other pages, such as a sidebar"
    if is_excluded(path, tree.exclude_patterns) or any(one.match(path) for one in tree.plugins.excluded):
        return "excluded by the site's configuration"
    return _NOT_IN_SEARCH if any(one.match(path) for one in tree.plugins.unsearched) else None


def contents_reason(tree: Tree, path: str, content: str) -> str | None:
    """Why a page's text makes it no page: it is the site's table of contents. None if it is not."""
    if tree.convention is not Convention.PLAIN or file_stem(path).lower() != _CONTENTS:
        return None
    lines = [line.strip() for line in content.splitlines() if line.strip()]
    items = [line for line in lines if line.startswith(("*", "+", "-", "[")) and not _RULE.fullmatch(line)]
    links = sum(_LINKED_LINE.fullmatch(line) is not None for line in items)
    is_contents = links * 2 > len(items) and all(map(_LINE_OF_CONTENTS.fullmatch, lines))
    return "the table of contents of the site" if is_contents else None


def unpublished_reason(tree: Tree, path: str, values: Mapping[str, object]) -> str | None:
    """Why front matter excludes a page from the site or from its search; None when it does not."""
    if is_true(values, "draft") and (tree.convention is not Convention.MKDOCS or _is_post(tree, path)):
        return "a draft"
    if tree.convention is Convention.DOCUSAURUS:
        return "unlisted" if is_true(values, "unlisted") else None
    search = values.get("search")
    is_hidden = isinstance(search, Mapping) and is_true(search, "exclude")
    if tree.convention is Convention.PLAIN:
        # As VitePress, Starlight and Just the Docs say it; their pages may be read as plain Markdown.
        is_hidden |= search is False or values.get("pagefind") is False or is_true(values, "search_exclude")
    return _NOT_IN_SEARCH if is_hidden else None


def _is_post(tree: Tree, path: str) -> bool:
    return any(is_post(path, blog) for blog in tree.plugins.blogs)


def route_of(tree: Tree, path: str, front: FrontMatter) -> str:
    """The route of a page. Raises InputError for front matter that its generator would refuse."""
    match tree.convention:
        case Convention.DOCUSAURUS:
            return docusaurus_route(path, front.values, numbers=tree.numbers)
        case Convention.MKDOCS:
            blog = next((blog for blog in tree.plugins.blogs if is_post(path, blog)), None)
            served = path if blog is None else post_path(path, front.values, front.content, blog)
            return mkdocs_route(served, directory_urls=tree.directory_urls)
        case Convention.PLAIN:
            return plain_route(path)


def is_commonmark(tree: Tree, path: str, values: Mapping[str, object]) -> bool:
    """Whether Docusaurus reads a page as CommonMark: as its front matter says, else as the configuration does."""
    written = values.get("mdx")
    given = written.get("format") if isinstance(written, Mapping) else None
    named = given if isinstance(given, str) else tree.markdown_format
    return named == "md" or (named == "detect" and not path.lower().endswith(".mdx"))


def default_title(tree: Tree, path: str, values: Mapping[str, object]) -> str | None:
    """The title that the generator gives a page without one; None to take it from the file's name.

    An index in a folder has none of its own worth showing: it takes the folder's name.
    """
    stem = file_stem(path)
    if tree.convention is Convention.MKDOCS:
        home = "Home" if path.lower() in {"index.md", "readme.md"} else None
        return tree.titles.get(path) or home
    if tree.convention is Convention.DOCUSAURUS and stem.lower() not in {"index", "readme"}:
        named = values.get("id")
        return named if isinstance(named, str) and named else strip_number(stem) if tree.numbers else stem
    return None
