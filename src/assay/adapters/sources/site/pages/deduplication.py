"""With the whole site in view: which of the pages that came are pages of their own, and what became of the others."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from assay.adapters.sources.site.addresses import looks_like_variant
from assay.adapters.sources.site.crawling.frontier import QUERY, Frontier
from assay.adapters.sources.site.http.retrying import MOST_HOPS
from assay.adapters.sources.site.pages.members import Member

_MOST_ALIKE = 3
"""Pages whose title and first heading are shared by more are not taken for one because of them."""


@dataclass(frozen=True, slots=True)
class Settled:
    """pages: those of their own. excluded: why others are none, by key."""

    pages: list[Member]
    excluded: dict[str, str]


def settle(found: Iterable[Member], kinds: Mapping[str, int], frontier: Frontier, start_key: str) -> Settled:
    """Take out what is no page: traps, pages that are not to be indexed, and duplicates.

    kinds: how each was found, by key.
    """
    excluded: dict[str, str] = {}
    pages: list[Member] = []
    for member in found:
        reason = _no_page(member, kinds.get(member.key, 0), frontier)
        if reason:
            excluded[member.key] = reason
        else:
            pages.append(member)
    pages = _fold_canonical(pages, excluded, start_key)
    return Settled(_fold_twins(pages, excluded), excluded)


_LISTING = re.compile(r"(Directory listing for|Index of) /")
"""How the titles begin that servers give to a folder in which there is no index page."""


def _no_page(member: Member, kinds: int, frontier: Frontier) -> str:
    if member.noindex:
        return "the page says that it is not to be indexed (noindex)"
    if kinds & QUERY and frontier.is_trapped(member.address):
        return "its path has more addresses that differ in their query than the limit query_pages"
    if not member.listed and _LISTING.match(member.likeness):
        return "a server's list of the files in a folder"
    if not member.listed and urlsplit(member.key).path.rpartition("/")[2] in {"404", "404.html"}:
        return "the site's own page for what is missing"
    if not member.listed and frontier.is_endless(member.address, member.skeleton):
        return "it is one of a series of pages that say the same but for numbers and dates"
    return ""


# --- canonical links ---


def _fold_canonical(pages: list[Member], excluded: dict[str, str], start_key: str) -> list[Member]:
    """Leave out pages that say, and rightly so, that they are another one."""
    by_key = {page.key: page for page in pages}
    claims = Counter(page.canonical for page in pages if page.canonical and page.canonical != page.key)
    alike = Counter(page.likeness for page in pages)
    kept = []
    for page in pages:
        target = by_key.get(page.canonical)
        if target is None or target is page or not _is_same(page, target, claims, alike, start_key):
            kept.append(page)
        else:
            excluded[page.key] = f"the same page as {target.key}: its canonical link says so"
    return kept


def _is_same(page: Member, target: Member, claims: Counter[str], alike: Counter[str], start_key: str) -> bool:
    """Whether a canonical link is to be followed: to a page that stands for itself, and is the same one."""
    if target.canonical not in {"", target.key}:
        return False
    if page.twin == target.twin:
        return True
    if variant_less(page.key) == variant_less(target.key) or page.variant != target.variant:
        return False  # another version or locale of it
    if page.fingerprint == target.fingerprint:
        return True
    if target.key == start_key or claims[target.key] > _MOST_ALIKE:
        return False  # every page canonical to one is a mistake in a template
    return bool(page.likeness) and page.likeness == target.likeness and alike[page.likeness] <= _MOST_ALIKE


def variant_less(key: str) -> str:
    """A key without what may name a version or a locale in its path."""
    parts = urlsplit(key)
    segments = [segment for segment in parts.path.split("/") if not looks_like_variant(segment)]
    return f"{parts.netloc}{'/'.join(segments)}?{parts.query}"


# --- twins ---


def _fold_twins(pages: list[Member], excluded: dict[str, str]) -> list[Member]:
    """Of pages whose addresses differ in case, suffix or query only, and that say the same, keep one."""
    groups: defaultdict[tuple[str, str], list[Member]] = defaultdict(list)
    for page in pages:
        groups[(page.twin, page.fingerprint)].append(page)
    kept = []
    for group in groups.values():
        best = min(group, key=_rank)
        kept.append(best)
        for page in group:
            if page is not best:
                excluded[page.key] = f"the same page as {best.key}, by another address"
    return sorted(kept, key=lambda page: page.key)


def _rank(page: Member) -> tuple[bool, bool, bool, int, str]:
    parts = urlsplit(page.key)
    return (page.canonical != page.key, bool(parts.query), not page.listed, len(page.key), page.key)


# --- redirects ---


def redirect_reason(key: str, moved: Mapping[str, str], pages: set[str], excluded: Mapping[str, str]) -> str:
    """What to say of an address that redirects. moved: the key that each leads to; pages: keys of pages."""
    target = key
    seen = {key}
    for _ in range(MOST_HOPS + 1):
        following = moved.get(target)
        if following is None:
            break
        target = following
        if target in seen:
            return "redirects in a circle"
        seen.add(target)
    else:
        return f"redirects more than {MOST_HOPS} times"
    if target in pages or target in excluded:
        return f"moved to {target}"
    return f"moved to {target}, which is no page that could be read"
