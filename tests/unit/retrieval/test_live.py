"""The live searcher: one generation for each request, and a swap that nobody notices."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import pytest

from assay.errors import (
    AssayError,
    CatalogCorrupt,
    CatalogUnavailable,
    IndexCorrupt,
    InputError,
    NoLiveGeneration,
    PointCorrupt,
    StoreUnavailable,
)
from assay.retrieval.live import LiveSearcher, LiveStatus
from assay.retrieval.searcher import Searcher

NEVER = float("inf")


class OpenSearcher:
    """As much of a searcher as the live one handles: a generation, and whether it is closed."""

    def __init__(self, generation: str) -> None:
        self.generation = SimpleNamespace(id=generation)
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


@dataclass
class World:
    """A catalog row and a store, both of which can fail."""

    live: str | None = None
    catalog_down: bool = False
    corrupt: set[str] = field(default_factory=set)
    opened: list[OpenSearcher] = field(default_factory=list)

    def live_id(self) -> str | None:
        if self.catalog_down:
            raise CatalogUnavailable("The catalog is gone.")
        return self.live

    def open(self, generation: str) -> Searcher:
        if generation in self.corrupt:
            raise IndexCorrupt(f"Index {generation} is damaged.")
        searcher = OpenSearcher(generation)
        self.opened.append(searcher)
        return cast("Searcher", searcher)


def _served(live: LiveSearcher) -> str:
    with live.lease() as searcher:
        return searcher.generation.id


def test_without_a_live_generation_a_lease_says_so() -> None:
    world = World()
    with (
        pytest.raises(NoLiveGeneration, match="No generation is live yet"),
        LiveSearcher(world.live_id, world.open, NEVER).lease(),
    ):
        pass


def test_the_first_lease_opens_the_live_generation_once() -> None:
    world = World("g1")
    live = LiveSearcher(world.live_id, world.open, NEVER)
    assert [_served(live), _served(live)] == ["g1", "g1"]
    assert len(world.opened) == 1


def test_a_promotion_is_followed_at_the_next_refresh() -> None:
    world = World("g1")
    live = LiveSearcher(world.live_id, world.open, NEVER)
    assert _served(live) == "g1"
    world.live = "g2"
    live.refresh()
    assert _served(live) == "g2"
    assert world.opened[0].closed == 1


def test_a_request_follows_a_promotion_once_a_check_is_due() -> None:
    world = World("g1")
    live, seldom = (LiveSearcher(world.live_id, world.open, seconds) for seconds in (0, NEVER))
    assert (_served(live), _served(seldom)) == ("g1", "g1")
    world.live = "g2"
    assert (_served(live), _served(seldom)) == ("g2", "g1")
    seldom.expire()
    assert _served(seldom) == "g2"
    assert [searcher.closed for searcher in world.opened] == [1, 1, 0, 0]


def test_no_request_checks_while_a_thread_watches() -> None:
    world = World("g1")
    live = LiveSearcher(world.live_id, world.open, 0)
    live.watch(3600)
    assert _served(live) == "g1"
    world.live = "g2"
    assert _served(live) == "g1"
    live.close()


def test_a_check_that_fails_is_logged_and_not_repeated_by_every_request(caplog: pytest.LogCaptureFixture) -> None:
    world = World("g1")
    live = LiveSearcher(world.live_id, world.open, 0)
    assert _served(live) == "g1"
    world.live, world.corrupt = "g2", {"g2"}
    assert [_served(live) for _ in range(3)] == ["g1"] * 3
    assert [record.getMessage() for record in caplog.records] == [
        "The live generation cannot be refreshed: Index g2 is damaged."
    ]
    world.corrupt = set()
    live.expire()
    assert _served(live) == "g2"


def test_a_request_keeps_its_generation_through_a_swap_and_the_old_one_closes_after_it() -> None:
    world = World("g1")
    live = LiveSearcher(world.live_id, world.open, NEVER)
    with live.lease() as first, live.lease() as second:
        world.live = "g2"
        live.refresh()
        assert (first.generation.id, second.generation.id) == ("g1", "g1")
        assert world.opened[0].closed == 0
    assert world.opened[0].closed == 1
    assert _served(live) == "g2"


def test_a_catalog_that_is_down_leaves_what_is_served() -> None:
    world = World("g1")
    live = LiveSearcher(world.live_id, world.open, NEVER)
    assert _served(live) == "g1"
    world.catalog_down = True
    with pytest.raises(CatalogUnavailable):
        live.refresh()
    assert _served(live) == "g1"
    assert live.status().problem == "The catalog is gone."
    world.catalog_down = False
    live.refresh()
    assert live.status().problem == ""


def test_a_generation_that_cannot_be_opened_leaves_what_is_served() -> None:
    world = World("g1", corrupt={"g2"})
    live = LiveSearcher(world.live_id, world.open, NEVER)
    assert _served(live) == "g1"
    world.live = "g2"
    with pytest.raises(IndexCorrupt):
        live.refresh()
    assert _served(live) == "g1"
    assert "damaged" in live.status().problem


def test_a_generation_that_was_replaced_and_removed_while_it_was_opened_is_skipped() -> None:
    world = World(live="one", corrupt={"one", "two"})
    successors = iter(["two", "three"])

    def open_late(generation: str) -> Searcher:
        if generation in world.corrupt:
            world.live = next(successors)
        return world.open(generation)

    live = LiveSearcher(world.live_id, open_late, NEVER)
    live.refresh()
    assert _served(live) == "three"
    assert live.status().problem == ""


def test_nothing_to_serve_and_a_failure_raises_the_failure() -> None:
    world = World("g1", corrupt={"g1"})
    with pytest.raises(IndexCorrupt), LiveSearcher(world.live_id, world.open, NEVER).lease():
        pass


@pytest.mark.parametrize("error", [PointCorrupt("Point 7 is damaged."), CatalogCorrupt("A row is damaged.")])
def test_damage_that_a_search_met_is_remembered_until_another_generation_is_served(
    error: AssayError, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(live="g1")
    live = LiveSearcher(world.live_id, world.open, NEVER)
    for _ in range(2):
        with pytest.raises(type(error)), live.lease():
            raise error
        assert len(caplog.records) == 1
    assert _served(live) == "g1"
    assert live.status() == LiveStatus("g1", "", error.message)
    assert [record.getMessage() for record in caplog.records] == [f"Generation g1 is damaged: {error.message}"]
    world.live = "g2"
    live.refresh()
    assert live.status() == LiveStatus("g2", "")


@pytest.mark.parametrize("error", [StoreUnavailable("It is away."), InputError("query: it is empty.")])
def test_a_search_that_fails_for_another_reason_says_nothing_of_the_generation(error: AssayError) -> None:
    world = World(live="g1")
    live = LiveSearcher(world.live_id, world.open, NEVER)
    with pytest.raises(type(error)), live.lease():
        raise error
    assert live.status().damage == ""


def test_closing_waits_for_the_last_request() -> None:
    world = World("g1")
    live = LiveSearcher(world.live_id, world.open, NEVER)
    with live.lease():
        live.close()
        assert world.opened[0].closed == 0
    assert world.opened[0].closed == 1


def test_watching_follows_promotions_by_itself() -> None:
    world = World("g1")
    live = LiveSearcher(world.live_id, world.open, NEVER)
    live.refresh()
    live.watch(0.01)
    world.live = "g2"
    for _ in range(1000):
        if live.status().generation == "g2":
            break
        threading.Event().wait(0.01)
    live.close()
    assert [searcher.generation.id for searcher in world.opened] == ["g1", "g2"]
    assert [searcher.closed for searcher in world.opened] == [1, 1]


def test_whoever_asks_is_told_of_a_failure_by_its_error_and_not_by_the_log_too(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World("g1", corrupt={"g1"})
    with pytest.raises(IndexCorrupt), LiveSearcher(world.live_id, world.open, NEVER).lease():
        pass
    assert caplog.records == []


def test_watching_logs_a_problem_once_and_that_it_has_gone(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    world = World("g1")
    live = LiveSearcher(world.live_id, world.open, NEVER)
    live.refresh()
    live.watch(0.01)
    world.catalog_down = True
    _wait_until(lambda: len(caplog.records) >= 1)
    with pytest.raises(CatalogUnavailable):
        live.refresh()
    threading.Event().wait(0.1)
    world.catalog_down = False
    _wait_until(lambda: len(caplog.records) >= 2)
    live.close()
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("ERROR", "The live generation cannot be refreshed: The catalog is gone."),
        ("INFO", "The live generation can be refreshed again."),
    ]


def test_a_problem_that_a_request_met_first_is_logged_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    world = World("g1")
    live = LiveSearcher(world.live_id, world.open, NEVER)
    live.refresh()
    live.watch(0.05)
    world.catalog_down = True
    with pytest.raises(CatalogUnavailable):
        live.refresh()
    _wait_until(lambda: len(caplog.records) >= 1)
    live.close()
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def _wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it never came true")


def test_no_request_fails_or_meets_a_closed_generation_while_generations_change() -> None:
    world = World("g0")
    live = LiveSearcher(world.live_id, world.open, NEVER)
    live.refresh()
    stop = threading.Event()
    faults: list[str] = []

    def ask() -> None:
        while not stop.is_set():
            with live.lease() as searcher:
                if cast("OpenSearcher", searcher).closed:
                    faults.append(searcher.generation.id)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(1, 200):
        world.live = f"g{number}"
        live.refresh()
    stop.set()
    for thread in threads:
        thread.join()
    live.close()
    assert faults == []
    assert [searcher.closed for searcher in world.opened] == [1] * 200
