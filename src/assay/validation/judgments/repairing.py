"""Plan repairs of a test set's judgments; only proven repairs are offered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.model.evaluation import Anchoring, Judgment, Passage, Quote, Resolution, Span, TestSet
from assay.validation.judgments.anchoring import AnchorKind, Found, kind_of
from assay.validation.judgments.corpus import Corpus, Page
from assay.validation.judgments.quoting import SearchedText, quote_at
from assay.validation.judgments.resolving import Resolver
from assay.validation.judgments.sections import find_section


@dataclass(frozen=True, slots=True)
class Repair:
    """A judgment to rewrite, or to check by hand.

    number: its index among the judgments of its topic.
    repaired: to write; None if nothing is proven.
    resolution: its current place, with the reason why it is not exact.
    """

    topic_id: str
    number: int
    judgment: Judgment
    repaired: Judgment | None
    resolution: Resolution


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """The outcomes of a test set's judgments on one generation, and the repairs.

    outcomes: number of judgments by outcome.
    repairs: in the order of the test set; unchanged judgments have none.
    """

    outcomes: Mapping[Anchoring, int]
    repairs: tuple[Repair, ...]

    @property
    def proven(self) -> tuple[Repair, ...]:
        """The repairs to write."""
        return tuple(repair for repair in self.repairs if repair.repaired is not None)

    @property
    def lost(self) -> tuple[Repair, ...]:
        """The judgments to check by hand."""
        return tuple(repair for repair in self.repairs if repair.repaired is None)


def plan_repairs(
    test_set: TestSet, corpus: Corpus, *, live: Corpus | None = None, everything: bool = False
) -> RepairPlan:
    """Resolve every judgment of a test set on a generation, and plan the repairs.

    Judgments on a changed page get their new position, and moved ones their new URL. Judgments by chunk id or content
    hash, and positions without a quote, get a quote, so that they no longer depend on any index.

    live: the live generation, if it is another one. A quote whose page is gone is looked up there, because its page's
        text and its context prove where it moved.
    everything: also add position, text hash and context to exact quotes.

    Raises CatalogError, VectorStoreError.
    """
    passages = dict.fromkeys(judgment.passage for topic in test_set.topics for judgment in topic.judgments)
    found = Resolver(corpus).find(list(passages))
    if live is not None:
        found |= _renamed(found, corpus, live)
    better = dict(_better(found, corpus, everything=everything))
    outcomes = dict.fromkeys(Anchoring, 0)
    repairs = []
    for topic in test_set.topics:
        for number, judgment in enumerate(topic.judgments):
            resolution = found[judgment.passage].resolution
            outcomes[resolution.anchoring] += 1
            passage = better.get(judgment.passage)
            if passage is not None:
                repairs.append(Repair(topic.id, number, judgment, replace(judgment, passage=passage), resolution))
            elif not resolution.anchoring.scores:
                repairs.append(Repair(topic.id, number, judgment, None, resolution))
    return RepairPlan(outcomes, tuple(repairs))


def _renamed(found: Mapping[Passage, Found], corpus: Corpus, live: Corpus) -> dict[Passage, Found]:
    """The quotes whose page is gone and that are found by the text and the context that they have in the live one."""
    gone = [
        passage
        for passage, one in found.items()
        if kind_of(passage) is AnchorKind.QUOTE and not one.resolution.anchoring.scores and one.resolution.url is None
    ]
    if not gone:
        return {}
    earlier = Resolver(live).find(gone)
    proven = {written: passage for passage, written in _better(earlier, live, everything=True)}
    moved = Resolver(corpus).find(list(proven))
    return {
        proven[written]: replace(one, passage=proven[written])
        for written, one in moved.items()
        if one.resolution.anchoring.scores
    }


def _better(found: Mapping[Passage, Found], corpus: Corpus, *, everything: bool) -> Iterator[tuple[Passage, Passage]]:
    """The passages to rewrite, each with its replacement."""
    by_url: dict[str, list[Found]] = {}
    for one in found.values():
        if one.resolution.anchoring.scores and _is_wanting(one, everything=everything):
            by_url.setdefault(one.resolution.url or "", []).append(one)
    for page in corpus.pages(list(by_url)):
        searched = SearchedText(page.text)
        for one in by_url[page.url]:
            passage = _written(one, page, searched)
            if passage != one.passage:
                yield one.passage, passage


def _is_wanting(one: Found, *, everything: bool) -> bool:
    if one.resolution.anchoring is Anchoring.RE_ANCHORED:
        return True
    kind = kind_of(one.passage)
    return kind in {AnchorKind.CHUNK, AnchorKind.TEXT, AnchorKind.POSITION} or (kind is AnchorKind.QUOTE and everything)


def _written(one: Found, page: Page, searched: SearchedText) -> Passage:
    """The passage rewritten for the place where it was found."""
    passage, span = one.passage, one.resolution.span
    kind = kind_of(passage)
    text_hash = page.text_hash if passage.text_hash is not None else None
    if kind is AnchorKind.PAGE:
        return replace(passage, url=page.url, text_hash=text_hash)
    assert span is not None
    if kind is AnchorKind.SECTION:
        section = _section_at(page, span, passage.section or "")
        return passage if section is None else replace(passage, url=page.url, section=section, text_hash=text_hash)
    return replace(
        passage,
        url=page.url,
        quote=_quote(passage.quote, quote_at(searched, span)),
        position=span,
        text_hash=page.text_hash,
    )


def _section_at(page: Page, span: Span, name: str) -> str | None:
    """The anchor of the section with exactly this span, preferably the same; None without any."""
    anchors = [section.anchor for section in page.sections or () if section.anchor]
    for anchor in sorted(anchors, key=lambda each: each != name):
        if find_section(page.text, page.sections or (), anchor) == span:
            return anchor
    return None


def _quote(given: Quote | None, there: Quote) -> Quote:
    """The given words with their current context."""
    if given is None:
        return there
    return Quote(given.exact, there.prefix or given.prefix, there.suffix or given.suffix)


def by_topic(repairs: Sequence[Repair]) -> dict[str, dict[int, Judgment]]:
    """The judgments to write, by topic and index."""
    found: dict[str, dict[int, Judgment]] = {}
    for repair in repairs:
        if repair.repaired is not None:
            found.setdefault(repair.topic_id, {})[repair.number] = repair.repaired
    return found
