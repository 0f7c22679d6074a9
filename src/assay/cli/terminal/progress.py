"""Progress of long work: a bar for each stage on a terminal, lines in a log."""

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
    "read": "Reading and chunking pages",
    "count": "Counting terms",
    "embed": "Embedding and indexing",
    "seal": "Sealing the index",
    "cut": "Chunking pages again",
    "testset": "Reading the test set",
    "resolve": "Finding every judgment",
    "topics": "Searching for every topic",
    "measure": "Measuring every topic",
    "summarize": "Computing means and intervals",
    "compare": "Comparing with the live generation",
    "report": "Writing the report",
    "time": "Timing searches",
    "audit": "Checking every chunk",
    "suspects": "Looking for vectors that fit their texts worst",
    "pages": "Reading every page",
    "passages": "Looking for repeated passages",
    "languages": "Looking at the language of pages",
    "repeated lines": "Looking for repeated lines",
    "embed again": "Embedding a sample again",
    "titles by vectors": "Searching for titles by their vectors",
    "addresses": "Requesting the URL of every hit",
    "markup": "Looking for leftover markup",
    "titles": "Searching for every title",
    "load": "Searching under load",
    "survey": "Checking every point",
    "derive": "Reading links and headings",
}

_LOG_EVERY_SECONDS = 5.0


class TerminalProgress:
    """A bar with an ETA for each stage, removed when the stage ends; one bar at a time."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars: Progress | None = None
        self._tasks: list[TaskID] = []

    def begin(self, stage: str, total: int | None) -> None:
        """Show a bar for the stage; an indeterminate one while the total is unknown."""
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
        """Set the total of the bar."""
        if self._bars:
            self._bars.update(self._tasks[-1], total=total)

    def advance(self, steps: int = 1) -> None:
        """Move the bar."""
        if self._bars:
            self._bars.advance(self._tasks[-1], steps)

    def remark(self, text: str) -> None:
        """Show a text at the end of the bar."""
        if self._bars:
            self._bars.update(self._tasks[-1], remark=text)

    def end(self) -> None:
        """Remove the bar and show the enclosing stage's bar again."""
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
    """A running stage. logged: time of its last line."""

    name: str
    total: int | None
    started: float
    logged: float
    done: int = 0
    remark: str = ""


class LogProgress:
    """A line at the start of each stage and every few seconds, for a log."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stages: list[_Stage] = []

    def begin(self, stage: str, total: int | None) -> None:
        """Log the start of the stage."""
        now = monotonic()
        self._stages.append(_Stage(STAGES.get(stage, stage), total, now, now))
        self._console.print(f"{self._stages[-1].name} …")

    def expect(self, total: int) -> None:
        """Set the total."""
        if self._stages:
            self._stages[-1].total = total

    def advance(self, steps: int = 1) -> None:
        """Count the steps, and log a line every few seconds."""
        if not self._stages:
            return
        stage = self._stages[-1]
        stage.done += steps
        now = monotonic()
        if now - stage.logged >= _LOG_EVERY_SECONDS:
            stage.logged = now
            self._console.print(_line(stage, now))

    def remark(self, text: str) -> None:
        """Add a text to the next line."""
        if self._stages:
            self._stages[-1].remark = text

    def end(self) -> None:
        """Log the last remark, if any."""
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


_LEAST_STEPS, _LEAST_SHARE = 20, 0.05


def time_left(done: float, total: float | None, elapsed: float) -> str:
    """Estimate the remaining time at this rate; empty before enough steps are done.

    The first steps are slower: the first page of a site waits for robots.txt, sitemaps and a connection.
    """
    if not total or done >= total or done < min(_LEAST_STEPS, max(total * _LEAST_SHARE, 2)):
        return ""
    seconds = elapsed * (total - done) / done
    if seconds < 90:
        return f"about {max(5 * round(seconds / 5), 5)} s"
    minutes = round(seconds / 60)
    return f"about {minutes} min" if minutes < 90 else f"about {seconds / 3600:.1f} h"


class _TimeLeft(ProgressColumn):
    """The estimated remaining time at the end of a bar."""

    def render(self, task: Task) -> Text:
        """Render the column."""
        return Text(time_left(task.completed, task.total, task.elapsed or 0.0), style="progress.remaining")


def progress() -> TerminalProgress | LogProgress:
    """Return the progress display for standard error: bars on a terminal, lines elsewhere."""
    console = err()
    return TerminalProgress(console) if console.is_terminal else LogProgress(console)
