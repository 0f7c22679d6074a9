"""Reading a site's sitemaps and llms.txt, wherever they are declared."""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from assay.adapters.sources.site.addresses import at_origin, origin_of, resolve
from assay.adapters.sources.site.discovery.sitemaps import Listing, read_llms, read_sitemap
from assay.adapters.sources.site.discovery.start import CrawlStart, is_served_at_start
from assay.adapters.sources.site.http.responses import FetchError
from assay.adapters.sources.site.http.retrying import FetchedFile, RetryingFetcher
from assay.adapters.sources.site.options import SiteRequest
from assay.adapters.sources.site.pages.facts import PageHead

logger = logging.getLogger(__name__)

_MAX_DEPTH = 3
_GUESSES = ("sitemap.xml", "sitemap_index.xml", "sitemap-index.xml")
_LLMS_BYTES = 4_000_000

Offer = Callable[[str], None]


@dataclass
class Listings:
    """The result of reading a site's sitemaps.

    entries: number of entries by the address of each sitemap found.
    faults: by address, why a sitemap was not read completely. A page that no sitemap lists may still exist then.
    """

    entries: dict[str, int] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)


@dataclass
class ListingReader:
    """Reads the sitemaps and llms.txt of one site and offers the listed pages to the crawl.

    previous: sitemaps of the last complete crawl; one that is missing now is a fault.
    offer_page: called with each address.
    """

    crawl_start: CrawlStart
    fetcher: RetryingFetcher
    request: SiteRequest
    previous: dict[str, int]
    offer_page: Offer

    def __post_init__(self) -> None:
        self._scope = self.crawl_start.scope
        self._limits = self.request.limits
        self._seen: set[str] = set()
        self._tried_origins: set[str] = set()
        self.result = Listings()

    def read_sitemaps(self) -> None:
        """Read every sitemap: declared, guessed, read in the previous crawl, or listed in another sitemap."""
        declared = self._declared()
        guessed = [f"{place}/{name}" for name in _GUESSES[:1] for place in self._locations()]
        queue = deque((address, 0, address in declared) for address in [*declared, *guessed, *self.previous])
        self._drain(queue)
        if not self.result.entries:
            self._drain(deque((f"{place}/{name}", 0, False) for name in _GUESSES[1:] for place in self._locations()))
        for address in self.previous:
            if address not in self.result.entries and address not in self.result.faults:
                self._fault(address, "it was there in the previous crawl and is missing now")

    def alias_canonical_origin(self, head: PageHead) -> None:
        """Add the origin of the start page's canonical link as an alias if that link is this page at another origin."""
        canonical = head.facts.canonical
        if not canonical or origin_of(self._scope.resolve_alias(canonical)) in self._scope.origins:
            return
        origin = origin_of(canonical)
        there = [link for link in head.links if origin_of(link) == origin and link != canonical]
        if urlsplit(canonical).path == urlsplit(self._scope.start).path:
            self._alias_origin(there or [canonical], "the start page's canonical link")

    def read_llms(self, offer: Offer) -> None:
        """Offer the links of llms.txt. Dead ones do no harm."""
        for place in self._locations():
            try:
                fetched = self.fetcher.fetch(f"{place}/llms.txt", _LLMS_BYTES)
            except FetchError:
                continue
            if not fetched.ok or fetched.media == "text/html":
                continue
            text = fetched.text(html=False)
            if text.lstrip()[:1] == "<":
                continue
            links = [link for written in read_llms(text) if (link := resolve(fetched.address, written)) is not None]
            self._alias_origin(links, "llms.txt")
            for link in links:
                offer(link)

    def _declared(self) -> list[str]:
        robots = ((origin, rules.sitemaps) for origin, rules in self.crawl_start.robots.items())
        listed = [(self._scope.origin, self.request.scope.sitemaps), *robots]
        written = [(origin + "/", address) for origin, addresses in listed for address in addresses]
        found = [link for place in written if (link := resolve(*place)) is not None]
        if self.crawl_start.head is not None:
            found += self.crawl_start.head.facts.sitemaps
        return list(dict.fromkeys(found))

    def _locations(self) -> list[str]:
        """The locations to look in: the root of each host, and each prefix."""
        return list(dict.fromkeys([*self._scope.origins, *self._scope.prefixes]))

    def _drain(self, queue: deque[tuple[str, int, bool]]) -> None:
        while queue:
            address, depth, declared = queue.popleft()
            if address in self._seen:
                continue
            if len(self.result.entries) >= self._limits.sitemap_files:
                self._fault(address, f"there are more than {self._limits.sitemap_files} sitemaps")
                return
            listing = self._fetch(address, declared)
            if listing is None:
                continue
            for child in listing.sitemaps:
                target = resolve(address, child)
                if target is None or target in self._seen:
                    continue
                if depth >= _MAX_DEPTH:
                    self._fault(target, f"it is nested in more than {_MAX_DEPTH} sitemaps")
                else:
                    queue.append((target, depth + 1, True))

    def _fetch(self, address: str, declared: bool) -> Listing | None:
        """Read a sitemap and offer its pages; None if there is none."""
        self._seen.add(address)
        for candidate in self._candidates(address):
            self._seen.add(candidate)
            try:
                fetched = self.fetcher.fetch(candidate, self._limits.sitemap_bytes)
            except FetchError as failure:
                if candidate == address:
                    self._fault(address, failure.reason, warn=declared or failure.transient)
                continue
            listing = self._parse(fetched)
            if listing is not None and listing.is_sitemap:
                self._record(candidate, listing)
                return listing
            if candidate == address and declared:
                reason = (
                    "it is a page, not a sitemap" if fetched.ok else f"the server returned {fetched.response.status}"
                )
                self._fault(address, reason)
        return None

    def _candidates(self, address: str) -> list[str]:
        """The addresses to try: the site's own origin first if the sitemap is listed at another."""
        own = self._scope.resolve_alias(address)
        if origin_of(own) in self._scope.origins:
            return [own]
        return [at_origin(address, self._scope.origin), address]

    def _parse(self, fetched: FetchedFile) -> Listing | None:
        if not fetched.ok:
            return None
        media = fetched.response.headers.get("content-type", "")
        return read_sitemap(fetched.response.body, media, fetched.address, self._limits.sitemap_bytes)

    def _record(self, address: str, listing: Listing) -> None:
        self.result.entries[address] = len(listing.pages) + len(listing.sitemaps)
        if listing.fault:
            self._fault(address, listing.fault)
        pages = [page for written in listing.pages if (page := resolve(address, written)) is not None]
        self._alias_origin(pages, address)
        for page in pages:
            self.offer_page(page)

    def _alias_origin(self, pages: list[str], where: str) -> None:
        """Add an origin as an alias if all pages are listed there and are also served at the start URL's origin."""
        origins = {origin_of(self._scope.resolve_alias(page)) for page in pages}
        if len(origins) != 1 or origins & set(self._scope.origins):
            return
        origin = origins.pop()
        if origin in self._tried_origins:
            return
        self._tried_origins.add(origin)
        sample = [pages[0], pages[len(pages) // 2], pages[-1]]
        if is_served_at_start(sample, self._scope, self.crawl_start, self.fetcher, self._limits.max_page_bytes):
            self._scope.add_alias(origin)
            logger.warning(
                "%s lists pages at %s that are also served at %s; they are read under the latter address.",
                where,
                origin,
                self._scope.origin,
            )
        else:
            logger.warning("%s lists only pages at %s, which is another site.", where, origin)

    def _fault(self, address: str, reason: str, *, warn: bool = True) -> None:
        self.result.faults[address] = reason
        if warn:
            logger.warning("The sitemap %s was not read completely: %s.", address, reason)
