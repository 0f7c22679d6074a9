"""A publish that kills itself with SIGKILL at its n-th change of the catalog, the vector store or the index.

Each runs in a process of its own, forked from one that has loaded everything and done nothing yet.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.forking import fork, shared_number

from assay.app import Assay
from assay.settings import load_settings

READS = frozenset(
    [
        *("anchors", "check", "chunk_metadata", "chunks", "document", "documents", "documents_at", "embedded_chunks"),
        *("generation", "generations", "inspect", "known_pages", "live_id", "open", "places_at", "places_of_ids"),
        *("places_of_texts", "text_of", "urls_of_texts"),
    ]
)
"""Calls that change nothing: to die before or after one is to die before the next change."""


class Executioner:
    """Counts the calls that may change something, and kills the process before or after the one that it waits for."""

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
        if not callable(value) or name in READS:
            return value
        counted = self._executioner.around(value)
        if name == "create":
            return lambda *arguments: Watched(counted(*arguments), self._executioner)
        return counted


def publish(data_dir: Path, docs: Path, call: int, when: str, counted: Any) -> None:  # noqa: ANN401 - a shared number
    """Publish, and die on the way."""
    executioner = Executioner(call, when)
    source = {"path": docs, "base_url": "https://docs.example", "name": "docs"}
    settings = {"data_dir": data_dir, "sources": [source], "gate": {"max_page_fall": 1.0}}
    with Assay.open(load_settings(None, settings)) as assay:
        catalog, store = assay.parts.catalog, assay.parts.store
        assay.parts._catalog = Watched(catalog, executioner)  # type: ignore[assignment]  # the point of this module
        assay.parts.store = Watched(store, executioner)  # type: ignore[misc,assignment]  # likewise
        report = assay.publish()
        assert report.promoted, report.verdict
    counted.value = executioner.calls


def count_calls(data_dir: Path, docs: Path) -> int:
    """Publish without dying. Returns how many calls may have changed something."""
    code, calls = _run(data_dir, docs, 0, "before")
    assert code == 0
    return calls


def kill(data_dir: Path, docs: Path, call: int, when: str) -> None:
    """Publish as far as before or after a call."""
    code, _ = _run(data_dir, docs, call, when)
    assert code == -signal.SIGKILL, code


def _run(data_dir: Path, docs: Path, call: int, when: str) -> tuple[int | None, int]:
    counted = shared_number()
    process = fork(publish, data_dir, docs, call, when, counted)
    process.join(240)
    return process.exitcode, counted.value
