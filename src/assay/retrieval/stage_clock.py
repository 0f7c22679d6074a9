"""Times the stages of a search."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


class StageClock:
    """Sums the milliseconds of each stage over all rounds of a search."""

    def __init__(self) -> None:
        self.spent_ms = {"search_ms": 0.0, "fuse_ms": 0.0, "filter_ms": 0.0, "rerank_ms": 0.0}

    @contextmanager
    def timing(self, stage: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        started = perf_counter()
        try:
            yield
        finally:
            self.spent_ms[stage] += (perf_counter() - started) * 1000.0
