"""Evaluation: a generation is measured, judged by the gate, and reported."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from assay.app.parts import Parts
from assay.app.systems import Systems, Unopened
from assay.app.testsets import load_test_set
from assay.errors import CatalogUnavailable, IdentityMismatch, InputError, VectorStoreError
from assay.model.evaluation import Outcome, ResolvedTopic, TestSet, Verdict, worst
from assay.model.generations import Generation, last_judged
from assay.model.validations import Validation
from assay.ports import Progress, Silence, stage
from assay.retrieval.searcher import Searcher
from assay.validation.judgments.corpus import CatalogCorpus
from assay.validation.judgments.denominators import Removed, agree
from assay.validation.judgments.resolving import resolve
from assay.validation.running.latency import Load
from assay.validation.structure import structure_findings
from assay.validation.suite import Plan, System, validate

logger = logging.getLogger(__name__)


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
    ) -> Validation:
        """Measure a generation, judge it by the gate, and store the verdict with it; see Assay.validate.

        store_verdict: false if the caller stores it, with Evaluation.store_verdict.
        """
        generation = self._systems.measured_generation(generation_id)
        progress = progress or Silence()
        path: Path | None = test_set or self._parts.settings.validation.testset
        chosen = path is not None
        with stage(progress, "testset"):
            labelled, path = (load_test_set(path), path) if path else self.last_test_set(generation)
        with ExitStack() as opened:
            plan = self._plan(generation, labelled, path, load, opened, progress)
            if path is not None and not chosen:
                plan = replace(
                    plan, notes=(f"No test set is set; {path} was used, which last validated this content.",)
                )
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

    def last_test_set(self, generation: Generation) -> tuple[TestSet | None, Path | None]:
        """Load the current file of the test set that last validated this content; None if there is none.

        Raises InputError for an invalid file.
        """
        verdict = last_judged(generation, self._parts.catalog.generations())
        path = Path(str(verdict["test_set_path"])) if verdict else None
        try:
            return (load_test_set(path), path) if path else (None, None)
        except InputError as error:
            raise InputError(
                f"The test set that last validated generation {generation.id} cannot be used: {error.message}",
                hint="Set its file with --testset or [validation] testset.",
            ) from None

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

    def _plan(
        self,
        generation: Generation,
        test_set: TestSet | None,
        path: Path | None,
        load: Sequence[Load],
        opened: ExitStack,
        progress: Progress,
    ) -> Plan:
        """Plan a validation; the indexes that it opens are closed with `opened`."""
        systems, settings, adopted = self._systems, self._parts.settings, self._parts.adopted
        searcher = systems.open_or_error(opened, generation.id)
        live = systems.other_live(generation)
        measures = systems.measures
        topics, live_topics, removed = self._resolved_on_both(generation, live, searcher, test_set, progress)
        compared, not_compared = self._compared(live, live_topics, test_set, opened)
        setup = systems.search_setup(searcher, settings.search, measures)
        return Plan(
            test_set=test_set,
            test_set_path=str(path) if path else None,
            system=System(generation, generation.id, topics, setup),
            live=compared,
            not_compared=not_compared,
            removed=removed,
            measures=measures,
            gate=systems.gate,
            target=f"adopted collection {adopted}" if adopted else generation.state.value,
            search=systems.described_search,
            structure=None if adopted else systems.check_context(generation, live, searcher),
            load=tuple(load),
            started_at=datetime.now(UTC),
            contract_mode=settings.contract_mode,
        )

    def _compared(
        self,
        live: Generation | None,
        topics: tuple[ResolvedTopic, ...],
        test_set: TestSet | None,
        opened: ExitStack,
    ) -> tuple[System | None, str]:
        """Return the live system to compare with, or the reason why it cannot be compared; neither if not needed."""
        systems = self._systems
        if live is None or test_set is None or not systems.gate.compares_with_live(derived=test_set.derived):
            return None, ""
        try:
            searcher = systems.open(opened, live.id)
        except (IdentityMismatch, VectorStoreError) as error:
            return None, f"the candidate cannot be compared with the live generation: {error.message}"
        setup = systems.search_setup(searcher, self._parts.settings.search, systems.measures)
        return System(live, live.id, topics, setup), ""

    def _resolved_on_both(
        self,
        generation: Generation,
        live: Generation | None,
        searcher: Searcher | Unopened,
        test_set: TestSet | None,
        progress: Progress,
    ) -> tuple[tuple[ResolvedTopic, ...], tuple[ResolvedTopic, ...], tuple[Removed, ...]]:
        """Resolve the topics on a generation and on the live one, with equal denominators, and list intended removals.

        Resolves on the live one first, because a section's or page's text is recorded where it is first found.
        """
        if test_set is None:
            return (), (), ()
        if live is None or self._parts.adopted is not None:
            return resolve(test_set, self._systems.corpus(generation, searcher), progress), (), ()
        agreed = agree(
            test_set,
            [CatalogCorpus(self._parts.catalog, one.id) for one in (live, generation)],
            same_chunker=live.chunker == generation.chunker,
            allow_removals=self._systems.gate.quality.allow_removals,
            progress=progress,
        )
        of_live, topics = agreed.sides
        return topics, of_live, agreed.removed
