"""Progress of long work."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """Receives the progress of long work: a bar on a terminal, lines in a log."""

    def begin(self, stage: str, total: int | None) -> None:
        """Begin a stage, nested in the current one if there is one.

        total: its number of steps; None if not known yet.
        """

    def expect(self, total: int) -> None:
        """Set the number of steps that the stage is now expected to have."""

    def advance(self, steps: int = 1) -> None:
        """Count steps of the stage as done."""

    def remark(self, text: str) -> None:
        """Show a short remark such as `3 failed`, in place of the previous one."""

    def end(self) -> None:
        """End the stage and continue the enclosing one."""


class Silence:
    """Progress that is discarded."""

    def begin(self, stage: str, total: int | None) -> None:
        """Do nothing."""

    def expect(self, total: int) -> None:
        """Do nothing."""

    def advance(self, steps: int = 1) -> None:
        """Do nothing."""

    def remark(self, text: str) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


class Relay:
    """Forwards every call; subclasses observe or change some of them."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def begin(self, stage: str, total: int | None) -> None:
        """Forward the call."""
        self._progress.begin(stage, total)

    def expect(self, total: int) -> None:
        """Forward the call."""
        self._progress.expect(total)

    def advance(self, steps: int = 1) -> None:
        """Forward the call."""
        self._progress.advance(steps)

    def remark(self, text: str) -> None:
        """Forward the call."""
        self._progress.remark(text)

    def end(self) -> None:
        """Forward the call."""
        self._progress.end()


@contextmanager
def stage(progress: Progress, name: str, total: int | None = None) -> Iterator[None]:
    """Begin a stage, and end it after the block, also after an error."""
    progress.begin(name, total)
    try:
        yield
    finally:
        progress.end()


def track(items: Iterable[Item], progress: Progress, name: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items of a stage, each counted when it is done."""
    with stage(progress, name, total):
        for item in items:
            yield item
            progress.advance()
