"""The pages of a site as they are seen together: little of each, so that a large site fits."""

from collections.abc import Iterator
from dataclasses import dataclass
from sys import intern

from assay.adapters.sources.site.addresses import key_of, twin_of
from assay.adapters.sources.site.crawling.frontier import SITEMAP
from assay.adapters.sources.site.pages.facts import PageFacts
from assay.adapters.sources.site.scope import Scope
from assay.adapters.sources.site.store import CrawlStore


@dataclass(slots=True)
class Member:
    """One page that came, with what its place among the others depends on.

    key: of its visit. address: it was served at. canonical: key of the page that it says it is; "" if it says none.
    likeness: of title and first heading. own_language, default_language: of it, and of readers of no known language,
        as its alternates say. version, locale, version_is_current, locale_is_default: as decided.
    """

    key: str
    address: str
    listed: bool
    canonical: str
    noindex: bool
    fingerprint: str
    skeleton: str
    likeness: str
    said_version: str
    version_group: str
    said_locale: str
    lang: str
    own_language: str
    default_language: str
    version: str | None = None
    locale: str | None = None
    version_is_current: bool = True
    locale_is_default: bool = True

    @property
    def variant(self) -> tuple[str, str]:
        """Version and locale as the page itself says them."""
        return self.said_version, self.said_locale or self.lang

    @property
    def twin(self) -> str:
        """Equal for addresses that may be of one page."""
        return twin_of(self.key)


def members(store: CrawlStore, scope: Scope, kinds: dict[str, int], *, obeyed: bool) -> Iterator[Member]:
    """Every page of the reading, in ascending order of keys.

    kinds: how each was found, by key. obeyed: whether `noindex` counts.
    """
    for page in store.pages():
        facts = PageFacts.from_json(page.facts)
        canonical = key_of(scope.own(facts.canonical)) if facts.canonical else ""
        own, default = _languages(facts, scope, page.key)
        yield Member(
            key=page.key,
            address=page.served_at,
            listed=bool(kinds.get(page.key, 0) & SITEMAP),
            canonical=page.key if canonical == page.key else canonical,
            noindex=facts.noindex and obeyed,
            fingerprint=facts.fingerprint,
            skeleton=facts.skeleton,
            likeness=f"{facts.title}\n{facts.heading}" if facts.heading else "",
            said_version=intern(facts.version),
            version_group=intern(facts.version_group),
            said_locale=intern(facts.locale),
            lang=intern(facts.lang),
            own_language=intern(own),
            default_language=intern(default),
        )


def _languages(facts: PageFacts, scope: Scope, key: str) -> tuple[str, str]:
    """The language that the page's alternates say it is in, and that of the page for everybody else."""
    by_key: dict[str, str] = {}
    default_key = ""
    for language, address in facts.alternates:
        target = key_of(scope.own(address))
        if language.lower() == "x-default":
            default_key = target
        else:
            by_key.setdefault(target, language)
    return by_key.get(key, ""), by_key.get(default_key, "")
