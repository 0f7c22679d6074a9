"""A page that was not modified: what it says of itself and links to comes from the store."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from assay.adapters.sources.site.pages import facts
from assay.adapters.sources.site.pages.facts import PageFacts
from assay.adapters.sources.site.store import CrawlStore, StoredPage, packed
from assay.model.documents import MediaType


@dataclass(frozen=True, slots=True)
class Kept:
    """What the store has of a page.

    renewed: to be stored, with links and body packed, where its facts had been read by an earlier version.
    """

    facts: PageFacts
    targets: list[str]
    renewed: tuple[StoredPage, bytes, bytes] | None = None


def kept_page(store: CrawlStore, page: StoredPage) -> Kept:
    """What is kept of a page; read anew from its body where an earlier version of this program had read it."""
    if page.revision == facts.REVISION:
        return Kept(PageFacts.from_json(page.facts), store.links(page.key))
    body = store.body(page.key)
    old = PageFacts.from_json(page.facts)
    if page.media != MediaType.HTML.value:
        found, links = replace(facts.read_markdown_facts(body, {}, datetime.now(UTC)), noindex=old.noindex), []
    else:
        head = facts.read_html_facts(body, page.served_at, {}, datetime.now(UTC))
        # What the headers said is not kept, and a page that is not modified says it once more only by chance.
        found, links = replace(head.facts, noindex=head.facts.noindex or old.noindex), list(head.links)
    renewed = replace(page, facts=found.as_json(), revision=facts.REVISION)
    return Kept(found, links, (renewed, packed("\n".join(links)) if links else b"", packed(body)))
