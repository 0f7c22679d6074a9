"""Embedders over loopback peers."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from tests.peers.cohere import cohere_peer
from tests.peers.openai import openai_peer
from tests.peers.serving import Peer

from assay.adapters.embedders.cohere import CohereEmbedder
from assay.adapters.embedders.remote.embedder import RemoteEmbedder, RemoteRules
from assay.ports import EmbedderCall

KEY = "peer-key"
RULES = RemoteRules(
    max_tokens=512,
    batch_texts=96,
    batch_tokens=96 * 512,
    calls=8,
    rates={},
    timeout=5.0,
    retry_seconds=30.0,
    query_timeout=2.0,
    query_seconds=3.0,
    query_cache=0,
    first_retry=0.02,
)

MakeCohere = Callable[..., CohereEmbedder]


@pytest.fixture
def peer() -> Iterator[Peer]:
    with cohere_peer(slow=3.0) as started:
        yield started


@pytest.fixture
def openai() -> Iterator[Peer]:
    with openai_peer(slow=3.0) as started:
        yield started


@pytest.fixture
def calls() -> list[EmbedderCall]:
    """Every request that an observer was told of."""
    return []


@pytest.fixture
def make(peer: Peer, calls: list[EmbedderCall]) -> Iterator[MakeCohere]:
    """Makes an embedder over the peer, with rules changed as named."""
    made: list[RemoteEmbedder] = []

    def build(key: str = KEY, model: str = "embed-english-v3.0", dimensions: int | None = None, **rules: object):  # noqa: ANN202
        embedder = CohereEmbedder(key, model, dimensions, peer.url, replace(RULES, **rules), calls.append)  # type: ignore[arg-type]
        made.append(embedder)
        return embedder

    yield build
    for embedder in made:
        embedder.close()
