"""Collections that others made, on a peer of a Qdrant server, and Assay over them."""
# ruff: noqa: ANN401 - settings and payloads

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from qdrant_client import QdrantClient, models

from assay.adapters.embedders.static import StaticEmbedder
from assay.app import Assay, shipped_folder
from assay.model.ids import content_hash
from assay.settings import load_settings
from tests.peers.qdrant import QdrantPeer

BASE_URL = "https://handbook.example"


@dataclass(frozen=True)
class Passage:
    """A paragraph of the example handbook. position: from 0, on its page."""

    page: str
    title: str
    position: int
    text: str

    @property
    def url(self) -> str:
        return f"{BASE_URL}/{self.page}"


@cache
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


@cache
def passages() -> tuple[Passage, ...]:
    """The longer paragraphs of every second page of the handbook, no text twice."""
    found, seen = [], set()
    folder = shipped_folder("examples") / "handbook"
    for path in sorted(folder.rglob("*.md"))[::2]:
        page = path.relative_to(folder).with_suffix("").as_posix()
        paragraphs = [part.strip() for part in path.read_text(encoding="utf-8").split("\n\n")]
        for position, text in enumerate(text for text in paragraphs if len(text) > 80 and text not in seen):
            seen.add(text)
            found.append(Passage(page, page.rsplit("/", 1)[-1].replace("-", " "), position, text))
    return tuple(found)


def vectors(texts: Sequence[str]) -> list[list[float]]:
    found: list[list[float]] = embedder().embed_documents(texts).tolist()
    return found


def seed_payload(passage: Passage) -> dict[str, Any]:
    """Seed 001's payload, whole."""
    return {
        "content": passage.text,
        "url": passage.url,
        "title": passage.title,
        "chunk_index": passage.position,
        "timestamp": "2025-12-15T10:00:00Z",
        "content_hash": content_hash(passage.text),
    }


def make(
    client: QdrantClient,
    name: str,
    payloads: Sequence[Mapping[str, Any]],
    texts: Sequence[str],
    *,
    distance: models.Distance = models.Distance.COSINE,
    scale: float = 1.0,
    ids: Sequence[Any] | None = None,
) -> None:
    """A collection with one vector without a name, made from these texts."""
    client.create_collection(name, vectors_config=models.VectorParams(size=256, distance=distance))
    rows = zip(ids or range(1, len(texts) + 1), vectors(texts), payloads, strict=True)
    client.upsert(
        name,
        [
            models.PointStruct(id=point, vector=[scale * number for number in vector], payload=dict(payload))
            for point, vector, payload in rows
        ],
        wait=True,
    )


def make_seed(client: QdrantClient, name: str = "docs", **options: Any) -> None:
    """A collection with seed 001's payload and every passage."""
    make(client, name, [seed_payload(one) for one in passages()], [one.text for one in passages()], **options)


@contextmanager
def adopting(peer: QdrantPeer, folder: Path, name: str = "docs", **settings: Any) -> Iterator[Assay]:
    """Assay over a collection. settings: further tables, that of the index merged."""
    index = {"adopt": name, **settings.pop("index", {})}
    values = {"data_dir": folder / "none", "qdrant": {"url": peer.url}, "index": index, **settings}
    with Assay.open(load_settings(None, values)) as assay:
        yield assay
