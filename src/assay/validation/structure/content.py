"""Checks of pages without text, of pages with the same text, and of markup that the reader left in.

Each source is checked separately, so that a large sound one does not hide a small broken one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.model.bounds import shortened
from assay.model.counting import counted
from assay.model.documents import DocumentInfo
from assay.model.evaluation import Finding, percent
from assay.ports import Progress
from assay.validation.content.alike import FEWEST, AlikePages
from assay.validation.content.almost_empty import is_almost_empty
from assay.validation.content.leftovers import KINDS, leftovers
from assay.validation.structure.collecting import PageCollector, Passage, PassageCollector
from assay.validation.structure.context import CheckContext, Edition, StructuralLimits, edition_of, finding

_FEW = 3
"""An ambiguous kind of leftover, which can be ordinary prose, counts from this number of chunks on."""

_SHOWN = 3
_LONGEST_TEXT = 60


def pages_that_say_something(context: CheckContext, limits: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    """Check the shares of pages with almost no text and of pages with nearly the same text."""
    sources = context.content.result(PagesBySource, progress)
    yield _with_text(sources, limits)
    yield _of_their_own(sources, limits)


def leftover_markup(context: CheckContext, limits: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    """Check the share of chunks with leftovers of templates and markup."""
    sources = context.content.result(LeftoversBySource, progress)
    name, worst = max(sources.items(), key=lambda one: one[1].share, default=("", _Markup()))
    kinds = Counter[str]()
    for source in sources.values():
        kinds.update(source.counted)
    examples = [
        f"{kind}: {counted(count, 'chunk')}, such as {_first(sources, kind)}" for kind, count in kinds.most_common()
    ]
    conflicts = {kind: count for kind, count in kinds.items() if KINDS[kind].never}
    yield finding(
        "leftover markup",
        worst.share <= limits.max_leftovers and (not conflicts or limits.max_leftovers >= 1.0),
        worst.share,
        f"at most {percent(limits.max_leftovers)} of a source's chunks have leftovers of templates or markup, and none "
        "has a merge conflict",
        _describe_conflicts(sources, conflicts)
        or f"{worst.affected} of {worst.chunks} chunks{_of(name, sources)} have leftovers ({percent(worst.share)}; "
        f"limit {percent(limits.max_leftovers)}): {'; '.join(examples[:_SHOWN])}. Build the site with the generator "
        "that the pages are written for and publish its address, or set a --convention that reads them. If the text is "
        "intended, raise gate.max_leftovers",
        examples,
        sum(source.affected for source in sources.values()),
    )


# --- pages ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Pages:
    """The pages of one source. nearly_empty: URLs with their text; groups: with the same text, the largest first."""

    count: int = 0
    nearly_empty: list[str] = field(default_factory=list)
    groups: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def empty_share(self) -> float:
        """Share of pages with almost no text; 0 for a single one of several, such as a start page of pictures."""
        few = len(self.nearly_empty) == 1 < self.count
        return 0.0 if few else len(self.nearly_empty) / max(self.count, 1)


class PagesBySource(PageCollector[dict[str, _Pages]]):
    """Finds pages with almost no text, and groups those with the same text within a version and locale."""

    stage = "pages"

    def __init__(self) -> None:
        self._sources: defaultdict[str, _Pages] = defaultdict(_Pages)
        self._alike: defaultdict[Edition, AlikePages] = defaultdict(AlikePages)

    def add(self, info: DocumentInfo, text: str) -> None:
        """Take the next page."""
        pages = self._sources[info.source]
        pages.count += 1
        if is_almost_empty(text):
            pages.nearly_empty.append(f"{info.url} ({shortened(' '.join(text.split()), _LONGEST_TEXT)!r})")
        self._alike[edition_of(info)].offer(info.url, text)

    def result(self) -> dict[str, _Pages]:
        """The pages of each source."""
        for (source, _, _), alike in self._alike.items():
            self._sources[source].groups += alike.groups()
        for pages in self._sources.values():
            pages.groups.sort(key=len, reverse=True)
        return dict(self._sources)


def _with_text(sources: Mapping[str, _Pages], limits: StructuralLimits) -> Finding:
    name, worst = max(sources.items(), key=lambda one: one[1].empty_share, default=("", _Pages()))
    share = worst.empty_share
    return finding(
        "pages with text",
        share <= limits.max_empty_pages,
        share,
        f"at most {percent(limits.max_empty_pages)} of a source's pages have almost no text",
        f"{len(worst.nearly_empty)} of {worst.count} pages{_of(name, sources)} have almost no text ({percent(share)}; "
        f"limit {percent(limits.max_empty_pages)}): {', '.join(worst.nearly_empty[:_SHOWN])}. If JavaScript, a plugin "
        "or a component inserts the content, publish the source folder, or the address of the built site. If the pages "
        "are intended, raise gate.max_empty_pages",
        [page for pages in sources.values() for page in pages.nearly_empty],
    )


def _of_their_own(sources: Mapping[str, _Pages], limits: StructuralLimits) -> Finding:
    groups = {name: pages.groups for name, pages in sources.items()}
    shares = {name: sum(map(len, groups[name])) / pages.count for name, pages in sources.items()}
    name, share = max(shares.items(), key=lambda one: one[1], default=("", 0.0))
    found = groups.get(name, [])
    described = [f"{len(group)} with the text of {group[0]}" for group in found]
    return finding(
        "pages alike",
        share <= limits.max_alike_pages,
        share,
        f"at most {percent(limits.max_alike_pages)} of a source's pages have the same or nearly the same text as "
        f"{FEWEST - 1} others of their version and locale",
        f"{sum(map(len, found))} of {sources[name].count if name else 0} pages{_of(name, sources)} have nearly the "
        f"same text, apart from headings, addresses and long numbers ({percent(share)}; limit "
        f"{percent(limits.max_alike_pages)}): {'; '.join(described[:_SHOWN])}. Check whether the site requires a "
        "login, is closed, or sends its error page with status 200, and run again. If a generator made the pages from "
        "one template, or they are intended, raise gate.max_alike_pages",
        [url for of_source in groups.values() for group in of_source for url in group],
    )


# --- chunks --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Markup:
    """Leftovers in the chunks of one source. found: kinds of each affected chunk; first: an example of each kind."""

    chunks: int = 0
    found: list[frozenset[str]] = field(default_factory=list)
    first: dict[str, str] = field(default_factory=dict)

    @property
    def counted(self) -> Counter[str]:
        """Number of chunks by kind; rare ambiguous kinds are left out."""
        kinds = Counter(kind for of_chunk in self.found for kind in of_chunk)
        return Counter({kind: n for kind, n in kinds.items() if n >= _FEW or not KINDS[kind].ambiguous})

    @property
    def affected(self) -> int:
        """Number of chunks with a kind that counts."""
        counted = self.counted
        return sum(not counted.keys().isdisjoint(kinds) for kinds in self.found)

    @property
    def share(self) -> float:
        """Share of chunks with a kind that counts."""
        return self.affected / max(self.chunks, 1)


class LeftoversBySource(PassageCollector[dict[str, _Markup]]):
    """Finds leftovers in every chunk."""

    stage = "markup"

    def __init__(self) -> None:
        self._sources: defaultdict[str, _Markup] = defaultdict(_Markup)

    def add(self, info: DocumentInfo, passage: Passage) -> None:
        """Take the next chunk."""
        source = self._sources[info.source]
        source.chunks += 1
        if found := leftovers(passage.text):
            source.found.append(frozenset(found))
            for kind, shown in found.items():
                source.first.setdefault(kind, f"`{shown}` at {passage.section_url}")

    def result(self) -> dict[str, _Markup]:
        """The leftovers of each source."""
        return dict(self._sources)


def _describe_conflicts(sources: Mapping[str, _Markup], conflicts: Mapping[str, int]) -> str:
    """Describe the kinds that are never allowed, and what to do; "" without any."""
    return "; ".join(
        f"{count} chunks have {kind}, such as {_first(sources, kind)}. Both sides of the conflict would be answers: "
        "resolve it in the source, and run again. If the text is intended, put it into backticks, or set "
        "gate.max_leftovers = 1"
        for kind, count in conflicts.items()
    )


def _first(sources: Mapping[str, _Markup], kind: str) -> str:
    return next(source.first[kind] for source in sources.values() if kind in source.counted)


def _of(name: str, sources: Mapping[str, object]) -> str:
    """Name the source if there are several."""
    return f" of {name}" if len(sources) > 1 else ""
