"""The seconds of each stage of a build."""

import pytest

from assay.ingest import stages
from assay.ingest.stages import StageClock
from assay.ports import Silence


def test_the_time_of_a_stage_within_another_counts_for_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 1.0, 4.0, 4.5])
    monkeypatch.setattr(stages, "perf_counter", lambda: next(times))
    clock = StageClock(Silence())
    clock.begin("read", None)
    clock.begin("crawl", None)
    clock.end()
    clock.end()
    assert clock.seconds == {"read": 1.5, "crawl": 3.0}


def test_a_stage_that_comes_twice_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 2.0, 5.0, 6.0])
    monkeypatch.setattr(stages, "perf_counter", lambda: next(times))
    clock = StageClock(Silence())
    for _ in range(2):
        clock.begin("crawl", None)
        clock.end()
    assert clock.seconds == {"crawl": 3.0}


class _Heard(Silence):
    def __init__(self) -> None:
        self.said: list[object] = []

    def expect(self, total: int) -> None:
        self.said.append(total)

    def remark(self, text: str) -> None:
        self.said.append(text)

    def advance(self, steps: int = 1) -> None:
        self.said.append(-steps)


def test_everything_is_handed_on() -> None:
    heard = _Heard()
    clock = StageClock(heard)
    clock.begin("crawl", None)
    clock.expect(9)
    clock.advance(2)
    clock.remark("1 failed")
    clock.end()
    assert heard.said == [9, -2, "1 failed"]
