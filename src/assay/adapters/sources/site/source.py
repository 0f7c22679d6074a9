"""A documentation site as a source: each page once, in its version and locale, under the address that readers use.

A reading has two phases. First the site is crawled into a store on disk (`crawl`); then, with the whole site in view,
it is settled which pages are pages of their own (`settling`) and which version and locale each has (`variants`). The
text of only one page at a time is in memory.
"""

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from assay.adapters.sources.site.addresses import is_web_address, key_of
from assay.adapters.sources.site.crawling.crawl import Crawl
from assay.adapters.sources.site.crawling.frontier import MAYBE
from assay.adapters.sources.site.crawling.result import Crawled
from assay.adapters.sources.site.options import (
    Politeness,
    SiteLimits,
    SiteRequest,
    SiteScope,
    Variants,
    checked_headers,
    checked_start,
)
from assay.adapters.sources.site.pages.deduplication import Settled, redirect_reason, settle
from assay.adapters.sources.site.pages.facts import PageFacts
from assay.adapters.sources.site.pages.members import Member, members
from assay.adapters.sources.site.pages.releases import Releases
from assay.adapters.sources.site.pages.versions import assign
from assay.adapters.sources.site.scope import Scope
from assay.adapters.sources.site.store import CrawlStore, StoredPage
from assay.errors import SourceError
from assay.model.documents import MediaType, PageExcluded, PageFailed, PageGone, PageRead, PageUnchanged, RawPage
from assay.model.ids import canonical_url, slug_from_path
from assay.ports import Progress, Silence
from assay.redaction import redacted_content

logger = logging.getLogger(__name__)

REVISION = 1
"""Changes with what a page of the same content is made into; then every page comes anew."""


class SiteSource:
    """Documents from a site.

    start_url: a page or folder of it, over http or https.
    name: of the source.
    store_path: the file in which what was fetched is kept between readings.
    headers: sent with each request to the origin of the start URL, and to no other.
    current_version, default_locale: those that are searched by default; None: the site's own.

    Raises ConfigurationError for a header that HTTP cannot carry.
    """

    def __init__(
        self,
        start_url: str,
        *,
        name: str,
        store_path: Path,
        scope: SiteScope,
        limits: SiteLimits,
        politeness: Politeness,
        headers: Mapping[str, str],
        current_version: str | None = None,
        default_locale: str | None = None,
    ) -> None:
        self._request = SiteRequest(
            start_url=start_url.strip().partition("#")[0],
            name=name,
            scope=scope,
            limits=limits,
            politeness=politeness,
            variants=Variants(current_version, default_locale),
            headers=checked_headers(dict(headers)),
        )
        self._store_path = store_path

    @property
    def name(self) -> str:
        """Short name, unique among the sources of an index; kept with every document."""
        return self._request.name

    def check(self) -> None:
        """Raise InputError for a start URL that cannot be one, ConfigurationError for a scope. Nothing is asked for."""
        checked_start(self._request.start_url)
        Scope(self._request.start, self._request.scope)

    def read(self, known: Mapping[str, str], progress: Progress | None = None) -> Iterator[PageRead]:
        """Crawl the site, then yield every page in ascending order of keys, each once.

        known: source hash by page key; a page that still has it is yielded without its content. One that was not found
            is not yielded only where the site says that it is gone.

        Raises SourceError when the site cannot be read, ConfigurationError when it lacks the version or locale that is
        asked for, InputError for a start URL that cannot be one.
        """
        self.check()
        store = CrawlStore(self._store_path)
        try:
            with store.alone():
                crawled = self._crawl(store, known, progress or Silence())
                store.hold()
            reading = _Reading(self._request, store, crawled, known)
            yield from reading.items(progress or Silence())
        finally:
            store.close()

    def _crawl(self, store: CrawlStore, known: Mapping[str, str], progress: Progress) -> Crawled:
        progress.begin("crawl", None)
        try:
            return Crawl(self._request, store, known, progress).run()
        finally:
            progress.end()


_ENDED = "the reading ended before"


@dataclass(frozen=True, slots=True)
class _Decided:
    """What is yielded for a key: a page, or the reason why there is none. failed: whether that is a failure."""

    member: Member | None
    reason: str = ""
    failed: bool = False


class _Reading:
    """What a crawl comes to."""

    def __init__(self, request: SiteRequest, store: CrawlStore, crawled: Crawled, known: Mapping[str, str]) -> None:
        self._request = request
        self._store = store
        self._crawled = crawled
        self._known = known

    def items(self, progress: Progress) -> Iterator[PageRead]:
        """Every item in ascending order of keys. Raises SourceError when there is none, ConfigurationError."""
        decided = self._decide()
        progress.expect(len(decided))
        for key in sorted(decided):
            decision = decided.pop(key)
            if decision.member is not None:
                yield self._page(key, decision.member)
            elif decision.failed:
                yield PageFailed(key, decision.reason)
            elif key in self._known:
                yield PageGone(key, decision.reason)
            else:
                yield PageExcluded(key, decision.reason)

    def _decide(self) -> dict[str, _Decided]:
        crawled, scope = self._crawled, self._crawled.beginning.scope
        decided: dict[str, _Decided] = {}
        moved: dict[str, str] = {}
        kinds: dict[str, int] = {}
        for visit in self._store.visits():
            match visit.outcome:
                case "page":
                    kinds[visit.key] = visit.kinds
                case "moved":
                    moved[visit.key] = key_of(visit.detail)
                case "failed":
                    decided[visit.key] = _Decided(None, visit.detail, failed=True)
                case "excluded":
                    decided[visit.key] = _Decided(None, visit.detail)
                case "gone" if visit.key in self._known:
                    decided[visit.key] = _Decided(None, visit.detail)
                case "" if visit.key in self._known:
                    decided[visit.key] = _Decided(None, f"not asked for: {crawled.unasked or _ENDED}", failed=True)
                case "" if crawled.unasked and visit.kinds != MAYBE:
                    decided[visit.key] = _Decided(None, f"not asked for: {crawled.unasked}")
        found = members(self._store, scope, kinds, obeyed=self._request.politeness.robots)
        settled = settle(found, kinds, crawled.frontier, crawled.start_key)
        releases = Releases(crawled.releases, moved, (key_of(self._request.start), crawled.start_key))
        failed = {key for key, decision in decided.items() if decision.failed}
        settled = replace(settled, pages=releases.fold(settled.pages, settled.excluded, failed))
        assign(settled.pages, self._request.variants, self._request.name, crawled.start_key, releases)
        self._add_pages(decided, settled)
        pages = {page.key for page in settled.pages}
        for key in moved:
            reason = redirect_reason(key, moved, pages, settled.excluded)
            decided.setdefault(key, _Decided(None, reason))
        self._account_for_known(decided)
        if not settled.pages:
            raise self._nothing(decided)
        return decided

    def _add_pages(self, decided: dict[str, _Decided], settled: Settled) -> None:
        for key, reason in settled.excluded.items():
            decided[key] = _Decided(None, reason)
        for page in settled.pages:
            key = _served_key(page)
            decided.pop(page.key, None)
            decided[key] = _Decided(page)

    def _account_for_known(self, decided: dict[str, _Decided]) -> None:
        """Pages of the live generation that were not found: failed where a limit left them unread, and gone else."""
        scope, unasked = self._crawled.beginning.scope, self._crawled.unasked
        for key in self._known:
            if key in decided or not is_web_address(key):
                continue
            if not scope.holds(key):
                decided[key] = _Decided(None, "it is outside the scope of the source")
            elif unasked:
                decided[key] = _Decided(None, f"not asked for: {unasked}", failed=True)
            else:
                decided[key] = _Decided(None, "no sitemap names it and no page links to it any more")

    def _nothing(self, decided: dict[str, _Decided]) -> SourceError:
        failures = sorted({item.reason for item in decided.values() if item.failed})
        if failures:
            return SourceError(
                f"No page of {self._request.start_url} could be read: {'; '.join(failures[:3])}.",
                hint="Run again when the site is well; the index that is live stays as it is.",
            )
        reasons = sorted({item.reason for item in decided.values()})
        because = f" What was found was left out: {'; '.join(reasons[:3])}." if reasons else ""
        return SourceError(
            f"No page was found at {self._request.start_url}.{because}",
            hint="Is that the address of the documentation? It needs a page there that links to others, a sitemap, or "
            "an llms.txt, and pages under its prefix; a site that is made by JavaScript in the browser has no text.",
        )

    def _page(self, key: str, member: Member) -> PageRead:
        stored = self._store.page(member.key)
        if stored is None:
            raise SourceError(f"{member.key} is not kept any more.", hint="Read the site again.")
        tags = PageFacts.from_json(stored.facts).tags
        source_hash = self._hash(key, member, stored, tags)
        if self._known.get(key) == source_hash:
            return PageUnchanged(key, source_hash)
        path = urlsplit(key).path or "/"
        return RawPage(
            key=key,
            url=key,
            content=redacted_content(self._store.body(member.key)),  # stored perhaps before this secret was known
            media_type=MediaType(stored.media),
            source=self._request.name,
            source_path=path,
            source_hash=source_hash,
            slug=slug_from_path(path),
            version=member.version,
            locale=member.locale,
            version_is_current=member.version_is_current,
            locale_is_default=member.locale_is_default,
            site_root=self._crawled.beginning.scope.origin,
            served_at=stored.served_at,
            tags=tags,
        )

    def _hash(self, key: str, member: Member, stored: StoredPage, tags: tuple[str, ...]) -> str:
        """SHA-256 over everything that could change the document."""
        variant = [member.version, member.locale, member.version_is_current, member.locale_is_default]
        where = [REVISION, self._request.name, key, stored.served_at, stored.media]
        parts = [*where, *variant, stored.body_hash, tags]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _served_key(page: Member) -> str:
    """The key of a page: that of its visit, unless only the name of an index file opens it."""
    return canonical_url(page.address) if key_of(page.address) != canonical_url(page.address) else page.key
