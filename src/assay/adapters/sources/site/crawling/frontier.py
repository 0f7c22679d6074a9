"""The queue of addresses to fetch: each page once, with limits against crawler traps."""

import re
from collections import Counter, defaultdict, deque
from urllib.parse import urlsplit, urlunsplit

from assay.adapters.sources.site.addresses import (
    has_view_query,
    html_candidates,
    is_binary,
    is_markdown,
    key_of,
    normalize_url,
    without_index_file,
)
from assay.adapters.sources.site.crawling.page_fetch import FetchJob
from assay.adapters.sources.site.discovery.robots import Robots, is_allowed
from assay.adapters.sources.site.options import SiteLimits
from assay.adapters.sources.site.pages.facts import series_of
from assay.adapters.sources.site.scope import CrawlScope
from assay.adapters.sources.site.store import Visit

SITEMAP, LINK, LLMS, KNOWN, START, GUESSED, QUERY, UNLINKED = 1, 2, 4, 8, 16, 32, 64, 128
"""How an address was found, as bits.

GUESSED: derived from another address; it may be missing. UNLINKED: a file that nothing leads to.
"""

LISTED = SITEMAP | KNOWN | START | LLMS
"""Listed by the site or the live generation."""

_TRUSTED = LISTED | UNLINKED
"""Exempt from the checks for crawler traps; a file exists, whatever its path."""

ROBOTS = "disallowed by robots.txt"

_MAX_SEGMENTS = 24
_MAX_SPELLINGS = 3
_MAX_RECORDED_REFUSALS = 2_000
_MAX_REMEMBERED_LINKS = 500_000
"""Links remembered as offered. A crawler trap has millions, each seen once."""
MIN_ENDLESS_SERIES = 8
"""Pages of a series that are equal except for numbers and dates: from this many on, the series is a trap."""

_REPEATS = re.compile(r"(/[^/]+(?:/[^/]+){0,3}?)\1{2,}(?=/|$)")


class Frontier:
    """The queue of addresses to fetch. For a page that was seen, only hashes are kept.

    rejected: number of rejected addresses by reason. limits_hit: the limits that were reached.
    """

    def __init__(self, scope: CrawlScope, limits: SiteLimits, robots: dict[str, Robots]) -> None:
        self._scope = scope
        self._limits = limits
        self._robots = robots
        self.queue: deque[FetchJob] = deque()
        self.markdown: list[FetchJob] = []
        self.rejected: Counter[str] = Counter()
        self.limits_hit: set[str] = set()
        self.found = 0
        self._links: set[int] = set()
        self._pages: dict[int, int] = {}
        self._spellings: dict[int, list[str]] = {}
        self._gone: set[int] = set()
        self._queries: Counter[str] = Counter()
        self._over_query_limit: set[str] = set()
        self._series: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._endless: set[str] = set()
        self._unwritten: list[Visit] = []
        self._refused = 0

    def offer(self, address: str, depth: int, kinds: int, *, redirects: int = 0) -> None:
        """Add an address to the queue, or count why it is rejected."""
        seen = hash((address, kinds & _TRUSTED != 0))
        if seen in self._links:
            return
        if len(self._links) >= _MAX_REMEMBERED_LINKS:
            self._links.clear()  # accepted links are known by page; a rejected one is counted again
        self._links.add(seen)
        own = normalize_url(address)
        if own is None:
            self.rejected["invalid addresses"] += 1
            return
        own = self._scope.resolve_alias(own)
        reason = self._rejection_reason(own, depth, kinds)
        if reason:
            self.rejected[reason] += 1
            if "depth" in self.limits_hit:
                self._links.discard(seen)  # a shorter path may lead to it
            return
        self._enqueue(own, depth, kinds, redirects)

    def _rejection_reason(self, address: str, depth: int, kinds: int) -> str:
        if not self._scope.holds(address):
            excluded = self._scope.is_own_host(address) and self._scope.excluded(address)
            return "addresses of excluded prefixes" if excluded else "links out of the scope"
        if is_binary(address):
            return "links to files that are not pages"
        return "" if kinds & _TRUSTED else self._trap_reason(address, depth)

    def _trap_reason(self, address: str, depth: int) -> str:
        """Why a link that the site does not list is not followed; "" to follow it."""
        if has_view_query(address):
            return "links to searches, sorted lists and actions"
        path = urlsplit(address).path
        if path.count("/") > _MAX_SEGMENTS or _REPEATS.search(path):
            return "addresses with repeated segments"
        if depth > self._limits.max_depth:
            self.limits_hit.add("depth")
            return f"pages deeper than {self._limits.max_depth} links"
        if series_of(address) in self._endless:
            return "addresses of an endless series"
        return ""

    def _enqueue(self, address: str, depth: int, kinds: int, redirects: int) -> None:
        key = key_of(address)
        page, form = hash(key), hash(address)
        first = self._pages.get(page)
        if first is not None:
            self._add_spelling(key, address, depth, kinds, first, form)
            return
        if len(self.queue) >= 4 * self._limits.max_pages and not kinds & KNOWN:
            self.limits_hit.add("pages")
            self.rejected[f"pages beyond the limit of {self._limits.max_pages:,}"] += 1
            return
        parts = urlsplit(address)
        if parts.query and not kinds & LISTED:
            if not self._allows_query(address):
                return
            kinds |= QUERY
        asked = without_index_file(address)
        self._pages[page] = hash(asked)
        if asked != address:
            self._spellings[page] = [address]
        if not is_allowed(self._robots, asked):
            self._refuse(Visit(key, asked, depth, kinds, "excluded", ROBOTS))
            return
        if is_markdown(address):
            self.markdown.append(FetchJob(key, asked, depth, kinds, redirects=redirects))
            self._unwritten.append(Visit(key, asked, depth, kinds))
            for twin in html_candidates(address):
                self.offer(twin, depth, GUESSED)
            return
        self._push(FetchJob(key, asked, depth, kinds, redirects=redirects))
        if parts.query:
            self.offer(urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")), depth, GUESSED)

    def _push(self, job: FetchJob) -> None:
        self.found += 1
        self.queue.append(job)
        self._unwritten.append(Visit(job.key, job.address, job.depth, job.kinds))

    def _refuse(self, visit: Visit) -> None:
        self._refused += 1
        if self._refused <= _MAX_RECORDED_REFUSALS:
            self._unwritten.append(visit)
        else:
            self.rejected["addresses that robots.txt disallows"] += 1

    def _allows_query(self, address: str) -> bool:
        parts = urlsplit(address)
        path = f"{parts.netloc}{parts.path}"
        self._queries[path] += 1
        if self._queries[path] <= self._limits.query_pages:
            return True
        self._over_query_limit.add(path)
        self.rejected["addresses beyond the limit of those that differ only in the query"] += 1
        return False

    def _add_spelling(self, key: str, address: str, depth: int, kinds: int, first: int, form: int) -> None:
        """Remember another spelling of a page, such as with a slash; it is fetched if the first is missing."""
        page = hash(key)
        forms = self._spellings.setdefault(page, [])
        if form == first or address in forms or len(forms) >= _MAX_SPELLINGS:
            if not forms:
                del self._spellings[page]
            return
        forms.append(address)
        if page in self._gone:
            self.retry_other_spelling(FetchJob(key, address, depth, kinds))

    def retry_other_spelling(self, job: FetchJob) -> bool:
        """Queue the page's next spelling after a miss; False if there is none."""
        page = hash(job.key)
        forms = self._spellings.get(page)
        if not forms:
            self._gone.add(page)
            return False
        address = forms.pop(0)
        self._pages[page] = hash(address)
        self._gone.discard(page)
        self.queue.append(FetchJob(job.key, address, job.depth, job.kinds))
        return True

    def resume(self, visits: list[Visit]) -> None:
        """Restore what an interrupted crawl had found."""
        for visit in visits:
            self._pages[hash(visit.key)] = hash(visit.address)
            self.found += 1
            if visit.kinds & QUERY:
                self._allows_query(visit.address)
            if not visit.outcome:
                target = self.markdown if is_markdown(visit.address) else self.queue
                target.append(FetchJob(visit.key, visit.address, visit.depth, visit.kinds))

    def record_page(self, job: FetchJob, skeleton: str) -> None:
        """Record a fetched page, and stop its series if it is endless."""
        series = series_of(job.address)
        if not series or not skeleton or job.kinds & LISTED:
            return
        self._series[series][skeleton] += 1
        if self._is_repetitive(series, skeleton):
            self._endless.add(series)

    def _is_repetitive(self, series: str, skeleton: str) -> bool:
        """Whether at least 80 % of a series are this page; a few placeholder pages are not a trap."""
        alike = self._series[series][skeleton]
        return alike >= MIN_ENDLESS_SERIES and 5 * alike >= 4 * self._series[series].total()

    def exceeds_query_limit(self, address: str) -> bool:
        """Whether the path has more addresses with a query than the limit."""
        parts = urlsplit(address)
        return bool(parts.query) and f"{parts.netloc}{parts.path}" in self._over_query_limit

    def is_in_endless_series(self, address: str, skeleton: str) -> bool:
        """Whether the page belongs to a series of pages that are equal except for numbers and dates."""
        series = series_of(address)
        return bool(series) and bool(skeleton) and self._is_repetitive(series, skeleton)

    def knows(self, key: str) -> bool:
        """Whether a page was found, by key."""
        return hash(key) in self._pages

    def drain_visits(self) -> list[Visit]:
        """Return and clear the addresses found since the last call."""
        written, self._unwritten = self._unwritten, []
        return written
