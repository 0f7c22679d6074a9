"""The result of a crawl."""

from dataclasses import dataclass

from assay.adapters.sources.site.crawling.frontier import Frontier
from assay.adapters.sources.site.discovery.start import CrawlStart
from assay.adapters.sources.site.pages.releases import Release


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """The facts that a finished crawl passes on.

    frontier: remembers which addresses were rejected. start_key: key of the start page.
    limit_reason: the limit that left pages unfetched; "" if none did.
    releases: versions by root, as `versions.json` there lists them.
    """

    crawl_start: CrawlStart
    frontier: Frontier
    start_key: str
    limit_reason: str
    releases: dict[str, tuple[Release, ...]]
