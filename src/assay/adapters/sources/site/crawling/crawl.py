"""One crawl: find the pages of a site, fetch them, write them to the store."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from time import monotonic, time

from assay.adapters.sources.site.addresses import html_candidates, key_of, origin_of
from assay.adapters.sources.site.crawling.budget import Budget
from assay.adapters.sources.site.crawling.document_spool import DocumentSpool
from assay.adapters.sources.site.crawling.frontier import GUESSED, LINK, LLMS, SITEMAP, START, UNLINKED, Frontier
from assay.adapters.sources.site.crawling.journal import Journal
from assay.adapters.sources.site.crawling.outage import Outage
from assay.adapters.sources.site.crawling.pacing import Pacing
from assay.adapters.sources.site.crawling.page_fetch import FetchJob, FetchOutcome, FetchResult
from assay.adapters.sources.site.crawling.progress import CrawlProgress
from assay.adapters.sources.site.crawling.result import CrawlResult
from assay.adapters.sources.site.crawling.resume import offer_known, replay_visits, request_fingerprint
from assay.adapters.sources.site.crawling.soft_404 import SOFT_404_REASON, Soft404Detector
from assay.adapters.sources.site.crawling.stored_pages import load_stored_page
from assay.adapters.sources.site.crawling.workers import LocalQueue, Workers
from assay.adapters.sources.site.discovery.listings import ListingReader, Listings
from assay.adapters.sources.site.discovery.start import CrawlStart, read_start, single_page_error
from assay.adapters.sources.site.discovery.version_lists import fetch_version_lists
from assay.adapters.sources.site.http.responses import FetchLimits, Unserved
from assay.adapters.sources.site.http.retrying import MAX_REDIRECTS, RetryingFetcher
from assay.adapters.sources.site.http.transport import Transport
from assay.adapters.sources.site.options import SiteRequest
from assay.adapters.sources.site.pages.app_shell import NEEDS_BROWSER
from assay.adapters.sources.site.store import CrawlStore
from assay.ports import Progress, TaskRunner

logger = logging.getLogger(__name__)

UNLINKED_REASON = "no sitemap lists it and no page links to it"
_MAX_OUT_OF_ORDER = 256
"""Results kept until those of earlier jobs have come."""


class Crawl:
    """Finds and fetches the pages of one site.

    transport: answers the requests; the caller closes it.
    known: keys of the site's pages in the live generation.
    tasks: parses the pages of a local transport; None for this process.
    documents: keeps what is read of them; None if they are read later.
    """

    def __init__(
        self,
        request: SiteRequest,
        transport: Transport,
        store: CrawlStore,
        known: Mapping[str, str],
        progress: Progress,
        tasks: TaskRunner | None = None,
        documents: DocumentSpool | None = None,
    ) -> None:
        self._transport = transport
        self._tasks = tasks
        self._documents = documents
        self._request = request
        self._limits = request.limits
        self._store = store
        self._known = known
        self._progress = progress
        self._budget = Budget(request.limits)
        self._fetched_keys: set[int] = set()
        self._out_of_order: dict[int, FetchResult] = {}
        self._soft_404s: list[FetchJob] = []
        self._dispatched = self._processed = self._listed_pages = 0
        self._crawl_progress = CrawlProgress(request.name, progress)
        self._journal = Journal(store, self._crawl_progress)
        self._is_complete = True

    def run(self) -> CrawlResult:
        """Crawl. Raises SourceError when the site cannot be read, ConfigurationError for an invalid scope."""
        limits = FetchLimits(self._limits.page_seconds, self._limits.read_seconds, self._limits.max_page_bytes)
        fetcher = RetryingFetcher(self._transport, self._request.politeness, limits, self._budget.until)
        crawl_start = read_start(self._request, fetcher)
        self._transport.follow(crawl_start.scope.start)
        return self._crawl(crawl_start, fetcher, limits)

    def _crawl(self, crawl_start: CrawlStart, fetcher: RetryingFetcher, limits: FetchLimits) -> CrawlResult:
        self._crawl_start, self._scope = crawl_start, crawl_start.scope
        self._frontier = Frontier(crawl_start.scope, self._limits, crawl_start.robots)
        self._pacing = Pacing(self._request.politeness, self._transport.connections)
        for origin, robots in crawl_start.robots.items():
            self._pacing.set_delay(origin, robots.delay)
        self._outage = Outage(crawl_start.scope.start)
        start_key = key_of(crawl_start.scope.start)
        self._soft_404 = Soft404Detector(crawl_start.scope, crawl_start.robots, crawl_start.soft_404_gist, start_key)
        fingerprint = request_fingerprint(self._request)
        resumed = self._store.begin(fingerprint, time(), self._request.politeness.resume_hours * 3600.0)
        if resumed:
            self._resume()
        previous = self._store.listings()
        self._frontier.offer(crawl_start.scope.start, 0, START)
        listings = self._read_listings(crawl_start, fetcher, previous)
        self._look_outside(crawl_start)
        if resumed:
            replay_visits(self._store, self._frontier, self._follow)
        self._budget.received = fetcher.received
        self._workers = self._start_workers(limits)
        try:
            self._drain()
            self._ask_for_known(listings)
            self._read_unlinked()
            self._journal.flush(self._frontier)
            releases = fetch_version_lists(self._store, fetcher, crawl_start.robots)
        finally:
            self._workers.stop()
            self._journal.flush(self._frontier)
        self._require_more_than_one_page()
        limit_reason = self._limit_reason()
        keep = listings.entries | {address: previous[address] for address in listings.faults if address in previous}
        # Sitemaps that no longer exist are not expected by the next crawl.
        lost = {address for address, reason in listings.faults.items() if reason.startswith("it was there")}
        self._store.finish({address: count for address, count in keep.items() if address not in lost})
        self._crawl_progress.report(self._frontier, limit_reason)
        return CrawlResult(crawl_start, self._frontier, start_key, limit_reason, releases)

    def _start_workers(self, limits: FetchLimits) -> Workers | LocalQueue:
        if self._transport.is_local:
            return LocalQueue(self._transport, limits, self._tasks)
        return Workers(self._transport.connections * min(len(self._scope.origins), 4), self._transport, limits)

    def _read_listings(self, crawl_start: CrawlStart, fetcher: RetryingFetcher, previous: dict[str, int]) -> Listings:
        frontier = self._frontier
        reader = ListingReader(
            crawl_start, fetcher, self._request, previous, lambda address: frontier.offer(address, 0, SITEMAP)
        )
        if crawl_start.head is not None:
            reader.alias_canonical_origin(crawl_start.head)
        reader.read_sitemaps()
        reader.read_llms(lambda address: frontier.offer(address, 0, LLMS))
        self._is_complete = not reader.result.faults and not crawl_start.is_single_page
        return reader.result

    def _resume(self) -> None:
        visits = list(self._store.visits())
        self._frontier.resume(visits)
        done = [visit for visit in visits if visit.outcome]
        self._fetched_keys = {hash(visit.key) for visit in done if visit.outcome == FetchOutcome.PAGE}
        self._budget.pages = len(self._fetched_keys)
        self._crawl_progress.resumed(len(done))

    def _look_outside(self, crawl_start: CrawlStart) -> None:
        """If the start page is outside the scope, follow its links and fetch each prefix."""
        if self._scope.holds(self._scope.start):
            return
        if crawl_start.head is not None:
            self._follow(list(crawl_start.head.links), 0)
        for prefix in self._scope.prefixes:
            self._frontier.offer(prefix, 0, GUESSED)

    # --- the loop ---

    def _drain(self) -> None:
        """Fetch until the queue is empty or a limit is reached."""
        in_flight = 0
        while True:
            in_flight += self._dispatch()
            self._crawl_progress.expect(self._frontier.found)
            if not in_flight and not self._has_more():
                return
            result = self._workers.next_result(self._pacing.seconds_until_next(monotonic()))
            if result is not None:
                in_flight -= 1
                self._receive(result)
            if self._journal.is_due:
                self._journal.flush(self._frontier)

    def _has_more(self) -> bool:
        """Whether anything is left to fetch."""
        if self._limit_hit():
            return False
        if not self._frontier.queue and not self._pacing.pending_retries:
            self._frontier.queue.extend(self._markdown_without_html())
        return bool(self._frontier.queue or self._pacing.pending_retries)

    def _markdown_without_html(self) -> Iterator[FetchJob]:
        """Markdown files for which no HTML page was found."""
        jobs, self._frontier.markdown = self._frontier.markdown, []
        for job in jobs:
            if any(hash(key_of(twin)) in self._fetched_keys for twin in html_candidates(job.address)):
                self._journal.record(job, "twin")
            else:
                self._frontier.found += 1
                yield job

    def _dispatch(self) -> int:
        """Start as many requests as the limits allow; return how many."""
        begun = 0
        now = monotonic()
        while not self._limit_hit():
            job = self._outage.probe()
            if job is None:
                job = self._next(now) if len(self._out_of_order) < _MAX_OUT_OF_ORDER else None
                if job is None:
                    break
                job = self._probe_before(job)
                job = replace(job, known=self._store.page(job.key), order=self._dispatched)
                self._dispatched += 1
            self._pacing.record_start(job.address, now)
            self._workers.submit(job)
            self._budget.requests += 1
            begun += 1
        return begun

    def _probe_before(self, job: FetchJob) -> FetchJob:
        """The page itself, or the soft 404 probe to send before it."""
        probe = self._soft_404.probe_before(job)
        if probe is None:
            return job
        self._frontier.queue.appendleft(job)
        return probe

    def _next(self, now: float) -> FetchJob | None:
        """The next page that may be fetched now."""
        if self._outage.is_probing:
            return None
        queue = self._frontier.queue
        for _ in range(min(len(queue), 64)):
            if self._pacing.can_start(queue[0].address, now):
                return self._pacing.pop_due_retry(now) or queue.popleft()
            if len(self._scope.origins) == 1:
                return None
            queue.rotate(-1)
        if not queue and self._pacing.can_start(self._scope.start, now):
            return self._pacing.pop_due_retry(now)
        return None

    def _limit_hit(self) -> bool:
        """Whether a limit prevents more requests."""
        limit = self._budget.exhausted(self._dispatched - self._processed)
        if limit and self._budget.is_final(limit) and (self._frontier.queue or self._pacing.pending_retries):
            self._frontier.limits_hit.add(limit)
        return bool(limit)

    def _limit_reason(self) -> str:
        """Why found pages were not fetched; "" if all were."""
        left = len(self._frontier.queue) + self._pacing.pending_retries
        if not left:
            return ""
        return "the limit of " + " and ".join(sorted(self._frontier.limits_hit)) + " was reached"

    # --- results ---

    def _receive(self, result: FetchResult) -> None:
        """Process results in the order of their jobs, so that two crawls of one site give the same result."""
        self._pacing.record_end(result.job.address)
        self._budget.received += result.received
        if self._outage.is_probe(result):
            self._outage.record_probe(result)
            return
        self._out_of_order[result.job.order] = result
        while (following := self._out_of_order.pop(self._processed, None)) is not None:
            self._processed += 1
            self._process(following)

    def _process(self, result: FetchResult) -> None:
        job = result.job
        if self._soft_404.is_probe(job):
            self._soft_404.record_probe(result)
            return
        self._outage.record(result)
        match result.outcome:
            case FetchOutcome.PAGE | FetchOutcome.UNCHANGED:
                self._page(result)
            case FetchOutcome.MOVED:
                self._moved(job, result.detail, result.job.redirects)
            case FetchOutcome.GONE:
                if not self._frontier.retry_other_spelling(job):
                    self._journal.finish(job, "gone", result.detail)
            case FetchOutcome.BUSY:
                self._busy(result)
            case FetchOutcome.REFUSED if job.known is None and job.key not in self._known:
                self._journal.finish(job, "excluded", result.detail)
            case FetchOutcome.EXCLUDED:
                self._journal.finish(job, "excluded", result.detail)
            case _:
                self._failed(job, result.detail)

    def _page(self, result: FetchResult) -> None:
        job, facts = result.job, result.page_facts
        if facts is None:
            assert job.known is not None  # conditional requests are sent for stored pages only
            kept = load_stored_page(self._store, job.known)
            facts, targets = kept.facts, kept.targets
            if kept.reparsed is not None:
                self._journal.add_page(kept.reparsed)
        else:
            targets = list(result.targets)
        if facts.refresh and key_of(self._scope.resolve_alias(facts.refresh)) != job.key:
            self._moved(job, facts.refresh, job.redirects)
            return
        if self._soft_404.is_soft_404(job, facts):
            if not self._frontier.retry_other_spelling(job):
                self._soft_404s.append(job)
                self._journal.finish(job, "gone" if job.kinds & GUESSED else "excluded", SOFT_404_REASON)
            return
        if facts.needs_browser:
            self._follow(targets, job.depth)
            self._journal.finish(job, "excluded", NEEDS_BROWSER)
            return
        self._fetched_keys.add(hash(job.key))
        self._budget.pages += 1
        self._listed_pages += bool(job.kinds & SITEMAP)
        self._frontier.record_page(job, facts.skeleton)
        self._follow(targets, job.depth)  # first, so that an interrupt loses no link
        if result.page is not None:
            self._journal.add_page((result.page, result.links, result.body))
            if self._documents is not None and result.document:
                self._documents.add(job.key, result.document)
        self._journal.finish(job, "page", job.written)

    def _moved(self, job: FetchJob, target: str, redirects: int) -> None:
        own = self._scope.resolve_alias(target)
        if not self._scope.holds(own):
            self._journal.finish(job, "excluded", f"redirects to {_without_query(own)}, outside the scope")
        elif redirects >= MAX_REDIRECTS:
            self._journal.finish(job, "excluded", f"redirects more than {MAX_REDIRECTS} times, or in a loop")
        elif key_of(own) == job.key:
            if own == job.address:
                self._journal.finish(job, "excluded", "redirects to itself")
            else:
                written = job.written or job.address
                self._frontier.queue.append(
                    replace(job, address=own, redirects=redirects + 1, tries=0, written=written)
                )
        else:
            self._frontier.offer(own, job.depth, LINK, redirects=redirects + 1)
            self._journal.finish(job, "moved", own)

    def _busy(self, result: FetchResult) -> None:
        job, now = result.job, monotonic()
        if result.retry_after is not None:
            self._pacing.pause(job.address, result.retry_after, now)
        elif result.status == 429:
            self._pacing.pause(job.address, self._request.politeness.first_retry_seconds * 2.0**job.tries, now)
        if not self._pacing.retry(replace(job, tries=job.tries + 1), result.retry_after, now):
            self._failed(job, result.detail)

    def _failed(self, job: FetchJob, reason: str) -> None:
        """Record a failed page, and follow the links of its stored copy."""
        if job.kinds & GUESSED and job.known is None and job.key not in self._known:
            self._journal.finish(job, "gone", reason)
            return
        self._is_complete = False
        self._follow(self._store.links(job.key), job.depth)
        self._journal.finish(job, "failed", reason)

    def _follow(self, targets: list[str], depth: int) -> None:
        for target in targets:
            self._frontier.offer(target, depth + 1, LINK)

    # --- pages of the live generation ---

    def _read_unlinked(self) -> None:
        """Fetch the pages that a local site has and nothing leads to; if it has a sitemap, they are excluded."""
        excluded = bool(self._listed_pages)
        found = [page for page in self._unlinked() if not page.reason]
        if found and not excluded:
            # One first: its links show how the site writes the addresses of the others.
            self._frontier.offer(found[0].address, 0, UNLINKED)
            self._drain()
        for page in self._unlinked():
            if page.reason or excluded:
                job = FetchJob(key_of(page.address), page.address, 0, UNLINKED)
                self._journal.finish(job, "excluded", page.reason or UNLINKED_REASON)
            else:
                found.append(page)
                self._frontier.offer(page.address, 0, UNLINKED)
        self._drain()
        addresses = list(dict.fromkeys(page.address for page in found))
        if addresses:
            what = "are not read, because no sitemap lists them either" if excluded else "are read too"
            logger.warning(
                "%s: no page links to %d of its pages, such as %s; they %s.",
                self._request.name, len(addresses), ", ".join(addresses[:3]), what,
            )  # fmt: skip

    def _unlinked(self) -> list[Unserved]:
        unserved = (page for page in self._transport.unserved() if self._scope.holds(page.address))
        return [page for page in unserved if not self._frontier.knows(key_of(page.address))]

    def _require_more_than_one_page(self) -> None:
        """Raise SourceError for a site that had pages and now sends the same page for every address."""
        lost = sum(job.key in self._known for job in self._soft_404s)
        if lost and self._budget.pages <= 1 and self._crawl_start.is_single_page:
            start = FetchJob(key_of(self._scope.start), self._scope.start, 0, START)
            for job in [start, *self._soft_404s]:
                self._journal.record(job, "failed", SOFT_404_REASON)  # so that the next crawl fetches it again
            self._journal.flush(self._frontier)
            raise single_page_error(self._request, self._crawl_start, lost)

    def _ask_for_known(self, listings: Listings) -> None:
        """Fetch live pages that were not found, unless the crawl was complete."""
        if self._is_complete and not self._frontier.limits_hit and not listings.faults:
            return
        self._journal.flush(self._frontier)
        asked = offer_known(self._known, self._store, self._scope, self._frontier)
        if asked:
            logger.warning(
                "%s: %d live pages were not found in an incomplete crawl; fetching each.", self._request.name, asked
            )
            self._drain()


def _without_query(address: str) -> str:
    """An address without its query, which may hold a secret."""
    return address.partition("?")[0] if origin_of(address) else address
