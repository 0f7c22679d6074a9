"""Checks of repeated titles and passages: a template that lost the titles, a notice read as content."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

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
class _Repeat:
    """A repeated title or passage. names: of the first FEWEST pages that have it; shown: from the last of these."""

    amount: int = 0
    names: tuple[str, ...] = ()
    shown: str = ""


@dataclass(slots=True)
class _Repeats:
    """Repeated titles or passages of one source; most are on one page, so little is kept of each.

    Pages of one name in several folders count as copies of one page, of undeclared versions or languages.
    """

    total: int = 0
    places: defaultdict[_Place, _Repeat] = field(default_factory=lambda: defaultdict(_Repeat))

    def add(self, info: DocumentInfo, key: str, amount: int, show: Callable[[], str]) -> None:
        """Count a page's title as 1, or a passage by its characters."""
        self.total += amount
        found = self.places[info.version, info.locale, key]
        found.amount += amount
        if len(found.names) < FEWEST and (name := page_name(info.url)) not in found.names:
            found.names += (name,)
            if len(found.names) == FEWEST:
                found.shown = show()

    def repeated(self) -> list[_Repeat]:
        """Those on at least FEWEST pages, the largest amount first."""
        found = [one for one in self.places.values() if len(one.names) == FEWEST]
        return sorted(found, key=lambda one: -one.amount)


def titles_alike(context: CheckContext, limits: StructuralLimits, _: Progress) -> Iterator[Finding]:
    """Check the share of a source's pages that have the same title."""
    sources: defaultdict[str, _Repeats] = defaultdict(_Repeats)
    for page in context.catalog.listing(context.generation.id):
        title = page.info.title.strip()
        sources[page.info.source].add(page.info, title, 1, partial(repr, title[:_LONGEST_SHOWN]))
    repeated = {name: (one.total, one.repeated()) for name, one in sources.items()}
    shares = {name: found[0].amount / total for name, (total, found) in repeated.items() if found}
    name, share = _worst(shares)
    found = repeated[name][1] if name else []
    yield finding(
        "titles alike",
        share <= limits.max_repeated,
        share,
        f"at most {percent(limits.max_repeated)} of a source's pages have one title",
        f"{found[0].amount if found else 0} pages of {name} have the title {found[0].shown if found else ''} "
        f"({percent(share)}; limit {percent(limits.max_repeated)}). Check whether a template lost the titles. If this "
        "is intended, raise gate.max_repeated",
        [f"{one.shown}: {counted(one.amount, 'page')}" for one in found],
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
        self._sources[info.source].add(info, passage.content_hash, len(passage.text), partial(_shown, passage))

    def result(self) -> dict[str, tuple[float, list[str]]]:
        """By source, the share of its text in such passages, and these, the largest first."""
        found = {name: (one, one.repeated()) for name, one in self._sources.items()}
        return {
            name: (sum(each.amount for each in repeated) / max(one.total, 1), [each.shown for each in repeated])
            for name, (one, repeated) in found.items()
        }


def _shown(passage: Passage) -> str:
    words = passage.text.split(None, _LONGEST_SHOWN)[:_LONGEST_SHOWN]  # enough for that many characters
    return f"{' '.join(words)[:_LONGEST_SHOWN]!r} at {passage.section_url}"
