"""How far long work has come."""

from typing import Protocol


class Progress(Protocol):
    """Someone who wants to see how far long work has come: a bar on a terminal, lines in a log."""

    def begin(self, stage: str, total: int | None) -> None:
        """A stage starts, within the one that goes on if there is one.

        total: how many steps it has; None when that is not known yet.
        """

    def expect(self, total: int) -> None:
        """The stage has so many steps, as far as is known by now."""

    def advance(self, steps: int = 1) -> None:
        """So many steps of the stage are done."""

    def remark(self, text: str) -> None:
        """What else is worth knowing at this moment, in a few words: `3 failed`. It stands for the one before."""

    def end(self) -> None:
        """The stage is over; the one that it began in goes on."""


class Silence:
    """The progress that nobody looks at."""

    def begin(self, stage: str, total: int | None) -> None:
        """Say nothing."""

    def expect(self, total: int) -> None:
        """Say nothing."""

    def advance(self, steps: int = 1) -> None:
        """Say nothing."""

    def remark(self, text: str) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""


class Relay:
    """Hands everything on to somebody else: for who wants to hear or change a part of it on the way."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def begin(self, stage: str, total: int | None) -> None:
        """A stage starts."""
        self._progress.begin(stage, total)

    def expect(self, total: int) -> None:
        """The stage has so many steps."""
        self._progress.expect(total)

    def advance(self, steps: int = 1) -> None:
        """So many steps are done."""
        self._progress.advance(steps)

    def remark(self, text: str) -> None:
        """What else is worth knowing."""
        self._progress.remark(text)

    def end(self) -> None:
        """The stage is over."""
        self._progress.end()
