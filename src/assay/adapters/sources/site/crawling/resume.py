"""Reusing an interrupted crawl, and finding pages of the live generation again."""

import hashlib
import json
from collections.abc import Callable, Iterable

from assay.adapters.sources.site.addresses import is_web_address, key_of, normalize_url
from assay.adapters.sources.site.crawling.frontier import KNOWN, Frontier
from assay.adapters.sources.site.crawling.page_fetch import FetchJob, FetchOutcome
from assay.adapters.sources.site.options import SiteRequest
from assay.adapters.sources.site.pages import facts
from assay.adapters.sources.site.scope import CrawlScope
from assay.adapters.sources.site.store import CrawlStore


def request_fingerprint(request: SiteRequest) -> str:
    """Hash everything that decides which pages a crawl finds. Headers count: a login may open other pages."""
    what = [request.start_url, repr(request.scope), repr(request.limits), sorted(request.headers.items())]
    parts = [*what, request.politeness.robots, facts.REVISION]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def replay_visits(store: CrawlStore, frontier: Frontier, follow: Callable[[list[str], int], None]) -> None:
    """Rebuild the frontier's memory of series, queries and spellings from the pages of an interrupted crawl.

    follow: called with a page's links and its depth.
    """
    visits = {visit.key: visit for visit in store.visits() if visit.outcome == FetchOutcome.PAGE}
    for page in store.pages():
        visit = visits[page.key]
        skeleton = facts.PageFacts.from_json(page.facts).skeleton
        frontier.record_page(FetchJob(page.key, page.served_at, visit.depth, visit.kinds), skeleton)
    for visit in visits.values():
        follow(store.links(visit.key), visit.depth)


def offer_known(known: Iterable[str], store: CrawlStore, scope: CrawlScope, frontier: Frontier) -> int:
    """Offer the live generation's pages that were not found; return how many. known: their keys."""
    offered = 0
    for key in known:
        if is_web_address(key) and not frontier.knows(key_of(key)):
            kept = store.page(key)
            address = kept.served_at if kept is not None else normalize_url(key)
            if address is not None and scope.holds(address):
                frontier.offer(address, 0, KNOWN)
                offered += 1
    return offered
