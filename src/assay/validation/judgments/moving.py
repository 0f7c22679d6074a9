"""Find passages whose page is gone.

A page has moved if its whole text is at exactly one other address; a quote, if its words with the context on both sides
are. Anything less is only a hint.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from assay.model.evaluation import Anchoring
from assay.validation.judgments.anchoring import AnchorKind, Found, PassageQuery, lost
from assay.validation.judgments.corpus import Corpus
from assay.validation.judgments.locating import EarlierText, PageSearch
from assay.validation.judgments.quoting import LEAST_PROOF

_SHOWN = 3


def find_moved(gone: Sequence[PassageQuery], corpus: Corpus, earlier: EarlierText) -> Iterator[Found]:
    """Find the new place of each passage, or report it as lost."""
    if not gone:
        return
    hashes = {one.text_hash for one in gone if one.text_hash is not None}
    urls = corpus.urls_of_texts(list(hashes)) if hashes else {}
    moved: dict[str, list[PassageQuery]] = {}
    missed: list[PassageQuery] = []
    for one in gone:
        there = urls.get(one.text_hash or "", ())
        if len(there) == 1:
            moved.setdefault(there[0], []).append(one)
        elif there:
            yield _several(one, there)
        else:
            missed.append(one)
    for one, trace in _traces(missed, corpus):
        if len(trace.whole) == 1:
            moved.setdefault(trace.whole[0], []).append(one)
        else:
            yield _several(one, trace.whole) if trace.whole else _lost(one, trace.words)
    for page in corpus.pages(list(moved)):
        search = PageSearch(page, earlier)
        for one in moved.pop(page.url):
            yield _moved(one, search.find(replace(one, url=page.url)), page.url)
    for those in moved.values():  # a collection that changes while it is read
        yield from (_lost(one, []) for one in those)


@dataclass(slots=True)
class _Trace:
    """Pages with the words of a quote. whole: with its full context."""

    whole: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


def _traces(missed: Sequence[PassageQuery], corpus: Corpus) -> list[tuple[PassageQuery, _Trace]]:
    """Search every page for the exact quotes."""
    traces = [(one, _Trace()) for one in missed]
    quoted = [(one.quote, trace, frozenset(one.quote.exact.split()[1:-1])) for one, trace in traces if one.quote]
    if not quoted:
        return traces
    for url, text in corpus.texts():
        vocabulary = set(text.split())
        for quote, trace, words in quoted:
            if not (words <= vocabulary and quote.exact in text):
                continue
            trace.words.append(url)
            has_context = min(len(quote.prefix.strip()), len(quote.suffix.strip())) >= LEAST_PROOF
            if has_context and quote.prefix + quote.exact + quote.suffix in text:
                trace.whole.append(url)
    return traces


def _moved(one: PassageQuery, found: Found, url: str) -> Found:
    """Mark a passage at another address as re-anchored."""
    resolution = found.resolution
    if not resolution.anchoring.scores:
        return found
    reason = f"The page {one.url} is gone; its text is at {url} now."
    return replace(found, resolution=replace(resolution, anchoring=Anchoring.RE_ANCHORED, reason=reason), anchor=None)


def _several(one: PassageQuery, urls: Sequence[str]) -> Found:
    what = "its text" if one.kind in {AnchorKind.PAGE, AnchorKind.SECTION} else "the judged text"
    return lost(
        one.passage,
        f"The page {one.url} is gone, and {what} is in {len(urls)} places: {_listed(urls)}.",
        anchoring=Anchoring.AMBIGUOUS,
    )


def _lost(one: PassageQuery, urls: Sequence[str]) -> Found:
    hint = f" The same words are at {_listed(urls)}: if that is the judged text, change the `url`." if urls else ""
    return lost(one.passage, f"There is no page {one.url}.{hint}")


def _listed(urls: Sequence[str]) -> str:
    unique = list(dict.fromkeys(urls))
    return ", ".join(unique[:_SHOWN]) + (f" and {len(unique) - _SHOWN} more" if len(unique) > _SHOWN else "")
