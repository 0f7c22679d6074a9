"""A small builder of rankings, for tests of what is projected from one."""

from dataclasses import replace
from datetime import UTC, datetime

from assay.model.documents import Chunk, DocumentInfo
from assay.model.ids import chunk_id, content_hash, document_id
from assay.model.ranking import Hit, Mode, Query, Ranking, Timings

URL = "https://docs.example.org/concepts/nodes"
TIMINGS = Timings(embed_ms=0.25, search_ms=1.5, fuse_ms=0.125, filter_ms=0.5, total_ms=2.4375)


def chunk_of(text: str, position: int = 0, **changes: object) -> Chunk:
    """A chunk with this text, of a page about nodes."""
    info = DocumentInfo(
        id=document_id(URL),
        url=URL,
        title="Nodes and topics",
        source="handbook",
        source_path="docs/concepts/nodes.md",
        slug="concepts-nodes",
        source_type="docusaurus-page",
    )
    chunk = Chunk(
        id=chunk_id(URL, content_hash(text), 0),
        document=info,
        text=text,
        start=10,
        end=10 + len(text),
        position=position,
        section="Topics",
        heading_path=("Concepts", "Topics"),
        anchor="topics",
        token_count=7,
        tokenizer="test",
        content_hash=content_hash(text),
        embedded_hash=content_hash(f"embedded {text}"),
        created_at=datetime(2026, 3, 1, 8, 15, tzinfo=UTC),
    )
    return replace(chunk, **changes)  # type: ignore[arg-type]  # the fields are checked by the dataclass's own tests


def hit_of(
    text: str, similarity: float = 0.5, rank: int = 1, rank_score: float | None = None, **changes: object
) -> Hit:
    """A hit on a chunk with this text."""
    return Hit(rank, chunk_of(text, **changes), similarity, similarity if rank_score is None else rank_score)


def ranking_of(*hits: Hit, text: str = "How do nodes communicate?", mode: Mode = Mode.DENSE) -> Ranking:
    """A ranking of these hits, in this order."""
    return Ranking(Query(text=text, top_k=5, mode=mode), hits, "20260301T081500Z-4f2a", TIMINGS, ())
