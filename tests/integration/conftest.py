"""A reranker for the tests of several folders."""

from collections.abc import Iterator

import pytest
from tests.peers.rerankers import tei_peer
from tests.peers.serving import Peer


@pytest.fixture(scope="module")
def tei() -> Iterator[Peer]:
    """A reranker by words that both texts have, which speaks the protocol of Text Embeddings Inference."""
    with tei_peer(key=None, most_texts=64) as started:
        yield started


@pytest.fixture
def peer(tei: Peer) -> Iterator[Peer]:
    """The same for one test: without faults and requests of others."""
    tei.ledger.reset()
    yield tei
    tei.faults.always(None)
