"""A publish that kills itself with SIGKILL at its n-th call of the catalog, the vector store or the index writer.

Run as `python -m tests.acceptance.killing DATA_DIR DOCS CALL WHEN`; prints the number of calls when CALL is 0.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.app import Assay
from assay.settings import load_settings


class Executioner:
    """Counts calls, and kills the process before or after the one that it waits for."""

    def __init__(self, call: int, when: str) -> None:
        self.call = call
        self.when = when
        self.calls = 0

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, counted, and deadly when its turn comes."""

        def counted(*arguments: object, **named: object) -> Any:  # noqa: ANN401 - whatever the function returns
            self.calls += 1
            mine = self.calls == self.call
            if mine and self.when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = function(*arguments, **named)
            if mine and self.when == "after":
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return counted


class Watched:
    """Stands in front of an adapter and shows every call to the executioner; a writer it makes is watched too."""

    def __init__(self, target: object, executioner: Executioner) -> None:
        self._target = target
        self._executioner = executioner

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the target has
        value = getattr(self._target, name)
        if not callable(value):
            return value
        counted = self._executioner.around(value)
        if name == "create":
            return lambda *arguments: Watched(counted(*arguments), self._executioner)
        return counted


def main(data_dir: str, docs: str, call: str, when: str) -> None:
    """Publish, and die on the way."""
    executioner = Executioner(int(call), when)
    source = {"path": Path(docs), "base_url": "https://docs.example", "name": "docs"}
    settings = {"data_dir": Path(data_dir), "sources": [source], "gate": {"max_page_fall": 1.0}}
    with Assay.open(load_settings(None, settings)) as assay:
        catalog, store = assay.catalog, assay.store
        assay._catalog = Watched(catalog, executioner)  # type: ignore[assignment]  # the point of this module
        assay.store = Watched(store, executioner)  # type: ignore[misc,assignment]  # likewise
        report = assay.publish()
        assert report.promoted, report.verdict
    sys.stdout.write(f"{executioner.calls}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
