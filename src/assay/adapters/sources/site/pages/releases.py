"""The versions that a site's `versions.json` lists: their names, and which is current.

mike writes `[{"version": "2.1", "title": "2.1.0", "aliases": ["latest"]}]`. Sphinx themes read one with `"url"` and
`"preferred"` instead of aliases. Folders of the same version hold the same pages; each page is read once, under the
name that the site links to.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from assay.adapters.sources.site.addresses import key_of
from assay.adapters.sources.site.pages.site_pages import SitePage
from assay.adapters.sources.site.pages.variant_names import CURRENT_NAMES, is_version, version_rank

VERSIONS_FILE = "versions.json"
MAX_VERSION_FILES = 3
_MAX_DEPTH = 4
_MAX_VERSIONS = 1_000
_MAX_NAME_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Release:
    """One listed version.

    names: its folders: aliases by rank, then its own name.
    is_preferred: the list marks it as the one to read.
    """

    names: tuple[str, ...]
    is_preferred: bool = False


def version_roots(keys: Iterable[str]) -> list[str]:
    """The folders that hold several versions, those with most pages first, without a trailing slash."""
    found: Counter[str] = Counter()
    for key in keys:
        parts = urlsplit(key)
        segments = parts.path.split("/")[1:]
        location = next((at for at, one in enumerate(segments[:_MAX_DEPTH]) if is_version(unquote(one))), None)
        if location is not None:
            found["/".join([f"{parts.scheme}://{parts.netloc}", *segments[:location]])] += 1
    return [root for root, _ in sorted(found.items(), key=lambda item: (-item[1], item[0]))[:MAX_VERSION_FILES]]


def read_releases(text: str, root: str) -> tuple[Release, ...]:
    """Parse a `versions.json`; empty if it is not a list of versions.

    root: the folder that holds the list and its versions.
    """
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    if not isinstance(entries, list):
        return ()
    read = [_release(entry, root) for entry in entries[:_MAX_VERSIONS] if isinstance(entry, dict)]
    taken: set[str] = set()
    releases = []
    for release in read:
        names = tuple(
            name for name in release.names if name not in taken
        )  # the first version that uses a name keeps it
        taken.update(names)
        if names:
            releases.append(Release(names, release.is_preferred))
    return tuple(releases)


def _release(entry: Mapping[str, Any], root: str) -> Release:
    own, aliases, url = entry.get("version"), entry.get("aliases"), entry.get("url")
    given = [*(aliases if isinstance(aliases, list) else [])]
    if isinstance(url, str) and (folder := _folder_at(url, root)):
        given.append(folder)
    named = [name for name in [*sorted(filter(_is_name, given), key=_alias_rank), own] if _is_name(name)]
    return Release(tuple(dict.fromkeys(named)), entry.get("preferred") is True)


def _is_name(given: object) -> bool:
    return (
        isinstance(given, str) and 0 < len(given) <= _MAX_NAME_LENGTH and "/" not in given and given not in {".", ".."}
    )


def _folder_at(url: str, root: str) -> str:
    """The folder under the root that a URL of the list names; "" if none."""
    try:
        path, base = urlsplit(urljoin(root + "/", url)).path, urlsplit(root).path
    except ValueError:
        return ""
    rest = path.removeprefix(base).strip("/") if path.startswith(base + "/") else ""
    return unquote(rest) if "/" not in rest else ""


def _alias_rank(name: str) -> int:
    return CURRENT_NAMES.index(name.lower()) if name.lower() in CURRENT_NAMES else len(CURRENT_NAMES)


class SiteReleases:
    """The listed versions of a site, and the name chosen for each.

    lists: versions by root. moved: target key by redirecting key. opened: keys of the start URL before and after its
    redirects.
    """

    def __init__(
        self, lists: Mapping[str, tuple[Release, ...]], moved: Mapping[str, str], opened: tuple[str, str]
    ) -> None:
        self._lists = lists
        self._moved = dict([opened]) | dict(moved)
        self._by_name = {(root, name): one for root, found in lists.items() for one in found for name in one.names}
        self._chosen: dict[tuple[str, str], str] = {}

    def locate(self, key: str) -> tuple[str, str] | None:
        """The root and the version name in a page's address; None if it is under no listed version."""
        for root in self._lists:
            if key.startswith(root + "/"):
                name = unquote(key[len(root) + 1 :].partition("?")[0].partition("/")[0])
                if (root, name) in self._by_name:
                    return root, name
        return None

    def label(self, root: str, name: str) -> str:
        """The chosen name of a version."""
        return self._chosen.get((root, name), name)

    def resolve_name(self, wanted: str) -> str:
        """The chosen name of the version that has this name."""
        return next((label for (_, name), label in self._chosen.items() if name == wanted), wanted)

    def rank(self, label: str) -> tuple[int, tuple[int, ...], str]:
        """Sort key of a version: that of its greatest name."""
        names = {name for (_, name), chosen in self._chosen.items() if chosen == label}
        return max(map(version_rank, names | {label}))

    @property
    def current(self) -> str | None:
        """The version that the list prefers or the root redirects to; None if there is none, or more than one."""
        current_labels = [self._preferred(root) or self._redirect_label(root) for root in self._lists]
        labels = {label for label in current_labels if label}
        return labels.pop() if len(labels) == 1 else None

    def _preferred(self, root: str) -> str | None:
        names = [one.names[0] for one in self._lists[root] if one.is_preferred]
        return self.label(root, names[0]) if len(names) == 1 else None

    def _redirect_label(self, root: str) -> str | None:
        location = self.locate(self._moved.get(key_of(root + "/"), ""))
        return self.label(*location) if location is not None and location[0] == root else None

    def deduplicate(self, pages: list[SitePage], excluded: dict[str, str], failed: Collection[str]) -> list[SitePage]:
        """Keep each page of a version once, under the version's chosen name.

        excluded: receives the reason for each duplicate, by key.
        failed: keys of pages that exist and could not be fetched.
        """
        places = {page.key: location for page in pages if (location := self.locate(page.key)) is not None}
        self._choose(pages, places)
        known = {page.key for page in pages} | set(failed)
        kept = []
        for page in pages:
            location = places.get(page.key)
            twin = _key_with_name(page.key, location, self.label(*location)) if location is not None else page.key
            if location is None or twin == page.key or twin not in known:
                kept.append(page)
                continue
            root, name = location
            excluded[page.key] = (
                f"duplicate of {twin}: {root}/{VERSIONS_FILE} lists {self.label(root, name)} and {name} as one version"
            )
        return kept

    def _choose(self, pages: list[SitePage], places: Mapping[str, tuple[str, str]]) -> None:
        """Choose the name of each version: by canonical links, then the root's redirect, then aliases."""
        present = set(places.values())
        votes: Counter[tuple[str, str]] = Counter()
        for page in pages:
            if page.key in places and (to := self.locate(page.canonical)) is not None and to != places[page.key]:
                votes[to] += 1
        for root, found in self._lists.items():
            redirected = self.locate(self._moved.get(key_of(root + "/"), ""))
            for release in found:
                names = [name for name in release.names if (root, name) in present]
                if names:
                    best = max(
                        names, key=lambda name: (votes[root, name], (root, name) == redirected, -names.index(name))
                    )
                    self._chosen |= {(root, name): best for name in release.names}


def _key_with_name(key: str, location: tuple[str, str], name: str) -> str:
    """The key of the same page in another version folder."""
    root, _ = location
    rest = key[len(root) + 1 :]
    first = rest.partition("?")[0].partition("/")[0]
    return key_of(f"{root}/{name}{rest[len(first) :]}")
