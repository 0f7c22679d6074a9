"""Checks of repeated titles and passages: a template that lost the titles, a notice read as content."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.model.counting import counted
from assay.model.documents import DocumentInfo
from assay.model.evaluation import Finding, percent
from assay.ports import Progress
from assay.validation.content.alike import FEWEST, page_name
from assay.validation.structure.collecting import Passage, PassageCollector
from assay.validation.structure.context import CheckContext, StructuralLimits, finding

_LONGEST_SHOWN = 60

_Place = tuple[str | None, str | None, str]
"""Version, locale, and a title or the hash of a text."""


@dataclass(slots=True)
class _Repeats:
    """Repeated titles or passages of one source. names: of the pages at each place; amounts: counts or characters.

    Pages of one name in several folders count as copies of one page, of undeclared versions or languages.
    """

    total: int = 0
    names: defaultdict[_Place, set[str]] = field(default_factory=lambda: defaultdict(set))
    amounts: defaultdict[_Place, int] = field(default_factory=lambda: defaultdict(int))
    shown: dict[_Place, str] = field(default_factory=dict)

    def add(self, info: DocumentInfo, key: str, amount: int, shown: str) -> None:
        """Count a page's title as 1, or a passage by its characters."""
        place = (info.version, info.locale, key)
        self.total += amount
        self.names[place].add(page_name(info.url))
        self.amounts[place] += amount
        self.shown.setdefault(place, shown)

    def repeated(self) -> dict[_Place, int]:
        """The amounts of places on at least FEWEST pages, largest first."""
        found = {place: amount for place, amount in self.amounts.items() if len(self.names[place]) >= FEWEST}
        return dict(sorted(found.items(), key=lambda one: -one[1]))


def titles_alike(context: CheckContext, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Check the share of a source's pages that have the same title."""
    sources: defaultdict[str, _Repeats] = defaultdict(_Repeats)
    for page in context.catalog.listing(context.generation.id):
        title = page.info.title.strip()
        sources[page.info.source].add(page.info, title, 1, repr(title[:_LONGEST_SHOWN]))
    shares = {name: max(one.repeated().values(), default=0) / one.total for name, one in sources.items()}
    name, share = _worst(shares)
    found = [(sources[name].shown[place], count) for place, count in sources[name].repeated().items()] if name else []
    yield finding(
        "titles alike",
        share <= limits.max_repeated,
        share,
        f"at most {percent(limits.max_repeated)} of a source's pages have one title",
        f"{found[0][1] if found else 0} pages of {name} have the title {found[0][0] if found else ''} "
        f"({percent(share)}; limit {percent(limits.max_repeated)}). Check whether a template lost the titles. If this "
        "is intended, raise gate.max_repeated",
        [f"{shown}: {counted(count, 'page')}" for shown, count in found],
    )


def passages_alike(context: CheckContext, limits: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    """Check the share of a source's text that is on several pages."""
    sources = context.content.result(RepeatedPassages, progress)
    name, share = _worst({name: share for name, (share, _) in sources.items()})
    found = sources[name][1] if name else []
    yield finding(
        "passages alike",
        share <= limits.max_repeated,
        share,
        f"at most {percent(limits.max_repeated)} of a source's text is in passages that are on {FEWEST} pages or more",
        f"{percent(share)} of the text of {name} is in {len(found)} passages that are on {FEWEST} pages or more of one "
        f"version and locale (limit {percent(limits.max_repeated)}), such as {', '.join(found[:1])}. Check whether a "
        "menu or a notice was read as content. If this is intended, raise gate.max_repeated",
        found,
    )


def _worst(shares: Mapping[str, float]) -> tuple[str, float]:
    return max(shares.items(), key=lambda one: one[1], default=("", 0.0))


class RepeatedPassages(PassageCollector[dict[str, tuple[float, list[str]]]]):
    """Finds passages on several pages of a source."""

    stage = "passages"

    def __init__(self) -> None:
        self._sources: defaultdict[str, _Repeats] = defaultdict(_Repeats)

    def add(self, info: DocumentInfo, passage: Passage) -> None:
        """Take the next chunk."""
        self._sources[info.source].add(info, passage.content_hash, len(passage.text), _shown(passage))

    def result(self) -> dict[str, tuple[float, list[str]]]:
        """By source, the share of its text in such passages, and these, the largest first."""
        found = {name: (one, one.repeated()) for name, one in self._sources.items()}
        return {
            name: (sum(repeated.values()) / max(one.total, 1), [one.shown[place] for place in repeated])
            for name, (one, repeated) in found.items()
        }


def _shown(passage: Passage) -> str:
    words = passage.text.split(None, _LONGEST_SHOWN)[:_LONGEST_SHOWN]  # enough for that many characters
    return f"{' '.join(words)[:_LONGEST_SHOWN]!r} at {passage.section_url}"
