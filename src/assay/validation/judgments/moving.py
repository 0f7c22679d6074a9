"""What became of passages whose page is gone.

A page moved for certain when its whole text stands under exactly one other address, and a quote when its words and what
stood on both sides of them do. Anything less is only a hint.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from assay.model.evaluation import Anchoring
from assay.validation.judgments.anchoring import AnchorKind, Found, Sought, lost
from assay.validation.judgments.corpus import Corpus
from assay.validation.judgments.locating import EarlierText, PageSearch
from assay.validation.judgments.quoting import LEAST_PROOF

_SHOWN = 3


def find_moved(gone: Sequence[Sought], corpus: Corpus, earlier: EarlierText) -> Iterator[Found]:
    """Where each passage went, or that it is lost."""
    if not gone:
        return
    hashes = {one.text_hash for one in gone if one.text_hash is not None}
    urls = corpus.urls_of_texts(list(hashes)) if hashes else {}
    moved: dict[str, list[Sought]] = {}
    missed: list[Sought] = []
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
            yield _told(one, search.find(replace(one, url=page.url)), page.url)
    for those in moved.values():  # a collection that changes while it is read
        yield from (_lost(one, []) for one in those)


@dataclass(slots=True)
class _Trace:
    """Pages on which the words of a quote stand. whole: with everything that stood around them."""

    whole: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


def _traces(missed: Sequence[Sought], corpus: Corpus) -> list[tuple[Sought, _Trace]]:
    """Look for quotes on every page there is, word for word."""
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
            is_told = min(len(quote.prefix.strip()), len(quote.suffix.strip())) >= LEAST_PROOF
            if is_told and quote.prefix + quote.exact + quote.suffix in text:
                trace.whole.append(url)
    return traces


def _told(one: Sought, found: Found, url: str) -> Found:
    """What was found under another address is never exact."""
    resolution = found.resolution
    if not resolution.anchoring.scores:
        return found
    reason = f"The page {one.url} is gone; its text is at {url} now."
    return replace(found, resolution=replace(resolution, anchoring=Anchoring.RE_ANCHORED, reason=reason), anchor=None)


def _several(one: Sought, urls: Sequence[str]) -> Found:
    what = "its text" if one.kind in {AnchorKind.PAGE, AnchorKind.SECTION} else "what was judged"
    return lost(
        one.passage,
        f"The page {one.url} is gone, and {what} stands in {len(urls)} places: {_listed(urls)}.",
        anchoring=Anchoring.AMBIGUOUS,
    )


def _lost(one: Sought, urls: Sequence[str]) -> Found:
    hint = f" The same words stand at {_listed(urls)}: if that is what was judged, change the `url`." if urls else ""
    return lost(one.passage, f"There is no page {one.url}.{hint}")


def _listed(urls: Sequence[str]) -> str:
    unique = list(dict.fromkeys(urls))
    return ", ".join(unique[:_SHOWN]) + (f" and {len(unique) - _SHOWN} more" if len(unique) > _SHOWN else "")
