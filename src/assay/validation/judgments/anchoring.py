"""Prepare the search for a passage: by its own quote, or by the quote stored when it was first resolved."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from assay.model.evaluation import Anchoring, Passage, Quote, Resolution, Span
from assay.ports import ChunkPlace
from assay.validation.judgments.corpus import Corpus, anchor_key


class AnchorKind(Enum):
    """The kind of reference that a passage has; the first of these counts if it has several."""

    QUOTE = "quote"
    POSITION = "position"
    CHUNK = "chunk"
    TEXT = "text"
    SECTION = "section"
    PAGE = "page"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class PassageQuery:
    """The search for a passage.

    passage: as written in the test set.
    url: the page to search.
    quote, position, text_hash: of the passage itself or, if `is_anchored`, stored at its first resolution.
    chunk: the chunk of this generation that the passage names; None if it names none, or if it is gone.
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
    """The resolution of a passage on a generation.

    chunks: the chunks that it covers; empty if it does not count.
    anchor: to store for later resolutions; None if there is nothing to store, or it is stored already.
    """

    passage: Passage
    resolution: Resolution
    chunks: tuple[ChunkPlace, ...] = ()
    anchor: Passage | None = None


def kind_of(passage: Passage) -> AnchorKind:
    """The kind of reference that a passage has."""
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
    """A passage that does not count. reason: a sentence for the report."""
    return Found(passage, Resolution(anchoring, url=url, reason=reason))


def passage_queries(passages: Sequence[Passage], corpus: Corpus) -> Iterator[PassageQuery | Found]:
    """The search for each passage, or its loss if it cannot be searched."""
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
            yield lost(passage, "It has no reference: add a `url`, a `chunk_id` or a `content_hash`.")
        elif kind is AnchorKind.CHUNK:
            yield _chunk(passage, by_id.get(passage.chunk_id or ""), anchor)
        elif kind is AnchorKind.TEXT:
            yield _text(passage, by_text.get(passage.content_hash or "", ()), anchor, primary)
        elif anchor is not None:
            yield _anchored(passage, kind, anchor)
        else:
            assert passage.url is not None
            yield PassageQuery(passage, kind, passage.url, passage.quote, passage.position, passage.text_hash)


def _anchored(passage: Passage, kind: AnchorKind, anchor: Passage, chunk: ChunkPlace | None = None) -> PassageQuery:
    assert anchor.url is not None
    return PassageQuery(
        passage, kind, anchor.url, anchor.quote, anchor.position, anchor.text_hash, chunk=chunk, is_anchored=True
    )


def _chunk(passage: Passage, chunk: ChunkPlace | None, anchor: Passage | None) -> PassageQuery | Found:
    """Search by chunk id; it counts only if the chunk still has the judged text, because ids may be reused."""
    if anchor is not None:
        return _anchored(passage, AnchorKind.CHUNK, anchor, chunk if chunk and chunk.url == anchor.url else None)
    if chunk is not None:
        return PassageQuery(passage, AnchorKind.CHUNK, chunk.url, chunk=chunk)
    return lost(
        passage,
        f"There is no chunk {passage.chunk_id}, and this judgment was never resolved before. Resolve it once on the "
        "generation of the id (`--generation`), or add the `url` and a `quote`.",
    )


def _primary_urls(texts: Iterable[Sequence[ChunkPlace]], corpus: Corpus) -> set[str]:
    """URLs of pages with a shared text that are of the current version in the default locale."""
    shared = {place.url for places in texts if len({one.url for one in places}) > 1 for place in places}
    return {page.url for page in corpus.pages(sorted(shared)) if page.primary} if shared else set()


def _text(
    passage: Passage, chunks: Sequence[ChunkPlace], anchor: Passage | None, primary: Container[str]
) -> PassageQuery | Found:
    """Search by content hash, which proves the text on any page. primary: pages to prefer."""
    if chunks:
        urls = (passage.url, anchor.url if anchor else None)
        chunk = min(
            chunks, key=lambda place: (place.url not in urls, place.url not in primary, place.url, place.position)
        )
        return PassageQuery(passage, AnchorKind.TEXT, chunk.url, chunk=chunk, is_anchored=anchor is not None)
    if anchor is not None:
        return _anchored(passage, AnchorKind.TEXT, anchor)
    return lost(
        passage,
        f"No chunk has the content hash {passage.content_hash}, and this judgment was never resolved before. Resolve "
        "it once on the generation of the hash (`--generation`), or add the `url` and a `quote`.",
    )
