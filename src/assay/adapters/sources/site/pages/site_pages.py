"""The pages of a site, with few fields each, so that a large site fits in memory."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from sys import intern
from urllib.parse import unquote, urlsplit

from assay.adapters.sources.site.addresses import key_of, spelling_group, without_index_file
from assay.adapters.sources.site.crawling.frontier import SITEMAP
from assay.adapters.sources.site.pages.facts import PageFacts
from assay.adapters.sources.site.scope import CrawlScope
from assay.adapters.sources.site.store import CrawlStore
from assay.model.ids import canonical_url


@dataclass(slots=True)
class SitePage:
    """One fetched page, and what is needed to compare it with the others.

    key: of its visit. address: where it was served. listed: in a sitemap.
    canonical: key of the page that its canonical link names; "" if none. titles: title and first heading.
    written_at: its address as its canonical link writes it, else the sitemap, else the first link; without them, where
        it was served.
    alternate_language, default_language: of the page, and of its `x-default` page, by its alternate links.
    version, locale, version_is_current, locale_is_default: set by `versions`.
    """

    key: str
    address: str
    listed: bool
    canonical: str
    noindex: bool
    fingerprint: str
    skeleton: str
    titles: str
    declared_version: str
    version_group: str
    declared_locale: str
    lang: str
    alternate_language: str
    default_language: str
    written_at: str = ""
    version: str | None = None
    locale: str | None = None
    version_is_current: bool = True
    locale_is_default: bool = True

    @property
    def path_segments(self) -> list[str]:
        """The decoded segments of its path."""
        return [unquote(segment) for segment in urlsplit(self.key).path.split("/") if segment]

    @property
    def variant(self) -> tuple[str, str]:
        """The version and locale that the page declares."""
        return self.declared_version, self.declared_locale or self.lang

    @property
    def twin(self) -> str:
        """Equal for addresses that may be spellings of one page."""
        return spelling_group(self.key)


def read_site_pages(
    store: CrawlStore, scope: CrawlScope, kinds: Mapping[str, int], written: Mapping[str, str], *, respect_noindex: bool
) -> Iterator[SitePage]:
    """Every page of the crawl, in ascending order of keys.

    kinds: how each was found, by key. written: the address of each as it was found first, if it was served elsewhere.
    respect_noindex: whether `noindex` counts.
    """
    for page in store.pages():
        facts = PageFacts.from_json(page.facts)
        canonical_address = scope.resolve_alias(facts.canonical) if facts.canonical else ""
        canonical = key_of(canonical_address) if canonical_address else ""
        own, default = _languages(facts, scope, page.key)
        yield SitePage(
            key=page.key,
            address=page.served_at,
            listed=bool(kinds.get(page.key, 0) & SITEMAP),
            canonical=page.key if canonical == page.key else canonical,
            noindex=facts.noindex and respect_noindex,
            fingerprint=facts.fingerprint,
            skeleton=facts.skeleton,
            titles=f"{facts.title}\n{facts.heading}" if facts.heading else "",
            declared_version=intern(facts.version),
            version_group=intern(facts.version_group),
            declared_locale=intern(facts.locale),
            lang=intern(facts.lang),
            alternate_language=intern(own),
            default_language=intern(default),
            written_at=_written_at(page.key, (canonical_address, written.get(page.key, ""), page.served_at)),
        )


def _written_at(key: str, addresses: Iterable[str]) -> str:
    """The first of these addresses that is the page's, without an index file name."""
    plain = map(without_index_file, addresses)
    return next((address for address in plain if address and canonical_url(address) == key), "")


def _languages(facts: PageFacts, scope: CrawlScope, key: str) -> tuple[str, str]:
    """The language of the page and of its `x-default` page, by its alternate links."""
    by_key: dict[str, str] = {}
    default_key = ""
    for language, address in facts.alternates:
        target = key_of(scope.resolve_alias(address))
        if language.lower() == "x-default":
            default_key = target
        else:
            by_key.setdefault(target, language)
    return by_key.get(key, ""), by_key.get(default_key, "")
