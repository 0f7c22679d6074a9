"""Content that checks share: read from the catalog once, here or in another process, with the same findings."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.structures import LIMITS, WORDS, finding_of, verdict_on
from tests.worlds import World

from assay import child_process
from assay.errors import CatalogCorrupt
from assay.model.documents import DocumentInfo
from assay.model.evaluation import Finding, Outcome
from assay.model.generations import Generation
from assay.ports import Progress, Relay, Silence, StoredDocument
from assay.testing.catalog_samples import page
from assay.validation.integrity import Recheck
from assay.validation.structure import CheckContext, checks, structure_findings, structure_notes
from assay.validation.structure.collecting import PageCollector, Results
from assay.validation.structure.collecting_process import CollectorProcess

BANNER = "This site uses cookies to remember what you have chosen, and to count its visitors every single day.\n"
STRICT = replace(
    LIMITS, max_empty_pages=0.0, max_alike_pages=0.0, max_leftovers=0.0, max_repeated=0.0, max_boilerplate=0.1
)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def generation(world: World) -> Generation:
    """Pages with a banner, with leftovers, without text, and three that are alike, declared in another language."""
    said = [f"{BANNER}How the {word} works: der und das nicht mit ein.\n{{{{< note >}}}}" * 4 for word in WORDS[:6]]
    texts = [*said, "Loading", "Loading", *["The server is away, and you have to come again another day."] * 3]
    return world.build("g1", *(page(f"p{at}", text, title=f"Page {at}") for at, text in enumerate(texts)))


def _judge(
    world: World, generation: Generation, progress: Progress | None = None, process_from: int | None = None
) -> tuple[list[Finding], list[str]]:
    searcher = world.searcher(generation.id)
    recheck = Recheck(world.embedder, world.encoder)
    opened = generation, None, world.catalog, searcher.index, searcher.search, world.embedder.prefetch_queries
    context = CheckContext(*opened, recheck, embedder=world.embedder, process_from=process_from)
    return structure_findings(context, STRICT, progress or Silence()), structure_notes(context)


class _Stages(Relay):
    """Records the begun stages."""

    def __init__(self) -> None:
        super().__init__(Silence())
        self.begun: list[str] = []

    def begin(self, stage: str, total: int | None) -> None:
        self.begun.append(stage)


def test_no_check_of_content_walks_through_the_catalog_after_the_audit(world: World, generation: Generation) -> None:
    stages = _Stages()
    _judge(world, generation, stages)
    assert "audit" in stages.begun
    assert {kind.stage for kind in checks.COLLECTORS}.isdisjoint(stages.begun)


def test_another_process_finds_the_same(world: World, generation: Generation) -> None:
    here, there = _judge(world, generation), _judge(world, generation, process_from=1)
    assert here == there
    failed = {one.check for one in here[0] if one.outcome is Outcome.FAIL}
    assert failed == {"pages with text", "pages alike", "passages alike", "boilerplate", "leftover markup"}


@pytest.mark.parametrize("moment", ["add", "results"])
def test_a_killed_process_leaves_the_reading_to_the_checks(
    world: World, generation: Generation, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, moment: str
) -> None:
    processes: list[CollectorProcess] = []
    whole: Callable[..., Any] = getattr(CollectorProcess, moment)

    def killed(process: CollectorProcess, *given: Any) -> Any:  # noqa: ANN401 - of either method
        processes.append(process)
        os.kill(process.pid, signal.SIGKILL)
        return whole(process, *given)

    expected = _judge(world, generation)
    monkeypatch.setattr(CollectorProcess, moment, killed)
    assert _judge(world, generation, process_from=1) == expected
    assert "killed by SIGKILL" in caplog.text
    assert processes[0].exit_code == -signal.SIGKILL


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGSTOP on Windows")
def test_a_stopped_process_leaves_the_reading_to_the_checks(
    world: World, generation: Generation, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    whole = CollectorProcess.results

    def stopped(process: CollectorProcess) -> Results:
        os.kill(process.pid, signal.SIGSTOP)
        return whole(process)

    expected = _judge(world, generation)
    monkeypatch.setattr(child_process, "SILENT_SECONDS", 0.5)
    monkeypatch.setattr(CollectorProcess, "results", stopped)
    assert _judge(world, generation, process_from=1) == expected
    assert "the process that checks them has ended (it gave no answer for 0.5 s)" in caplog.text


def test_a_process_ends_with_the_checks_also_if_they_never_ask_it(
    world: World, generation: Generation, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[CollectorProcess] = []

    def start(kinds: Any) -> CollectorProcess:  # noqa: ANN401 - the kinds of collectors
        started.append(CollectorProcess(kinds))
        return started[0]

    monkeypatch.setattr(checks, "CollectorProcess", start)
    monkeypatch.setattr(checks, "CHECKS", (checks.integrity,))
    _judge(world, generation, process_from=1)
    assert started[0].exit_code is not None


def test_without_a_process_the_checks_run_here(
    world: World, generation: Generation, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_: object) -> None:
        raise OSError("no more processes")

    expected = _judge(world, generation)
    monkeypatch.setattr(checks, "CollectorProcess", refuse)
    assert _judge(world, generation, process_from=1) == expected
    assert "no more processes" in caplog.text


def test_damaged_pages_fail_the_checks_that_read_them_and_no_other(
    world: World, generation: Generation, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = world.catalog.documents

    def damaged(generation_id: str) -> Iterator[StoredDocument]:
        yield from list(whole(generation_id))[:2]
        raise CatalogCorrupt("The stored text of a page is damaged.")

    monkeypatch.setattr(world.catalog, "documents", damaged)
    found = {one.check: one for one in _judge(world, generation)[0]}
    assert "is damaged" in found["pages that say something"].detail
    assert "is damaged" in found["boilerplate"].detail
    assert found["leftover markup"].count == 6


def test_a_fault_of_one_check_is_not_one_of_the_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    generation = world.build("g1", *(page(word, f"How the {word} works.", title=word) for word in WORDS))

    def broken(_: PageCollector[Any], info: DocumentInfo, __: str) -> None:
        raise KeyError(info.url)

    monkeypatch.setattr(checks.RepeatedLines, "add", broken)
    verdict = verdict_on(world, generation)
    assert [one.check for one in verdict.findings if one.outcome is not Outcome.PASS] == ["boilerplate"]
    assert "KeyError" in finding_of(verdict, "boilerplate").detail
    assert "The check boilerplate failed unexpectedly." in caplog.text
