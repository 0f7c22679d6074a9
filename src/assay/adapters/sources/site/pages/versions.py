"""Versions and locales of a site's pages, and which of them a reader meets by default.

A page's own metadata comes first, its alternates second, its path last. A segment of a path is a version or a locale
only where the site shows that it is: the same page is there under another one, its `lang` says so, or a list of
versions does (`releases`).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from assay.adapters.sources.site.options import Variants
from assay.adapters.sources.site.pages.members import Member
from assay.adapters.sources.site.pages.releases import Releases
from assay.adapters.sources.site.pages.variant_names import ALIASES, COMING, is_locale, is_version, version_rank
from assay.errors import ConfigurationError

_UNRELEASED = "current"
"""What Docusaurus calls the documentation that is not released yet; readers call it `next`."""

_DEEPEST = 4


def assign(pages: list[Member], variants: Variants, name: str, start_key: str, releases: Releases) -> None:
    """Set version and locale of each page. Raises ConfigurationError for a wish that the site cannot fulfil."""
    locale_places = _assign_locales(pages)
    _choose_locale(pages, locale_places, variants.default_locale, name, start_key)
    if any(page.said_version for page in pages):
        _versions_by_metadata(pages, variants.current_version, name)
    else:
        _versions_by_path(pages, locale_places, releases, variants.current_version, name)


def _segments(page: Member) -> list[str]:
    return [unquote(segment) for segment in urlsplit(page.key).path.split("/") if segment]


# --- locales ---


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


@dataclass(frozen=True, slots=True)
class _Place:
    """The segment of a path, locale left out, that may say the version; and what the version is called."""

    at: int
    version: str
    is_listed: bool = False


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
        names |= {*COMING, *ALIASES}
    saying = sum(any(segment.lower() in names for segment in _segments(page)) for page in pages)
    return 2 * saying > len(pages)


def _versions_by_path(
    pages: list[Member], locale_places: dict[int, int], releases: Releases, wanted: str | None, name: str
) -> None:
    where = _version_places(pages, locale_places, releases)
    _, accepted = _versions_in(pages, locale_places, where)
    bases = {base for base, _ in accepted}
    for page in pages:
        if (place := where.get(id(page))) is not None:
            segments = _without_locale(page, locale_places)
            if place.is_listed or (_base(segments, place.at), place.version) in accepted:
                page.version = place.version
    found = {page.version for page in pages if page.version is not None}
    if wanted is not None and wanted not in found:
        wanted = releases.called(wanted)
    _check_wish(wanted, found, name, found=wanted in found)
    # A translation that is there once says nothing of the versions of what it was translated from.
    for translated in (False, True):
        group = [page for page in pages if page.locale_is_default is not translated]
        rests, _ = _versions_in(group, locale_places, where)
        twins = {id(page): _bare_twins(page, locale_places, bases, rests) for page in group if page.version is None}
        _choose_version(group, twins, releases, wanted)


def _choose_version(pages: list[Member], twins: dict[int, set[str]], releases: Releases, wanted: str | None) -> None:
    """Say of each page whether its version is the current one.

    twins: the versions that have a page which is there without a version too, by id of that page.
    """
    found = sorted({page.version for page in pages if page.version is not None})
    if not found:
        return
    asked = wanted if wanted in found else None
    current = asked or (None if any(twins.values()) else _current_release(found, releases))
    for page in pages:
        if page.version is not None:
            page.version_is_current = page.version == current
        elif asked is not None:
            page.version_is_current = asked not in twins.get(id(page), set())


def _current_release(found: list[str], releases: Releases) -> str:
    told = releases.current
    return told if told in found else max(found, key=releases.rank)


def _versions_in(
    pages: list[Member], locale_places: dict[int, int], where: dict[int, _Place]
) -> tuple[dict[str, set[str]], set[tuple[str, str]]]:
    """The versions of each path, with `*` for the version in it; and what are versions, with what is before them."""
    rests: defaultdict[str, set[str]] = defaultdict(set)
    split: list[tuple[str, str]] = []
    for page in pages:
        segments, found = _without_locale(page, locale_places), where.get(id(page))
        for at in range(min(len(segments), _DEEPEST)) if found is None else [found.at]:
            version = "" if found is None else found.version
            tail = segments[at + (found is not None) :]
            if tail:
                rest = "/".join([*segments[:at], "*", *tail])
                rests[rest].add(version)
                if found is not None:
                    split.append((rest, version))
    accepted = {
        (rest.partition("*")[0], version)
        for rest, version in split
        if len(rests[rest]) > 1 or (rest.startswith("*") and _is_sure(version))
    }
    return rests, accepted


def _version_places(pages: list[Member], locale_places: dict[int, int], releases: Releases) -> dict[int, _Place]:
    """Where the path of each page may say its version, by id of the page: where a list of versions has it is sure."""
    found: dict[int, _Place] = {}
    for page in pages:
        listed = releases.place(page.key)
        if listed is not None:
            at, locale_at = urlsplit(listed[0]).path.count("/"), locale_places.get(id(page))
            at -= locale_at is not None and locale_at < at
            found[id(page)] = _Place(at, releases.label(*listed), is_listed=True)
            continue
        segments = _without_locale(page, locale_places)
        named = next((at for at, segment in enumerate(segments[:_DEEPEST]) if is_version(segment)), None)
        if named is not None:
            found[id(page)] = _Place(named, segments[named])
    return found


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
