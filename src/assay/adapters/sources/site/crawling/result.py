"""What a crawl comes to, for those who settle what its pages are."""

from dataclasses import dataclass

from assay.adapters.sources.site.crawling.frontier import Frontier
from assay.adapters.sources.site.discovery.start import Beginning
from assay.adapters.sources.site.pages.releases import Release


@dataclass(frozen=True, slots=True)
class Crawled:
    """What is known when a crawl is over.

    frontier: remembers which addresses were traps.
    start_key: key of the start page. unasked: whether pages were left that were found and not asked for.
    releases: versions by the place where they lie, as lists there say.
    """

    beginning: Beginning
    frontier: Frontier
    start_key: str
    unasked: str
    releases: dict[str, tuple[Release, ...]]
