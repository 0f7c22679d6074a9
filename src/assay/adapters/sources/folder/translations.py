"""Recognises the translations in a plain folder: by folder, as in `fr/guide.md`, and by suffix, as in `guide.fr.md`.

A name alone proves nothing (`io`, `it` and `no` are languages too): the same page must exist in another locale, and a
folder or page whose text is English is no translation.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from assay.adapters.sources.folder.files import FoundFile, read_head
from assay.adapters.sources.folder.routing import file_stem
from assay.adapters.sources.folder.tree import LayoutOptions
from assay.adapters.sources.site.pages.variant_names import is_locale
from assay.errors import ConfigurationError

_FEWEST = 3
"""Pages that a folder or a suffix must share with another locale."""

_HEAD_BYTES = 16_384
_SAMPLE = 20

_GENERIC = frozenset({"readme", "index", "changelog", "contributing", "license"})
"""Names in lower case of pages that unrelated packages share; also all names in capitals."""

_PERMALINK = re.compile(r"^(?:permalink|slug|translationKey)[ \t]*:[ \t]*[\"']?([^\"'\s#]+)", re.MULTILINE)
_FRONT_MATTER = re.compile(r"---\n.*?^---", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_WORD = re.compile(r"[a-z]+|[^\W\d_]")  # each letter of other scripts is a word: Chinese has no spaces
_ENGLISH = frozenset({"the", "and", "of"})
_FEWEST_ENGLISH = 10
_WORDS_PER_ENGLISH = 25

_README = re.compile(r"(readme)[-_.](.+)", re.IGNORECASE)
_DOTTED = re.compile(r"(.+)\.([^.]+)")


@dataclass(frozen=True, slots=True)
class Translations:
    """The locales of a plain folder.

    default: None if the pages without a locale name are the default ones, and nothing names their locale.
    others: names in ascending order. locale_of: the locale of each page that is not in the default one, by key.
    """

    default: str | None
    others: tuple[str, ...]
    locale_of: Mapping[str, str]


def find_translations(files: Sequence[FoundFile], options: LayoutOptions) -> Translations | None:
    """Find the translations among the pages of a folder; None if there are none.

    Raises ConfigurationError if they lack the requested default locale.
    """
    found = _Detection({file.key: file.path for file in files}, options.default_locale)
    if not found.locale_of:
        return None
    counts = Counter(found.locale_of.values())
    default = _default(counts, len(files) - counts.total(), found.with_unnamed_originals, options)
    others = tuple(sorted(name for name in counts if name != default))
    if not others:
        return None
    return Translations(default, others, {key: name for key, name in found.locale_of.items() if name != default})


def _default(counts: Counter[str], unnamed: int, translated: Collection[str], options: LayoutOptions) -> str | None:
    """The default locale; pages without a locale name belong to it. A requested one may name their locale.

    counts: pages by locale. unnamed: number of pages without a locale name. translated: locales with translations of
    these; they are not the language of these.
    """
    prefer_unnamed = bool(translated) or unnamed > max(counts.values())
    requested = options.default_locale
    if requested is not None:
        named = next((name for name in counts if _same(name) == _same(requested)), None)
        if named is None and not prefer_unnamed:
            raise ConfigurationError(
                f"{options.name} has no locale {requested!r}; it has {', '.join(sorted(counts))}.",
                hint="Set default_locale to one of these, or leave it out.",
            )
        return named or requested
    english = [name for name in counts if _is_english(name) and name not in translated]
    if english:
        return min(english, key=lambda name: (_same(name) != "en", -counts[name], name))
    return None if prefer_unnamed else min(counts, key=lambda name: (-counts[name], name))


def has_locale_name(key: str) -> bool:
    """Whether the path of a page has a locale where translations have it."""
    return any(map(is_locale, key.split("/")[:-1][:2])) or bool(_without_locale(key)[1])


class _Detection:
    """The locales by key of one folder. with_unnamed_originals: locales that translate pages without a locale name."""

    def __init__(self, paths: Mapping[str, str], requested: str | None) -> None:
        self._paths = paths
        self._requested = requested
        self._names: dict[str, str] = {}
        self.locale_of: dict[str, str] = {}
        self.with_unnamed_originals: set[str] = set()
        self._add_folders("", paths)
        below: dict[str, list[str]] = {}
        for key in paths:
            top, slash, _ = key.partition("/")
            if slash and key not in self.locale_of:
                below.setdefault(f"{top}/", []).append(key)
        for parent, keys in sorted(below.items()):
            self._add_folders(parent, keys)
        self._add_suffixes()

    # --- by folder ---

    def _add_folders(self, parent: str, keys: Collection[str]) -> None:
        """Add the locales in folders of one parent.

        parent: "" or a path with a slash at its end. keys: of all pages below it.
        """
        folders: dict[str, set[str]] = {}
        outside: set[str] = set()
        for key in keys:
            name, _, path = key[len(parent) :].partition("/")
            if path and is_locale(name):
                folders.setdefault(name, set()).add(path)
            else:
                outside.add(key[len(parent) :])
        if not folders:
            return
        beside = {name for name, pages in folders.items() if _share(pages, outside, min(len(pages), len(outside)))}
        proven = self._proven(parent, folders, beside)
        if len(proven) < 2 and not proven & beside:
            return
        if not proven & beside and not any(map(self._is_original, proven)):
            return
        for name in sorted(proven):
            locale = self._spelled(name)
            self.locale_of |= {f"{parent}{name}/{path}": locale for path in folders[name]}
            if name in beside:
                self.with_unnamed_originals.add(locale)

    def _proven(self, parent: str, folders: Mapping[str, set[str]], beside: set[str]) -> set[str]:
        """The folders whose pages another folder or the parent has too, by path or by permalink, and not in English."""
        sizes = {name: len(pages) for name, pages in folders.items()}
        proven = beside | _sharing(folders, sizes)
        if len(folders) > 1 and len(proven) < len(folders):
            links = {name: self._permalinks(f"{parent}{name}/", pages) for name, pages in folders.items()}
            proven |= _sharing(links, sizes)
            if len(proven) > 1:  # among translations, a folder of one or two pages is one too
                proven |= {
                    name
                    for pages in (folders, links)
                    for name in folders.keys() - proven
                    if any(_share(pages[name], pages[other], sizes[name], 1) for other in proven)
                }
        return {
            name
            for name in proven
            if _is_english(name) or not self._has_english([f"{parent}{name}/{path}" for path in sorted(folders[name])])
        }

    def _permalinks(self, folder: str, pages: Collection[str]) -> set[str]:
        """The addresses in front matter that the pages of a folder share with their translations."""
        found: set[str] = set()
        for page in pages:
            front = _FRONT_MATTER.match(read_head(self._paths[folder + page], _HEAD_BYTES))
            link = _PERMALINK.search(front[0]) if front else None
            if link:
                first, _, rest = link[1].strip("/").partition("/")
                found.add(rest if rest and is_locale(first) else link[1].strip("/"))
        return found

    # --- by suffix ---

    def _add_suffixes(self) -> None:
        """Add the pages outside the folders of locales that have a locale before their suffix."""
        variants: dict[str, dict[str, str]] = {}  # key by locale, by the key without it
        for key in sorted(self._paths.keys() - self.locale_of.keys()):
            original, name = _without_locale(key)
            if name:
                variants.setdefault(original, {})[name] = key
        pairs: dict[str, dict[str, str]] = {}  # original by key, by locale
        for original, keys in variants.items():
            if original in self._paths or len(keys) > 1:
                for name, key in keys.items():
                    pairs.setdefault(name, {})[key] = original
        for name, originals in sorted(pairs.items()):
            if self._is_suffix_of_locale(name, sorted(originals)):
                locale = self._spelled(name)
                self.locale_of |= dict.fromkeys(originals, locale)
                if not self._paths.keys().isdisjoint(originals.values()):
                    self.with_unnamed_originals.add(locale)

    def _is_suffix_of_locale(self, name: str, keys: Sequence[str]) -> bool:
        """Whether pages with a suffix that also exist without it or with another one are translations."""
        enough = len(keys) >= _FEWEST or any(_README.fullmatch(file_stem(key)) for key in keys)
        return enough and (_is_english(name) or not self._has_english(keys))

    # --- both ---

    def _is_original(self, name: str) -> bool:
        return _is_english(name) or (self._requested is not None and _same(name) == _same(self._requested))

    def _spelled(self, name: str) -> str:
        """One spelling for each locale: `zh_CN` and `zh-cn` are one."""
        return self._names.setdefault(_same(name), name)

    def _has_english(self, keys: Sequence[str]) -> bool:
        """Whether the text of pages is English, by a sample of them."""
        sample = keys[:: max(1, len(keys) // _SAMPLE)][:_SAMPLE]
        texts = (_FENCE.sub("", read_head(self._paths[key], _HEAD_BYTES)).lower() for key in sample)
        words = Counter(word for text in texts for word in _WORD.findall(text))
        english = sum(words[word] for word in _ENGLISH)
        return english >= _FEWEST_ENGLISH and english * _WORDS_PER_ENGLISH >= words.total()


def _sharing(pages: Mapping[str, set[str]], sizes: Mapping[str, int]) -> set[str]:
    """The folders that share enough pages with another folder.

    pages: paths or permalinks by folder. sizes: number of all pages of each.
    """
    return {
        name
        for name, own in pages.items()
        if any(_share(own, pages[other], min(sizes[name], sizes[other])) for other in pages if other != name)
    }


def _share(own: set[str], others: set[str], size: int, fewest: int = _FEWEST) -> bool:
    """Whether two folders share enough pages, and at least half of `size`. Pages as `README` do not count."""
    common = sum(not _is_generic(path) for path in own & others)
    return common >= fewest and common * 2 >= size


def _is_generic(path: str) -> bool:
    stem = posixpath.splitext(path)[0]
    return "/" not in path and (stem.isupper() or stem.lower() in _GENERIC)


def _without_locale(key: str) -> tuple[str, str]:
    """A key without its locale, and the locale; "" if it has none. Only a README has it after a hyphen."""
    folder, name = posixpath.split(key)
    stem, suffix = posixpath.splitext(name)
    match = _README.fullmatch(stem) or _DOTTED.fullmatch(stem)
    if match is None or not is_locale(match[2]):
        return key, ""
    return posixpath.join(folder, match[1] + suffix), match[2]


def _same(name: str) -> str:
    return name.lower().replace("_", "-")


def _is_english(name: str) -> bool:
    return _same(name).partition("-")[0] == "en"
