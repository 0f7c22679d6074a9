"""The pages that the first pass over a folder found: their URLs, without duplicates, and the links between them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.adapters.sources.folder.files import FoundFile
from assay.adapters.sources.folder.tree import Tree
from assay.model.documents import PageExcluded, PageFailed

_INDEX = re.compile(r"(?:^|/)index(?:\.[^/]*)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page found in the first pass.

    path: posix, relative to its tree, without a locale suffix. mentions: files that it may link to, as written.
    missing: included paths that were not found.
    """

    file: FoundFile
    tree: Tree
    path: str
    url: str
    fingerprint: str
    mentions: tuple[str, ...]
    missing: tuple[str, ...] = ()


Item = FoundPage | PageFailed | PageExcluded
ItemsByTree = list[dict[str, Item]]  # for each tree, its items by key


def key_of(item: Item) -> str:
    """The key of a page in its source, whatever became of it."""
    return item.file.key if isinstance(item, FoundPage) else item.key


def exclude_duplicate_urls(found: ItemsByTree) -> None:
    """Exclude each page whose URL belongs to a page of an earlier tree; in a tree, `index` precedes other names."""
    owners: dict[str, str] = {}
    for items in found:
        pages = (item for item in items.values() if isinstance(item, FoundPage))
        for page in sorted(pages, key=lambda page: (not _INDEX.search(page.path), page.file.key)):
            owner = owners.setdefault(page.url, page.file.key)
            if owner != page.file.key:
                reason = f"{page.file.key} and {owner} have the same URL {page.url}; {owner} is kept"
                items[page.file.key] = PageExcluded(page.file.key, reason)


def links_by_tree(found: ItemsByTree, site: str) -> list[dict[str, str]]:
    """For each tree, the URLs of the pages that its pages can link to by file.

    Keys are paths relative to the root, to the site's folder and to the tree. A page that a locale lacks has the URL of
    the locale that has it.
    """
    trees = [[item for item in items.values() if isinstance(item, FoundPage)] for items in found]
    if any(page.tree.translations for pages in trees for page in pages[:1]):  # all pages link to each other by path
        return [dict(sorted((page.file.key, page.url) for pages in trees for page in pages))] * len(trees)
    groups: dict[str, list[FoundPage]] = {}
    for pages in trees:
        for page in pages:
            groups.setdefault(page.tree.group, []).append(page)
    links: list[dict[str, str]] = []
    for pages in trees:
        urls = {page.file.key: page.url for page in pages}
        tree = pages[0].tree if pages else None
        others = groups[tree.group] if tree is not None and tree.group else []
        for page in (*pages, *others):
            for name in _link_paths(page, tree or page.tree, site):
                urls.setdefault(name, page.url)
        links.append(urls)
    return links


def _link_paths(page: FoundPage, tree: Tree, site: str) -> Iterator[str]:
    """The paths by which a page can be linked from pages of a tree."""
    key = page.file.key
    yield key
    yield f"{tree.folder}/{page.path}" if tree.folder else page.path
    yield page.path
    if site and key.startswith(f"{site}/"):
        yield key.removeprefix(f"{site}/")
