"""Rate limits that the workers of one server count together."""

import multiprocessing
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

pytest.importorskip("fcntl", reason="workers share a file by the locks of POSIX")

from limits.storage import Storage

from assay.adapters.access import shared_counters as module
from assay.adapters.access.request_limits import RequestLimits
from assay.adapters.access.shared_counters import ProcessLock, shared_counters
from assay.model.workers import COUNTERS_BYTES, WorkerShare


@pytest.fixture
def file() -> Iterator[int]:
    with tempfile.TemporaryFile() as opened:
        opened.truncate(COUNTERS_BYTES)
        yield opened.fileno()


def counters(file: int, secret: bytes = b"s" * 32) -> Storage:
    return shared_counters(WorkerShare(1, 2, Path(), file, secret))


def test_two_workers_count_one_client_together(file: int) -> None:
    first, second = RequestLimits(counters(file)), RequestLimits(counters(file))
    answers = [limits.count("3/minute", "a") for limits in (first, second, first, second)]
    assert [answer.retry_after is None for answer in answers if answer] == [True, True, True, False]
    assert [answer.windows[0].remaining for answer in answers if answer] == [2, 1, 0, 0]
    other = second.count("3/minute", "b")
    assert other is not None
    assert other.windows[0].remaining == 2


def test_a_window_that_has_ended_counts_from_0(file: int, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000.0]
    monkeypatch.setattr(module.time, "time", lambda: now[0])
    one = counters(file)
    assert [one.incr("a", 60), one.incr("a", 60), one.get("a"), one.get_expiry("a")] == [1, 2, 2, 1_060.0]
    now[0] = 1_061.0
    assert [one.get("a"), one.get_expiry("a"), one.incr("a", 60)] == [0, 1_061.0, 1]


def test_a_cleared_counter_is_0_and_the_others_stay(file: int) -> None:
    one = counters(file)
    one.incr("a", 60)
    one.incr("b", 60, 5)
    one.clear("a")
    one.clear("never counted")
    assert [one.get("a"), one.get("b")] == [0, 5]
    one.reset()
    assert one.get("b") == 0


def test_a_full_bucket_forgets_the_window_that_ends_first(file: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BUCKETS", 1)
    one = counters(file)
    for number in range(16):
        one.incr(f"client {number}", 100 + number)
    one.incr("another", 500)
    assert [one.get(f"client {number}") for number in range(16)] == [0] + [1] * 15
    assert one.get("another") == 1


def _count(one: Storage, times: int) -> None:
    for _ in range(times):
        one.incr("a", 600)


def _count_in(file: int, times: int) -> None:
    _count(counters(file), times)


def test_no_count_is_lost_among_threads_and_processes(file: int) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_count_in, args=(file, 2_000)) for _ in range(2)]
    one_worker = counters(file)  # fcntl's locks are between processes, that of the object between its threads
    threads = [Thread(target=_count, args=(one_worker, 1_000)) for _ in range(2)]
    for one in processes:
        one.start()
    for each in threads:
        each.start()
    for one in (*processes, *threads):
        one.join()
    assert counters(file).get("a") == 6_000


def test_a_lock_ends_with_the_process_that_holds_it(tmp_path: Path) -> None:
    def hold() -> None:
        ProcessLock(tmp_path / "lock").__enter__()
        os._exit(0)

    holder = multiprocessing.get_context("fork").Process(target=hold)
    holder.start()
    holder.join()
    with ProcessLock(tmp_path / "lock"):
        pass


def test_a_lock_excludes_the_threads_of_a_process(tmp_path: Path) -> None:
    lock, order = ProcessLock(tmp_path / "lock"), []

    def wait() -> None:
        with lock:
            order.append("second")

    waiting = Thread(target=wait)
    with lock:
        waiting.start()
        waiting.join(0.1)
        order.append("first")
    waiting.join()
    assert order == ["first", "second"]


def test_counting_goes_on_in_a_worker_whose_release_another_one_waits_for(
    file: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel sees processes that wait for each other, where different threads of theirs do."""
    monkeypatch.setattr(module, "_BUCKETS", 1)
    theirs, ours = multiprocessing.Pipe()

    def other_worker() -> None:
        one = counters(file)
        release = ProcessLock(tmp_path / "lock")
        Thread(target=release.__enter__, daemon=True).start()
        with one._locked(b"0" * 16):  # type: ignore[attr-defined]
            theirs.send("counting")
            theirs.poll(0.5)
        theirs.send("counted")
        os._exit(0)

    one = counters(file)
    other = multiprocessing.get_context("fork").Process(target=other_worker)
    with ProcessLock(tmp_path / "lock"):
        other.start()
        assert ours.recv() == "counting"
        assert one.incr("a", 60) == 1
        assert ours.recv() == "counted"
    other.join()
