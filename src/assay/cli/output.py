"""What a person sees: progress, tables, messages; and what a program reads: one JSON object."""

import json
import sys
from collections.abc import Mapping
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import TimeElapsedColumn as Elapsed
from rich.text import Text

from assay.cli.visible import visible

STAGES: Mapping[str, str] = {
    "read": "Reading and cutting pages",
    "count": "Counting terms",
    "embed": "Embedding and indexing",
    "seal": "Sealing the index",
    "cut": "Cutting pages anew",
    "topics": "Asking every topic",
    "time": "Timing searches",
    "audit": "Checking every chunk",
    "suspects": "Looking for vectors that fit their text least",
    "titles": "Looking up every title",
    "load": "Asking under load",
    "survey": "Looking at every point",
    "derive": "Reading links and headings",
}

_LOG_EVERY_SECONDS = 5.0


class _Screen(Console):
    """A console on which text of others is but text: what a terminal would obey is shown, see `visible`."""

    def render_str(self, text: str, **named: Any) -> Text:  # noqa: ANN401 - handed on as they are
        """Every text that is printed comes by here. Without markup it is a result, which stays as it is."""
        return super().render_str(text if named.get("markup") is False else visible(text), **named)


def out() -> Console:
    """The console for results."""
    return _Screen(highlight=False, soft_wrap=not sys.stdout.isatty())


def err() -> Console:
    """The console for everything else."""
    return _Screen(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())


def counted(count: int, thing: str) -> str:
    """A number with what is counted: `1 topic`, `1,200 topics`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def print_json(body: Mapping[str, object]) -> None:
    """Print one JSON object on standard output."""
    sys.stdout.write(json.dumps(body, ensure_ascii=False, indent=2) + "\n")


class TerminalProgress:
    """A bar with an ETA for each stage; removed from the screen when the stage is done."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def begin(self, stage: str, total: int | None) -> None:
        """Show a bar for the stage; one without an end while the total is not known."""
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            Elapsed(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )
        self._bar.start()
        self._task = self._bar.add_task(STAGES.get(stage, stage), total=total)

    def advance(self, steps: int = 1) -> None:
        """Move the bar."""
        if self._bar and self._task is not None:
            self._bar.advance(self._task, steps)

    def end(self) -> None:
        """Take the bar away."""
        if self._bar:
            self._bar.stop()
            self._bar = None


class LogProgress:
    """A line at the start of each stage and every few seconds, for a log."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stage = ""
        self._total: int | None = None
        self._done = 0
        self._started = self._said = 0.0

    def begin(self, stage: str, total: int | None) -> None:
        """Say that the stage starts."""
        self._stage, self._total, self._done = STAGES.get(stage, stage), total, 0
        self._started = self._said = monotonic()
        self._console.print(f"{self._stage} …")

    def advance(self, steps: int = 1) -> None:
        """Say how far it is, now and then."""
        self._done += steps
        now = monotonic()
        if now - self._said >= _LOG_EVERY_SECONDS:
            self._said = now
            self._console.print(f"{self._stage}: {self._done}{self._of()}, {now - self._started:.0f} s{self._eta(now)}")

    def end(self) -> None:
        """Nothing to say: the next stage or the summary follows."""

    def _of(self) -> str:
        return f" of {self._total}" if self._total else ""

    def _eta(self, now: float) -> str:
        if not self._total or not self._done:
            return ""
        left = (now - self._started) * (self._total - self._done) / self._done
        return f", about {left:.0f} s left"


def progress() -> TerminalProgress | LogProgress:
    """What fits standard error: a bar on a terminal, lines elsewhere."""
    console = err()
    return TerminalProgress(console) if console.is_terminal else LogProgress(console)
