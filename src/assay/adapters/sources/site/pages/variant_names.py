"""Which segments of a path may name a version or a locale, and how names of versions stand to each other."""

import re

from assay.adapters.sources.site.pages.languages import LANGUAGES

_RELEASE = re.compile(
    r"v?(\d+)(?:\.(\d+|x))?(?:\.(\d+|x))?(?:\.(\d+|x))?[-.]?((?:alpha|beta|rc|a|b|pre|dev)[.-]?\d*)?", re.IGNORECASE
)
ALIASES = ("stable", "latest", "current")
"""What the version is called that readers meet by default, the surest first."""

COMING = ("next", "dev", "develop", "main", "master", "canary", "nightly", "edge", "preview", "unstable", "trunk")
"""What versions are called that are not released yet."""
_LOCALE = re.compile(r"([a-z]{2,3})(?:[-_]([a-z]{2}|[a-z]{4}|\d{3}))?", re.IGNORECASE)


def is_locale(segment: str) -> bool:
    """Whether a segment of a path may name a locale: `fr`, `pt-BR`, `zh_Hans`."""
    match = _LOCALE.fullmatch(segment)
    return match is not None and match[1].lower() in LANGUAGES


def is_version(segment: str) -> bool:
    """Whether a segment of a path may name a version: `2.1`, `v3`, `1.x`, `latest`, `next`."""
    lowered = segment.lower()
    if lowered in ALIASES or lowered in COMING:
        return True
    match = _RELEASE.fullmatch(segment)
    return match is not None and len(match[1]) <= 3


def version_rank(name: str) -> tuple[int, tuple[int, ...], str]:
    """Where a version stands among others that readers could meet: the greatest is the current one."""
    lowered = name.lower()
    if lowered in ALIASES:
        return (3 - ALIASES.index(lowered) + 2, (), name)
    match = _RELEASE.fullmatch(name)
    if match and not match[5]:
        return (2, tuple(int(part) if part and part.isdigit() else 0 for part in match.groups()[:4]), name)
    if match:
        return (1, tuple(int(part) if part and part.isdigit() else 0 for part in match.groups()[:4]), name)
    return (0 if lowered in COMING else 1, (), name)
