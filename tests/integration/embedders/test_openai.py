"""The embedder over OpenAI's API, and over Azure's form of it."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from tests.integration.embedders.conftest import KEY, RULES
from tests.peers.openai import openai_peer
from tests.peers.serving import Peer

from assay.adapters.embedders.openai import Endpoint, OpenAIEmbedder, OpenAIModel
from assay.errors import ConfigurationError, EmbedderRefused, EmbedderUnavailable, InvalidEmbedding
from assay.testing import EmbedderConformance

MODEL = OpenAIModel("bge-base", 1024, shorten=False, document_prefix="passage: ", query_prefix="query: ")


def _embedder(peer: Peer, model: OpenAIModel = MODEL, **endpoint: object) -> OpenAIEmbedder:
    fields = {"base_url": f"{peer.url}/v1", "key": KEY, **endpoint}
    return OpenAIEmbedder(Endpoint(**fields), model, RULES)  # type: ignore[arg-type]


class TestOpenAIEmbedder(EmbedderConformance):
    @pytest.fixture
    def embedder(self) -> Iterator[OpenAIEmbedder]:
        with openai_peer() as peer:
            embedder = _embedder(peer)
            yield embedder
            embedder.close()


def test_answers_in_another_order_are_put_right(openai: Peer) -> None:
    embedder = _embedder(openai)
    together = embedder.embed_documents(["gripper", "camera", "battery"])
    alone = [embedder.embed_documents([text])[0] for text in ("gripper", "camera", "battery")]
    np.testing.assert_array_equal(together, alone)


def test_prefixes_are_sent_and_are_part_of_the_identity(openai: Peer) -> None:
    embedder = _embedder(openai)
    embedder.embed_documents(["gripper"])
    embedder.embed_query("gripper")
    assert dict(openai.ledger.embedded) == {"passage: gripper": 1}
    assert dict(openai.ledger.queries) == {"query: gripper": 1}
    assert embedder.identity != _embedder(openai, replace(MODEL, query_prefix="")).identity
    assert embedder.identity != _embedder(openai, replace(MODEL, dimensions=512)).identity


def test_prefixes_take_their_share_of_the_limit(openai: Peer) -> None:
    assert (_embedder(openai).max_tokens or 0) < RULES.max_tokens
    assert _embedder(openai, replace(MODEL, document_prefix="", query_prefix="")).max_tokens == RULES.max_tokens


def test_another_address_is_the_same_embedder(openai: Peer) -> None:
    there = OpenAIEmbedder(Endpoint("https://elsewhere.example/v1", None), MODEL, RULES)
    assert there.identity == _embedder(openai).identity
    there.close()


def test_a_server_that_wants_no_key_gets_none() -> None:
    with openai_peer(key=None) as peer:
        assert _embedder(peer, key=None).embed_query("gripper").shape == (1024,)
    assert Endpoint("http://localhost:11434/v1", None).headers == {}


def test_azure_has_its_own_path_header_and_version(openai: Peer) -> None:
    embedder = _embedder(openai, base_url=openai.url, deployment="our embeddings")
    assert embedder.embed_documents(["gripper"]).shape == (1, 1024)
    with pytest.raises(EmbedderRefused, match="AZURE_OPENAI_API_KEY"):
        _embedder(openai, base_url=openai.url, deployment="ours", key="wrong").embed_documents(["gripper"])


@pytest.mark.parametrize(
    ("name", "dimensions", "shorten", "asked", "length"),
    [
        ("text-embedding-3-small", None, False, None, 1536),
        ("text-embedding-3-large", 3072, False, None, 3072),
        ("text-embedding-3-large", 256, False, 256, 256),
        ("nomic-embed", 768, False, None, 768),
        ("nomic-embed", 256, True, 256, 256),
    ],
)
def test_a_length_is_asked_for_only_of_models_that_can_give_it(
    name: str, dimensions: int | None, shorten: bool, asked: int | None, length: int
) -> None:
    model = OpenAIModel(name, dimensions, shorten, "", "")
    assert (model.requested_dimensions, model.dimension) == (asked, length)


def test_the_length_that_is_asked_for_is_what_comes(openai: Peer) -> None:
    embedder = _embedder(openai, OpenAIModel("text-embedding-3-small", 256, False, "", ""))
    assert embedder.embed_documents(["gripper"]).shape == (1, 256)


def test_a_model_that_is_not_known_needs_its_length() -> None:
    with pytest.raises(ConfigurationError, match="Set \\[embedding\\] dimensions"):
        _ = OpenAIModel("bge-base", None, False, "", "").dimension


def test_a_wrong_length_says_which_setting_to_change(openai: Peer) -> None:
    with pytest.raises(InvalidEmbedding, match=r"1024 dimensions instead of 768.*Set \[embedding\] dimensions"):
        _embedder(openai, replace(MODEL, dimensions=768)).embed_documents(["gripper"])


def test_a_wrong_key_is_not_repeated(openai: Peer) -> None:
    with pytest.raises(EmbedderRefused, match="OPENAI_API_KEY") as raised:
        _embedder(openai, key="wrong-and-secret").embed_documents(["gripper"])
    assert "wrong-and-secret" not in str(raised.value)


def test_a_query_that_is_too_long_is_refused_here_for_some_servers_would_cut_it(openai: Peer) -> None:
    with pytest.raises(InvalidEmbedding, match="not truncated"):
        _embedder(openai).embed_query("calibrate " * 600)
    assert openai.ledger.requests == 0


def test_an_empty_quota_is_final_and_a_busy_server_is_not(openai: Peer) -> None:
    provider = _embedder(openai)._provider
    assert provider.is_final(429, "You exceeded your current quota, please check your plan and billing details.")
    assert not provider.is_final(429, "Rate limit reached for requests")


@pytest.mark.parametrize("fault", ["429", "500", "cut", "nan", "partial", "malformed", "reset"])
def test_a_fault_that_passes_is_got_over(openai: Peer, fault: str) -> None:
    openai.faults.script([fault])
    assert _embedder(openai).embed_documents(["gripper", "camera"]).shape == (2, 1024)


def test_a_server_that_stays_away_is_given_up_in_time(openai: Peer) -> None:
    openai.faults.always("reset")
    embedder = OpenAIEmbedder(Endpoint(f"{openai.url}/v1", KEY), MODEL, replace(RULES, retry_seconds=0.3))
    with pytest.raises(EmbedderUnavailable, match="connection broke"):
        embedder.embed_documents(["gripper"])
