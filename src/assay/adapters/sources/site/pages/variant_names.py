"""Path segments that name a version or a locale, and the order of version names."""

import re

_RELEASE = re.compile(
    r"v?(\d+)(?:\.(\d+|x))?(?:\.(\d+|x))?(?:\.(\d+|x))?[-.]?((?:alpha|beta|rc|a|b|pre|dev)[.-]?\d*)?", re.IGNORECASE
)
CURRENT_NAMES = ("stable", "latest", "current")
"""Names of the current version, the most certain first."""

UNRELEASED_NAMES = (
    "next", "dev", "develop", "main", "master", "canary", "nightly", "edge", "preview", "unstable", "trunk",
)  # fmt: skip
"""Names of unreleased versions."""
_LOCALE = re.compile(r"([a-z]{2,3})(?:[-_]([a-z]{2}|[a-z]{4}|\d{3}))?", re.IGNORECASE)

_LANGUAGES = frozenset({
    "aa", "ab", "af", "ak", "am", "an", "ar", "as", "av", "ay", "az", "ba", "be", "bg", "bh", "bi", "bm", "bn", "bo",
    "br", "bs", "ca", "ce", "ch", "co", "cs", "cu", "cv", "cy", "da", "de", "dv", "dz", "ee", "el", "en", "eo", "es",
    "et", "eu", "fa", "ff", "fi", "fj", "fo", "fr", "fy", "ga", "gd", "gl", "gn", "gu", "gv", "ha", "he", "hi", "ho",
    "hr", "ht", "hu", "hy", "hz", "ia", "id", "ie", "ig", "ii", "ik", "io", "is", "it", "iu", "ja", "jv", "ka", "kg",
    "ki", "kj", "kk", "kl", "km", "kn", "ko", "kr", "ks", "ku", "kv", "kw", "ky", "la", "lb", "lg", "li", "ln", "lo",
    "lt", "lu", "lv", "mg", "mh", "mi", "mk", "ml", "mn", "mr", "ms", "mt", "my", "na", "nb", "nd", "ne", "ng", "nl",
    "nn", "no", "nr", "nv", "ny", "oc", "oj", "om", "or", "os", "pa", "pi", "pl", "ps", "pt", "qu", "rm", "rn", "ro",
    "ru", "rw", "sa", "sc", "sd", "se", "sg", "si", "sk", "sl", "sm", "sn", "so", "sq", "sr", "ss", "st", "su", "sv",
    "sw", "ta", "te", "tg", "th", "ti", "tk", "tl", "tn", "to", "tr", "ts", "tt", "tw", "ty", "ug", "uk", "ur", "uz",
    "ve", "vi", "vo", "wa", "wo", "xh", "yi", "yo", "za", "zh", "zu", "fil", "ckb", "ast", "yue",
})  # fmt: skip
"""ISO 639-1, and the longer codes used by translated documentation."""


def is_locale(segment: str) -> bool:
    """Whether a path segment may name a locale: `fr`, `pt-BR`, `zh_Hans`."""
    match = _LOCALE.fullmatch(segment)
    return match is not None and match[1].lower() in _LANGUAGES


def is_version(segment: str) -> bool:
    """Whether a path segment may name a version: `2.1`, `v3`, `1.x`, `latest`, `next`."""
    lowered = segment.lower()
    if lowered in CURRENT_NAMES or lowered in UNRELEASED_NAMES:
        return True
    match = _RELEASE.fullmatch(segment)
    return match is not None and len(match[1]) <= 3


def version_rank(name: str) -> tuple[int, tuple[int, ...], str]:
    """Sort key of a version name; the greatest is the current version."""
    lowered = name.lower()
    if lowered in CURRENT_NAMES:
        return (3 - CURRENT_NAMES.index(lowered) + 2, (), name)
    match = _RELEASE.fullmatch(name)
    if match:
        numbers = tuple(int(part) if part and part.isdigit() else 0 for part in match.groups()[:4])
        return (1 if match[5] else 2, numbers, name)
    return (0 if lowered in UNRELEASED_NAMES else 1, (), name)
