"""Fetching the lists of versions of a site, once its pages show where versions lie."""

import json
import logging
from collections.abc import Mapping

from assay.adapters.sources.site.addresses import origin_of
from assay.adapters.sources.site.discovery.robots import Robots
from assay.adapters.sources.site.http.client import NoPage
from assay.adapters.sources.site.http.decoding import decoded
from assay.adapters.sources.site.http.retrying import Asker
from assay.adapters.sources.site.pages.releases import LIST, Release, read_releases, roots_of
from assay.adapters.sources.site.store import CrawlStore
from assay.errors import SourceError

logger = logging.getLogger(__name__)

_NAME = "release lists"
_MOST_BYTES = 1_000_000


def release_lists(store: CrawlStore, asker: Asker, robots: Mapping[str, Robots]) -> dict[str, tuple[Release, ...]]:
    """The versions of each place where the pages that came lie side by side in versions, by that place.

    A list that cannot be had now is the one of the reading before: versions do not change for a moment's failure.
    """
    before: dict[str, str] = json.loads(store.remembered(_NAME) or "{}")
    texts = {}
    for root in roots_of(visit.key for visit in store.visits() if visit.outcome in {"page", "moved"}):
        text = _fetched(root, asker, robots)
        texts[root] = before.get(root, "") if text is None else text
    store.remember(_NAME, json.dumps({root: text for root, text in texts.items() if text}))
    return {root: read for root, text in texts.items() if (read := read_releases(text, root))}


def _fetched(root: str, asker: Asker, robots: Mapping[str, Robots]) -> str | None:
    """The text of a list; "" where there is none, None where that is not known."""
    address, rules = f"{root}/{LIST}", robots.get(origin_of(root))
    if rules is not None and not rules.allows(address):
        return ""
    try:
        asked = asker.ask(address, _MOST_BYTES, hops=3)
    except (NoPage, SourceError) as failure:
        logger.info("%s cannot be read: %s.", address, failure)
        return None
    if not asked.ok or origin_of(asked.address) != origin_of(root):
        return ""
    text = decoded(asked.answer.body, asked.answer.headers.get("content-type", ""), html=False)
    return text if read_releases(text, root) else ""
