"""Fetching `versions.json` from each folder that holds several versions."""

import json
import logging
from collections.abc import Mapping

from assay.adapters.sources.site.addresses import origin_of
from assay.adapters.sources.site.discovery.robots import Robots, is_allowed
from assay.adapters.sources.site.http.responses import FetchError
from assay.adapters.sources.site.http.retrying import RetryingFetcher
from assay.adapters.sources.site.pages.releases import VERSIONS_FILE, Release, read_releases, version_roots
from assay.adapters.sources.site.store import CrawlStore
from assay.errors import SourceError

logger = logging.getLogger(__name__)

_NAME = "release lists"
_MOST_BYTES = 1_000_000


def fetch_version_lists(
    store: CrawlStore, fetcher: RetryingFetcher, robots: Mapping[str, Robots]
) -> dict[str, tuple[Release, ...]]:
    """The listed versions by root: a folder with pages of several versions.

    If a list cannot be fetched now, the one of the previous crawl is used.
    """
    previous: dict[str, str] = json.loads(store.get_value(_NAME) or "{}")
    texts = {}
    for root in version_roots(visit.key for visit in store.visits() if visit.outcome in {"page", "moved"}):
        text = _fetch_list(root, fetcher, robots)
        texts[root] = previous.get(root, "") if text is None else text
    store.set_value(_NAME, json.dumps({root: text for root, text in texts.items() if text}))
    return {root: read for root, text in texts.items() if (read := read_releases(text, root))}


def _fetch_list(root: str, fetcher: RetryingFetcher, robots: Mapping[str, Robots]) -> str | None:
    """The text of a list; "" if there is none, None if that is unknown."""
    address = f"{root}/{VERSIONS_FILE}"
    if not is_allowed(robots, address):
        return ""
    try:
        fetched = fetcher.fetch(address, _MOST_BYTES, max_redirects=3)
    except (FetchError, SourceError) as failure:
        logger.info("%s cannot be read: %s.", address, failure)
        return None
    if not fetched.ok or origin_of(fetched.address) != origin_of(root):
        return ""
    text = fetched.text(html=False)
    return text if read_releases(text, root) else ""
