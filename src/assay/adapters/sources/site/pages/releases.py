"""What a site's `versions.json` says: which versions there are, by which names each is served, and which is current.

mike writes it beside the versions: `[{"version": "2.1", "title": "2.1.0", "aliases": ["latest"]}]`. The switcher of
Sphinx themes reads one with `"url"` and `"preferred"` in place of aliases. A version that is served by two names is one
version, and each of its pages one page: the one that readers are sent to.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from assay.adapters.sources.site.addresses import key_of
from assay.adapters.sources.site.pages.members import Member
from assay.adapters.sources.site.pages.variant_names import ALIASES, is_version, version_rank

LIST = "versions.json"
MOST_LISTS = 3
_DEEPEST = 4
_MOST_VERSIONS = 1_000
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Release:
    """One version.

    names: the folders it is served in, each a segment of a path: aliases by rank, then its own name.
    is_preferred: whether the list says that it is the one to read.
    """

    names: tuple[str, ...]
    is_preferred: bool = False


def roots_of(keys: Iterable[str]) -> list[str]:
    """The places where versions lie side by side, that of most pages first: prefixes without a slash at the end."""
    found: Counter[str] = Counter()
    for key in keys:
        parts = urlsplit(key)
        segments = parts.path.split("/")[1:]
        place = next((at for at, one in enumerate(segments[:_DEEPEST]) if is_version(unquote(one))), None)
        if place is not None:
            found["/".join([f"{parts.scheme}://{parts.netloc}", *segments[:place]])] += 1
    return [root for root, _ in sorted(found.items(), key=lambda item: (-item[1], item[0]))[:MOST_LISTS]]


def read_releases(text: str, root: str) -> tuple[Release, ...]:
    """The versions that a list names; none where it is no list of versions.

    root: where the list and its versions lie.
    """
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    if not isinstance(entries, list):
        return ()
    read = [_release(entry, root) for entry in entries[:_MOST_VERSIONS] if isinstance(entry, dict)]
    taken: set[str] = set()
    releases = []
    for release in read:
        names = tuple(name for name in release.names if name not in taken)  # a name is one version's
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
    return isinstance(given, str) and 0 < len(given) <= _LONGEST_NAME and "/" not in given and given not in {".", ".."}


def _folder_at(url: str, root: str) -> str:
    """The folder of a root that an address of the list leads to; "" where that is none."""
    try:
        path, base = urlsplit(urljoin(root + "/", url)).path, urlsplit(root).path
    except ValueError:
        return ""
    rest = path.removeprefix(base).strip("/") if path.startswith(base + "/") else ""
    return unquote(rest) if "/" not in rest else ""


def _alias_rank(name: str) -> int:
    return ALIASES.index(name.lower()) if name.lower() in ALIASES else len(ALIASES)


class Releases:
    """The versions of a site by the places where they lie, and the name of each that readers are sent to.

    lists: versions by their root. moved: the key that each redirect leads to; opened: keys of the start URL as it was
    given and as it was served.
    """

    def __init__(
        self, lists: Mapping[str, tuple[Release, ...]], moved: Mapping[str, str], opened: tuple[str, str]
    ) -> None:
        self._lists = lists
        self._moved = dict([opened]) | dict(moved)
        self._by_name = {(root, name): one for root, found in lists.items() for one in found for name in one.names}
        self._chosen: dict[tuple[str, str], str] = {}

    def place(self, key: str) -> tuple[str, str] | None:
        """The root that a page is under, and the name of the version there that its address says."""
        for root in self._lists:
            if key.startswith(root + "/"):
                name = unquote(key[len(root) + 1 :].partition("?")[0].partition("/")[0])
                if (root, name) in self._by_name:
                    return root, name
        return None

    def label(self, root: str, name: str) -> str:
        """What the version of this name is called."""
        return self._chosen.get((root, name), name)

    def called(self, wanted: str) -> str:
        """What the version is called that a person knows by any of its names."""
        return next((label for (_, name), label in self._chosen.items() if name == wanted), wanted)

    def rank(self, label: str) -> tuple[int, tuple[int, ...], str]:
        """Where a version stands among others: by the best of its names."""
        names = {name for (_, name), chosen in self._chosen.items() if chosen == label}
        return max(map(version_rank, names | {label}))

    @property
    def current(self) -> str | None:
        """The version that the list prefers, or that the root leads to; None where neither tells, or two do."""
        told = [self._preferred(root) or self._led_to(root) for root in self._lists]
        labels = {label for label in told if label}
        return labels.pop() if len(labels) == 1 else None

    def _preferred(self, root: str) -> str | None:
        names = [one.names[0] for one in self._lists[root] if one.is_preferred]
        return self.label(root, names[0]) if len(names) == 1 else None

    def _led_to(self, root: str) -> str | None:
        place = self.place(self._moved.get(key_of(root + "/"), ""))
        return self.label(*place) if place is not None and place[0] == root else None

    def fold(self, pages: list[Member], excluded: dict[str, str], failed: Collection[str]) -> list[Member]:
        """Of the pages of one version that is served by several names keep those that readers are sent to.

        excluded: gets the reason for the others, by key. failed: keys of pages that are there and did not come.
        """
        places = {page.key: place for page in pages if (place := self.place(page.key)) is not None}
        self._choose(pages, places)
        there = {page.key for page in pages} | set(failed)
        kept = []
        for page in pages:
            place = places.get(page.key)
            twin = _at_name(page.key, place, self.label(*place)) if place is not None else page.key
            if place is None or twin == page.key or twin not in there:
                kept.append(page)
                continue
            root, name = place
            excluded[page.key] = (
                f"the same page as {twin}: {self.label(root, name)} and {name} are one version, as {root}/{LIST} says"
            )
        return kept

    def _choose(self, pages: list[Member], places: Mapping[str, tuple[str, str]]) -> None:
        """Decide by which name each version is known: canonical links first, the root's redirect, then aliases."""
        present = set(places.values())
        votes: Counter[tuple[str, str]] = Counter()
        for page in pages:
            if page.key in places and (to := self.place(page.canonical)) is not None and to != places[page.key]:
                votes[to] += 1
        for root, found in self._lists.items():
            led = self.place(self._moved.get(key_of(root + "/"), ""))
            for release in found:
                names = [name for name in release.names if (root, name) in present]
                if names:
                    best = max(names, key=lambda name: (votes[root, name], (root, name) == led, -names.index(name)))
                    self._chosen |= {(root, name): best for name in release.names}


def _at_name(key: str, place: tuple[str, str], name: str) -> str:
    """The key of the same page in the folder of another name."""
    root, _ = place
    rest = key[len(root) + 1 :]
    first = rest.partition("?")[0].partition("/")[0]
    return key_of(f"{root}/{name}{rest[len(first) :]}")
