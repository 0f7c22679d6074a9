"""Versions and locales of a site's pages, and which of them a reader meets by default.

A page's own metadata comes first, its alternates second, its path last. A segment of a path is a version or a locale
only where the site shows that it is: the same page is there under another one, or its `lang` says so.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from assay.adapters.site.languages import LANGUAGES
from assay.adapters.site.members import Member
from assay.adapters.site.options import Variants
from assay.errors import ConfigurationError

_RELEASE = re.compile(
    r"v?(\d+)(?:\.(\d+|x))?(?:\.(\d+|x))?(?:\.(\d+|x))?[-.]?((?:alpha|beta|rc|a|b|pre|dev)[.-]?\d*)?", re.IGNORECASE
)
_NAMED = ("stable", "latest", "current")
_COMING = ("next", "dev", "develop", "main", "master", "canary", "nightly", "edge", "preview", "unstable", "trunk")
_UNRELEASED = "current"
"""What Docusaurus calls the documentation that is not released yet; readers call it `next`."""

_DEEPEST = 4
_LOCALE = re.compile(r"([a-z]{2,3})(?:[-_]([a-z]{2}|[a-z]{4}|\d{3}))?", re.IGNORECASE)


def assign(pages: list[Member], variants: Variants, name: str, start_key: str) -> None:
    """Set version and locale of each page. Raises ConfigurationError for a wish that the site cannot fulfil."""
    locale_places = _assign_locales(pages)
    _choose_locale(pages, locale_places, variants.default_locale, name, start_key)
    if any(page.said_version for page in pages):
        _versions_by_metadata(pages, variants.current_version, name)
    else:
        _versions_by_path(pages, locale_places, variants.current_version, name)


def _segments(page: Member) -> list[str]:
    return [unquote(segment) for segment in urlsplit(page.key).path.split("/") if segment]


# --- locales ---


def is_locale(segment: str) -> bool:
    """Whether a segment of a path may name a locale: `fr`, `pt-BR`, `zh_Hans`."""
    match = _LOCALE.fullmatch(segment)
    return match is not None and match[1].lower() in LANGUAGES


def _primary(locale: str) -> str:
    return re.split(r"[-_]", locale.lower())[0]


def _assign_locales(pages: list[Member]) -> dict[int, int]:
    """Set the locale of each page; where in its path it stands, by id of the page."""
    candidates: dict[int, int] = {}
    by_rest: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    for page in pages:
        segments = _segments(page)
        place = next((place for place, segment in enumerate(segments[:_DEEPEST]) if is_locale(segment)), None)
        if place is not None:
            candidates[id(page)] = place
        for at in range(min(len(segments) + 1, _DEEPEST)) if place is None else [place]:
            rest = "/".join([*segments[:at], "", *segments[at + (place is not None) :]])
            by_rest[(at, rest)].add(segments[place] if place is not None else "")
    votes: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for page in pages:
        place = candidates.get(id(page))
        if place is None:
            continue
        segments = _segments(page)
        rest = "/".join([*segments[:place], "", *segments[place + 1 :]])
        said = page.said_locale or page.own_language or page.lang
        believed = bool(said) and _primary(said) == _primary(segments[place])
        twins = by_rest[(place, rest)] - {segments[place]}
        votes[("/".join(segments[:place]), segments[place])].append(believed or bool(twins))
    accepted = {where for where, seen in votes.items() if 3 * sum(seen) >= len(seen)}
    places: dict[int, int] = {}
    for page in pages:
        segments, place = _segments(page), candidates.get(id(page))
        named = None
        if place is not None and ("/".join(segments[:place]), segments[place]) in accepted:
            places[id(page)] = place
            named = segments[place]
        page.locale = page.said_locale or page.own_language or named or page.lang or None
    return places


def _choose_locale(pages: list[Member], places: dict[int, int], wanted: str | None, name: str, start_key: str) -> None:
    found: Counter[str] = Counter(page.locale for page in pages if page.locale)
    if wanted is not None:
        default = next((locale for locale in found if _same_locale(locale, wanted)), None)
        if default is None:
            raise ConfigurationError(
                f"{name} has no locale {wanted!r}; it has {', '.join(sorted(found)) or 'none that it names'}.",
                hint="Set default_locale to one of them, or leave it out.",
            )
    else:
        default = _default_locale(pages, places, found, start_key)
    marked = any(page.said_locale or page.own_language for page in pages) or bool(places)
    for page in pages:
        same = page.locale is None or default is None or _same_locale(page.locale, default)
        page.locale_is_default = same or (not marked and _primary(page.locale or "") == _primary(default or ""))


def _same_locale(one: str, other: str) -> bool:
    return one.lower().replace("_", "-") == other.lower().replace("_", "-")


def _default_locale(pages: list[Member], places: dict[int, int], found: Counter[str], start_key: str) -> str | None:
    """The x-default one, else that of pages without a locale in their path, else that of the start page, else en."""
    said = Counter(page.default_language for page in pages if page.default_language)
    best = said.most_common(1)
    if best and any(_same_locale(locale, best[0][0]) for locale in found):
        return best[0][0]
    if places:
        bare = Counter(page.locale for page in pages if id(page) not in places and page.locale)
        versioned = [page for page in pages if id(page) not in places and len(_segments(page)) > 0]
        if bare and versioned:
            return bare.most_common(1)[0][0]
    start = next((page.locale for page in pages if page.key == start_key and page.locale), None)
    if start is not None:
        return start
    english = [locale for locale in found if _primary(locale) == "en"]
    return min(english, key=len) if english else (found.most_common(1)[0][0] if found else None)


# --- versions ---


def version_rank(name: str) -> tuple[int, tuple[int, ...], str]:
    """Where a version stands among others that readers could meet: the greatest is the current one."""
    lowered = name.lower()
    if lowered in _NAMED:
        return (3 - _NAMED.index(lowered) + 2, (), name)
    match = _RELEASE.fullmatch(name)
    if match and not match[5]:
        return (2, tuple(int(part) if part and part.isdigit() else 0 for part in match.groups()[:4]), name)
    if match:
        return (1, tuple(int(part) if part and part.isdigit() else 0 for part in match.groups()[:4]), name)
    return (0 if lowered in _COMING else 1, (), name)


def _versions_by_metadata(pages: list[Member], wanted: str | None, name: str) -> None:
    groups: defaultdict[str, defaultdict[str, list[Member]]] = defaultdict(lambda: defaultdict(list))
    for page in pages:
        if page.said_version:
            groups[page.version_group][page.said_version].append(page)
    labels: set[str] = set()
    chosen = False
    for versions in groups.values():
        current = _current_of(versions)
        relabelled = {
            version: _label(version, current, grouped[0].version_group) for version, grouped in versions.items()
        }
        labels |= set(relabelled.values())
        if wanted is not None:
            match = next((one for one in versions if wanted in {one, relabelled[one]}), None)
            chosen |= match is not None
            current = match or current
        for version, grouped in versions.items():
            for page in grouped:
                page.version = relabelled[version]
                page.version_is_current = version == current
    _check_wish(wanted, labels, name, found=chosen)


def _label(version: str, current: str, group: str) -> str:
    return "next" if version == _UNRELEASED and version != current and group else version


def _current_of(versions: dict[str, list[Member]]) -> str:
    """The version whose pages do not say it in their addresses, else the greatest."""
    bare = [version for version, pages in versions.items() if not _says_version(version, pages)]
    if len(bare) == 1:
        return bare[0]
    names = bare or list(versions)
    released = [name for name in names if name != _UNRELEASED or len(names) == 1]
    return max(released or names, key=version_rank)


def _says_version(version: str, pages: list[Member]) -> bool:
    names = {version.lower(), f"v{version.lower()}", version.lower().removeprefix("v")}
    if version == _UNRELEASED:
        names |= {*_COMING, *_NAMED}
    saying = sum(any(segment.lower() in names for segment in _segments(page)) for page in pages)
    return 2 * saying > len(pages)


def is_version(segment: str) -> bool:
    """Whether a segment of a path may name a version: `2.1`, `v3`, `1.x`, `latest`, `next`."""
    lowered = segment.lower()
    if lowered in _NAMED or lowered in _COMING:
        return True
    match = _RELEASE.fullmatch(segment)
    return match is not None and len(match[1]) <= 3


def _versions_by_path(pages: list[Member], locale_places: dict[int, int], wanted: str | None, name: str) -> None:
    where = {id(page): _version_place(page, locale_places) for page in pages}
    rests: defaultdict[str, set[str]] = defaultdict(set)
    split: dict[int, tuple[str, str]] = {}
    for page in pages:
        segments, at = _without_locale(page, locale_places), where[id(page)]
        for place in range(min(len(segments), _DEEPEST)) if at is None else [at]:
            version = "" if at is None else segments[place]
            tail = segments[place + (at is not None) :]
            if tail:
                rest = "/".join([*segments[:place], "*", *tail])
                rests[rest].add(version)
                if at is not None:
                    split[id(page)] = (rest, version)
    accepted = {
        (rest.partition("*")[0], version)
        for rest, version in split.values()
        if len(rests[rest]) > 1 or (rest.startswith("*") and _is_sure(version))
    }
    bases = {base for base, _ in accepted}
    for page in pages:
        segments, at = _without_locale(page, locale_places), where[id(page)]
        if at is not None and (_base(segments, at), segments[at]) in accepted:
            page.version = segments[at]
    bare = [page for page in pages if page.version is None]
    twins = {id(page): _bare_twins(page, locale_places, bases, rests) for page in bare}
    bare_is_version = any(twins.values())
    found = sorted({page.version for page in pages if page.version is not None})
    if not found:
        _check_wish(wanted, set(), name, found=wanted is None)
        return
    _check_wish(wanted, set(found), name, found=wanted in found)
    current = wanted or (None if bare_is_version else max(found, key=version_rank))
    for page in pages:
        if page.version is not None:
            page.version_is_current = page.version == current
        elif wanted is not None:
            page.version_is_current = wanted not in twins.get(id(page), set())


def _base(segments: list[str], at: int) -> str:
    return "".join(f"{segment}/" for segment in segments[:at])


def _is_sure(version: str) -> bool:
    """Whether a first segment is a version beyond doubt."""
    return version.lower() in {"stable", "latest"} or bool(
        re.fullmatch(r"v?\d+\.(\d+|x)(\.(\d+|x))?|v\d+", version, re.IGNORECASE)
    )


def _without_locale(page: Member, places: dict[int, int]) -> list[str]:
    segments, at = _segments(page), places.get(id(page))
    return segments if at is None else [*segments[:at], *segments[at + 1 :]]


def _version_place(page: Member, locale_places: dict[int, int]) -> int | None:
    segments = _without_locale(page, locale_places)
    return next((place for place, segment in enumerate(segments[:_DEEPEST]) if is_version(segment)), None)


def _bare_twins(
    page: Member, locale_places: dict[int, int], bases: Iterable[str], rests: dict[str, set[str]]
) -> set[str]:
    """The versions that have the page that this one is, without a version in its address."""
    segments = _without_locale(page, locale_places)
    found: set[str] = set()
    for base in bases:
        at = base.count("/")
        if _base(segments, at) == base and segments[at:]:
            found |= rests.get("/".join([*segments[:at], "*", *segments[at:]]), set()) - {""}
    return found


def _check_wish(wanted: str | None, labels: set[str], name: str, *, found: bool) -> None:
    if wanted is not None and not found:
        raise ConfigurationError(
            f"{name} has no version {wanted!r}; it has {', '.join(sorted(labels)) or 'no versions'}.",
            hint="Set current_version to one of them, or leave it out.",
        )
