"""Detection of soft 404s: pages that a site sends with status 200 for missing addresses.

A site in several languages or versions has such a page in each, and a blog or a forum has its own. So each section is
probed once with an address that is certainly missing, before its first page is fetched.
"""

from collections import Counter
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from assay.adapters.sources.site.addresses import key_of
from assay.adapters.sources.site.crawling.frontier import GUESSED
from assay.adapters.sources.site.crawling.page_fetch import FetchJob, FetchResult
from assay.adapters.sources.site.discovery.robots import Robots, is_allowed
from assay.adapters.sources.site.pages.facts import PageFacts
from assay.adapters.sources.site.pages.variant_names import is_locale, is_version
from assay.adapters.sources.site.scope import CrawlScope

PROBE_NAME = "assay-asks-for-a-page-that-is-not-there"
SOFT_404_REASON = "the site sends this page for missing addresses (soft 404)"

MAX_PROBES = 8
"""Sections probed, of each kind: those named by a version or a locale, and other top-level folders."""

_PROBE_KEY = "\x00missing "
_MAX_DEPTH = 2


class Soft404Detector:
    """Recognizes the soft 404 pages of a site.

    first_gist: gist of the soft 404 page of the scope's first prefix; "" if it has none.
    robots: by origin. start_key: key of the start page, which is never a soft 404.
    """

    def __init__(self, scope: CrawlScope, robots: Mapping[str, Robots], first_gist: str, start_key: str) -> None:
        self._scope = scope
        self._robots = robots
        self._start_key = start_key
        self._first_gist = first_gist
        self._gists = {scope.prefixes[0]: first_gist}
        self._probed: Counter[bool] = Counter()

    def probe_before(self, job: FetchJob) -> FetchJob | None:
        """The probe to fetch before this page; None if its section was probed."""
        section, named = self._section_of(job.key)
        if section in self._gists or self._probed[named] >= MAX_PROBES:
            return None
        self._probed[named] += 1
        self._gists[section] = ""
        address = f"{section}/{PROBE_NAME}"
        return FetchJob(_PROBE_KEY + section, address, 0, GUESSED) if is_allowed(self._robots, address) else None

    def is_probe(self, job: FetchJob) -> bool:
        """Whether a job is a probe and not a page."""
        return job.key.startswith(_PROBE_KEY)

    def record_probe(self, result: FetchResult) -> None:
        """Record the result of a probe."""
        if result.page_facts is not None:
            self._gists[result.job.key.removeprefix(_PROBE_KEY)] = result.page_facts.gist

    def is_soft_404(self, job: FetchJob, page_facts: PageFacts) -> bool:
        """Whether a page is a soft 404. A section's own start page never is."""
        section, _ = self._section_of(job.key)
        gists = {self._first_gist, self._gists.get(section, "")} - {""}
        return page_facts.gist in gists and job.key not in {self._start_key, section, key_of(section)}

    def _section_of(self, key: str) -> tuple[str, bool]:
        """The prefix of the section that a page is in, and whether a version or a locale names it."""
        prefix = self._scope.prefix_of(key)
        folders = [folder for folder in key[len(prefix) :].partition("?")[0].split("/")[:-1] if folder]
        names = [unquote(folder) for folder in folders[:_MAX_DEPTH]]
        named = [place for place, name in enumerate(names) if is_version(name) or is_locale(name)]
        if named:
            return "/".join([prefix, *folders[: named[-1] + 1]]), True
        return ("/".join([prefix, folders[0]]), False) if folders else (prefix, True)


def probe_address(scope: CrawlScope) -> str:
    """An address under the first prefix that is certainly missing."""
    prefix = scope.prefixes[0]
    return f"{prefix}/{PROBE_NAME}" if urlsplit(prefix).path else f"{scope.origin}/{PROBE_NAME}"
