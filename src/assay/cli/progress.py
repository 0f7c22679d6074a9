"""How far long work has come: a bar for each stage on a terminal, lines in a log."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from assay.cli.output import err

STAGES: Mapping[str, str] = {
    "crawl": "Finding and fetching pages",
    "read": "Reading and cutting pages",
    "count": "Counting terms",
    "embed": "Embedding and indexing",
    "seal": "Sealing the index",
    "cut": "Cutting pages anew",
    "testset": "Reading the test set",
    "resolve": "Finding every judgment",
    "topics": "Asking every topic",
    "measure": "Measuring every topic",
    "summarize": "Working out means and intervals",
    "compare": "Comparing with the live generation",
    "report": "Writing the report",
    "time": "Timing searches",
    "audit": "Checking every chunk",
    "suspects": "Looking for vectors that fit their text least",
    "pages": "Reading every page",
    "markup": "Looking for leftovers of markup",
    "titles": "Looking up every title",
    "load": "Asking under load",
    "survey": "Looking at every point",
    "derive": "Reading links and headings",
}

_LOG_EVERY_SECONDS = 5.0


class TerminalProgress:
    """A bar with an ETA for each stage, removed from the screen when the stage is done; one bar at a time."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars: Progress | None = None
        self._tasks: list[TaskID] = []

    def begin(self, stage: str, total: int | None) -> None:
        """Show a bar for the stage; one without an end while the total is not known."""
        if self._bars is None:
            self._bars = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.fields[remark]}"),
                console=self._console,
                transient=True,
            )
            self._bars.start()
        for task in self._tasks:
            self._bars.update(task, visible=False)
        self._tasks.append(self._bars.add_task(STAGES.get(stage, stage), total=total, remark=""))

    def expect(self, total: int) -> None:
        """Move the end of the bar."""
        if self._bars:
            self._bars.update(self._tasks[-1], total=total)

    def advance(self, steps: int = 1) -> None:
        """Move the bar."""
        if self._bars:
            self._bars.advance(self._tasks[-1], steps)

    def remark(self, text: str) -> None:
        """Say it at the end of the bar."""
        if self._bars:
            self._bars.update(self._tasks[-1], remark=text)

    def end(self) -> None:
        """Take the bar away, and show the one of the stage around it again."""
        if self._bars is None:
            return
        self._bars.remove_task(self._tasks.pop())
        if self._tasks:
            self._bars.update(self._tasks[-1], visible=True)
        else:
            self._bars.stop()
            self._bars = None


@dataclass(slots=True)
class _Stage:
    """A stage that goes on. said: when the log last heard of it."""

    name: str
    total: int | None
    started: float
    said: float
    done: int = 0
    remark: str = ""


class LogProgress:
    """A line at the start of each stage and every few seconds, for a log."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stages: list[_Stage] = []

    def begin(self, stage: str, total: int | None) -> None:
        """Say that the stage starts."""
        now = monotonic()
        self._stages.append(_Stage(STAGES.get(stage, stage), total, now, now))
        self._console.print(f"{self._stages[-1].name} …")

    def expect(self, total: int) -> None:
        """Reckon with it from now on."""
        if self._stages:
            self._stages[-1].total = total

    def advance(self, steps: int = 1) -> None:
        """Say how far it is, now and then."""
        if not self._stages:
            return
        stage = self._stages[-1]
        stage.done += steps
        now = monotonic()
        if now - stage.said >= _LOG_EVERY_SECONDS:
            stage.said = now
            self._console.print(_line(stage, now))

    def remark(self, text: str) -> None:
        """Say it with the next line."""
        if self._stages:
            self._stages[-1].remark = text

    def end(self) -> None:
        """Say what was worth remarking at the end; else the next stage or the summary follows."""
        if self._stages:
            stage = self._stages.pop()
            if stage.remark:
                self._console.print(_line(stage, monotonic()))


def _line(stage: _Stage, now: float) -> str:
    of = f" of {stage.total}" if stage.total else ""
    remark = f", {stage.remark}" if stage.remark else ""
    return f"{stage.name}: {stage.done}{of}, {now - stage.started:.0f} s{_eta(stage, now)}{remark}"


def _eta(stage: _Stage, now: float) -> str:
    if not stage.total or not stage.done or stage.done >= stage.total:
        return ""
    left = (now - stage.started) * (stage.total - stage.done) / stage.done
    return f", about {left:.0f} s left"


def progress() -> TerminalProgress | LogProgress:
    """What fits standard error: a bar on a terminal, lines elsewhere."""
    console = err()
    return TerminalProgress(console) if console.is_terminal else LogProgress(console)
