"""What the site says of addresses that are not there, where it does not say 404: asked once for each part of it.

A site in several languages or versions has such a page for each of them, and a blog or a forum beside the
documentation has its own. So each part is asked for a page that is certainly missing before its first page is.
"""

from collections import Counter
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from assay.adapters.sources.site.addresses import key_of, origin_of
from assay.adapters.sources.site.crawling.frontier import MAYBE
from assay.adapters.sources.site.crawling.page_fetch import Fetch, Outcome
from assay.adapters.sources.site.discovery.robots import Robots
from assay.adapters.sources.site.pages.facts import PageFacts
from assay.adapters.sources.site.pages.variant_names import is_locale, is_version
from assay.adapters.sources.site.scope import Scope

MISSING = "assay-asks-for-a-page-that-is-not-there"
NOT_THERE = "it is the page that the site gives for addresses that are not there"

MOST_PROBES = 8
"""Parts that are asked, of each kind: those that a version or a locale names, and other folders at the top."""

_PROBE_KEY = "\x00missing "
_DEEPEST = 2


class MissingPages:
    """Knows the pages of a site that are none.

    first: gist of the page that the first prefix of the scope gives for an address that is not there; "" for none.
    robots: by origin. start_key: key of the start page, which is one whatever else looks like it.
    """

    def __init__(self, scope: Scope, robots: Mapping[str, Robots], first: str, start_key: str) -> None:
        self._scope = scope
        self._robots = robots
        self._start_key = start_key
        self._first = first
        self._gists = {scope.prefixes[0]: first}
        self._asked: Counter[bool] = Counter()

    def probe_before(self, job: Fetch) -> Fetch | None:
        """What to ask for before a page is, so that its part of the site is known; None where it is."""
        part, named = self._part_of(job.key)
        if part in self._gists or self._asked[named] >= MOST_PROBES:
            return None
        self._asked[named] += 1
        self._gists[part] = ""
        address = f"{part}/{MISSING}"
        robots = self._robots.get(origin_of(address))
        if robots is not None and not robots.allows(address):
            return None
        return Fetch(_PROBE_KEY + part, address, 0, MAYBE)

    def is_probe(self, job: Fetch) -> bool:
        """Whether a request is a probe, and for no page."""
        return job.key.startswith(_PROBE_KEY)

    def answered(self, outcome: Outcome) -> None:
        """Take note of what a probe came to."""
        if outcome.page_facts is not None:
            self._gists[outcome.job.key.removeprefix(_PROBE_KEY)] = outcome.page_facts.gist

    def holds(self, job: Fetch, page_facts: PageFacts) -> bool:
        """Whether what came is the page for addresses that are not there. The page of a part itself never is."""
        part, _ = self._part_of(job.key)
        told = {self._first, self._gists.get(part, "")} - {""}
        return page_facts.gist in told and job.key not in {self._start_key, part, key_of(part)}

    def _part_of(self, key: str) -> tuple[str, bool]:
        """The part of the site that a page is in, as a prefix, and whether a version or a locale names it."""
        prefix = self._scope.prefix_of(key)
        folders = [folder for folder in key[len(prefix) :].partition("?")[0].split("/")[:-1] if folder]
        named = [place for place, folder in enumerate(folders[:_DEEPEST]) if _names_a_variant(unquote(folder))]
        if named:
            return "/".join([prefix, *folders[: named[-1] + 1]]), True
        return ("/".join([prefix, folders[0]]), False) if folders else (prefix, True)


def _names_a_variant(folder: str) -> bool:
    return is_version(folder) or is_locale(folder)


def probe_of(scope: Scope) -> str:
    """An address of the first prefix that is certainly missing."""
    prefix = scope.prefixes[0]
    return f"{prefix}/{MISSING}" if urlsplit(prefix).path else f"{scope.origin}/{MISSING}"
