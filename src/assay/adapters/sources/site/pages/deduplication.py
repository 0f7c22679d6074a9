"""Deduplication: the pages of a crawl that are pages of their own, and the reason why others are excluded."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from assay.adapters.sources.site.addresses import looks_like_variant
from assay.adapters.sources.site.crawling.frontier import QUERY, Frontier
from assay.adapters.sources.site.http.retrying import MAX_REDIRECTS
from assay.adapters.sources.site.pages.site_pages import SitePage

NOINDEX = "the page is marked noindex"

_MAX_SHARED_TITLES = 3
"""Pages may share a title and first heading with at most this many to count as duplicates."""


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """The pages to index. excluded: the reason for each other page, by key."""

    pages: list[SitePage]
    excluded: dict[str, str]


def deduplicate(
    found: Iterable[SitePage], kinds: Mapping[str, int], frontier: Frontier, start_key: str
) -> Deduplicated:
    """Remove traps, `noindex` pages and duplicates.

    kinds: how each page was found, by key.
    """
    excluded: dict[str, str] = {}
    pages: list[SitePage] = []
    for member in found:
        reason = _exclusion_reason(member, kinds.get(member.key, 0), frontier)
        if reason:
            excluded[member.key] = reason
        else:
            pages.append(member)
    pages = _drop_canonical_duplicates(pages, excluded, start_key)
    return Deduplicated(_drop_respelled_duplicates(pages, excluded), excluded)


_LISTING = re.compile(r"(Directory listing for|Index of) /")
"""The start of titles that servers give to a generated list of files."""


def _exclusion_reason(member: SitePage, kinds: int, frontier: Frontier) -> str:
    if member.noindex:
        return NOINDEX
    if kinds & QUERY and frontier.exceeds_query_limit(member.address):
        return "its path has more addresses that differ only in the query than the limit query_pages"
    if not member.listed and _LISTING.match(member.titles):
        return "a generated list of files in a folder"
    if not member.listed and urlsplit(member.key).path.rpartition("/")[2] in {"404", "404.html"}:
        return "the site's 404 page"
    if not member.listed and frontier.is_in_endless_series(member.address, member.skeleton):
        return "it belongs to a series of pages that are equal except for numbers and dates"
    return ""


# --- canonical links ---


def _drop_canonical_duplicates(pages: list[SitePage], excluded: dict[str, str], start_key: str) -> list[SitePage]:
    """Remove pages whose canonical link names another page that is indeed the same."""
    by_key = {page.key: page for page in pages}
    canonical_counts = Counter(page.canonical for page in pages if page.canonical and page.canonical != page.key)
    title_counts = Counter(page.titles for page in pages)
    kept = []
    for page in pages:
        target = by_key.get(page.canonical)
        if (
            target is None
            or target is page
            or not _is_canonical_duplicate(page, target, canonical_counts, title_counts, start_key)
        ):
            kept.append(page)
        else:
            excluded[page.key] = f"duplicate of {target.key}, by its canonical link"
    return kept


def _is_canonical_duplicate(
    page: SitePage, target: SitePage, canonical_counts: Counter[str], title_counts: Counter[str], start_key: str
) -> bool:
    """Whether a canonical link counts: its target is canonical itself, and is the same page."""
    if target.canonical not in {"", target.key}:
        return False
    if page.twin == target.twin:
        return True
    if without_variant(page.key) == without_variant(target.key) or page.variant != target.variant:
        return False  # the same page in another version or locale
    if page.fingerprint == target.fingerprint:
        return True
    if target.key == start_key or canonical_counts[target.key] > _MAX_SHARED_TITLES:
        return False  # a template that gives all pages one canonical link
    return bool(page.titles) and page.titles == target.titles and title_counts[page.titles] <= _MAX_SHARED_TITLES


def without_variant(key: str) -> str:
    """A key without the path segments that may name a version or a locale."""
    parts = urlsplit(key)
    segments = [segment for segment in parts.path.split("/") if not looks_like_variant(segment)]
    return f"{parts.netloc}{'/'.join(segments)}?{parts.query}"


# --- twins ---


def _drop_respelled_duplicates(pages: list[SitePage], excluded: dict[str, str]) -> list[SitePage]:
    """Keep one of the pages with equal text whose addresses differ only in case, suffix or query."""
    groups: defaultdict[tuple[str, str], list[SitePage]] = defaultdict(list)
    for page in pages:
        groups[(page.twin, page.fingerprint)].append(page)
    kept = []
    for group in groups.values():
        best = min(group, key=_rank)
        kept.append(best)
        for page in group:
            if page is not best:
                excluded[page.key] = f"duplicate of {best.key} at another address"
    return sorted(kept, key=lambda page: page.key)


def _rank(page: SitePage) -> tuple[bool, bool, bool, int, str]:
    parts = urlsplit(page.key)
    return (page.canonical != page.key, bool(parts.query), not page.listed, len(page.key), page.key)


# --- redirects ---


def redirect_reason(key: str, moved: Mapping[str, str], pages: set[str], excluded: Mapping[str, str]) -> str:
    """The reason reported for an address that redirects.

    moved: target key by redirecting key. pages: keys of the indexed pages.
    """
    target = key
    seen = {key}
    for _ in range(MAX_REDIRECTS + 1):
        following = moved.get(target)
        if following is None:
            break
        target = following
        if target in seen:
            return "redirects in a loop"
        seen.add(target)
    else:
        return f"redirects more than {MAX_REDIRECTS} times"
    if target in pages or target in excluded:
        return f"moved to {target}"
    return f"moved to {target}, which could not be read as a page"
