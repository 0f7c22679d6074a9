"""A reranker that refuses, is slow, breaks or answers nonsense: which error comes, and after how many tries."""

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
from tests.integration.rerankers.conftest import KEY, TEXTS, MakeCohere
from tests.peers.rerankers import openai_rerank_peer, tei_peer
from tests.peers.serving import Peer

from assay.adapters.remote.transport import Answer
from assay.adapters.rerankers.openai import OpenAIReranker
from assay.adapters.rerankers.remote import RerankRules
from assay.adapters.rerankers.tei import TeiReranker
from assay.errors import ConfigurationError, RerankerRefused, RerankError, RerankerUnavailable
from assay.ports import RerankerCall


@pytest.fixture
def tei() -> Iterator[Peer]:
    with tei_peer(key=KEY) as started:
        yield started


def test_one_query_is_one_request_with_all_texts(make: MakeCohere, peer: Peer, calls: list[RerankerCall]) -> None:
    make().scores("grease the gripper", TEXTS)
    assert peer.ledger.requests == 1
    assert sum(peer.ledger.queries.values()) == len(TEXTS)
    assert [(call.provider, call.model, call.texts, call.status) for call in calls] == [
        ("cohere", "rerank-v3.5", len(TEXTS), "ok")
    ]


@pytest.mark.parametrize("fault", ["503", "reset", "cut", "429-bare"])
def test_a_passing_fault_is_tried_once_more(make: MakeCohere, peer: Peer, fault: str) -> None:
    peer.faults.script([fault])
    assert len(make().scores("gripper", TEXTS)) == len(TEXTS)
    assert peer.ledger.requests == 2


@pytest.mark.parametrize("fault", ["503", "reset", "429-bare"])
def test_a_lasting_fault_ends_after_two_tries(make: MakeCohere, peer: Peer, fault: str) -> None:
    peer.faults.always(fault)
    with pytest.raises(RerankerUnavailable, match=r"failed: .* \(2 tries\)"):
        make().scores("gripper", TEXTS)
    assert peer.ledger.requests == 2


def test_a_wait_that_the_time_limit_does_not_allow_is_not_waited(make: MakeCohere, peer: Peer) -> None:
    peer.faults.always("429")  # with Retry-After: 1
    with pytest.raises(RerankerUnavailable, match="it answered 429: rate limit exceeded"):
        make(timeout=0.5).scores("gripper", TEXTS)
    assert peer.ledger.requests == 1


def test_a_slow_answer_is_a_time_out_without_a_second_try(make: MakeCohere, peer: Peer) -> None:
    peer.faults.always("slow")
    with pytest.raises(RerankerUnavailable, match=r"no answer within 0\.0") as caught:
        make(timeout=0.05).scores("gripper", TEXTS)
    assert "[rerank] timeout" in caught.value.hint
    assert peer.ledger.requests == 1


@pytest.mark.parametrize(
    ("piece", "pause", "error", "reason"),
    [
        (b" ", 0.05, RerankerUnavailable, r"not complete after 0\.\d+ seconds"),
        (b" " * 65_536, 0.0, RerankError, "the answer is longer than"),
    ],
    ids=["byte by byte", "without end"],
)
def test_an_answer_that_does_not_end_is_not_waited_for(
    piece: bytes, pause: float, error: type[RerankError], reason: str
) -> None:
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                while not stop.wait(pause):
                    connection.sendall(piece)

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        reranker = OpenAIReranker(KEY, "m", url, RerankRules(0.5 if pause else 60.0, 8))
        with pytest.raises(error, match=reason):
            reranker.scores("gripper", TEXTS)
        stop.set()
        thread.join()
        reranker.close()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("partial", "2 results for 3 texts"),
        ("nan", "is not finite"),
        ("wrong-dimension", "is not a number"),
        ("malformed", "is not JSON"),
    ],
)
def test_an_answer_without_a_score_for_each_text_is_refused(
    make: MakeCohere, peer: Peer, calls: list[RerankerCall], fault: str, reason: str
) -> None:
    peer.faults.always(fault)
    with pytest.raises(RerankError, match=f"its answer cannot be used: .*{reason}"):
        make().scores("gripper", TEXTS)
    assert [call.status for call in calls] == ["unusable"]


def test_a_wrong_key_is_refused_and_no_message_or_log_line_has_it(
    make: MakeCohere, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = "sk-wrong-93Kx"
    reranker = make(secret)
    with pytest.raises(RerankerRefused, match="invalid api token") as caught:
        reranker.scores("gripper", TEXTS)
    assert "COHERE_API_KEY" in caught.value.hint
    assert secret not in f"{caught.value!r} {caught.value} {caplog.text} {vars(reranker)}"


def test_a_key_that_a_server_repeats_is_masked() -> None:
    secret = "sk-wrong-51Qz"
    with openai_rerank_peer(key=KEY) as peer:
        reranker = OpenAIReranker(secret, "m", f"{peer.url}/v1", RerankRules(1.0, 8))
        with pytest.raises(RerankerRefused, match=r"Unauthorized: \*\*\*"):
            reranker.scores("gripper", TEXTS)
        reranker.close()


def test_an_unknown_model_is_refused_once(make: MakeCohere, peer: Peer) -> None:
    with pytest.raises(RerankerRefused, match="model 'rerank-9' not found"):
        make(model="rerank-9").scores("gripper", TEXTS)
    assert peer.ledger.requests == 1


def test_teis_batch_limit_is_named_with_both_remedies(tei: Peer) -> None:
    reranker = TeiReranker(KEY, "m", tei.url, RerankRules(1.0, 8))
    assert len(reranker.scores("gripper", ["text"] * 32)) == 32
    with pytest.raises(RerankerRefused, match="batch size 33 > maximum allowed batch size 32") as caught:
        reranker.scores("gripper", ["text"] * 33)
    assert "--max-client-batch-size" in caught.value.hint
    reranker.close()


def test_a_dead_reranker_is_left_alone_after_five_failures(make: MakeCohere, peer: Peer) -> None:
    peer.faults.always("401")
    reranker = make()
    for _ in range(5):
        with pytest.raises(RerankerRefused):
            reranker.scores("gripper", TEXTS)
    for _ in range(20):
        with pytest.raises(RerankerUnavailable, match="requests to it are paused"):
            reranker.scores("gripper", TEXTS)
    assert peer.ledger.requests == 5


def test_queries_that_are_refused_do_not_pause_the_others(make: MakeCohere, peer: Peer) -> None:
    reranker = make()
    peer.faults.always("400")
    for _ in range(6):
        with pytest.raises(RerankerRefused):
            reranker.scores("gripper", TEXTS)
    peer.faults.always(None)
    assert len(reranker.scores("gripper", TEXTS)) == len(TEXTS)


def test_a_server_that_is_not_there_is_unreachable(make: MakeCohere, calls: list[RerankerCall]) -> None:
    with pytest.raises(RerankerUnavailable, match="no connection") as caught:
        make(url="http://127.0.0.1:9").scores("gripper", TEXTS)
    assert "[rerank] base_url" in caught.value.hint
    assert {call.status for call in calls} == {"unreachable"}


class Held:
    """A transport whose requests wait until they are released."""

    address = "http://held"
    begun, released = threading.Event(), threading.Event()

    def post(self, body: bytes, seconds: float, most: int) -> Answer:
        self.begun.set()
        self.released.wait()
        return Answer(200, {}, b'{"results": [{"index": 0, "relevance_score": 1.0}]}')

    def close(self) -> None:
        self.released.set()


def test_a_query_over_the_bound_of_requests_in_flight_gives_up_after_the_time_limit(make: MakeCohere) -> None:
    reranker, held = make(timeout=0.05, at_once=1), Held()
    reranker._transport = held  # type: ignore[assignment]
    scores: list[list[float]] = []
    first = threading.Thread(target=lambda: scores.append(reranker.scores("gripper", TEXTS[:1])))
    first.start()
    held.begun.wait()
    with pytest.raises(RerankerUnavailable, match=r"the limit of requests in flight is reached \(1\)"):
        reranker.scores("gripper", TEXTS[:1])
    held.released.set()
    first.join()
    assert scores == [[1.0]]
    assert reranker.scores("gripper", TEXTS[:1]) == [1.0]


def test_an_address_that_is_none_names_the_setting(make: MakeCohere) -> None:
    with pytest.raises(ConfigurationError, match="is not the address of a server") as caught:
        make(url="localhost")
    assert "[rerank] base_url" in caught.value.hint
