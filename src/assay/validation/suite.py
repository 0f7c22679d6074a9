"""The conductor of a validation: topics → run → measures → latency → structure → gate → verdict."""

import platform
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter

from assay.model.evaluation import Anchoring, Category, Finding, MeasureValue, ResolvedTopic, Run, TestSet, TopicType
from assay.model.generations import Generation
from assay.model.ranking import ContractMode, Query
from assay.model.validations import LatencyFigures, LoadFigures, Provenance, TopicResult, Validation
from assay.ports import Progress, stage, track
from assay.validation.gate.against_live import (
    OF_DERIVED,
    OF_ONE_CHUNKER,
    OF_TWO_CHUNKERS,
    AgainstLive,
    measure_falls,
    measure_worse,
    topics_that_fell,
)
from assay.validation.gate.lost_answers import orphan_notes
from assay.validation.gate.lost_topics import PageTexts, find_lost_topics, no_page_texts
from assay.validation.gate.policy import Gate, limit_notes, verdict
from assay.validation.gate.quality import (
    Measured,
    counted,
    headline,
    hits_to_label,
    in_group,
    quality_findings,
    with_targets,
)
from assay.validation.integrity.results import check_hits
from assay.validation.judgments.denominators import Removed, accepted_notes, removal_notes
from assay.validation.report.advice import advice
from assay.validation.running.contract_order import contract_order_notes, measure_contract_order
from assay.validation.running.latency import Load, figures, measure_load
from assay.validation.running.links import links_finding
from assay.validation.running.measuring import BEST_HIT, Measures, TopicsById, measure_topics, summarize
from assay.validation.running.runner import SearchSetup, repeat_timing, run_topics, without_excluded
from assay.validation.statistics import compare
from assay.validation.structure import CheckContext, structure_findings, structure_notes

_ONLY_HITS = (
    "Only hits are known, not the index: measures that need the relevant chunks that were not found (Recall, AP, nDCG, "
    "bpref) are left out, and the index's integrity is not checked."
)

_MEASURED_AT_ONCE = 1_000
"""Topics measured between two updates of the progress bar."""

_LIBRARIES = ("assay", "numpy", "qdrant-edge-py", "wordllama")


@dataclass(frozen=True, slots=True)
class System:
    """The system under validation: a searcher, and the topics resolved on its generation.

    generation: None for another process, of which only hits are known.
    id: of the generation; "" if unknown.
    topics: resolved on the generation; unresolved if only hits are known.
    label: resolves the topics on the hits if only hits are known.
    page_texts: of the generation.
    """

    generation: Generation | None
    id: str
    topics: tuple[ResolvedTopic, ...]
    setup: SearchSetup
    label: Callable[[Run], tuple[ResolvedTopic, ...]] | None = None
    page_texts: PageTexts = no_page_texts


@dataclass(frozen=True, slots=True)
class Plan:
    """The inputs of a validation.

    live: the live generation to compare with; None if nothing is live or no limit needs it.
    not_compared: why the live generation cannot be searched although a limit needs it; empty if it can.
    removed: judgments that are left out because their pages were removed on purpose.
    accepted: judgments that are left out because they were lost before the live generation passed.
    test_set: None to check the structure only.
    structure: the input of the structural checks; None to check queries only.
    load: further loads to measure latency under, one after the other.
    contract_mode: how the contracts' routes select and order hits; None if unknown.
    started_at: names the report.
    notes: notes of the verdict on how it was planned.
    remembered_path: path of the test set for later validations, as in Verdict; None if the verdict is not stored.
    problem_of_url: requests the address of a hit and returns why it is dead; None to request none.
    """

    test_set: TestSet | None
    test_set_path: str | None
    system: System
    live: System | None
    not_compared: AgainstLive
    removed: tuple[Removed, ...]
    measures: Measures
    gate: Gate
    target: str
    search: Mapping[str, object]
    structure: CheckContext | None
    load: tuple[Load, ...]
    started_at: datetime
    contract_mode: ContractMode | None = None
    notes: tuple[str, ...] = ()
    remembered_path: str | None = None
    problem_of_url: Callable[[str], str] | None = None
    accepted: tuple[Removed, ...] = ()

    @property
    def derived(self) -> bool:
        """Whether the test set is derived."""
        return self.test_set is not None and self.test_set.derived


def validate(plan: Plan, progress: Progress) -> Validation:
    """Run a validation: measure, check the limits, and build the verdict.

    Raises AssayError from the structural checks and the load. A topic that fails is a finding.
    """
    started = perf_counter()
    topics, results, latency = _measure(plan.system, plan.measures, progress, timed=True)
    limits = plan.gate.quality
    measured = Measured(
        results,
        check_hits(hit for result in results for hit in result.hits[: result.topic.top_k]),
        latency,
        _against_live(plan, topics, results, progress),
        only_hits=plan.system.label is not None,
        derived=plan.derived,
        repair=_repair_command(plan),
        left_out=sum(one.has_page for one in plan.accepted),
    )
    findings, notes = _check(plan, measured, progress)
    results = results if plan.derived else with_targets(results, limits)
    within = {id(result) for result in counted(results, limits)}
    of_figures = [result for result in results if result.error is not None or id(result) in within]
    loads = _under_load(plan, progress) if all(result.asked for result in results) else ()
    measures, groups = _figures(of_figures, topics, plan.measures, progress)
    shown = None
    if plan.contract_mode is not None and of_figures:
        shown = measure_contract_order(plan.contract_mode, of_figures, topics, plan.system.setup, progress)
        judged_by_mrr = next((one.value for one in measures if one.name == BEST_HIT and not plan.derived), None)
        notes += contract_order_notes(shown, judged_by_mrr)
    validation = Validation(
        started_at=plan.started_at,
        seconds=0.0,
        topics=tuple(results),
        measures=measures,
        groups=groups,
        latency=replace(latency, loads=loads) if latency else None,
        completeness=measured.hits.completeness_rate,
        hashes=measured.hits.hash_pass_rate,
        results=measured.hits.results,
        anchoring=_anchoring(results),
        verdict=verdict(
            plan.system.id,
            plan.system.generation.content_fingerprint if plan.system.generation else "",
            plan.gate,
            findings,
            notes,
            plan.test_set,
            plan.remembered_path,
            headline(measured, limits) if plan.test_set else "",
            plan.live.id if plan.live else None,
        ),
        provenance=_provenance(plan),
        unjudged=() if plan.derived else tuple(hits_to_label(results, limits)),
        against_live=measured.against_live.overall,
        precision_target=limits.min_precision,
        shown=shown,
    )
    # Where only hits are known, the ceiling of P@5 is unknown.
    known = replace(limits, precision="attainable") if measured.only_hits else limits
    lines = advice(results, validation.latency, known, derived=plan.derived)
    return replace(validation, advice=lines, seconds=perf_counter() - started)


def _check(plan: Plan, measured: Measured, progress: Progress) -> tuple[list[Finding], list[str]]:
    """Check structure, links and quality. Return the findings, and the notes about what they do not cover."""
    limits = plan.gate.quality
    findings: list[Finding] = []
    notes = [*plan.notes, *([_ONLY_HITS] if measured.only_hits else [])]
    notes += (
        [*limit_notes(limits), *removal_notes(plan.removed), *accepted_notes(plan.accepted)] if plan.test_set else []
    )
    notes += orphan_notes(measured.results)
    notes += [f"Lost topics are not checked: {plan.not_compared.problem}"] if plan.not_compared.problem else []
    if plan.structure is not None:
        findings += structure_findings(plan.structure, plan.gate.structure, progress)
        notes += structure_notes(plan.structure)
    if plan.problem_of_url is not None:
        findings.append(links_finding(measured.results, plan.problem_of_url, progress))
    findings += quality_findings(measured, limits) if plan.test_set else []
    return findings, notes


def _repair_command(plan: Plan) -> str:
    """The command that lists the judgments whose passages are not in this generation."""
    return shlex.join(
        ["assay", "testset", "repair", plan.test_set_path or "FILE", "--generation", plan.system.id or "ID"]
    )


def _measure(
    system: System, measures: Measures, progress: Progress, *, timed: bool
) -> tuple[TopicsById, list[TopicResult], LatencyFigures | None]:
    """Run the topics and measure them. Return the labelled topics by id, their results and the latency.

    timed: repeat searches if there are too few to judge the latency.
    """
    report = run_topics(system.topics, system.setup, system.id, progress)
    topics, run = system.topics, report.run
    if system.label is not None:
        topics = system.label(run)
        run = without_excluded(run, topics)
    timings = [one.timings for one in run.topics if one.timings and one.topic_id in report.timed]
    again = repeat_timing(system.topics, system.setup, report, progress) if timed else ()
    notes = []
    if len(report.timed) < len(topics):
        notes.append(f"of {len(timings)} topics; the queries of the others were embedded in batches, which costs less")
    if again:
        notes.append(f"{len(again)} of the searches repeat a topic, because there are too few topics")
    timings += again
    results: list[TopicResult] = []
    progress.begin("measure", len(topics))
    for start in range(0, len(topics), _MEASURED_AT_ONCE):
        part = topics[start : start + _MEASURED_AT_ONCE]
        answers = replace(run, topics=run.topics[start : start + _MEASURED_AT_ONCE])
        results += measure_topics(answers, part, measures)
        progress.advance(len(part))
    progress.end()
    return {one.topic.id: one for one in topics}, results, figures(timings, "; ".join(notes)) if timings else None


def _under_load(plan: Plan, progress: Progress) -> tuple[LoadFigures, ...]:
    setup = plan.system.setup
    topics = [topic.topic for topic in plan.system.topics if topic.topic.text.strip()]
    queries = [Query(topic.text, topic.top_k, setup.mode, setup.threshold, topic.filters) for topic in topics]
    return tuple(measure_load(load, setup.search, queries, progress) for load in plan.load)


def _against_live(plan: Plan, topics: TopicsById, results: Sequence[TopicResult], progress: Progress) -> AgainstLive:
    """Compare the candidate's measures with those of the live generation."""
    if plan.live is None:
        return plan.not_compared
    _, of_live, _ = _measure(plan.live, plan.measures, progress, timed=False)
    with stage(progress, "compare"):
        limits, derived = plan.gate.quality, plan.derived
        before, after = counted(of_live, limits), counted(results, limits)
        worse, unsure = measure_worse(_no_worse_measures(plan), before, after, derived=derived)
        a, b = ({one.topic.id: one.values for one in part} for part in (before, after))
        return AgainstLive(
            falls=measure_falls(limits.measures, before, after, in_group),
            worse=worse if limits.requires_no_worse(derived=derived) else (),
            open=unsure,
            fell=topics_that_fell(_no_worse_measures(plan), before, after),
            overall=compare(plan.measures.quality_names, a, b),
            lost=find_lost_topics(before, after, topics, plan.live.page_texts),
        )


def _no_worse_measures(plan: Plan) -> tuple[str, ...]:
    if plan.derived:
        return OF_DERIVED
    both = [one.generation for one in (plan.system, plan.live) if one is not None and one.generation is not None]
    return OF_ONE_CHUNKER if len({one.chunker for one in both}) == 1 else OF_TWO_CHUNKERS


def _figures(
    results: Sequence[TopicResult], topics: TopicsById, measures: Measures, progress: Progress
) -> tuple[tuple[MeasureValue, ...], dict[str, tuple[MeasureValue, ...]]]:
    """Summarize the measures over all topics, and by type and category."""
    groups = {f"type {one.value}": one.value for one in TopicType} | {f"category {c.value}": c.value for c in Category}
    parts = {name: [result for result in results if in_group(result, group)] for name, group in groups.items()}
    filled = {name: part for name, part in parts.items() if part}
    everything = [("", results), *filled.items()]
    summaries = {
        name: summarize(part, topics, measures)
        for name, part in track(everything, progress, "summarize", len(everything))
    }
    return summaries.pop(""), summaries


def _anchoring(results: Sequence[TopicResult]) -> dict[Anchoring, int]:
    found = Counter(resolution.anchoring for result in results for resolution in result.resolutions)
    return {anchoring: found[anchoring] for anchoring in Anchoring}


def _provenance(plan: Plan) -> Provenance:
    generation = plan.system.generation
    return Provenance(
        target=plan.target,
        generation=plan.system.id or None,
        content_fingerprint=generation.content_fingerprint if generation else None,
        embedder=generation.embedder if generation else None,
        chunker=generation.chunker if generation else None,
        documents=generation.documents if generation else 0,
        chunks=generation.chunks if generation else 0,
        search=plan.search,
        test_set=plan.test_set.name if plan.test_set else None,
        test_set_fingerprint=plan.test_set.fingerprint if plan.test_set else None,
        test_set_path=plan.test_set_path,
        gate=plan.gate.fingerprint,
        versions={"python": platform.python_version()} | _versions(),
    )


@cache
def _versions() -> dict[str, str]:
    found: dict[str, str] = {}
    for library in _LIBRARIES:
        with suppress(PackageNotFoundError):
            found[library] = version(library)
    return found
