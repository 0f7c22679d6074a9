"""Every reranker passes the conformance kit."""

from collections.abc import Iterator

import pytest
from tests.memory_reranker import MemoryReranker
from tests.peers.cohere import cohere_peer
from tests.peers.rerankers import openai_rerank_peer, tei_peer

from assay.adapters.rerankers.cohere import CohereReranker
from assay.adapters.rerankers.openai import OpenAIReranker
from assay.adapters.rerankers.remote import RerankRules
from assay.adapters.rerankers.tei import TeiReranker
from assay.testing import RerankerConformance

RULES = RerankRules(timeout=5.0, calls=8)


class TestCohere(RerankerConformance):
    @pytest.fixture
    def reranker(self) -> Iterator[CohereReranker]:
        with cohere_peer(key="k") as peer:
            reranker = CohereReranker("k", "rerank-v3.5", peer.url, RULES)
            yield reranker
            reranker.close()


class TestOpenAI(RerankerConformance):
    @pytest.fixture
    def reranker(self) -> Iterator[OpenAIReranker]:
        with openai_rerank_peer(key=None) as peer:
            reranker = OpenAIReranker(None, "bge-reranker-v2-m3", f"{peer.url}/v1", RULES)
            yield reranker
            reranker.close()


class TestTei(RerankerConformance):
    @pytest.fixture
    def reranker(self) -> Iterator[TeiReranker]:
        with tei_peer(key=None, max_tokens=64) as peer:
            reranker = TeiReranker(None, "bge-reranker-base", peer.url, RULES)
            yield reranker
            reranker.close()


class TestMemory(RerankerConformance):
    @pytest.fixture
    def reranker(self) -> MemoryReranker:
        return MemoryReranker()
