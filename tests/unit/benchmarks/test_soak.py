"""The soak's judgments: which searches met a server down, and what counts as growth."""

from pathlib import Path

import pytest
from benchmarks.soak import MOST_GROWTH, Disk, Footprint, Pace, Soak, is_within, medians, report_memory

OUTAGES = [(10.0, 14.0), (70.0, 75.0)]


@pytest.fixture
def soak(tmp_path: Path) -> Soak:
    made = Soak(tmp_path)
    made.outages = [(0.0, float("inf"))]
    return made


@pytest.mark.parametrize(("started", "ended"), [(9.0, 10.5), (11.0, 11.1), (13.9, 20.0), (9.0, 20.0)])
def test_a_search_that_overlaps_an_outage_is_within_it(started: float, ended: float) -> None:
    assert is_within(OUTAGES, started, ended)


@pytest.mark.parametrize(("started", "ended"), [(8.0, 9.9), (14.1, 69.0), (75.1, 76.0)])
def test_a_search_between_outages_is_within_none(started: float, ended: float) -> None:
    assert not is_within(OUTAGES, started, ended)


def test_a_broken_connection_to_the_killed_server_is_down_and_no_failure(soak: Soak) -> None:
    soak.note_failure("000", ConnectionResetError(), soak.second_port, 1.0)
    assert soak.down == 1
    assert not soak.record.failures


def test_an_error_of_the_first_server_is_a_failure_during_an_outage_of_the_second(soak: Soak) -> None:
    soak.note_failure("000", ConnectionResetError(), soak.port, 1.0)
    assert soak.down == 0
    assert len(soak.record.failures) == 1


def test_an_error_answer_of_the_killed_server_is_a_failure(soak: Soak) -> None:
    soak.note_failure("000", OSError("status 500"), soak.second_port, 1.0)
    assert len(soak.record.failures) == 1


def test_a_broken_connection_outside_of_every_outage_is_a_failure(soak: Soak) -> None:
    soak.outages = [(0.0, 1.0)]
    soak.note_failure("000", ConnectionResetError(), soak.second_port, 2.0)
    assert len(soak.record.failures) == 1


def test_memory_is_the_median_of_each_sixth_of_the_time() -> None:
    samples = [Footprint(float(at), 100.0 + at // 10, 1, 1, 1) for at in range(61)]
    assert medians(samples, "private") == [100.0, 101.0, 102.0, 103.0, 104.0, 105.0]


def test_growth_is_counted_from_the_second_sixth_to_the_last(capsys: pytest.CaptureFixture[str]) -> None:
    def memory(warming: float, start: float, end: float) -> list[Footprint]:
        values = [warming, start, start, start, start, end]
        return [Footprint(float(at), values[min(at // 10, 5)], 1, 1, 1) for at in range(61)]

    assert not report_memory(memory(50.0, 100.0, 104.9))
    assert report_memory(memory(100.0, 100.0, 105.1))
    assert "from second to last +5.1%" in capsys.readouterr().out


def test_disk_is_back_with_as_many_generations_and_about_as_many_bytes_in_use() -> None:
    start = Disk(3, 3, 1_000, 0)
    assert Disk(3, 3, 1_049, 0).is_back(start)
    assert Disk(3, 3, 1_400, 380).is_back(start)
    assert not Disk(3, 3, int(1_000 * (1 + MOST_GROWTH)) + 1, 0).is_back(start)
    assert not Disk(4, 3, 1_000, 0).is_back(start)
    assert not Disk(3, 4, 1_000, 0).is_back(start)


def test_requests_are_due_at_once_until_the_rate_is_set_and_evenly_spaced_then() -> None:
    pace = Pace()
    assert pace.next() == (0, None)
    pace.set(4.0)
    dues = [pace.next()[1] or 0.0 for _ in range(3)]
    assert [due - dues[0] for due in dues] == pytest.approx([0.0, 0.25, 0.5])
