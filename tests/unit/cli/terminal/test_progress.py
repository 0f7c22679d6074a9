"""How far long work has come, on a terminal and in a log."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

import assay
from assay.cli.terminal import progress as room
from assay.cli.terminal.progress import STAGES, LogProgress, TerminalProgress


class _Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    clock = _Clock()
    monkeypatch.setattr(room, "monotonic", clock)
    return clock


def _log(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_a_log_says_how_many_of_how_many_and_what_is_left_and_what_was_remarked(clock: _Clock) -> None:
    console = Console(file=io.StringIO(), width=200)
    log = LogProgress(console)
    log.begin("crawl", None)
    log.expect(400)
    log.remark("3 failed")
    clock.now += 10
    log.advance(100)
    assert _log(console) == [
        "Finding and fetching pages …",
        "Finding and fetching pages: 100 of 400, 10 s, about 30 s left, 3 failed",
    ]


def test_a_log_is_silent_between_two_lines(clock: _Clock) -> None:
    console = Console(file=io.StringIO(), width=200)
    log = LogProgress(console)
    log.begin("read", 10)
    clock.now += 1
    log.advance()
    log.end()
    assert _log(console) == ["Reading and chunking pages …"]


def test_a_stage_within_another_counts_for_itself(clock: _Clock) -> None:
    console = Console(file=io.StringIO(), width=200)
    log = LogProgress(console)
    log.begin("read", None)
    log.begin("crawl", 8)
    log.advance(8)
    log.remark("8 found")
    log.end()
    clock.now += 6
    log.advance(2)
    assert _log(console)[2:] == [
        "Finding and fetching pages: 8 of 8, 0 s, 8 found",
        "Reading and chunking pages: 2, 6 s",
    ]


def test_a_terminal_shows_the_innermost_stage_and_then_the_one_around_it() -> None:
    console = Console(file=io.StringIO(), width=200, force_terminal=True)
    bars = TerminalProgress(console)
    bars.begin("read", None)
    bars.begin("crawl", None)
    bars.expect(40)
    bars.advance(7)
    bars.remark("2 failed")
    shown = _rows(bars)
    assert len(shown) == 1
    assert "Finding and fetching pages" in shown[0]
    assert "7/40" in shown[0]
    assert "2 failed" in shown[0]
    bars.end()
    assert [("Reading" in row, "2 failed" in row) for row in _rows(bars)] == [(True, False)]
    bars.end()
    bars.end()  # nothing goes on: nothing to take away


def _rows(bars: TerminalProgress) -> list[str]:
    console = Console(file=io.StringIO(), width=200)
    assert bars._bars is not None
    console.print(bars._bars.get_renderable())
    return [line for line in _log(console) if line.strip()]


def test_every_stage_of_the_program_has_words() -> None:
    begun = re.compile(r'(?:\bstage = |\.begin\(|stage\([\w.]+, |track\(.+, )"([^"]+)"')
    files = Path(assay.__file__).parent.rglob("*.py")
    stages = {name for path in files for name in begun.findall(path.read_text("utf-8"))}
    assert {"crawl", "embed", "passages"} <= stages
    assert stages <= set(STAGES)
    assert all(words.split()[0].endswith("ing") for words in STAGES.values())
