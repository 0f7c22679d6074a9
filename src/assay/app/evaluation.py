"""Evaluation: a generation is measured, judged by the gate, and reported."""

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from assay.app.parts import Parts
from assay.app.systems import Systems, Unopened
from assay.app.testsets import load_test_set
from assay.app.thread_check import require_threads
from assay.errors import (
    CatalogCorrupt,
    CatalogUnavailable,
    IdentityMismatch,
    IndexCorrupt,
    IndexNotFound,
    InputError,
    VectorStoreError,
)
from assay.model.documents import PageFailed
from assay.model.evaluation import Outcome, ResolvedTopic, TestSet, Verdict, worst
from assay.model.generations import Generation, State, last_judged
from assay.model.validations import ReportFile, Validation
from assay.ports import Progress, Silence, stage
from assay.release.promotion import has_pass
from assay.retrieval.searcher import Searcher
from assay.validation.gate.against_live import AgainstLive, Obstacle
from assay.validation.judgments.corpus import CatalogCorpus, page_texts
from assay.validation.judgments.denominators import Removed, agree
from assay.validation.report.listing import list_reports, report_page
from assay.validation.running.latency import Load
from assay.validation.structure import structure_findings
from assay.validation.suite import Plan, System, validate

logger = logging.getLogger(__name__)

_CANNOT = "the candidate cannot be compared with the live generation"
OTHER_TEST_SET = "--testset or [validation] testset names another; --no-testset judges only the structure."


_IN_DATA_DIR = "./"
"""Prefix of a remembered path that begins in the data directory; others begin in its folder."""


@dataclass(frozen=True, slots=True)
class AppliedTestSet:
    """The test set that judges a generation, and its file; None to judge only the structure.

    notes: why it applies, if no setting names it.
    """

    test_set: TestSet | None = None
    path: Path | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _ResolvedOnBoth:
    """A test set resolved on a generation and on the live one.

    damage: why the live one was left out: a damaged record of either; "" if it was not, or nothing is live.
    """

    topics: tuple[ResolvedTopic, ...]
    of_live: tuple[ResolvedTopic, ...] = ()
    removed: tuple[Removed, ...] = ()
    accepted: tuple[Removed, ...] = ()
    damage: str = ""


class Evaluation:
    """Validates generations, and writes the reports."""

    def __init__(self, parts: Parts, systems: Systems) -> None:
        self._parts = parts
        self._systems = systems

    def validate(
        self,
        generation_id: str | None = None,
        test_set: Path | None = None,
        progress: Progress | None = None,
        load: Sequence[Load] = (),
        *,
        check_urls: bool = False,
        store_verdict: bool = True,
        failed: Sequence[PageFailed] = (),
    ) -> Validation:
        """Measure a generation, judge it by the gate, and store the verdict with it; see Assay.validate.

        store_verdict: false if the caller stores it, with Evaluation.store_verdict.
        failed: the pages that the build could not read, if it was just made.
        """
        generation = self._systems.measured_generation(generation_id)
        require_threads()
        progress = progress or Silence()
        with stage(progress, "testset"):
            applied = self.applied_test_set(generation, test_set)
        with ExitStack() as opened:
            plan = self._plan(generation, applied, load, opened, progress, failed)
            if check_urls:
                url_check = self._parts.url_check()
                opened.callback(url_check.close)
                plan = replace(plan, problem_of_url=url_check.problem)
            validation = validate(plan, progress)
        if store_verdict:
            self.store_verdict(validation.verdict)
        return validation

    def write_report(self, validation: Validation, progress: Progress | None = None) -> dict[str, Path]:
        """Write a validation into the folder of [validation]; see Assay.write_report."""
        from assay.contracts.validation_report import to_json_parts
        from assay.validation.report.files import write_reports
        from assay.validation.report.html import to_html
        from assay.validation.report.junit import to_junit
        from assay.validation.report.markdown import to_markdown

        progress = progress or Silence()

        def json_parts() -> Iterator[bytes]:
            for part in to_json_parts(validation):
                yield part
                progress.advance()

        with stage(progress, "report", len(validation.topics)):
            contents: dict[str, bytes | Iterator[bytes]] = {
                "md": to_markdown(validation).encode("utf-8", "replace"),
                "xml": to_junit(validation).encode("utf-8", "replace"),
                "html": to_html(validation).encode("utf-8", "replace"),
                "json": json_parts(),
            }
            return write_reports(self._parts.settings.validation.output_dir, validation.started_at, contents)

    def reports(self) -> list[ReportFile]:
        """The written reports of validations and sweeps, the newest first."""
        return list_reports(self._parts.settings.validation.output_dir)

    def report_page(self, name: str) -> bytes:
        """The HTML page of a report. Raises InputError if there is no such report."""
        return report_page(self._parts.settings.validation.output_dir, name)

    def applied_test_set(self, generation: Generation | None = None, test_set: Path | None = None) -> AppliedTestSet:
        """Load the test set that judges a generation: the given one, that of [validation], else the last that judged.

        Raises InputError for an invalid file.
        """
        path = test_set if test_set is not None else self._parts.settings.validation.testset
        if path is not None:
            return AppliedTestSet(load_test_set(path), path) if path else AppliedTestSet()
        generations = self._generations()
        verdict = last_judged(generations)
        if verdict is None:
            return AppliedTestSet()
        path = self._recalled(str(verdict["test_set_path"]))
        judged = _judged_by(verdict, generation, generations)
        try:
            labelled = load_test_set(path)
        except InputError as error:
            raise InputError(
                f"The test set that last judged {judged} cannot be used: {error.message}",
                hint=OTHER_TEST_SET,
            ) from None
        note = f"No test set is set, so {path} is used, which last judged {judged}. {OTHER_TEST_SET}"
        return AppliedTestSet(labelled, path, (note,))

    def test_set_path(self) -> Path | None:
        """The file of the test set that judges candidates, which may be missing; None to judge only the structure."""
        path = self._parts.settings.validation.testset
        if path is not None:
            return path or None
        verdict = last_judged(self._generations())
        return None if verdict is None else self._recalled(str(verdict["test_set_path"]))

    def _generations(self) -> list[Generation]:
        return self._parts.catalog.generations() if self._parts.adopted is None else []

    def passes(self, generation: Generation, test_set: TestSet) -> bool:
        """Whether the stored verdict is a PASS by this test set, under the present limits.

        One with --allow-removals counts too: what it removed from the live generation is removed.
        """
        gate = self._systems.gate
        gates = (gate.fingerprint, gate.with_removals.fingerprint)
        return any(has_pass(generation, one, test_set.fingerprint, None) for one in gates)

    def is_sound(self, generation: Generation, progress: Progress | None) -> bool:
        """Whether the structural checks pass on the present index and catalog."""
        live = self._systems.other_live(generation)
        with ExitStack() as opened:
            context = self._systems.check_context(generation, live, self._systems.open_or_error(opened, generation.id))
            findings = structure_findings(context, self._systems.gate.structure, progress or Silence())
        return worst(finding.outcome for finding in findings) is Outcome.PASS

    def store_verdict(self, verdict: Verdict) -> None:
        """Store a verdict in the catalog, unless the index was adopted.

        Only warns if the catalog has become unreachable: the report still counts. Raises CatalogError if the catalog
        cannot be written.
        """
        if self._parts.adopted is not None:
            return
        try:
            self._parts.lifecycle.record(verdict)
        except CatalogUnavailable as error:
            logger.warning("The verdict is not stored, because the catalog cannot be reached: %s", error)

    def remember_path(self, applied: AppliedTestSet) -> None:
        """Store the present path of a test set with the verdicts by it: its file may have been renamed."""
        if applied.test_set is not None and applied.path is not None:
            self._parts.lifecycle.rename_test_set(applied.test_set.fingerprint, self._remembered(applied.path))

    def _remembered(self, path: Path) -> str:
        """The path of a test set as a verdict keeps it; see Verdict. Symbolic links in it are kept as links."""
        settings = self._parts.settings
        full, data, project = map(_absolute, (path, settings.data_dir, settings.config_folder))
        if full.is_relative_to(data):
            return f"{_IN_DATA_DIR}{full.relative_to(data).as_posix()}"
        for folder in (data.parent, project, Path.cwd()):
            if full.is_relative_to(folder) and data.is_relative_to(folder):
                return Path(os.path.relpath(full, data.parent)).as_posix()
        return full.as_posix()

    def _recalled(self, remembered: str) -> Path:
        """The file of a path from _remembered."""
        data = _absolute(self._parts.settings.data_dir)
        return _absolute((data if remembered.startswith(_IN_DATA_DIR) else data.parent) / remembered)

    def _plan(
        self,
        generation: Generation,
        applied: AppliedTestSet,
        load: Sequence[Load],
        opened: ExitStack,
        progress: Progress,
        failed: Sequence[PageFailed],
    ) -> Plan:
        """Plan a validation; the indexes that it opens are closed with `opened`."""
        systems, settings, adopted = self._systems, self._parts.settings, self._parts.adopted
        test_set = applied.test_set
        searcher = systems.open_or_error(opened, generation.id)
        live = systems.other_live(generation)
        measures = systems.measures
        resolved = self._resolved_on_both(generation, live, searcher, test_set, progress)
        compared, not_compared = self._compared(live, resolved, test_set, opened)
        setup = systems.search_setup(searcher, settings.search, measures)
        return Plan(
            test_set=test_set,
            test_set_path=str(applied.path) if applied.path else None,
            system=System(generation, generation.id, resolved.topics, setup),
            live=compared,
            not_compared=not_compared,
            removed=resolved.removed,
            accepted=resolved.accepted,
            measures=measures,
            gate=systems.gate,
            target=f"adopted collection {adopted}" if adopted else generation.state.value,
            search=systems.described_search,
            structure=None if adopted else systems.check_context(generation, live, searcher, failed),
            load=tuple(load),
            started_at=datetime.now(UTC),
            contract_mode=settings.contract_mode,
            notes=applied.notes,
            remembered_path=self._remembered(applied.path) if applied.path else None,
        )

    def _compared(
        self,
        live: Generation | None,
        resolved: _ResolvedOnBoth,
        test_set: TestSet | None,
        opened: ExitStack,
    ) -> tuple[System | None, AgainstLive]:
        """Return the live system to compare with, or the reason why it cannot be compared; neither if not needed."""
        systems = self._systems
        if live is None or test_set is None or not systems.gate.compares_with_live(derived=test_set.derived):
            return None, AgainstLive()
        if resolved.damage:
            return None, AgainstLive(problem=f"{_CANNOT}: {resolved.damage}", obstacle=Obstacle.DAMAGED)
        try:
            searcher = systems.open(opened, live.id)
        except (IdentityMismatch, VectorStoreError) as error:
            return None, AgainstLive(problem=f"{_CANNOT}: {error.message}", obstacle=_obstacle(error))
        setup = systems.search_setup(searcher, self._parts.settings.search, systems.measures)
        texts = page_texts(self._parts.catalog, live.id)
        return System(live, live.id, resolved.of_live, setup, page_texts=texts), AgainstLive()

    def _resolved_on_both(
        self,
        generation: Generation,
        live: Generation | None,
        searcher: Searcher | Unopened,
        test_set: TestSet | None,
        progress: Progress,
    ) -> _ResolvedOnBoth:
        """Resolve the topics on a generation and on the live one, with equal denominators, and list what is left out.

        Resolves on the live one first, because a section's or page's text is recorded where it is first found.
        """
        if test_set is None:
            return _ResolvedOnBoth(())
        damage = ""
        earliest = live or generation
        accept_lost = _has_passed(earliest, test_set)
        if (live is not None or accept_lost) and self._parts.adopted is None:
            try:
                agreed = agree(
                    test_set,
                    [CatalogCorpus(self._parts.catalog, one) for one in dict.fromkeys((earliest.id, generation.id))],
                    same_chunker=earliest.chunker == generation.chunker,
                    allow_removals=self._systems.gate.quality.allow_removals,
                    progress=progress,
                    accept_lost=accept_lost,
                )
            except CatalogCorrupt as error:
                damage = error.message
            else:
                return _ResolvedOnBoth(agreed.sides[-1], agreed.sides[0], agreed.removed, agreed.accepted)
        return _ResolvedOnBoth(self._systems.resolved(generation, searcher, test_set, progress), damage=damage)


def _absolute(path: Path) -> Path:
    """An absolute path without `..`; unlike Path.resolve, it does not follow links, which may lead elsewhere later."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - see above


def _has_passed(generation: Generation, test_set: TestSet) -> bool:
    """Whether the last verdict on a generation with a test set is a PASS by this one: it accepted what is lost."""
    verdict = last_judged([generation]) or {}
    asked = (Outcome.PASS.value, test_set.fingerprint, generation.id, generation.content_fingerprint)
    return tuple(verdict.get(name) for name in ("outcome", "test_set", "generation", "content_fingerprint")) == asked


def _obstacle(error: IdentityMismatch | VectorStoreError) -> Obstacle:
    if isinstance(error, IdentityMismatch):
        return Obstacle.OTHER_MODEL
    return Obstacle.DAMAGED if isinstance(error, (IndexNotFound, IndexCorrupt)) else Obstacle.UNREACHABLE


def _judged_by(verdict: Mapping[str, object], generation: Generation | None, generations: Sequence[Generation]) -> str:
    """Name the content of a verdict: this content, that of the live generation, or another generation's."""
    content = verdict.get("content_fingerprint")
    if generation is not None and content == generation.content_fingerprint:
        return "this content"
    is_live = any(one.state is State.LIVE and one.content_fingerprint == content for one in generations)
    return "what is live" if is_live else f"generation {verdict.get('generation')}"
