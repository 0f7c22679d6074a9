"""Pages that say nothing or all the same, and markup that the reader did not understand: judged from the first build.

Each source is judged by itself, so that a large sound one does not hide a small broken one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.model.counting import counted
from assay.model.evaluation import Finding, percent
from assay.model.generations import Generation
from assay.ports import Catalog, Progress
from assay.validation.content.alike import FEWEST, AlikePages
from assay.validation.content.leftovers import KINDS, leftovers
from assay.validation.content.nothing import says_almost_nothing
from assay.validation.structure.judged import Judged, StructuralLimits, finding

_FEW = 3
"""A kind of leftover that prose may mean as it is written counts from so many chunks on."""

_SHOWN = 3
_LONGEST_TEXT = 60


def pages_that_say_something(judged: Judged, limits: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    """Hold the pages with almost no text, and those that all say the same, against their limits."""
    sources = _pages_by_source(judged.catalog, judged.generation, progress)
    yield _with_text(sources, limits)
    yield _of_their_own(sources, limits)


def leftover_markup(judged: Judged, limits: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    """Hold the share of chunks that show leftovers of templates and markup against its limit."""
    sources = _leftovers_by_source(judged.catalog, judged.generation, progress)
    name, worst = max(sources.items(), key=lambda one: one[1].share, default=("", _Markup()))
    kinds = Counter[str]()
    for source in sources.values():
        kinds.update(source.counted)
    examples = [f"{kind}: {counted(count, 'chunk')}, as {_first(sources, kind)}" for kind, count in kinds.most_common()]
    conflicts = {kind: count for kind, count in kinds.items() if KINDS[kind].never}
    yield finding(
        "leftover markup",
        worst.share <= limits.max_leftovers and (not conflicts or limits.max_leftovers >= 1.0),
        worst.share,
        f"at most {percent(limits.max_leftovers)} of a source's chunks show leftovers of templates or markup, and none "
        "a merge conflict",
        _told_of_conflicts(sources, conflicts)
        or f"{worst.affected} of {worst.chunks} chunks{_of(name, sources)} show it ({percent(worst.share)}; "
        f"{percent(limits.max_leftovers)} are allowed): {'; '.join(examples[:_SHOWN])}. Which generator are these "
        "pages written for? Build the site with it and publish its address, or name a --convention that reads them. If "
        "the pages mean it as it is written, raise gate.max_leftovers",
        examples,
        sum(source.affected for source in sources.values()),
    )


# --- pages ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Pages:
    """The pages of one source. nearly_empty: their URLs, with what they say; alike: by version and locale."""

    count: int = 0
    nearly_empty: list[str] = field(default_factory=list)
    alike: defaultdict[tuple[str | None, str | None], AlikePages] = field(
        default_factory=lambda: defaultdict(AlikePages)
    )

    @property
    def empty_share(self) -> float:
        """Share of pages with almost no text; 0 for a single one among others, such as a start page of pictures."""
        few = len(self.nearly_empty) == 1 < self.count
        return 0.0 if few else len(self.nearly_empty) / max(self.count, 1)

    def groups(self) -> list[tuple[str, ...]]:
        """Pages that say the same, the largest group first."""
        found = [group for pages in self.alike.values() for group in pages.groups()]
        return sorted(found, key=len, reverse=True)


def _pages_by_source(catalog: Catalog, generation: Generation, progress: Progress) -> dict[str, _Pages]:
    sources: defaultdict[str, _Pages] = defaultdict(_Pages)
    progress.begin("pages", generation.documents)
    for document in catalog.documents(generation.id):
        info, pages = document.info, sources[document.info.source]
        pages.count += 1
        if says_almost_nothing(document.text):
            pages.nearly_empty.append(f"{info.url} ({_cut(document.text)!r})")
        pages.alike[info.version, info.locale].offer(info.url, document.text)
        progress.advance()
    progress.end()
    return sources


def _with_text(sources: Mapping[str, _Pages], limits: StructuralLimits) -> Finding:
    name, worst = max(sources.items(), key=lambda one: one[1].empty_share, default=("", _Pages()))
    share = worst.empty_share
    return finding(
        "pages with text",
        share <= limits.max_empty_pages,
        share,
        f"at most {percent(limits.max_empty_pages)} of a source's pages say almost nothing",
        f"{len(worst.nearly_empty)} of {worst.count} pages{_of(name, sources)} say almost nothing ({percent(share)}; "
        f"{percent(limits.max_empty_pages)} are allowed): {', '.join(worst.nearly_empty[:_SHOWN])}. Is the site made "
        "by JavaScript, or does a plugin or component put in the content? Then publish the folder that its pages are "
        "written in, or the address of the site as it is built. If the pages are meant to be so short, raise "
        "gate.max_empty_pages",
        [page for pages in sources.values() for page in pages.nearly_empty],
    )


def _of_their_own(sources: Mapping[str, _Pages], limits: StructuralLimits) -> Finding:
    groups = {name: pages.groups() for name, pages in sources.items()}
    shares = {name: sum(map(len, groups[name])) / pages.count for name, pages in sources.items()}
    name, share = max(shares.items(), key=lambda one: one[1], default=("", 0.0))
    found = groups.get(name, [])
    told = [f"{len(group)} say what {group[0]} says" for group in found]
    return finding(
        "pages alike",
        share <= limits.max_alike_pages,
        share,
        f"at most {percent(limits.max_alike_pages)} of a source's pages say the same as {FEWEST - 1} others of their "
        "version and locale, or nearly the same",
        f"{sum(map(len, found))} of {sources[name].count if name else 0} pages{_of(name, sources)} say the same "
        f"({percent(share)}; {percent(limits.max_alike_pages)} are allowed): {'; '.join(told[:_SHOWN])}. Does the site "
        "want a login, is it closed, or does its page for errors come with status 200? Run it again when it is well. "
        "If that is meant, raise gate.max_alike_pages",
        [url for of_source in groups.values() for group in of_source for url in group],
    )


# --- chunks --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Markup:
    """Leftovers in the chunks of one source. found: the kinds of each chunk that shows any; first: of each kind."""

    chunks: int = 0
    found: list[frozenset[str]] = field(default_factory=list)
    first: dict[str, str] = field(default_factory=dict)

    @property
    def counted(self) -> Counter[str]:
        """Chunks by kind, without what prose may mean as it is written."""
        kinds = Counter(kind for of_chunk in self.found for kind in of_chunk)
        return Counter({kind: n for kind, n in kinds.items() if n >= _FEW or not KINDS[kind].ambiguous})

    @property
    def affected(self) -> int:
        """Chunks that show a kind that counts."""
        counted = self.counted
        return sum(not counted.keys().isdisjoint(kinds) for kinds in self.found)

    @property
    def share(self) -> float:
        """Of the chunks that show a kind that counts."""
        return self.affected / max(self.chunks, 1)


def _leftovers_by_source(catalog: Catalog, generation: Generation, progress: Progress) -> dict[str, _Markup]:
    sources: defaultdict[str, _Markup] = defaultdict(_Markup)
    progress.begin("markup", generation.chunks)
    for chunk in catalog.chunks(generation.id):
        source = sources[chunk.document.source]
        source.chunks += 1
        if found := leftovers(chunk.text):
            source.found.append(frozenset(found))
            for kind, shown in found.items():
                source.first.setdefault(kind, f"`{shown}` at {chunk.section_url}")
        progress.advance()
    progress.end()
    return sources


def _told_of_conflicts(sources: Mapping[str, _Markup], conflicts: Mapping[str, int]) -> str:
    """What to do about kinds of which one is too many; "" where there is none."""
    return "; ".join(
        f"{count} chunks show {kind}, as {_first(sources, kind)}. Both sides of the conflict would be answers: resolve "
        "it in the source, and run again. If a page means it as it is written, put it into backticks, or set "
        "gate.max_leftovers = 1"
        for kind, count in conflicts.items()
    )


def _first(sources: Mapping[str, _Markup], kind: str) -> str:
    return next(source.first[kind] for source in sources.values() if kind in source.counted)


def _of(name: str, sources: Mapping[str, object]) -> str:
    """Which source is meant, where there are several."""
    return f" of {name}" if len(sources) > 1 else ""


def _cut(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= _LONGEST_TEXT else f"{shown[: _LONGEST_TEXT - 1]}…"
