"""The duration of each build stage, measured through the progress it reports."""

from time import perf_counter

from assay.ports import Progress, Relay


class StageClock(Relay):
    """Forwards progress and records the seconds of each stage. A nested stage's time counts only for that stage."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(progress)
        self.seconds: dict[str, float] = {}
        self._stages: list[str] = []
        self._since = 0.0

    def begin(self, stage: str, total: int | None) -> None:
        """Start a stage."""
        self._add_elapsed()
        self._stages.append(stage)
        super().begin(stage, total)

    def end(self) -> None:
        """End the stage."""
        self._add_elapsed()
        self._stages.pop()
        super().end()

    def _add_elapsed(self) -> None:
        """Add the time since the last change to the current stage."""
        now = perf_counter()
        if self._stages:
            stage = self._stages[-1]
            self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._since
        self._since = now
