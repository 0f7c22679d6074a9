"""Which of the addresses that are found are asked for, each page once, and what is left out and why."""

import re
from collections import Counter, defaultdict, deque
from urllib.parse import urlsplit, urlunsplit

from assay.adapters.sources.site.addresses import (
    folder_form,
    has_view_query,
    html_twins,
    is_binary,
    is_markdown,
    key_of,
    origin_of,
    spelled,
)
from assay.adapters.sources.site.crawling.page_fetch import Fetch
from assay.adapters.sources.site.discovery.robots import Robots
from assay.adapters.sources.site.options import SiteLimits
from assay.adapters.sources.site.pages.facts import series_of
from assay.adapters.sources.site.scope import Scope
from assay.adapters.sources.site.store import Visit

SITEMAP, LINK, LLMS, KNOWN, START, MAYBE, QUERY = 1, 2, 4, 8, 16, 32, 64
"""How an address was found. MAYBE: guessed from another one; nobody minds if it is not there."""

NAMED = SITEMAP | KNOWN | START | LLMS
"""The site, or the live generation, names the page itself: it is not cut by what guards against traps of links."""

ROBOTS = "robots.txt does not allow it"

_MOST_SEGMENTS = 24
_MOST_FORMS = 3
_MOST_WRITTEN = 2_000
_MOST_REMEMBERED = 500_000
"""Links that are known to have been offered: pages of a trap name millions, and each but once."""
SERIES = 8
"""So many pages of a series that say the same but for numbers and dates are a trap, and no documentation."""

_REPEATS = re.compile(r"(/[^/]+(?:/[^/]+){0,3}?)\1{2,}(?=/|$)")


class Frontier:
    """What waits to be asked for. Compact: of a page that was seen only numbers are kept.

    left_out: how many addresses were not taken, by reason. limits_hit: the limits that ended something.
    """

    def __init__(self, scope: Scope, limits: SiteLimits, robots: dict[str, Robots]) -> None:
        self._scope = scope
        self._limits = limits
        self._robots = robots
        self.waiting: deque[Fetch] = deque()
        self.markdown: list[Fetch] = []
        self.left_out: Counter[str] = Counter()
        self.limits_hit: set[str] = set()
        self.found = 0
        self._links: set[int] = set()
        self._pages: dict[int, int] = {}
        self._forms: dict[int, list[str]] = {}
        self._gone: set[int] = set()
        self._queries: Counter[str] = Counter()
        self._trapped: set[str] = set()
        self._series: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._stopped: set[str] = set()
        self._written: list[Visit] = []
        self._refused = 0

    def offer(self, address: str, depth: int, kinds: int, *, hops: int = 0) -> None:
        """Take an address, or count why it is not taken."""
        seen = hash((address, kinds & NAMED != 0))
        if seen in self._links:
            return
        if len(self._links) >= _MOST_REMEMBERED:
            self._links.clear()  # what was taken is known by its page; what was not is counted once more
        self._links.add(seen)
        try:
            own = spelled(address)
        except ValueError:
            own = None
        if own is None:
            self.left_out["addresses that cannot be asked for"] += 1
            return
        own = self._scope.own(own)
        reason = self._refused_for(own, depth, kinds)
        if reason:
            self.left_out[reason] += 1
            if "depth" in self.limits_hit:
                self._links.discard(seen)  # a shorter way may lead to it yet
            return
        self._take(own, depth, kinds, hops)

    def _refused_for(self, address: str, depth: int, kinds: int) -> str:
        if not self._scope.holds(address):
            excluded = self._scope.is_own_host(address) and self._scope.excluded(address)
            return "addresses of excluded prefixes" if excluded else "links that lead out of the scope"
        if is_binary(address):
            return "links to files that are no pages"
        return "" if kinds & NAMED else self._looks_like_a_trap(address, depth)

    def _looks_like_a_trap(self, address: str, depth: int) -> str:
        """Why a link is not followed that the site does not name as a page of its own."""
        if has_view_query(address):
            return "links to searches, lists and actions"
        path = urlsplit(address).path
        if path.count("/") > _MOST_SEGMENTS or _REPEATS.search(path):
            return "addresses that repeat themselves"
        if depth > self._limits.depth:
            self.limits_hit.add("depth")
            return f"pages deeper than {self._limits.depth} links"
        if series_of(address) in self._stopped:
            return "addresses of an endless series"
        return ""

    def _take(self, address: str, depth: int, kinds: int, hops: int) -> None:
        key = key_of(address)
        page, form = hash(key), hash(address)
        first = self._pages.get(page)
        if first is not None:
            self._other_form(key, address, depth, kinds, first, form)
            return
        if len(self.waiting) >= 4 * self._limits.pages and not kinds & KNOWN:
            self.limits_hit.add("pages")
            self.left_out[f"pages beyond the limit of {self._limits.pages:,}"] += 1
            return
        parts = urlsplit(address)
        if parts.query and not kinds & NAMED:
            if not self._admits_query(address):
                return
            kinds |= QUERY
        asked = folder_form(address)
        self._pages[page] = hash(asked)
        if asked != address:
            self._forms[page] = [address]
        robots = self._robots.get(origin_of(asked))
        if robots is not None and not robots.allows(asked):
            self._refuse(Visit(key, asked, depth, kinds, "excluded", ROBOTS))
            return
        if is_markdown(address):
            self.markdown.append(Fetch(key, asked, depth, kinds, hops=hops))
            self._written.append(Visit(key, asked, depth, kinds))
            for twin in html_twins(address):
                self.offer(twin, depth, MAYBE)
            return
        self._push(Fetch(key, asked, depth, kinds, hops=hops))
        if parts.query:
            self.offer(urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")), depth, MAYBE)

    def _push(self, job: Fetch) -> None:
        self.found += 1
        self.waiting.append(job)
        self._written.append(Visit(job.key, job.address, job.depth, job.kinds))

    def _refuse(self, visit: Visit) -> None:
        self._refused += 1
        if self._refused <= _MOST_WRITTEN:
            self._written.append(visit)
        else:
            self.left_out["addresses that robots.txt does not allow"] += 1

    def _admits_query(self, address: str) -> bool:
        parts = urlsplit(address)
        path = f"{parts.netloc}{parts.path}"
        self._queries[path] += 1
        if self._queries[path] <= self._limits.query_pages:
            return True
        self._trapped.add(path)
        self.left_out["addresses that differ in their query only, beyond the limit"] += 1
        return False

    def _other_form(self, key: str, address: str, depth: int, kinds: int, first: int, form: int) -> None:
        """The same page by another spelling, such as with a slash: asked for if the first is not there."""
        page = hash(key)
        forms = self._forms.setdefault(page, [])
        if form == first or address in forms or len(forms) >= _MOST_FORMS:
            if not forms:
                del self._forms[page]
            return
        forms.append(address)
        if page in self._gone:
            self.again(Fetch(key, address, depth, kinds))

    def again(self, job: Fetch) -> bool:
        """After a page was not there: ask by its next spelling. False when there is none."""
        page = hash(job.key)
        forms = self._forms.get(page)
        if not forms:
            self._gone.add(page)
            return False
        address = forms.pop(0)
        self._pages[page] = hash(address)
        self._gone.discard(page)
        self.waiting.append(Fetch(job.key, address, job.depth, job.kinds))
        return True

    def resume(self, visits: list[Visit]) -> None:
        """Go on with what an interrupted reading had found."""
        for visit in visits:
            self._pages[hash(visit.key)] = hash(visit.address)
            self.found += 1
            if visit.kinds & QUERY:
                self._admits_query(visit.address)
            if not visit.outcome:
                target = self.markdown if is_markdown(visit.address) else self.waiting
                target.append(Fetch(visit.key, visit.address, visit.depth, visit.kinds))

    def came(self, job: Fetch, skeleton: str) -> None:
        """A page came: stop its series if it is endless."""
        series = series_of(job.address)
        if not series or not skeleton or job.kinds & NAMED:
            return
        self._series[series][skeleton] += 1
        if self._says_the_same(series, skeleton):
            self._stopped.add(series)

    def _says_the_same(self, series: str, skeleton: str) -> bool:
        """Whether nearly all pages of a series are this one: some pages that are not written yet make no trap."""
        alike = self._series[series][skeleton]
        return alike >= SERIES and 5 * alike >= 4 * self._series[series].total()

    def is_trapped(self, address: str) -> bool:
        """Whether there were more addresses of this path, differing in the query, than are believed."""
        parts = urlsplit(address)
        return bool(parts.query) and f"{parts.netloc}{parts.path}" in self._trapped

    def is_endless(self, address: str, skeleton: str) -> bool:
        """Whether the page is one of a series that says the same again and again."""
        series = series_of(address)
        return bool(series) and bool(skeleton) and self._says_the_same(series, skeleton)

    def knows(self, key: str) -> bool:
        """Whether a page was found."""
        return hash(key) in self._pages

    def taken(self) -> list[Visit]:
        """What was found since the last call, to be written."""
        written, self._written = self._written, []
        return written
