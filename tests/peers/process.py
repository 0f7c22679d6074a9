"""A peer in a process of its own, for tests that kill the process they look at."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Self
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parent.parent.parent


class PeerProcess:
    """`python -m tests.peers.<name>` with these options, started and stopped as a context manager."""

    def __init__(self, name: str, *options: str) -> None:
        self._command = [sys.executable, "-m", f"tests.peers.{name}", *options]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        assert self.url.startswith("http://"), "the peer did not start"
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def counts(self, *, texts: bool = False) -> dict[str, Any]:
        """What the peer's ledger holds."""
        with urlopen(f"{self.url}/_peer/counts{'?texts=1' if texts else ''}") as answer:
            counts: dict[str, Any] = json.load(answer)
        return counts

    def fail(self, **faults: object) -> None:
        """Set faults: script, always, rate and kinds."""
        self._post("faults", faults)

    def reset(self) -> None:
        """Begin to count anew."""
        self._post("reset", {})

    def _post(self, route: str, body: dict[str, object]) -> None:
        request = Request(f"{self.url}/_peer/{route}", json.dumps(body).encode(), method="POST")
        with urlopen(request):
            pass
