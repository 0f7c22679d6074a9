"""Crawling rules: robots.txt, and the robots directives in a page's headers and meta elements."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from protego import Protego

from assay.adapters.sources.site.addresses import origin_of

AGENT = "Assay"
MAX_BYTES = 512 * 1024
"""Bytes read of a robots.txt; RFC 9309 asks for at least 500 KiB."""

_MAX_SITEMAPS = 100


class Robots:
    """The rules of one robots.txt for this crawler. An empty file allows everything."""

    def __init__(self, text: str) -> None:
        self._rules = Protego.parse(text)

    def allows(self, address: str) -> bool:
        """Whether the address may be fetched."""
        return bool(self._rules.can_fetch(address, AGENT))

    @property
    def delay(self) -> float:
        """The requested seconds between two requests; 0 if unspecified."""
        delay = self._rules.crawl_delay(AGENT)
        if delay is None:
            rate = self._rules.request_rate(AGENT)
            delay = rate.seconds / rate.requests if rate is not None and rate.requests else 0.0
        return max(float(delay), 0.0)

    @property
    def sitemaps(self) -> list[str]:
        """The sitemaps it lists, as written."""
        return list(self._rules.sitemaps)[:_MAX_SITEMAPS]


def is_allowed(rules: Mapping[str, Robots], address: str) -> bool:
    """Whether an address may be fetched. rules: by origin; an origin without rules allows everything."""
    robots = rules.get(origin_of(address))
    return robots is None or robots.allows(address)


_DIRECTIVE_NAMES = frozenset(
    {
        "all", "index", "follow", "noindex", "nofollow", "none", "noarchive", "nosnippet", "noimageindex",
        "notranslate", "indexifembedded", "max-snippet", "max-image-preview", "max-video-preview", "unavailable_after",
        "noodp", "noydir", "nocache",
    }
)  # fmt: skip


def header_directives(value: str, now: datetime) -> frozenset[str]:
    """The `noindex` and `nofollow` that X-Robots-Tag sets for this crawler or for all.

    value: the header's lines. `googlebot: noindex` does not apply, `assay: noindex` does.
    """
    directives: set[str] = set()
    for line in value.split("\n"):
        agent, colon, rest = line.partition(":")
        name = agent.strip().lower()
        if colon and "," not in agent and name not in _DIRECTIVE_NAMES:
            if name != AGENT.lower():
                continue
            line = rest  # noqa: PLW2901 - the directives without the agent's name
        directives |= meta_directives(line, now)
    return frozenset(directives)


def meta_directives(content: str, now: datetime) -> frozenset[str]:
    """The `noindex` and `nofollow` in the content of a robots meta element."""
    text = content.lower()
    words = {word.strip() for word in re.split(r"[,\s]+", text)}
    directives = words & {"noindex", "nofollow"}
    if "none" in {word.strip() for word in text.split(",")}:
        directives |= {"noindex", "nofollow"}
    until = re.search(r"unavailable_after:\s*([^\n]+)", content, re.IGNORECASE)
    if until and _is_past(until[1].strip(), now):
        directives.add("noindex")
    return frozenset(directives)


def _is_past(text: str, now: datetime) -> bool:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        try:
            when = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return False
    return (when if when.tzinfo else when.replace(tzinfo=UTC)) < now
