"""Small sample generations and documents, different in every field."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.model.documents import Chunk, Document, DocumentInfo
from assay.model.generations import ChunkerIdentity, EmbedderIdentity, Generation, SparseIdentity, State
from assay.model.ids import chunk_id, content_hash, document_id
from assay.ports import Catalog

NOON = datetime(2026, 3, 14, 12, 0, 0, 123456, tzinfo=UTC)
SITE = "https://docs.example.org"

Stored = tuple[Document, list[Chunk]]


def generation(name: str, *, minute: int = 0) -> Generation:
    """A generation in state building, created `minute` minutes after noon."""
    return Generation(
        id=name,
        state=State.BUILDING,
        created_at=NOON + timedelta(minutes=minute),
        embedder=EmbedderIdentity("static", "tiny", 8, "passage: ", "query: ", "3"),
        chunker=ChunkerIdentity("1", "2", 2000, 512, 100, "words"),
        sparse=SparseIdentity("english", 1.2, 0.75, 81.25, "bm25"),
        sources=("./docs", SITE),
    )


def page(path: str, *texts: str, title: str = "A page", **info: object) -> Stored:
    """A document at SITE/path with one chunk for each text; info: further fields of DocumentInfo."""
    url = f"{SITE}/{path}"
    known = DocumentInfo(
        id=document_id(url),
        url=url,
        title=title,
        source="docs",
        source_path=f"docs/{path}.md",
        slug=path.replace("/", "-")[:100],
        source_type="docusaurus-page",
        version="2.0",
        locale="en",
        tags=("robots", "näher"),
        address=f"{url}/",
    )
    return cut(with_fields(known, **info), texts or (f"What {path} says.",))


def with_fields(info: DocumentInfo, **values: object) -> DocumentInfo:
    """A copy with changed fields."""
    changes: dict[str, Any] = dict(values)
    return replace(info, **changes)


def cut(info: DocumentInfo, texts: Sequence[str]) -> Stored:
    """A document of these texts, separated by blank lines, with one chunk for each."""
    text = "\n\n".join(texts)
    document = Document(info, text, sections=(), blocks=(), source_hash=content_hash(text), key=f"{info.slug}.md")
    hashes = [content_hash(each) for each in texts]
    ids = [chunk_id(info.url, each, hashes[:position].count(each)) for position, each in enumerate(hashes)]
    chunks: list[Chunk] = []
    start = 0
    for position, each in enumerate(texts):
        chunk = Chunk(
            id=ids[position],
            document=info,
            text=each,
            start=start,
            end=start + len(each),
            position=position,
            section=f"Part {position}",
            heading_path=("Guide", f"Part {position}"),
            anchor=f"part-{position}" if position else None,
            token_count=len(each.split()),
            tokenizer="words",
            content_hash=hashes[position],
            embedded_hash=content_hash(f"{info.title}\n{each}"),
            previous_id=ids[position - 1] if position else None,
            next_id=ids[position + 1] if position + 1 < len(ids) else None,
            created_at=NOON,
        )
        chunks.append(chunk)
        start += len(each) + 2
    return document, chunks


def built(catalog: Catalog, name: str, *pages: Stored, minute: int = 0) -> None:
    """Add a generation with these pages and make it a candidate."""
    catalog.add_generation(generation(name, minute=minute))
    catalog.add_documents(name, pages)
    catalog.transition(name, State.CANDIDATE)


def in_state(catalog: Catalog, name: str, state: State) -> None:
    """Add a generation without documents and bring it to a state by valid transitions."""
    catalog.add_generation(generation(name))
    if state is State.FAILED:
        catalog.transition(name, State.FAILED)
    elif state is not State.BUILDING:
        catalog.transition(name, State.CANDIDATE)
    if state is State.REJECTED:
        catalog.transition(name, State.REJECTED)
    elif state in {State.LIVE, State.RETIRED}:
        catalog.promote(name, NOON)
    if state is State.RETIRED:
        catalog.transition(name, State.RETIRED)
