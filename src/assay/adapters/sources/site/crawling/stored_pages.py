"""Loading a page from the store when the server says that it is unchanged."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from assay.adapters.sources.site.pages import facts
from assay.adapters.sources.site.pages.facts import PageFacts
from assay.adapters.sources.site.store import CrawlStore, StoredPage, compress
from assay.model.documents import MediaType


@dataclass(frozen=True, slots=True)
class StoredContent:
    """A stored page's facts and links.

    reparsed: the page with compressed links and body, to be stored again; None if its facts are of this version.
    """

    facts: PageFacts
    targets: list[str]
    reparsed: tuple[StoredPage, bytes, bytes] | None = None


def load_stored_page(store: CrawlStore, page: StoredPage) -> StoredContent:
    """Load a page's facts and links; parse its body again if an older version of Assay parsed it."""
    if page.revision == facts.REVISION:
        return StoredContent(PageFacts.from_json(page.facts), store.links(page.key))
    body = store.body(page.key)
    old = PageFacts.from_json(page.facts)
    if page.media != MediaType.HTML.value:
        found, links = replace(facts.read_markdown_facts(body, {}, datetime.now(UTC)), noindex=old.noindex), []
    else:
        head = facts.read_html_facts(body, page.served_at, {}, datetime.now(UTC))
        # The headers are not stored, and a 304 need not repeat them.
        found, links = replace(head.facts, noindex=head.facts.noindex or old.noindex), list(head.links)
    reparsed = replace(page, facts=found.as_json(), revision=facts.REVISION)
    return StoredContent(found, links, (reparsed, compress("\n".join(links)) if links else b"", compress(body)))
