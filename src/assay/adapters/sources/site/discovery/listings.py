"""Reading a site's own lists of its pages: sitemaps, wherever they are declared, and llms.txt."""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from assay.adapters.sources.site.addresses import moved_to, origin_of, resolve
from assay.adapters.sources.site.discovery.sitemaps import Listing, read_llms, read_sitemap
from assay.adapters.sources.site.discovery.start import Beginning, answers_here
from assay.adapters.sources.site.http.client import NoPage
from assay.adapters.sources.site.http.decoding import decoded
from assay.adapters.sources.site.http.retrying import Asked, Asker
from assay.adapters.sources.site.options import SiteRequest
from assay.adapters.sources.site.pages.facts import ReadHead

logger = logging.getLogger(__name__)

_DEEPEST = 3
_GUESSES = ("sitemap.xml", "sitemap_index.xml", "sitemap-index.xml")
_LLMS_BYTES = 4_000_000

Offer = Callable[[str], None]


@dataclass
class Listings:
    """What became of a site's lists.

    entries: number of entries by address of each sitemap that is there.
    faults: why one was not read whole, by its address: then a page that none lists may be there all the same.
    """

    entries: dict[str, int] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)


class ListingReader:
    """Reads the lists of one site and offers what they list.

    before: sitemaps of the last whole reading; one of them that is missing now is a fault.
    offer_page, offer_llms: take an address.
    """

    def __init__(
        self, beginning: Beginning, asker: Asker, request: SiteRequest, before: dict[str, int], offer_page: Offer
    ) -> None:
        self._beginning = beginning
        self._scope = beginning.scope
        self._asker = asker
        self._limits = request.limits
        self._told = request.scope.sitemaps
        self._before = before
        self._offer = offer_page
        self._seen: set[str] = set()
        self._tried: set[str] = set()
        self.result = Listings()

    def read_sitemaps(self) -> None:
        """Read every sitemap that is declared, guessed, was there before, or is listed by another."""
        declared = self._declared()
        guessed = [f"{place}/{name}" for name in _GUESSES[:1] for place in self._places()]
        queue = deque((address, 0, address in declared) for address in [*declared, *guessed, *self._before])
        self._drain(queue)
        if not self.result.entries:
            self._drain(deque((f"{place}/{name}", 0, False) for name in _GUESSES[1:] for place in self._places()))
        for address in self._before:
            if address not in self.result.entries and address not in self.result.faults:
                self._fault(address, "it was there in the last reading and is not now")

    def map_start(self, head: ReadHead) -> None:
        """Take the origin of the start page's canonical link for the site's own, where that is another name of it."""
        canonical = head.facts.canonical
        if not canonical or origin_of(self._scope.own(canonical)) in self._scope.origins:
            return
        origin = origin_of(canonical)
        there = [link for link in head.links if origin_of(link) == origin and link != canonical]
        if urlsplit(canonical).path == urlsplit(self._scope.start).path:
            self._map_origin(there or [canonical], "the start page's canonical link")

    def read_llms(self, offer: Offer) -> None:
        """Offer what llms.txt links to; a link that leads nowhere does no harm."""
        for place in self._places():
            try:
                asked = self._asker.ask(f"{place}/llms.txt", _LLMS_BYTES)
            except NoPage:
                continue
            if not asked.ok or asked.media == "text/html":
                continue
            text = decoded(asked.answer.body, asked.answer.headers.get("content-type", ""), html=False)
            if text.lstrip()[:1] == "<":
                continue
            links = [link for written in read_llms(text) if (link := resolve(asked.address, written)) is not None]
            self._map_origin(links, "llms.txt")
            for link in links:
                offer(link)

    def _declared(self) -> list[str]:
        found = [link for told in self._told if (link := resolve(self._scope.origin + "/", told)) is not None]
        for origin, robots in self._beginning.robots.items():
            found += [link for written in robots.sitemaps if (link := resolve(origin + "/", written)) is not None]
        if self._beginning.head is not None:
            found += self._beginning.head.facts.sitemaps
        return list(dict.fromkeys(found))

    def _places(self) -> list[str]:
        """Where the files of a site lie: at the root of its hosts, and in its own folder."""
        return list(dict.fromkeys([*self._scope.origins, *self._scope.prefixes]))

    def _drain(self, queue: deque[tuple[str, int, bool]]) -> None:
        while queue:
            address, depth, declared = queue.popleft()
            if address in self._seen:
                continue
            if len(self.result.entries) >= self._limits.sitemaps:
                self._fault(address, f"there are more than {self._limits.sitemaps} sitemaps")
                return
            listing = self._fetched(address, declared)
            if listing is None:
                continue
            for child in listing.sitemaps:
                target = resolve(address, child)
                if target is None or target in self._seen:
                    continue
                if depth >= _DEEPEST:
                    self._fault(target, f"it is nested deeper than {_DEEPEST} sitemaps")
                else:
                    queue.append((target, depth + 1, True))

    def _fetched(self, address: str, declared: bool) -> Listing | None:
        """A sitemap with its pages offered; None when there is none."""
        self._seen.add(address)
        for candidate in self._candidates(address):
            self._seen.add(candidate)
            try:
                asked = self._asker.ask(candidate, self._limits.sitemap_bytes)
            except NoPage as failure:
                if candidate == address:
                    self._fault(address, failure.reason, loud=declared or failure.passing)
                continue
            listing = self._understood(asked)
            if listing is not None and listing.is_sitemap:
                self._take(candidate, listing)
                return listing
            if candidate == address and declared:
                reason = "it is a page and no sitemap" if asked.ok else f"the server says {asked.answer.status}"
                self._fault(address, reason)
        return None

    def _candidates(self, address: str) -> list[str]:
        """Where a sitemap may be: at the site's own origin first, where it is listed at another."""
        own = self._scope.own(address)
        if origin_of(own) in self._scope.origins:
            return [own]
        return [moved_to(address, self._scope.origin), address]

    def _understood(self, asked: Asked) -> Listing | None:
        if not asked.ok:
            return None
        media = asked.answer.headers.get("content-type", "")
        return read_sitemap(asked.answer.body, media, asked.address, self._limits.sitemap_bytes)

    def _take(self, address: str, listing: Listing) -> None:
        self.result.entries[address] = len(listing.pages) + len(listing.sitemaps)
        if listing.fault:
            self._fault(address, listing.fault)
        pages = [page for written in listing.pages if (page := resolve(address, written)) is not None]
        self._map_origin(pages, address)
        for page in pages:
            self._offer(page)

    def _map_origin(self, pages: list[str], where: str) -> None:
        """Pages that are all listed at one other origin are read at the start's, if they are there."""
        origins = {origin_of(self._scope.own(page)) for page in pages}
        if len(origins) != 1 or origins & set(self._scope.origins):
            return
        origin = origins.pop()
        if origin in self._tried:
            return
        self._tried.add(origin)
        sample = [pages[0], pages[len(pages) // 2], pages[-1]]
        if answers_here(sample, self._scope, self._beginning, self._asker, self._limits.page_bytes):
            self._scope.add_alias(origin)
            logger.warning(
                "%s lists pages at %s that are served at %s too; they are read there, under that address.",
                where,
                origin,
                self._scope.origin,
            )
        else:
            logger.warning("%s lists nothing but pages at %s, which is another site.", where, origin)

    def _fault(self, address: str, reason: str, *, loud: bool = True) -> None:
        self.result.faults[address] = reason
        if loud:
            logger.warning("The sitemap %s is not read whole: %s.", address, reason)
