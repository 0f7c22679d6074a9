"""One crawl: everything that a site has is found, asked for, and written to the store."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from time import monotonic, time

from assay.adapters.sources.site.addresses import html_twins, key_of, origin_of
from assay.adapters.sources.site.crawling.budget import Budget
from assay.adapters.sources.site.crawling.frontier import LINK, LLMS, MAYBE, SITEMAP, START, Frontier
from assay.adapters.sources.site.crawling.journal import Journal
from assay.adapters.sources.site.crawling.outage import Outage
from assay.adapters.sources.site.crawling.pacing import Pacing
from assay.adapters.sources.site.crawling.page_fetch import Came, Fetch, Outcome
from assay.adapters.sources.site.crawling.progress import Tally
from assay.adapters.sources.site.crawling.result import Crawled
from assay.adapters.sources.site.crawling.resume import fingerprint_of, offer_known, retrace
from assay.adapters.sources.site.crawling.soft_404 import NOT_THERE, MissingPages
from assay.adapters.sources.site.crawling.stored_pages import kept_page
from assay.adapters.sources.site.crawling.workers import Workers
from assay.adapters.sources.site.discovery.listings import ListingReader, Listings
from assay.adapters.sources.site.discovery.release_lists import release_lists
from assay.adapters.sources.site.discovery.start import Beginning, begin, one_page_for_all
from assay.adapters.sources.site.http.client import Bounds, Client
from assay.adapters.sources.site.http.guard import Guard, GuardedBackend
from assay.adapters.sources.site.http.retrying import MOST_HOPS, Asker
from assay.adapters.sources.site.options import SiteRequest
from assay.adapters.sources.site.store import CrawlStore
from assay.ports import Progress

logger = logging.getLogger(__name__)

_MOST_CONNECTIONS = 32
_MOST_EARLY = 256
"""Outcomes that wait for one that was asked for before them."""


class Crawl:
    """Finds and fetches the pages of one site.

    known: keys of the pages that the live generation has of it.
    """

    def __init__(self, request: SiteRequest, store: CrawlStore, known: Mapping[str, str], progress: Progress) -> None:
        self._request = request
        self._limits = request.limits
        self._store = store
        self._known = known
        self._progress = progress
        self._used = Budget(request.limits)
        self._good: set[int] = set()
        self._early: dict[int, Outcome] = {}
        self._lacked: list[Fetch] = []
        self._given = self._settled = 0
        self._tally = Tally(request.name, progress)
        self._journal = Journal(store, self._tally)
        self._whole = True

    def run(self) -> Crawled:
        """Crawl. Raises SourceError when the site cannot be read, ConfigurationError for a scope that cannot be."""
        guard = Guard(self._request.start)
        backend = GuardedBackend(guard)
        polite = self._request.politeness
        connections = min(polite.connections or (8 if guard.private_start else 4), _MOST_CONNECTIONS)
        client = Client(backend, self._request.start, self._request.headers, connections)
        bounds = Bounds(self._limits.page_seconds, self._limits.read_seconds, self._limits.page_bytes)
        asker = Asker(client, polite, bounds, self._used.until)
        try:
            beginning = begin(self._request, asker)
            client.follow(beginning.scope.start)
            return self._crawl(beginning, asker, client, backend, connections, bounds)
        finally:
            client.close()

    def _crawl(
        self,
        beginning: Beginning,
        asker: Asker,
        client: Client,
        backend: GuardedBackend,
        connections: int,
        bounds: Bounds,
    ) -> Crawled:
        self._beginning, self._scope = beginning, beginning.scope
        self._frontier = Frontier(beginning.scope, self._limits, beginning.robots)
        self._pacing = Pacing(self._request.politeness, connections)
        for origin, robots in beginning.robots.items():
            self._pacing.set_delay(origin, robots.delay)
        self._outage = Outage(beginning.scope.start)
        start_key = key_of(beginning.scope.start)
        self._missing = MissingPages(beginning.scope, beginning.robots, beginning.missing, start_key)
        fingerprint = fingerprint_of(self._request)
        resumed = self._store.begin(fingerprint, time(), self._request.politeness.resume_hours * 3600.0)
        if resumed:
            self._resume()
        before = self._store.listings()
        self._frontier.offer(beginning.scope.start, 0, START)
        listings = self._list(beginning, asker, before)
        self._look_outside(beginning)
        if resumed:
            retrace(self._store, self._frontier, self._follow)
        self._used.received = asker.received
        threads = connections * min(len(beginning.scope.origins), 4)
        self._workers = Workers(threads, client, backend, bounds)
        try:
            self._drain()
            self._ask_for_known(listings)
            self._journal.flush(self._frontier)
            releases = release_lists(self._store, asker, beginning.robots)
        finally:
            self._workers.stop()
            self._journal.flush(self._frontier)
        self._require_more_than_one_page()
        unasked = self._unasked()
        keep = listings.entries | {address: before[address] for address in listings.faults if address in before}
        self._store.finish({address: count for address, count in keep.items() if address not in self._lost(listings)})
        self._tally.report(self._frontier, unasked)
        return Crawled(beginning, self._frontier, start_key, unasked, releases)

    def _lost(self, listings: Listings) -> set[str]:
        """Sitemaps that are not there any more: this reading asked for what they listed, the next does not wait."""
        return {address for address, reason in listings.faults.items() if reason.startswith("it was there")}

    def _list(self, beginning: Beginning, asker: Asker, before: dict[str, int]) -> Listings:
        frontier = self._frontier
        reader = ListingReader(
            beginning, asker, self._request, before, lambda address: frontier.offer(address, 0, SITEMAP)
        )
        if beginning.head is not None:
            reader.map_start(beginning.head)
        reader.read_sitemaps()
        reader.read_llms(lambda address: frontier.offer(address, 0, LLMS))
        self._whole = not reader.result.faults and not beginning.is_one_page
        return reader.result

    def _resume(self) -> None:
        visits = list(self._store.visits())
        self._frontier.resume(visits)
        done = [visit for visit in visits if visit.outcome]
        self._good = {hash(visit.key) for visit in done if visit.outcome == Came.PAGE}
        self._used.pages = len(self._good)
        self._tally.resumed(len(done))

    def _look_outside(self, beginning: Beginning) -> None:
        """A start page that `include` leaves out is no page, but leads to those that are; so do the prefixes."""
        if self._scope.holds(self._scope.start):
            return
        if beginning.head is not None:
            self._follow(list(beginning.head.links), 0)
        for prefix in self._scope.prefixes:
            self._frontier.offer(prefix, 0, MAYBE)

    # --- the loop ---

    def _drain(self) -> None:
        """Ask for everything that waits, until nothing does or a limit ends it."""
        under_way = 0
        while True:
            under_way += self._dispatch()
            self._tally.expect(self._frontier.found)
            if not under_way and not self._more():
                return
            outcome = self._workers.take(self._pacing.next_time(monotonic()))
            if outcome is not None:
                under_way -= 1
                self._arrived(outcome)
            if self._journal.is_due:
                self._journal.flush(self._frontier)

    def _more(self) -> bool:
        """Whether something is left to ask for."""
        if self._limit_hit():
            return False
        if not self._frontier.waiting and not self._pacing.waiting:
            self._frontier.waiting.extend(self._lonely_markdown())
        return bool(self._frontier.waiting or self._pacing.waiting)

    def _lonely_markdown(self) -> Iterator[Fetch]:
        """Markdown files whose HTML page is not there."""
        jobs, self._frontier.markdown = self._frontier.markdown, []
        for job in jobs:
            if any(hash(key_of(twin)) in self._good for twin in html_twins(job.address)):
                self._journal.settled(job, "twin")
            else:
                self._frontier.found += 1
                yield job

    def _dispatch(self) -> int:
        """Begin as many requests as may be begun; how many."""
        begun = 0
        now = monotonic()
        while not self._limit_hit():
            job = self._outage.pulse()
            if job is None:
                job = self._next(now) if len(self._early) < _MOST_EARLY else None
                if job is None:
                    break
                job = self._probe_before(job)
                job = replace(job, known=self._store.page(job.key), order=self._given)
                self._given += 1
            self._pacing.began(job.address, now)
            self._workers.give(job)
            self._used.asked += 1
            begun += 1
        return begun

    def _probe_before(self, job: Fetch) -> Fetch:
        """The page, or what is to be known of its part of the site before it comes."""
        probe = self._missing.probe_before(job)
        if probe is None:
            return job
        self._frontier.waiting.appendleft(job)
        return probe

    def _next(self, now: float) -> Fetch | None:
        """The next page that may be asked for now."""
        if self._outage.waits:
            return None
        waiting = self._frontier.waiting
        for _ in range(min(len(waiting), 64)):
            if self._pacing.may_begin(waiting[0].address, now):
                return self._pacing.due(now) or waiting.popleft()
            if len(self._scope.origins) == 1:
                return None
            waiting.rotate(-1)
        if not waiting and self._pacing.may_begin(self._scope.start, now):
            return self._pacing.due(now)
        return None

    def _limit_hit(self) -> bool:
        """Whether a limit forbids more requests."""
        limit = self._used.exhausted(self._given - self._settled)
        if limit and self._used.is_final(limit) and (self._frontier.waiting or self._pacing.waiting):
            self._frontier.limits_hit.add(limit)
        return bool(limit)

    def _unasked(self) -> str:
        """Why pages that were found were not asked for; "" when all were."""
        left = len(self._frontier.waiting) + self._pacing.waiting
        if not left:
            return ""
        return "the limit of " + " and ".join(sorted(self._frontier.limits_hit)) + " was reached"

    # --- what came ---

    def _arrived(self, outcome: Outcome) -> None:
        """Settle outcomes in the order in which they were asked for, whichever came first.

        So two readings of one site find its pages in one order, by the same spellings, and end at a limit alike.
        """
        self._pacing.ended(outcome.job.address)
        self._used.received += outcome.received
        if self._outage.is_pulse(outcome):
            self._outage.answered(outcome)
            return
        self._early[outcome.job.order] = outcome
        while (following := self._early.pop(self._settled, None)) is not None:
            self._settled += 1
            self._settle(following)

    def _settle(self, outcome: Outcome) -> None:
        job = outcome.job
        if self._missing.is_probe(job):
            self._missing.answered(outcome)
            return
        self._outage.note(outcome)
        match outcome.came:
            case Came.PAGE | Came.UNCHANGED:
                self._page(outcome)
            case Came.MOVED:
                self._moved(job, outcome.detail, outcome.job.hops)
            case Came.GONE:
                if not self._frontier.again(job):
                    self._journal.done(job, "gone", outcome.detail)
            case Came.BUSY:
                self._busy(outcome)
            case Came.REFUSED if job.known is None and job.key not in self._known:
                self._journal.done(job, "excluded", outcome.detail)
            case Came.EXCLUDED:
                self._journal.done(job, "excluded", outcome.detail)
            case _:
                self._failed(job, outcome.detail)

    def _page(self, outcome: Outcome) -> None:
        job, page_facts = outcome.job, outcome.page_facts
        if page_facts is None:
            assert job.known is not None  # only what is kept is asked for with a condition
            kept = kept_page(self._store, job.known)
            page_facts, targets = kept.facts, kept.targets
            if kept.renewed is not None:
                self._journal.keep(kept.renewed)
        else:
            targets = list(outcome.targets)
        if page_facts.refresh and not self._leads_to_itself(page_facts.refresh, job):
            self._moved(job, page_facts.refresh, job.hops)
            return
        if self._missing.holds(job, page_facts):
            self._lacking(job)
            return
        self._good.add(hash(job.key))
        self._used.pages += 1
        self._frontier.came(job, page_facts.skeleton)
        self._follow(targets, job.depth)  # before it counts as done: an interrupt in between must lose no link
        if outcome.page is not None:
            self._journal.keep((outcome.page, outcome.links, outcome.body))
        self._journal.done(job, "page", "")

    def _lacking(self, job: Fetch) -> None:
        if not self._frontier.again(job):
            self._lacked.append(job)
            self._journal.done(job, "gone" if job.kinds & MAYBE else "excluded", NOT_THERE)

    def _leads_to_itself(self, target: str, job: Fetch) -> bool:
        return key_of(self._scope.own(target)) == job.key

    def _moved(self, job: Fetch, target: str, hops: int) -> None:
        own = self._scope.own(target)
        if not self._scope.holds(own):
            self._journal.done(job, "excluded", f"redirects to {_shown(own)}, outside the scope")
        elif hops >= MOST_HOPS:
            self._journal.done(job, "excluded", f"redirects more than {MOST_HOPS} times, or in a circle")
        elif key_of(own) == job.key:
            if own == job.address:
                self._journal.done(job, "excluded", "redirects to itself")
            else:
                self._frontier.waiting.append(replace(job, address=own, hops=hops + 1, tries=0))
        else:
            self._frontier.offer(own, job.depth, LINK, hops=hops + 1)
            self._journal.done(job, "moved", own)

    def _busy(self, outcome: Outcome) -> None:
        job, now = outcome.job, monotonic()
        if outcome.retry_after is not None:
            self._pacing.pause(job.address, outcome.retry_after, now)
        elif outcome.status == 429:
            self._pacing.pause(job.address, self._request.politeness.first_wait * 2.0**job.tries, now)
        if not self._pacing.retry(replace(job, tries=job.tries + 1), outcome.retry_after, now):
            self._failed(job, outcome.detail)

    def _failed(self, job: Fetch, reason: str) -> None:
        """A page that did not come: what it linked to when it last did is not lost."""
        if job.kinds & MAYBE and job.known is None and job.key not in self._known:
            self._journal.done(job, "gone", reason)
            return
        self._whole = False
        self._follow(self._store.links(job.key), job.depth)
        self._journal.done(job, "failed", reason)

    def _follow(self, targets: list[str], depth: int) -> None:
        for target in targets:
            self._frontier.offer(target, depth + 1, LINK)

    # --- what was there before ---

    def _require_more_than_one_page(self) -> None:
        """Raise SourceError for a site that had pages and gives one and the same for every address now."""
        lost = sum(job.key in self._known for job in self._lacked)
        if lost and self._used.pages <= 1 and self._beginning.is_one_page:
            start = Fetch(key_of(self._scope.start), self._scope.start, 0, START)
            for job in [start, *self._lacked]:
                self._journal.settled(job, "failed", NOT_THERE)  # so that the next reading asks for it again
            self._journal.flush(self._frontier)
            raise one_page_for_all(self._request, self._beginning, lost)

    def _ask_for_known(self, listings: Listings) -> None:
        """Pages of the live generation that were not found are asked for, unless the whole site was read."""
        if self._whole and not self._frontier.limits_hit and not listings.faults:
            return
        self._journal.flush(self._frontier)
        asked = offer_known(self._known, self._store, self._scope, self._frontier)
        if asked:
            logger.warning(
                "%s: %d pages that are live were not found, and not all of the site was read; each is asked for.",
                self._request.name,
                asked,
            )
            self._drain()


def _shown(address: str) -> str:
    """An address as a report shows it: without its query, which may hold a secret."""
    return address.partition("?")[0] if origin_of(address) else address
