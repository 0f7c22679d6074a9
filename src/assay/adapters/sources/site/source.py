"""A documentation site as a source: each page once, with its version and locale, under the address that readers use.

A read has two phases. First the site is crawled into a store on disk (`crawling`). Then, with all pages known,
duplicates are removed (`pages.deduplication`) and versions and locales assigned (`pages.versions`). One page's text
at a time is in memory.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from assay.adapters.sources.site.addresses import is_web_address, key_of
from assay.adapters.sources.site.crawling.crawl import Crawl
from assay.adapters.sources.site.crawling.document_spool import DocumentSpool
from assay.adapters.sources.site.crawling.frontier import GUESSED
from assay.adapters.sources.site.crawling.page_fetch import fetch_text
from assay.adapters.sources.site.crawling.result import CrawlResult
from assay.adapters.sources.site.http.transport import Transport, open_network
from assay.adapters.sources.site.options import SiteRequest, validated_headers, validated_start
from assay.adapters.sources.site.pages.app_shell import HELP, NEEDS_BROWSER
from assay.adapters.sources.site.pages.deduplication import NOINDEX, Deduplicated, deduplicate, redirect_reason
from assay.adapters.sources.site.pages.facts import PageFacts
from assay.adapters.sources.site.pages.releases import SiteReleases
from assay.adapters.sources.site.pages.site_pages import SitePage, read_site_pages
from assay.adapters.sources.site.pages.versions import assign_variants
from assay.adapters.sources.site.scope import CrawlScope
from assay.adapters.sources.site.store import CrawlStore, StoredPage
from assay.errors import SourceError
from assay.model.documents import MediaType, PageExcluded, PageFailed, PageGone, PageRead, PageUnchanged, RawPage
from assay.model.ids import canonical_url, slug_from_path
from assay.ports import Progress, Silence, TaskRunner, stage
from assay.redaction import redacted_content

logger = logging.getLogger(__name__)

REVISION = 2
"""Increase when a document changes for the same content; every page is then read again."""

_NO_PAGES_HINT = (
    "Check the address. The site needs a page there that links to others, a sitemap, or an llms.txt, with pages under "
    "its prefix."
)
_NOINDEX_HINT = (
    "Previews of sites often have this mark. If the site is yours, build or publish it without the mark, or set robots "
    "to false for this source."
)


class SiteSource:
    """Documents from a site.

    store_path: file that keeps the fetched pages between crawls.
    connect: opens the side that answers the requests.

    Raises ConfigurationError for an invalid header.
    """

    def __init__(
        self, request: SiteRequest, store_path: Path, connect: Callable[[SiteRequest], Transport] = open_network
    ) -> None:
        self.name = request.name
        start_url = request.start_url.strip().partition("#")[0]
        self._request = replace(request, start_url=start_url, headers=validated_headers(request.headers))
        self._store_path = store_path
        self._connect = connect

    def check(self) -> None:
        """Raise InputError for an invalid start URL, ConfigurationError for an invalid scope. Sends no request."""
        validated_start(self._request.start_url)
        CrawlScope(self._request.start, self._request.scope)

    def read(
        self, known: Mapping[str, str], progress: Progress | None = None, tasks: TaskRunner | None = None
    ) -> Iterator[PageRead]:
        """Crawl the site, then yield every page once, in ascending order of keys.

        known: source hash by page key. An unchanged page is yielded without its content. A known page is yielded as
            gone only if the site no longer has it.

        Raises SourceError when the site cannot be read, ConfigurationError when it lacks the requested version or
        locale, InputError for an invalid start URL.
        """
        self.check()
        transport = self._connect(self._request)
        store = CrawlStore(self._store_path)
        try:
            with DocumentSpool(self._store_path.parent) as documents:
                with store.file_lock():
                    crawl = Crawl(self._request, transport, store, known, progress or Silence(), tasks, documents)
                    result = self._run(crawl, transport, progress or Silence())
                    store.take_snapshot()
                files = transport if transport.is_local else None
                reading = _CrawlReader(self._request, store, result, known, files, documents)
                yield from reading.items(progress or Silence())
        finally:
            store.close()

    def _run(self, crawl: Crawl, transport: Transport, progress: Progress) -> CrawlResult:
        try:
            with stage(progress, "crawl"):
                return crawl.run()
        finally:
            transport.close()


_INTERRUPTED = "the crawl was interrupted"


@dataclass(frozen=True, slots=True)
class _Decision:
    """The result for a key: a page, or the reason why there is none. failed: the page exists and could not be read."""

    page: SitePage | None
    reason: str = ""
    failed: bool = False


class _CrawlReader:
    """Turns a finished crawl into the items that `read` yields.

    files: reads the pages again; None if the store has copies.
    documents: of the pages that were read during the crawl.
    """

    def __init__(
        self,
        request: SiteRequest,
        store: CrawlStore,
        result: CrawlResult,
        known: Mapping[str, str],
        files: Transport | None,
        documents: DocumentSpool,
    ) -> None:
        self._request = request
        self._files = files
        self._documents = documents
        self._store = store
        self._result = result
        self._known = known

    def items(self, progress: Progress) -> Iterator[PageRead]:
        """Yield every item in ascending order of keys. Raises SourceError when there is no page, ConfigurationError."""
        decisions = self._decide()
        progress.expect(len(decisions))
        for key in sorted(decisions):
            decision = decisions.pop(key)
            if decision.page is not None:
                yield self._page(key, decision.page)
            elif decision.failed:
                yield PageFailed(key, decision.reason)
            elif key in self._known:
                yield PageGone(key, decision.reason)
            else:
                yield PageExcluded(key, decision.reason)

    def _decide(self) -> dict[str, _Decision]:
        result, scope = self._result, self._result.crawl_start.scope
        decisions: dict[str, _Decision] = {}
        redirects: dict[str, str] = {}
        kinds: dict[str, int] = {}
        written: dict[str, str] = {}
        for visit in self._store.visits():
            match visit.outcome:
                case "page":
                    kinds[visit.key] = visit.kinds
                    if visit.detail:
                        written[visit.key] = visit.detail
                case "moved":
                    redirects[visit.key] = key_of(visit.detail)
                case "failed":
                    decisions[visit.key] = _Decision(None, visit.detail, failed=True)
                case "excluded":
                    decisions[visit.key] = _Decision(None, visit.detail)
                case "gone" if visit.key in self._known:
                    decisions[visit.key] = _Decision(None, visit.detail)
                case "" if visit.key in self._known:
                    decisions[visit.key] = _Decision(
                        None, f"not fetched: {result.limit_reason or _INTERRUPTED}", failed=True
                    )
                case "" if result.limit_reason and visit.kinds != GUESSED:
                    decisions[visit.key] = _Decision(None, f"not fetched: {result.limit_reason}")
        site_pages = read_site_pages(
            self._store, scope, kinds, written, respect_noindex=self._request.politeness.robots
        )
        deduplicated = deduplicate(site_pages, kinds, result.frontier, result.start_key)
        releases = SiteReleases(result.releases, redirects, (key_of(self._request.start), result.start_key))
        failed = {key for key, decision in decisions.items() if decision.failed}
        deduplicated = replace(
            deduplicated, pages=releases.deduplicate(deduplicated.pages, deduplicated.excluded, failed)
        )
        assign_variants(deduplicated.pages, self._request.variants, self._request.name, result.start_key, releases)
        self._add_pages(decisions, deduplicated)
        pages = {page.key for page in deduplicated.pages}
        for key in redirects:
            reason = redirect_reason(key, redirects, pages, deduplicated.excluded)
            decisions.setdefault(key, _Decision(None, reason))
        self._decide_known_pages(decisions)
        if not deduplicated.pages:
            raise self._no_pages_error(decisions)
        self._decide_app_shells(decisions)
        return decisions

    def _add_pages(self, decisions: dict[str, _Decision], deduplicated: Deduplicated) -> None:
        for key, reason in deduplicated.excluded.items():
            decisions[key] = _Decision(None, reason)
        for page in deduplicated.pages:
            key = _served_key(page)
            decisions.pop(page.key, None)
            decisions[key] = _Decision(page)

    def _decide_known_pages(self, decisions: dict[str, _Decision]) -> None:
        """Add live pages that were not found: failed if a limit left them unread, else gone."""
        scope, limit_reason = self._result.crawl_start.scope, self._result.limit_reason
        for key in self._known:
            if key in decisions or not is_web_address(key):
                continue
            if not scope.holds(key):
                decisions[key] = _Decision(None, "it is outside the scope of the source")
            elif limit_reason:
                decisions[key] = _Decision(None, f"not fetched: {limit_reason}", failed=True)
            else:
                decisions[key] = _Decision(None, "no sitemap lists it and no page links to it any more")

    def _decide_app_shells(self, decisions: dict[str, _Decision]) -> None:
        """Count pages that need a browser as failed, unless there is only one, such as a playground, and it is new."""
        shells = [key for key, decision in decisions.items() if decision.reason == NEEDS_BROWSER]
        for key in shells:
            decisions[key] = replace(decisions[key], failed=len(shells) > 1 or key in self._known)
        if shells:
            logger.warning(
                "%s: %d pages need a browser, such as %s. %s", self._request.name, len(shells), min(shells), HELP
            )

    def _no_pages_error(self, decisions: dict[str, _Decision]) -> SourceError:
        failures = sorted({item.reason for item in decisions.values() if item.failed})
        if any(item.reason == NEEDS_BROWSER for item in decisions.values()):
            return SourceError(
                f"No page of {self._request.start_url} has text; each needs a browser, in which JavaScript makes it.",
                hint=HELP,
            )
        if failures:
            return SourceError(
                f"No page of {self._request.start_url} could be read: {'; '.join(failures[:3])}.",
                hint="Fix that, or wait until the site works, and run again. The live index is unchanged.",
            )
        reasons = sorted({item.reason for item in decisions.values()})
        because = f" All that was found was excluded: {'; '.join(reasons[:3])}." if reasons else ""
        return SourceError(
            f"No page was found at {self._request.start_url}.{because}",
            hint=_NOINDEX_HINT if NOINDEX in reasons else _NO_PAGES_HINT,
        )

    def _page(self, key: str, page: SitePage) -> PageRead:
        stored = self._store.page(page.key)
        if stored is None:
            raise SourceError(f"{page.key} is no longer in the store.", hint="Read the site again.")
        facts = PageFacts.from_json(stored.facts)
        source_hash = self._hash(key, page, stored, facts.tags)
        if self._known.get(key) == source_hash:
            return PageUnchanged(key, source_hash)
        document = self._documents.get(page.key) if key == page.key else b""
        text = "" if document else self._text(stored)
        if text is None:
            return PageFailed(key, "the file changed during the read; run again")
        path = urlsplit(key).path or "/"
        return RawPage(
            key=key,
            url=key,
            content=text,
            media_type=MediaType(stored.media),
            source=self._request.name,
            source_path=path,
            source_hash=source_hash,
            slug=slug_from_path(path),
            version=page.version,
            locale=page.locale,
            version_is_current=page.version_is_current,
            locale_is_default=page.locale_is_default,
            site_root=self._result.crawl_start.scope.origin,
            served_at=stored.served_at,
            address=page.written_at if canonical_url(page.written_at or key) == key else "",
            tags=facts.tags,
            document=document,
        )

    def _text(self, stored: StoredPage) -> str | None:
        """The text of a page; None if its file has changed."""
        if self._files is not None:
            return fetch_text(self._files, stored, self._request.limits.max_page_bytes)
        return redacted_content(self._store.body(stored.key))  # stored before this secret was configured, perhaps

    def _hash(self, key: str, page: SitePage, stored: StoredPage, tags: tuple[str, ...]) -> str:
        """SHA-256 of everything that could change the document."""
        variant = [page.version, page.locale, page.version_is_current, page.locale_is_default]
        where = [REVISION, self._request.name, key, stored.served_at, page.written_at, stored.media]
        parts = [*where, *variant, stored.body_hash, tags]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _served_key(page: SitePage) -> str:
    """The key of a page; it keeps an index file name if the page is served only under it."""
    return canonical_url(page.address) if key_of(page.address) != canonical_url(page.address) else page.key
