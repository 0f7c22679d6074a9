"""Outages of Cohere's API, a Qdrant server, Postgres and HTTP, each killed while clients search.

Run as `python -m benchmarks.chain`. The peers are those of the tests, with the real protocols over real sockets. For
each outage it prints responses by shape and status, health, recovery time, and the number of wrong responses. The
baseline runs without an outage.
"""

import sys
import tempfile
from pathlib import Path
from time import perf_counter, sleep

from tests.chain import Chain, running_chain

from benchmarks.shared import shared_folder

QUERIES = (
    "declare a path parameter with a type",
    "dependency injection with yield",
    "return a custom response status code",
    "upload files and form data",
    "CORS middleware origins",
    "background tasks after returning a response",
    "OAuth2 password flow with JWT tokens",
    "test a websocket endpoint",
)
CLIENTS = 20
DOWN_SECONDS = 5.0
PARTS = (None, "cohere", "qdrant", "postgres")


def main() -> int:
    """Print the table; return 1 if a response was wrong, and 0 also without the corpora."""
    shared = shared_folder()
    if shared is None:
        return 0
    with tempfile.TemporaryDirectory(prefix="assay-chain-") as work, running_chain(Path(work)) as chain:
        docs = shared / "corpora" / "fastapi" / "docs"
        started = perf_counter()
        done = chain.command("publish", str(docs), "--base-url", "https://docs.example/fastapi")
        print(f"published in {perf_counter() - started:.1f} s (exit code {done.returncode})")
        started = perf_counter()
        chain.serve()
        print(f"ready in {perf_counter() - started:.1f} s")
        return int(sum(outage(chain, part) for part in PARTS) > 0)


def outage(chain: Chain, part: str | None) -> int:
    """Kill a part for some seconds while clients search; return the number of wrong responses."""
    truth = chain.truth(QUERIES)
    with chain.clients(CLIENTS, truth) as tally:
        sleep(1.0)
        if part is None:
            sleep(DOWN_SECONDS)
            health = recovery = ""
        else:
            chain.kill(part)
            sleep(DOWN_SECONDS)
            health = f"health while it is away {chain.get('/health')}, readyz {chain.get('/readyz')[0]}; "
            chain.start(part)
            searches, healthy = chain.wait_for_searches(QUERIES[0]), chain.wait_for("/health", 200)
            recovery = f"searches {searches:.2f} s after it is back, health {searches + healthy:.2f} s"
    print(f"\n{part or 'nothing'} killed: {health}{recovery}")
    for shape, statuses in tally.statuses.items():
        print(f"  {shape:7} {dict(sorted(statuses.items()))}{f'; says {dict(tally.said)}' if shape == '004' else ''}")
    print(f"  wrong answers: {len(tally.wrong)} of {sum(tally.all_statuses().values()):,}")
    return len(tally.wrong)


if __name__ == "__main__":
    sys.exit(main())
