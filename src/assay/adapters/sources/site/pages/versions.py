"""The version of each page, and which version is searched by default.

A page's own metadata comes first, its path second. A path segment counts as a version only if the same page exists
under another one, or if a `versions.json` lists it (`releases`).
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from assay.adapters.sources.site.options import DefaultVariant
from assay.adapters.sources.site.pages.locales import assign_locales
from assay.adapters.sources.site.pages.releases import SiteReleases
from assay.adapters.sources.site.pages.site_pages import SitePage
from assay.adapters.sources.site.pages.variant_names import CURRENT_NAMES, UNRELEASED_NAMES, is_version, version_rank
from assay.errors import ConfigurationError

_DOCUSAURUS_UNRELEASED = "current"
"""Docusaurus's name for the unreleased documentation; its readers see `next`."""

_MAX_DEPTH = 4


def assign_variants(
    pages: list[SitePage], variants: DefaultVariant, name: str, start_key: str, releases: SiteReleases
) -> None:
    """Set the version and locale of each page.

    Raises ConfigurationError when the site lacks the requested version or locale.
    """
    locale_places = assign_locales(pages, variants.default_locale, name, start_key)
    if any(page.declared_version for page in pages):
        _versions_by_metadata(pages, variants.current_version, name)
    else:
        _versions_by_path(pages, locale_places, releases, variants.current_version, name)


@dataclass(frozen=True, slots=True)
class _Place:
    """The path segment (not counting the locale) that may name the version, and that name."""

    at: int
    version: str
    is_listed: bool = False


def _versions_by_metadata(pages: list[SitePage], requested: str | None, name: str) -> None:
    groups: defaultdict[str, defaultdict[str, list[SitePage]]] = defaultdict(lambda: defaultdict(list))
    for page in pages:
        if page.declared_version:
            groups[page.version_group][page.declared_version].append(page)
    labels: set[str] = set()
    chosen = False
    for versions in groups.values():
        current = _current_of(versions)
        relabelled = {
            version: _label(version, current, grouped[0].version_group) for version, grouped in versions.items()
        }
        labels |= set(relabelled.values())
        if requested is not None:
            match = next((one for one in versions if requested in {one, relabelled[one]}), None)
            chosen |= match is not None
            current = match or current
        for version, grouped in versions.items():
            for page in grouped:
                page.version = relabelled[version]
                page.version_is_current = version == current
    _check_requested_version(requested, labels, name, found=chosen)


def _label(version: str, current: str, group: str) -> str:
    return "next" if version == _DOCUSAURUS_UNRELEASED and version != current and group else version


def _current_of(versions: dict[str, list[SitePage]]) -> str:
    """The version whose addresses do not name it, else the greatest."""
    unversioned = [version for version, pages in versions.items() if not _has_version_in_path(version, pages)]
    if len(unversioned) == 1:
        return unversioned[0]
    names = unversioned or list(versions)
    released = [name for name in names if name != _DOCUSAURUS_UNRELEASED or len(names) == 1]
    return max(released or names, key=version_rank)


def _has_version_in_path(version: str, pages: list[SitePage]) -> bool:
    names = {version.lower(), f"v{version.lower()}", version.lower().removeprefix("v")}
    if version == _DOCUSAURUS_UNRELEASED:
        names |= {*UNRELEASED_NAMES, *CURRENT_NAMES}
    saying = sum(any(segment.lower() in names for segment in page.path_segments) for page in pages)
    return 2 * saying > len(pages)


def _versions_by_path(
    pages: list[SitePage], locale_places: dict[int, int], releases: SiteReleases, requested: str | None, name: str
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
    if requested is not None and requested not in found:
        requested = releases.resolve_name(requested)
    _check_requested_version(requested, found, name, found=requested in found)
    # A translation that exists in one version tells nothing about the versions of the original.
    for translated in (False, True):
        group = [page for page in pages if page.locale_is_default is not translated]
        rests, _ = _versions_in(group, locale_places, where)
        twins = {
            id(page): _unversioned_matches(page, locale_places, bases, rests) for page in group if page.version is None
        }
        _choose_version(group, twins, releases, requested)


def _choose_version(
    pages: list[SitePage], twins: dict[int, set[str]], releases: SiteReleases, requested: str | None
) -> None:
    """Mark each page whose version is the current one.

    twins: for each page without a version, by its id, the versions that have the same page.
    """
    found = sorted({page.version for page in pages if page.version is not None})
    if not found:
        return
    asked = requested if requested in found else None
    preferred = releases.current if releases.current in found else max(found, key=releases.rank)
    current = asked or (None if any(twins.values()) else preferred)
    for page in pages:
        if page.version is not None:
            page.version_is_current = page.version == current
        elif asked is not None:
            page.version_is_current = asked not in twins.get(id(page), set())


def _versions_in(
    pages: list[SitePage], locale_places: dict[int, int], where: dict[int, _Place]
) -> tuple[dict[str, set[str]], set[tuple[str, str]]]:
    """The versions of each path, with `*` in place of the version; and each (prefix, name) that is a version."""
    rests: defaultdict[str, set[str]] = defaultdict(set)
    split: list[tuple[str, str]] = []
    for page in pages:
        segments, found = _without_locale(page, locale_places), where.get(id(page))
        for at in range(min(len(segments), _MAX_DEPTH)) if found is None else [found.at]:
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
        if len(rests[rest]) > 1 or (rest.startswith("*") and _is_certain_version(version))
    }
    return rests, accepted


def _version_places(pages: list[SitePage], locale_places: dict[int, int], releases: SiteReleases) -> dict[int, _Place]:
    """The segment of each page's path that may name its version, by id of the page; certain in a `versions.json`."""
    found: dict[int, _Place] = {}
    for page in pages:
        listed = releases.locate(page.key)
        if listed is not None:
            at, locale_at = urlsplit(listed[0]).path.count("/"), locale_places.get(id(page))
            at -= locale_at is not None and locale_at < at
            found[id(page)] = _Place(at, releases.label(*listed), is_listed=True)
            continue
        segments = _without_locale(page, locale_places)
        named = next((at for at, segment in enumerate(segments[:_MAX_DEPTH]) if is_version(segment)), None)
        if named is not None:
            found[id(page)] = _Place(named, segments[named])
    return found


def _base(segments: list[str], at: int) -> str:
    return "".join(f"{segment}/" for segment in segments[:at])


def _is_certain_version(version: str) -> bool:
    """Whether a first segment is certainly a version."""
    return version.lower() in {"stable", "latest"} or bool(
        re.fullmatch(r"v?\d+\.(\d+|x)(\.(\d+|x))?|v\d+", version, re.IGNORECASE)
    )


def _without_locale(page: SitePage, places: dict[int, int]) -> list[str]:
    segments, at = page.path_segments, places.get(id(page))
    return segments if at is None else [*segments[:at], *segments[at + 1 :]]


def _unversioned_matches(
    page: SitePage, locale_places: dict[int, int], bases: Iterable[str], rests: dict[str, set[str]]
) -> set[str]:
    """The versions that have this page, whose own address names no version."""
    segments = _without_locale(page, locale_places)
    found: set[str] = set()
    for base in bases:
        at = base.count("/")
        if _base(segments, at) == base and segments[at:]:
            found |= rests.get("/".join([*segments[:at], "*", *segments[at:]]), set()) - {""}
    return found


def _check_requested_version(requested: str | None, labels: set[str], name: str, *, found: bool) -> None:
    if requested is not None and not found:
        raise ConfigurationError(
            f"{name} has no version {requested!r}; it has {', '.join(sorted(labels)) or 'no versions'}.",
            hint="Set current_version to one of them, or leave it out.",
        )
