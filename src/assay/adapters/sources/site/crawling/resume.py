"""What is known of a site from before: by a reading that was cut off, and by the generation that is live."""

import hashlib
import json
from collections.abc import Callable, Iterable

from assay.adapters.sources.site.addresses import is_web_address, key_of, spelled
from assay.adapters.sources.site.crawling.frontier import KNOWN, Frontier
from assay.adapters.sources.site.crawling.page_fetch import Came, Fetch
from assay.adapters.sources.site.options import SiteRequest
from assay.adapters.sources.site.pages import facts
from assay.adapters.sources.site.scope import Scope
from assay.adapters.sources.site.store import CrawlStore


def fingerprint_of(request: SiteRequest) -> str:
    """Of all that decides which pages a reading finds, and what they are: others may come to who has a key."""
    what = [request.start_url, repr(request.scope), repr(request.limits), sorted(request.headers.items())]
    parts = [*what, request.politeness.robots, facts.REVISION]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def retrace(store: CrawlStore, frontier: Frontier, follow: Callable[[list[str], int], None]) -> None:
    """Tell the frontier again what a reading that was cut off knew of series, queries and other spellings.

    It follows from the pages that came. follow: takes the links of a page and its depth.
    """
    visits = {visit.key: visit for visit in store.visits() if visit.outcome == Came.PAGE}
    for page in store.pages():
        visit = visits[page.key]
        skeleton = facts.PageFacts.from_json(page.facts).skeleton
        frontier.came(Fetch(page.key, page.served_at, visit.depth, visit.kinds), skeleton)
    for visit in visits.values():
        follow(store.links(visit.key), visit.depth)


def offer_known(known: Iterable[str], store: CrawlStore, scope: Scope, frontier: Frontier) -> int:
    """Offer the pages of the live generation that were not found; how many there are. known: their keys."""
    offered = 0
    for key in known:
        if is_web_address(key) and not frontier.knows(key_of(key)):
            kept = store.page(key)
            address = kept.served_at if kept is not None else spelled(key)
            if address is not None and scope.holds(address):
                frontier.offer(address, 0, KNOWN)
                offered += 1
    return offered
