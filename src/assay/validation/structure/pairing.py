"""Pair the pages of two generations: a page may have got its first public address. No I/O."""

from collections import defaultdict
from collections.abc import Iterable
from urllib.parse import urlsplit

from assay.model.documents import DocumentInfo
from assay.model.ids import is_placeholder
from assay.validation.structure.hosts import is_provisional


def pair_pages(before: Iterable[DocumentInfo], after: Iterable[DocumentInfo]) -> dict[str, str]:
    """By URL, each page of a generation that a later one still has, with its URL there. One-to-one.

    A page is the same under the same URL. A page with a placeholder or another provisional address is also the same if
    its file is, or its path and query at a crawled site: giving it an address breaks no link.
    """
    before, after = list(before), list(after)
    urls = {info.url for info in after}
    pairs = {info.url: info.url for info in before if info.url in urls}
    free: defaultdict[tuple[object, ...], list[str]] = defaultdict(list)
    for info in sorted(after, key=lambda info: info.url, reverse=True):
        if info.url not in pairs:
            free[_place(info)].append(info.url)
    for info in sorted(before, key=lambda info: info.url):
        if info.url in pairs or not is_provisional(info.url):
            continue
        there = free[_place(info)]
        if there and (is_placeholder(info.url) or not is_provisional(there[-1])):
            pairs[info.url] = there.pop()
    return pairs


def _place(info: DocumentInfo) -> tuple[object, ...]:
    """The place of a page in its source. A crawled page's source_path lacks the query."""
    return info.source, info.source_path, urlsplit(info.url).query
