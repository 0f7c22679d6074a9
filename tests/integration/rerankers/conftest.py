"""Rerankers over loopback peers."""

from collections.abc import Callable, Iterator

import pytest
from tests.peers.cohere import cohere_peer
from tests.peers.serving import Peer

from assay.adapters.rerankers.cohere import CohereReranker
from assay.adapters.rerankers.remote import RerankRules
from assay.ports import RerankerCall

KEY = "peer-key-7"
TEXTS = ("The wheel turns.", "Grease the gripper weekly.", "The gripper opens.")

MakeCohere = Callable[..., CohereReranker]


@pytest.fixture
def peer() -> Iterator[Peer]:
    with cohere_peer(key=KEY, slow=1.0) as started:
        yield started


@pytest.fixture
def calls() -> list[RerankerCall]:
    """Every request that an observer was told of."""
    return []


@pytest.fixture
def make(peer: Peer, calls: list[RerankerCall]) -> Iterator[MakeCohere]:
    """Makes a reranker over the peer."""
    made: list[CohereReranker] = []

    def build(
        key: str = KEY, model: str = "rerank-v3.5", timeout: float = 1.0, at_once: int = 8, url: str = ""
    ) -> CohereReranker:
        reranker = CohereReranker(key, model, url or peer.url, RerankRules(timeout, at_once), calls.append)
        made.append(reranker)
        return reranker

    yield build
    for reranker in made:
        reranker.close()
