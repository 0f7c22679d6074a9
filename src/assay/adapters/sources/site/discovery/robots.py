"""What a site lets a crawler do: robots.txt, and what a page's headers and meta elements say of it."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from protego import Protego

AGENT = "Assay"
LONGEST = 512 * 1024
"""Bytes of a robots.txt that are read, as RFC 9309 asks for at least 500 KiB."""

_MOST_SITEMAPS = 100


class Robots:
    """The rules of one robots.txt for this crawler; those of an empty one allow everything."""

    def __init__(self, text: str) -> None:
        self._rules = Protego.parse(text)

    def allows(self, address: str) -> bool:
        """Whether the address may be asked for."""
        return bool(self._rules.can_fetch(address, AGENT))

    @property
    def delay(self) -> float:
        """Seconds between two requests that are asked for; 0 if none are."""
        delay = self._rules.crawl_delay(AGENT)
        if delay is None:
            rate = self._rules.request_rate(AGENT)
            delay = rate.seconds / rate.requests if rate is not None and rate.requests else 0.0
        return max(float(delay), 0.0)

    @property
    def sitemaps(self) -> list[str]:
        """The sitemaps that it names, as written."""
        return list(self._rules.sitemaps)[:_MOST_SITEMAPS]


_DIRECTIVE_NAMES = frozenset(
    {
        "all", "index", "follow", "noindex", "nofollow", "none", "noarchive", "nosnippet", "noimageindex",
        "notranslate", "indexifembedded", "max-snippet", "max-image-preview", "max-video-preview", "unavailable_after",
        "noodp", "noydir", "nocache",
    }
)  # fmt: skip


def header_directives(value: str, now: datetime) -> frozenset[str]:
    """`noindex` and `nofollow`, if X-Robots-Tag says them to this crawler or to all.

    value: the header's lines. `googlebot: noindex` is not for us, `assay: noindex` is.
    """
    said: set[str] = set()
    for line in value.split("\n"):
        agent, colon, rest = line.partition(":")
        name = agent.strip().lower()
        if colon and "," not in agent and name not in _DIRECTIVE_NAMES:
            if name != AGENT.lower():
                continue
            line = rest  # noqa: PLW2901 - what is left after the name
        said |= meta_directives(line, now)
    return frozenset(said)


def meta_directives(content: str, now: datetime) -> frozenset[str]:
    """`noindex` and `nofollow`, if a robots meta element's content says them."""
    text = content.lower()
    words = {word.strip() for word in re.split(r"[,\s]+", text)}
    said = words & {"noindex", "nofollow"}
    if "none" in {word.strip() for word in text.split(",")}:
        said |= {"noindex", "nofollow"}
    until = re.search(r"unavailable_after:\s*([^\n]+)", content, re.IGNORECASE)
    if until and _is_past(until[1].strip(), now):
        said.add("noindex")
    return frozenset(said)


def _is_past(text: str, now: datetime) -> bool:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        try:
            when = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return False
    return (when if when.tzinfo else when.replace(tzinfo=UTC)) < now
