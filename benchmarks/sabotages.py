"""Every way of damaging an index, applied to a copy: the verdict, and the check that caught it.

Run as `python -m benchmarks.sabotages [WORD…]`; words select sabotages by parts of their names. Each damages a copy of
the example handbook, published with the built-in model and with a remote one (a server on loopback that embeds
correctly), once on a large scale and once on the smallest that the check claims to find. Then `validate`, `publish` or
`promote` runs. The baseline is the same copy without the sabotage.
"""

import logging
import multiprocessing
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from tests.sabotages.all import SABOTAGES
from tests.sabotages.table import Row, Rows
from tests.sabotages.workspace import Workshop

PROCESSES = 2


@dataclass(frozen=True, slots=True)
class Told:
    """A printed row, and the check that caught the sabotage, if any."""

    name: str
    line: str
    caught_by: str | None


def main(words: Sequence[str] = ()) -> int:
    """Print the table; return the number of sabotages that were not caught."""
    started = perf_counter()
    chosen = [place for place, one in enumerate(SABOTAGES) if not words or any(word in one.name for word in words)]
    print(f"{'sabotage':<55} {'model':<9} {'share':>5}  {'verdict':<13} {'without':<13} named by")
    told: list[Told] = []
    with (
        tempfile.TemporaryDirectory(prefix="assay-sabotages-") as folder,
        ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("spawn"), _Worker.start, (folder,)) as pool,
    ):
        for rows in pool.map(_tried, chosen):
            told += rows
            print("\n".join(row.line for row in rows), flush=True)
            done = len({row.name for row in told})
            print(f"{done} of {len(chosen)}, {perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    by_check = Counter(row.caught_by for row in told if row.caught_by)
    print("\nrows by the check that named them: " + ", ".join(f"{name} {n}" for name, n in by_check.most_common()))
    escaped = [row for row in told if row.caught_by is None]
    ways = len({row.name for row in escaped})
    print(
        f"{len(chosen)} sabotages in {len(told)} rows: {len(chosen) - ways} caught in every row, {ways} not "
        f"({len(escaped)} rows); {perf_counter() - started:.0f} s"
    )
    return ways


class _Worker:
    """The state of a worker process."""

    rows: Rows

    @classmethod
    def start(cls, folder: str) -> None:
        """Prepare this process, which ends with the pool."""
        logging.disable(logging.WARNING)  # sabotaged builds log many warnings
        cls.rows = Rows(Workshop(Path(tempfile.mkdtemp(dir=folder))))


def _tried(place: int) -> list[Told]:
    """Run a sabotage with each model, on each scale."""
    sabotage = SABOTAGES[place]
    rows = [_Worker.rows.run(sabotage, model, share) for model in sabotage.embedders for share in sabotage.shares]
    return [Told(sabotage.name, _line(row), row.caught_by) for row in rows]


def _line(row: Row) -> str:
    amount = f"{row.share:.0%}" if row.share else "one"
    named = ", ".join(name for name, _ in row.judgment.named_by) or "nothing"
    error = f": {row.judgment.error[1].splitlines()[0][:150]}" if row.judgment.error else ""
    said = row.caught_by or f"NOT CAUGHT; named by {named}{error}"
    outcomes = f"{row.judgment.outcome:<13} {row.healthy.outcome:<13}"
    return f"{row.sabotage.name:<55} {row.embedder:<9} {amount:>5}  {outcomes} {said}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
