"""How far long work has come: a bar for each stage on a terminal, lines in a log."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from assay.cli.terminal.output import err

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
    "passages": "Looking for repeated passages",
    "repeated lines": "Looking for repeated lines",
    "embed again": "Embedding a sample again",
    "titles by vectors": "Looking up titles by their vectors",
    "addresses": "Asking the address of every hit",
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
                _TimeLeft(),
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
    left = time_left(stage.done, stage.total, now - stage.started)
    return f", {left} left" if left else ""


_STEPS_TO_GO_BY, _SHARE_TO_GO_BY = 20, 0.05


def time_left(done: float, total: float | None, elapsed: float) -> str:
    """How long the rest takes at this pace, roughly; empty while too little is done to say.

    The first steps say nothing of the others: the first page of a site waits for robots.txt, sitemaps and a connection.
    """
    if not total or done >= total or done < min(_STEPS_TO_GO_BY, max(total * _SHARE_TO_GO_BY, 2)):
        return ""
    seconds = elapsed * (total - done) / done
    if seconds < 90:
        return f"about {max(5 * round(seconds / 5), 5)} s"
    minutes = round(seconds / 60)
    return f"about {minutes} min" if minutes < 90 else f"about {seconds / 3600:.1f} h"


class _TimeLeft(ProgressColumn):
    """The same at the end of a bar."""

    def render(self, task: Task) -> Text:
        """The column."""
        return Text(time_left(task.completed, task.total, task.elapsed or 0.0), style="progress.remaining")


def progress() -> TerminalProgress | LogProgress:
    """What fits standard error: a bar on a terminal, lines elsewhere."""
    console = err()
    return TerminalProgress(console) if console.is_terminal else LogProgress(console)
