"""What a passage is looked for by: its own words, or those that it turned out to be when it was first found."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from assay.model.evaluation import Anchoring, Passage, Quote, Resolution, Span
from assay.ports import ChunkPlace
from assay.validation.judgments.corpus import Corpus, anchor_key


class AnchorKind(Enum):
    """What a passage points with; where it gives more than one, the first of these counts."""

    QUOTE = "quote"
    POSITION = "position"
    CHUNK = "chunk"
    TEXT = "text"
    SECTION = "section"
    PAGE = "page"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Sought:
    """A passage and what it is looked for by.

    passage: as the test set gives it.
    url: the page to look at.
    quote, position, text_hash: of the passage itself or, if `is_anchored`, of what it turned out to be earlier.
    chunk: the chunk of this generation that the passage names; None where it names none or that is gone.
    """

    passage: Passage
    kind: AnchorKind
    url: str
    quote: Quote | None = None
    position: Span | None = None
    text_hash: str | None = None
    chunk: ChunkPlace | None = None
    is_anchored: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What became of a passage in a generation.

    chunks: that it falls on; none where it does not score.
    anchor: what is to be remembered of it; None where that is nothing, or known already.
    """

    passage: Passage
    resolution: Resolution
    chunks: tuple[ChunkPlace, ...] = ()
    anchor: Passage | None = None


def kind_of(passage: Passage) -> AnchorKind:
    """What a passage points with."""
    on_page = passage.url is not None
    given = (
        (AnchorKind.QUOTE, on_page and passage.quote is not None),
        (AnchorKind.POSITION, on_page and passage.position is not None and passage.text_hash is not None),
        (AnchorKind.CHUNK, passage.chunk_id is not None),
        (AnchorKind.TEXT, passage.content_hash is not None),
        (AnchorKind.SECTION, on_page and passage.section is not None),
        (AnchorKind.PAGE, on_page),
    )
    return next((kind for kind, is_given in given if is_given), AnchorKind.NOTHING)


def lost(passage: Passage, reason: str, *, url: str | None = None, anchoring: Anchoring = Anchoring.ORPHANED) -> Found:
    """A passage that does not score. reason: for a person."""
    return Found(passage, Resolution(anchoring, url=url, reason=reason))


def sought(passages: Sequence[Passage], corpus: Corpus) -> Iterator[Sought | Found]:
    """What each passage is looked for by; those that cannot be looked for are lost at once."""
    kinds = {passage: kind_of(passage) for passage in passages}
    named = {passage: anchor_key(passage) for passage, kind in kinds.items() if kind is not AnchorKind.QUOTE}
    kept = corpus.anchors(list(named.values())) if named else {}
    ids = [passage.chunk_id for passage, kind in kinds.items() if kind is AnchorKind.CHUNK and passage.chunk_id]
    texts = [
        passage.content_hash for passage, kind in kinds.items() if kind is AnchorKind.TEXT and passage.content_hash
    ]
    by_id = corpus.chunks_by_id(ids) if ids else {}
    by_text = corpus.chunks_by_text(texts) if texts else {}
    primary = _primary_urls(by_text.values(), corpus)
    for passage, kind in kinds.items():
        anchor = kept.get(named[passage]) if passage in named else None
        if kind is AnchorKind.NOTHING:
            yield lost(passage, "It points at nothing: give it a `url`, a `chunk_id` or a `content_hash`.")
        elif kind is AnchorKind.CHUNK:
            yield _chunk(passage, by_id.get(passage.chunk_id or ""), anchor)
        elif kind is AnchorKind.TEXT:
            yield _text(passage, by_text.get(passage.content_hash or "", ()), anchor, primary)
        elif anchor is not None:
            yield _anchored(passage, kind, anchor)
        else:
            assert passage.url is not None
            yield Sought(passage, kind, passage.url, passage.quote, passage.position, passage.text_hash)


def _anchored(passage: Passage, kind: AnchorKind, anchor: Passage, chunk: ChunkPlace | None = None) -> Sought:
    assert anchor.url is not None
    return Sought(
        passage, kind, anchor.url, anchor.quote, anchor.position, anchor.text_hash, chunk=chunk, is_anchored=True
    )


def _chunk(passage: Passage, chunk: ChunkPlace | None, anchor: Passage | None) -> Sought | Found:
    """An id is only believed where what it names still says what was judged, for others may give it to another text."""
    if anchor is not None:
        return _anchored(passage, AnchorKind.CHUNK, anchor, chunk if chunk and chunk.url == anchor.url else None)
    if chunk is not None:
        return Sought(passage, AnchorKind.CHUNK, chunk.url, chunk=chunk)
    return lost(
        passage,
        f"There is no chunk {passage.chunk_id}, and this judgment was never resolved before. Resolve it once on the "
        "generation that the id is from (`--generation`), or give it the `url` and a `quote`.",
    )


def _primary_urls(texts: Iterable[Sequence[ChunkPlace]], corpus: Corpus) -> set[str]:
    """Of the pages that share a text with others, those of the current version in the default locale."""
    shared = {place.url for places in texts if len({one.url for one in places}) > 1 for place in places}
    return {page.url for page in corpus.pages(sorted(shared)) if page.primary} if shared else set()


def _text(
    passage: Passage, chunks: Sequence[ChunkPlace], anchor: Passage | None, primary: Container[str]
) -> Sought | Found:
    """A hash proves the text wherever it stands. primary: pages that are taken before others with the same text."""
    if chunks:
        urls = (passage.url, anchor.url if anchor else None)
        chunk = min(
            chunks, key=lambda place: (place.url not in urls, place.url not in primary, place.url, place.position)
        )
        return Sought(passage, AnchorKind.TEXT, chunk.url, chunk=chunk, is_anchored=anchor is not None)
    if anchor is not None:
        return _anchored(passage, AnchorKind.TEXT, anchor)
    return lost(
        passage,
        f"No chunk has the content hash {passage.content_hash}, and this judgment was never resolved before. Resolve "
        "it once on the generation that the hash is from (`--generation`), or give it the `url` and a `quote`.",
    )
