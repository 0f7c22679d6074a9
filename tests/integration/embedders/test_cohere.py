"""The Cohere embedder over a server that behaves as Cohere's API does."""

import logging
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.integration.embedders.conftest import KEY, RULES, MakeCohere
from tests.peers.cohere import cohere_peer
from tests.peers.faults import WORKED
from tests.peers.serving import Peer

from assay.adapters.embedders.cohere import CohereEmbedder
from assay.errors import (
    ConfigurationError,
    EmbedderRefused,
    EmbedderUnavailable,
    EmbeddingError,
    InvalidEmbedding,
)
from assay.ports import EmbedderCall
from assay.testing import EmbedderConformance

TEXTS = [f"Page {number}: how the gripper of robot {number} is calibrated" for number in range(500)]


class TestCohereEmbedder(EmbedderConformance):
    @pytest.fixture
    def embedder(self) -> Iterator[CohereEmbedder]:
        with cohere_peer() as peer:
            embedder = CohereEmbedder(KEY, "embed-english-v3.0", None, peer.url, RULES)
            yield embedder
            embedder.close()


# --- what is asked for ---


def test_documents_and_queries_are_embedded_as_what_they_are(make: MakeCohere) -> None:
    embedder = make()
    document, query = embedder.embed_documents([TEXTS[0]])[0], embedder.embed_query(TEXTS[0])
    assert not np.array_equal(document, query)
    assert 0.95 < float(document @ query) < 1.0


def test_many_texts_go_in_full_requests_several_at_a_time(peer: Peer, make: MakeCohere) -> None:
    vectors = make().embed_documents(TEXTS)
    assert vectors.shape == (500, 1024)
    assert peer.ledger.requests == 6
    assert set(peer.ledger.embedded.values()) == {1}
    assert set(peer.ledger.embedded) == set(TEXTS)


def test_queries_that_are_expected_go_in_full_requests_and_are_not_asked_for_again(
    peer: Peer, make: MakeCohere
) -> None:
    embedder, titles = make(query_cache=0), TEXTS[:200]
    alone = embedder.embed_query(titles[7])
    embedder.prefetch_queries([*titles, "", "   ", "half \ud83d of a character", "long " * 2_000])
    expected = [embedder.embed_query(title) for title in titles]
    assert peer.ledger.requests == 1 + 3
    assert np.array_equal(expected[7], alone)
    embedder.prefetch_queries([])
    embedder.embed_query(titles[0])
    assert peer.ledger.requests == 5


def test_a_request_keeps_to_its_limit_of_tokens(peer: Peer, make: MakeCohere) -> None:
    make(batch_tokens=200).embed_documents(TEXTS[:50])
    assert peer.ledger.requests >= 5


@pytest.mark.parametrize(("dimensions", "length"), [(None, 1536), (256, 256), (1024, 1024)])
def test_version_4_gives_the_length_that_is_asked_for(make: MakeCohere, dimensions: int | None, length: int) -> None:
    embedder = make(model="embed-v4.0", dimensions=dimensions, max_tokens=128_000)
    assert embedder.identity.dimension == length
    assert embedder.embed_documents(["hello"]).shape == (1, length)


def test_a_length_that_the_model_does_not_give_is_refused(make: MakeCohere) -> None:
    with pytest.raises(ConfigurationError, match="does not support 512"):
        make(dimensions=512)


def test_a_model_that_is_not_known_needs_its_length(make: MakeCohere) -> None:
    with pytest.raises(ConfigurationError, match="Set \\[embedding\\] dimensions"):
        make(model="embed-next")
    assert make(model="embed-next", dimensions=8).identity.dimension == 8


def test_the_address_is_no_part_of_the_identity_and_the_length_is() -> None:
    def identity(url: str, model: str, dimensions: int | None) -> object:
        embedder = CohereEmbedder(KEY, model, dimensions, url, RULES)
        embedder.close()
        return embedder.identity

    here = identity("https://api.cohere.com", "embed-v4.0", None)
    assert here == identity("https://proxy.example/cohere/", "embed-v4.0", 1536)
    assert here != identity("https://api.cohere.com", "embed-v4.0", 1024)
    assert here != identity("https://api.cohere.com", "embed-english-v3.0", None)


# --- what is never sent ---


@pytest.mark.parametrize("text", ["robot " * 600, "wheel-" * 300, "測" * 600])
def test_a_document_that_is_too_long_is_refused_before_anything_is_sent(
    peer: Peer, make: MakeCohere, text: str
) -> None:
    with pytest.raises(InvalidEmbedding, match=r"tokens, and embed-english-v3.0 takes \d+"):
        make().embed_documents([TEXTS[0], text])
    assert peer.ledger.requests == 0


def test_half_a_character_is_refused_before_anything_is_sent(peer: Peer, make: MakeCohere) -> None:
    with pytest.raises(InvalidEmbedding, match="unpaired surrogate"):
        make().embed_documents(["broken \ud800"])
    assert peer.ledger.requests == 0


def test_a_query_at_the_limit_is_left_to_the_provider_to_judge(peer: Peer, make: MakeCohere) -> None:
    embedder = make(max_tokens=64)
    taken = "calibrate " * 62
    assert embedder.count_tokens([taken])[0] > 64
    assert embedder.embed_query(taken).shape == (1024,)
    with pytest.raises(InvalidEmbedding, match="tokens"):
        embedder.embed_query("calibrate " * 600)


# --- faults ---


@pytest.mark.parametrize("fault", ["429", "429-date", "429-bare", "500", "503", "reset", *sorted(WORKED)])
def test_a_fault_that_passes_is_got_over(peer: Peer, make: MakeCohere, fault: str) -> None:
    peer.faults.script([fault])
    vectors = make().embed_documents(TEXTS[:3])
    peer.faults.script([])
    np.testing.assert_array_equal(vectors, make().embed_documents(TEXTS[:3]))
    assert peer.ledger.requests == 3


@pytest.mark.parametrize("fault", ["429", "500", "503", "reset"])
def test_a_text_is_embedded_once_when_the_provider_did_not_get_to_it(peer: Peer, make: MakeCohere, fault: str) -> None:
    peer.faults.script([fault, fault])
    make().embed_documents(TEXTS)
    assert set(peer.ledger.embedded.values()) == {1}


def test_retry_after_is_waited_for(peer: Peer, make: MakeCohere, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = make()
    slept: list[float] = []
    sleep = embedder._calls.limiter.sleep
    monkeypatch.setattr(
        embedder._calls.limiter, "sleep", lambda seconds, since: (slept.append(seconds), sleep(seconds, since))
    )
    peer.faults.script(["429", "429-date"])
    embedder.embed_documents(TEXTS[:1])
    assert slept[0] >= 1.0
    assert slept[1] > 0.0


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("400", "decrease \\[embedding\\] max_tokens"),
        ("401", "Set COHERE_API_KEY"),
        ("402", "payment method"),
        ("403", "may not use the model"),
        ("404", "check \\[embedding\\] model and base_url"),
        ("month", "1,000 calls a month"),
    ],
)
def test_a_refusal_for_good_is_told_at_once_with_what_to_do(
    peer: Peer, make: MakeCohere, fault: str, said: str
) -> None:
    peer.faults.always(fault)
    with pytest.raises(EmbedderRefused, match=said):
        make().embed_documents(TEXTS[:1])
    assert peer.ledger.requests == 1


@pytest.mark.parametrize("fault", ["429-bare", "500", "503", "reset"])
def test_a_fault_that_stays_ends_within_the_budget(peer: Peer, make: MakeCohere, fault: str) -> None:
    peer.faults.always(fault)
    with pytest.raises(EmbedderUnavailable, match="tries in"):
        make(retry_seconds=0.5).embed_documents(TEXTS[:1])
    assert peer.ledger.requests >= 3


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("wrong-dimension", "1023 dimensions instead of 1024"),
        ("nan", "not finite"),
        ("zero", "is zero"),
        ("partial", "2 vectors for 3 texts"),
        ("malformed", "not JSON"),
    ],
)
def test_vectors_that_cannot_be_used_are_not_paid_for_more_than_thrice(
    peer: Peer, make: MakeCohere, fault: str, said: str
) -> None:
    peer.faults.always(fault)
    with pytest.raises(InvalidEmbedding, match=said):
        make().embed_documents(TEXTS[:3])
    assert peer.ledger.requests == 3


def test_an_answer_that_does_not_come_is_not_waited_for(peer: Peer, make: MakeCohere) -> None:
    peer.faults.always("slow")
    with pytest.raises(EmbedderUnavailable, match=r"no answer within 0\.2 seconds"):
        make(timeout=0.2, retry_seconds=0.1).embed_documents(TEXTS[:1])


def test_an_answer_that_drips_is_not_waited_for(make: MakeCohere) -> None:
    """Each byte comes in time; only all of them together are late."""
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while not stop.wait(0.05):
                    try:
                        connection.sendall(b" ")
                    except OSError:
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        embedder = CohereEmbedder(KEY, "embed-english-v3.0", None, url, _rules(timeout=0.4, retry_seconds=0.0))
        with pytest.raises(EmbedderUnavailable, match=r"not complete after 0\.4 seconds"):
            embedder.embed_documents(["hello"])
        stop.set()
        thread.join()
        embedder.close()


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    embedder = CohereEmbedder(KEY, "embed-english-v3.0", None, f"http://127.0.0.1:{port}", _rules(retry_seconds=0.0))
    with pytest.raises(EmbedderUnavailable, match=f"no connection.*127.0.0.1:{port}.*base_url"):
        embedder.embed_documents(["hello"])
    embedder.close()


def test_a_redirect_is_not_followed_with_the_key(peer: Peer) -> None:
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def redirect() -> None:
            connection, _ = server.accept()
            with connection:
                asked.append(connection.recv(65_536))
                location = f"Location: {peer.url}/v2/embed\r\nContent-Length: 0\r\n\r\n"
                connection.sendall(b"HTTP/1.1 307 Temporary Redirect\r\n" + location.encode())

        thread = threading.Thread(target=redirect)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        embedder = CohereEmbedder(KEY, "embed-english-v3.0", None, url, RULES)
        with pytest.raises(EmbedderRefused, match="307"):
            embedder.embed_documents(["hello"])
        thread.join()
        embedder.close()
    assert len(asked) == 1
    assert peer.ledger.requests == 0


# --- queries ---


def test_a_query_fails_fast(peer: Peer, make: MakeCohere) -> None:
    peer.faults.always("503")
    with pytest.raises(EmbedderUnavailable):
        make().embed_query("gripper")
    assert peer.ledger.requests == 3


def test_a_query_does_not_wait_for_a_long_pause(peer: Peer) -> None:
    with cohere_peer(retry_after=3_600) as strict:
        strict.faults.script(["429"])
        embedder = CohereEmbedder(KEY, "embed-english-v3.0", None, strict.url, RULES)
        with pytest.raises(EmbedderUnavailable):
            embedder.embed_query("gripper")
        assert strict.ledger.requests == 1
        embedder.close()


def test_bad_vectors_are_not_the_fault_of_who_asks(peer: Peer, make: MakeCohere) -> None:
    peer.faults.always("nan")
    with pytest.raises(EmbeddingError) as raised:
        make().embed_query("gripper")
    assert not isinstance(raised.value, InvalidEmbedding)


def test_after_five_failures_the_provider_is_left_alone(peer: Peer, make: MakeCohere) -> None:
    embedder = make()
    peer.faults.always("503")
    for number in range(5):
        with pytest.raises(EmbedderUnavailable):
            embedder.embed_query(f"query {number}")
    asked = peer.ledger.requests
    with pytest.raises(EmbedderUnavailable, match="are paused"):
        embedder.embed_query("one more")
    assert peer.ledger.requests == asked


def test_what_is_wrong_with_a_query_does_not_open_the_breaker(peer: Peer, make: MakeCohere) -> None:
    embedder = make()
    for _ in range(10):
        with pytest.raises(InvalidEmbedding):
            embedder.embed_query("calibrate " * 600)
        with pytest.raises(InvalidEmbedding):
            embedder.embed_query(" ")
    assert embedder.embed_query("gripper").shape == (1024,)


def test_the_latest_queries_are_remembered_and_no_more(peer: Peer, make: MakeCohere) -> None:
    embedder = make(query_cache=2)
    for text in ("a", "b", "a", "b", "c", "b", "a"):
        embedder.embed_query(text)
    assert dict(peer.ledger.queries) == {"a": 2, "b": 1, "c": 1}


def test_a_remembered_vector_cannot_be_changed(make: MakeCohere) -> None:
    embedder = make(query_cache=2)
    vector = embedder.embed_query("gripper")
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1.0
    assert embedder.embed_query("gripper") is vector


# --- limits ---


def test_the_provider_never_has_to_refuse_for_its_rate_limits() -> None:
    limits = {"inputs": 300, "tokens": 12_000}
    with cohere_peer(inputs_per_window=300, tokens_per_window=12_000, window=1.5) as strict:
        # Counted over a longer time than the peer's: on a busy machine requests arrive later than they were sent.
        rules = _rules(rates=limits, rate_seconds=1.8, batch_texts=30)
        embedder = CohereEmbedder(KEY, "embed-english-v3.0", None, strict.url, rules)
        embedder.embed_documents(TEXTS)
        assert strict.ledger.over_limit == 0
        assert set(strict.ledger.embedded.values()) == {1}
        embedder.close()


def test_limits_lower_than_we_know_are_found_by_being_refused() -> None:
    with cohere_peer(inputs_per_window=100, window=0.5) as strict:
        embedder = CohereEmbedder(KEY, "embed-english-v3.0", None, strict.url, _rules(batch_texts=50))
        embedder.embed_documents(TEXTS[:300])
        assert strict.ledger.over_limit > 0
        assert set(strict.ledger.embedded.values()) == {1}
        embedder.close()


def test_no_more_requests_go_on_at_the_same_time_than_are_allowed() -> None:
    with cohere_peer(latency=0.05) as slow:
        embedder = CohereEmbedder(KEY, "embed-english-v3.0", None, slow.url, _rules(calls=3, batch_texts=5))
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(embedder.embed_documents, [TEXTS[start : start + 40] for start in range(0, 160, 40)]))
        assert slow.ledger.most_in_flight == 3
        embedder.close()


def test_an_interruption_ends_calls_that_wait_and_leaves_later_ones_alone(peer: Peer, make: MakeCohere) -> None:
    embedder = make(first_retry=60.0, retry_seconds=600.0)
    peer.faults.script(["503"])
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(embedder.embed_documents, TEXTS[:1])
        while peer.ledger.statuses["503"] == 0 or not embedder._calls.limiter._condition._waiters:
            pass
        embedder.interrupt()
        with pytest.raises(EmbedderUnavailable, match="was interrupted"):
            waiting.result()
    assert embedder.embed_documents(TEXTS[:1]).shape == (1, 1024)


# --- who is told what ---


def test_every_request_is_observed_with_what_it_used(peer: Peer, make: MakeCohere, calls: list[EmbedderCall]) -> None:
    peer.faults.script(["503", "429-bare", "cut", "nan"])
    embedder = make()
    embedder.embed_documents(TEXTS[:2])
    embedder.embed_query("gripper")
    assert [call.status for call in calls] == ["503", "429", "cut", "unusable", "ok", "ok"]
    assert [call.purpose for call in calls] == ["document"] * 5 + ["query"]
    assert [call.texts for call in calls] == [2, 2, 2, 2, 2, 1]
    assert [call.tokens > 0 for call in calls] == [False, False, False, False, True, True]
    assert all(call.seconds > 0.0 and call.provider == "cohere" for call in calls)


def test_the_key_is_in_no_message_log_or_repr(
    peer: Peer, make: MakeCohere, calls: list[EmbedderCall], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    key = "secret-key-of-a-customer"
    embedder = make(key=key)
    with pytest.raises(EmbedderRefused) as raised:
        embedder.embed_documents(["hello"])
    peer.faults.script(["429", "cut", "ok"])
    make().embed_documents(["hello"])
    shown = [str(raised.value), repr(raised.value), repr(embedder), repr(vars(embedder)), repr(calls), caplog.text]
    shown += [repr(vars(embedder._calls.transport)["address"]), repr(embedder._calls.transport)]
    assert not [text for text in shown if key in text]
    assert "trying again" in caplog.text


@pytest.mark.parametrize("key", ["two\nlines", "schlüssel", "tab\tbed"])
def test_a_key_that_http_cannot_carry_is_refused_without_showing_it(make: MakeCohere, key: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        make(key=key)
    assert key not in str(raised.value)


@pytest.mark.parametrize("url", ["api.cohere.com", "ftp://api.cohere.com", "https://", ""])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match="base_url"):
        CohereEmbedder(KEY, "embed-english-v3.0", None, url, RULES)


def _rules(**changes: object):  # noqa: ANN202
    from dataclasses import replace

    return replace(RULES, **changes)  # type: ignore[arg-type]
