"""How long each stage of a build takes, told by the progress that it reports."""

from time import perf_counter

from assay.ports import Progress, Relay


class StageClock(Relay):
    """Hands progress on, and keeps the seconds of each stage; those of a stage within another count for it alone."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(progress)
        self.seconds: dict[str, float] = {}
        self._stages: list[str] = []
        self._since = 0.0

    def begin(self, stage: str, total: int | None) -> None:
        """A stage starts."""
        self._settle()
        self._stages.append(stage)
        super().begin(stage, total)

    def end(self) -> None:
        """The stage is over."""
        self._settle()
        self._stages.pop()
        super().end()

    def _settle(self) -> None:
        """Give the time since the last change to the stage that went on."""
        now = perf_counter()
        if self._stages:
            stage = self._stages[-1]
            self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._since
        self._since = now
