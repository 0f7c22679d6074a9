"""The locale of each page, and which locale is searched by default.

A page's own metadata comes first, its alternate links second, its path last. A path segment counts as a locale only if
the same page exists under another one, or if the page declares that language.
"""

import re
from collections import Counter, defaultdict

from assay.adapters.sources.site.pages.site_pages import SitePage
from assay.adapters.sources.site.pages.variant_names import is_locale
from assay.errors import ConfigurationError

_MAX_DEPTH = 4


def assign_locales(pages: list[SitePage], requested: str | None, name: str, start_key: str) -> dict[int, int]:
    """Set the locale of each page; return its position in the path, by id of the page.

    requested: the default locale; None for the site's own. name: of the source.

    Raises ConfigurationError when the site lacks the requested locale.
    """
    places = _set_locales(pages)
    _choose_locale(pages, places, requested, name, start_key)
    return places


def _language(locale: str) -> str:
    return re.split(r"[-_]", locale.lower())[0]


def _set_locales(pages: list[SitePage]) -> dict[int, int]:
    candidates: dict[int, int] = {}
    by_rest: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    for page in pages:
        segments = page.path_segments
        place = next((place for place, segment in enumerate(segments[:_MAX_DEPTH]) if is_locale(segment)), None)
        if place is not None:
            candidates[id(page)] = place
        for at in range(min(len(segments) + 1, _MAX_DEPTH)) if place is None else [place]:
            rest = "/".join([*segments[:at], "", *segments[at + (place is not None) :]])
            by_rest[(at, rest)].add(segments[place] if place is not None else "")
    votes: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for page in pages:
        place = candidates.get(id(page))
        if place is None:
            continue
        segments = page.path_segments
        rest = "/".join([*segments[:place], "", *segments[place + 1 :]])
        declared = page.declared_locale or page.alternate_language or page.lang
        matches_declared = bool(declared) and _language(declared) == _language(segments[place])
        twins = by_rest[(place, rest)] - {segments[place]}
        votes[("/".join(segments[:place]), segments[place])].append(matches_declared or bool(twins))
    accepted = {where for where, seen in votes.items() if 3 * sum(seen) >= len(seen)}
    places: dict[int, int] = {}
    for page in pages:
        segments, place = page.path_segments, candidates.get(id(page))
        named = None
        if place is not None and ("/".join(segments[:place]), segments[place]) in accepted:
            places[id(page)] = place
            named = segments[place]
        page.locale = page.declared_locale or page.alternate_language or named or page.lang or None
    return places


def _choose_locale(
    pages: list[SitePage], places: dict[int, int], requested: str | None, name: str, start_key: str
) -> None:
    found: Counter[str] = Counter(page.locale for page in pages if page.locale)
    if requested is not None:
        default = next((locale for locale in found if _same_locale(locale, requested)), None)
        if default is None:
            raise ConfigurationError(
                f"{name} has no locale {requested!r}; it has {', '.join(sorted(found)) or 'none that it names'}.",
                hint="Set default_locale to one of them, or leave it out.",
            )
    else:
        default = _default_locale(pages, places, found, start_key)
    marked = any(page.declared_locale or page.alternate_language for page in pages) or bool(places)
    for page in pages:
        same = page.locale is None or default is None or _same_locale(page.locale, default)
        page.locale_is_default = same or (not marked and _language(page.locale or "") == _language(default or ""))


def _same_locale(one: str, other: str) -> bool:
    return one.lower().replace("_", "-") == other.lower().replace("_", "-")


def _default_locale(pages: list[SitePage], places: dict[int, int], found: Counter[str], start_key: str) -> str | None:
    """The `x-default` locale, else that of pages without one in their path, else the start page's, else English."""
    declared = Counter(page.default_language for page in pages if page.default_language)
    best = declared.most_common(1)
    if best and any(_same_locale(locale, best[0][0]) for locale in found):
        return best[0][0]
    if places:
        unprefixed = Counter(page.locale for page in pages if id(page) not in places and page.locale)
        subpages = any(id(page) not in places and page.path_segments for page in pages)
        if unprefixed and subpages:
            return unprefixed.most_common(1)[0][0]
    start = next((page.locale for page in pages if page.key == start_key and page.locale), None)
    if start is not None:
        return start
    english = [locale for locale in found if _language(locale) == "en"]
    return min(english, key=len) if english else (found.most_common(1)[0][0] if found else None)
