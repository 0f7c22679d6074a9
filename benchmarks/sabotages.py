"""Every way in which an index can be wrong, done to a copy: the verdict, and the check that named it.

Run as `python -m benchmarks.sabotages [WORD…]`; only the sabotages with one of these words in their names, if any is
given. Each is done to a copy of the example handbook, published with the built-in model and with a paid one (a server
on loopback that embeds honestly), once on a large scale and once on the smallest that the check claims to find. It is
then judged as users do: by `validate`, `publish` or `promote`. The baseline is the same copy without the sabotage.
"""

import logging
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter

from tests.sabotages.all import SABOTAGES
from tests.sabotages.table import Row, Rows, Sabotage
from tests.sabotages.workspace import Workshop


def main(words: Sequence[str] = ()) -> int:
    """Print the table; returns the number of sabotages that were not caught."""
    logging.disable(logging.WARNING)  # of every sabotaged build
    started = perf_counter()
    chosen = [one for one in SABOTAGES if not words or any(word in one.name for word in words)]
    try:
        with (
            tempfile.TemporaryDirectory(prefix="assay-sabotages-") as folder,
            closing(Workshop(Path(folder))) as workshop,
        ):
            runner = Rows(workshop)
            rows = [row for sabotage in chosen for row in _tried(sabotage, runner)]
    finally:
        logging.disable(logging.NOTSET)
    escaped = [row for row in rows if row.caught_by is None]
    ways = len({row.sabotage.name for row in escaped})
    print(
        f"{len(chosen)} sabotages in {len(rows)} rows: {len(chosen) - ways} caught in every row, {ways} not "
        f"({len(escaped)} rows); {perf_counter() - started:.0f} s"
    )
    return ways


def _tried(sabotage: Sabotage, rows: Rows) -> list[Row]:
    """Its rows, printed as they come."""
    found = []
    for embedder in sabotage.embedders:
        for share in sabotage.shares:
            row = rows.run(sabotage, embedder, share)
            found.append(row)
            print(_line(row), flush=True)
    return found


def _line(row: Row) -> str:
    amount = f"{row.share:.0%}" if row.share else "one"
    caught = row.caught_by
    named = ", ".join(name for name, _ in row.judgment.named_by) or "nothing"
    said = caught or f"NOT CAUGHT (named by {named}; {row.judgment.error[1][:120] if row.judgment.error else ''})"
    outcomes = f"{row.judgment.outcome:<13} {row.healthy.outcome:<5}"
    return f"{row.sabotage.name:<55} {row.embedder:<9} {amount:>5}  {outcomes} {said}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
