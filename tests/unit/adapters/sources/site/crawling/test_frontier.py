"""What waits to be asked for takes no more memory than the limits account for."""

import pytest
from tests.sites import site_limits

from assay.adapters.sources.site.crawling import frontier as frontier_module
from assay.adapters.sources.site.crawling.frontier import LINK, Frontier
from assay.adapters.sources.site.options import SiteScope
from assay.adapters.sources.site.scope import CrawlScope


def _frontier() -> Frontier:
    return Frontier(CrawlScope("https://x.org/", SiteScope()), site_limits(max_pages=10), {})


def test_links_by_the_million_are_not_remembered_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier_module, "_MAX_REMEMBERED_LINKS", 100)
    frontier = _frontier()
    for _ in range(2):
        for number in range(1_000):
            frontier.offer(f"https://other.example/{number}", 1, LINK)
        for number in range(20):
            frontier.offer(f"https://x.org/{number}", 1, LINK)
    assert len(frontier._links) <= 100
    assert frontier.found == len(frontier.queue) == 20  # each page once, though its link was forgotten in between


def test_queries_beyond_the_limit_of_pages_are_not_remembered() -> None:
    frontier = _frontier()
    for number in range(1_000):
        frontier.offer(f"https://x.org/{number}?id=1", 1, LINK)
    assert len(frontier._queries) <= 4 * 10
    assert frontier.limits_hit == {"pages"}
