"""Results of validations, made up and true to life: one that passed, one that failed, and what lies at the edges."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from statistics import fmean

from assay.model.documents import Chunk, DocumentInfo
from assay.model.evaluation import (
    Anchoring,
    Category,
    Finding,
    Interval,
    Judgment,
    MeasureValue,
    Outcome,
    Passage,
    Quote,
    Resolution,
    Span,
    Topic,
    TopicType,
    Verdict,
    worst,
)
from assay.model.generations import ChunkerIdentity, EmbedderIdentity
from assay.model.ids import chunk_id, content_hash, document_id
from assay.model.ranking import Hit
from assay.model.validations import (
    Difference,
    LatencyFigures,
    LoadFigures,
    Percentiles,
    Provenance,
    TopicResult,
    Unjudged,
    Validation,
)
from assay.validation.gate.policy import NO_TEST_SET

SITE = "https://handbook.example/docs"
BEGAN = datetime(2026, 3, 2, 10, 4, 5, 250_000, tzinfo=UTC)
GENERATION = "20260302T100105Z-9c1e"
TARGET = 0.8
FINGERPRINT = {name: content_hash(name) for name in ("content", "test set", "gate")}

PASSAGES: tuple[tuple[str, str, str, str], ...] = (
    (
        "communication/nodes-and-topics",
        "Nodes and topics",
        "Nodes",
        "Nodes exchange messages over topics, ask short questions with services, and hand out longer work as actions.",
    ),
    (
        "communication/qos",
        "Networking and QoS",
        "Profiles",
        "Sensor topics use best effort, for a measurement is worthless once the next one is there.",
    ),
    (
        "communication/services-and-actions",
        "Services and actions",
        "Actions",
        "An action has a goal, a stream of feedback and one result. If the robot has to move first, it is an action.",
    ),
    (
        "robot-description",
        "Robot description",
        "Inertia",
        '```xml\n<inertial>\n  <mass value="2.4"/>\n</inertial>\n```\nA physical inertia tensor is positive definite.',
    ),
    (
        "safety/emergency-stop",
        "Emergency stop",
        "Categories",
        "A stop of category 0 removes the power at once; category 1 brings the robot to rest first.",
    ),
    (
        "safety/fault-codes",
        "Fault codes",
        "Battery",
        "| code | meaning |\n|---|---|\n| B-101 | cell voltage low |\n| B-204 | pack too hot |",
    ),
    (
        "motion/balance-and-walking",
        "Balance and walking",
        "Capture point",
        "The robot stays upright as long as the capture point lies within the polygon of its feet.",
    ),
    (
        "sensing/sensors",
        "Sensors",
        "Cameras",
        "Every camera publishes images with the time of exposure; all of them use the sensor profile.",
    ),
    ("glossary", "Glossary", "T", "**Topic**: a named channel. Nodes exchange messages over topics."),
    (
        "operations/troubleshooting",
        "Troubleshooting",
        "No messages",
        "A reliable subscriber gets nothing from a best-effort sensor topic; use the sensor profile.",
    ),
    (
        "simulation",
        "Simulation",
        "Running without hardware",
        "The simulator publishes the same topics with the same QoS, so that a node cannot tell the difference.",
    ),
    (
        "skills/voice-commands",
        "Voice commands",
        "Wake word",
        "Nothing is recorded before the wake word. The words themselves never leave the robot.",
    ),
)


def chunk_of(place: int, text: str | None = None, **changes: object) -> Chunk:
    """A chunk of the handbook; place: which of PASSAGES, counted round."""
    path, title, section, passage = PASSAGES[place % len(PASSAGES)]
    url = f"{SITE}/{path}"
    said = passage if text is None else text
    info = DocumentInfo(
        id=document_id(url),
        url=url,
        title=title,
        source="handbook",
        source_path=f"docs/{path}.md",
        slug=path.replace("/", "-"),
        source_type="docusaurus-page",
    )
    chunk = Chunk(
        id=chunk_id(url, content_hash(said), 0),
        document=info,
        text=said,
        start=40,
        end=40 + len(said),
        position=place % 4,
        section=section,
        heading_path=(section,),
        anchor=section.lower().replace(" ", "-"),
        token_count=40,
        tokenizer="test",
        content_hash=content_hash(said),
        embedded_hash=content_hash(f"{title} {said}"),
        created_at=datetime(2026, 3, 2, 10, 1, 7, tzinfo=UTC),
    )
    return replace(chunk, **changes)  # type: ignore[arg-type]  # the fields are those of a chunk


def hits_of(first: int, count: int, top: float = 0.82) -> tuple[Hit, ...]:
    """So many hits, less and less similar; first: the place of the first one's chunk."""
    return tuple(
        Hit(rank, chunk_of(first + rank - 1), round(max(top - 0.055 * (rank - 1), 0.0), 4), 1.0 / rank)
        for rank in range(1, count + 1)
    )


def measures_of(labels: Sequence[int], relevant: int) -> dict[str, float | None]:
    """The measures of one ranking, by their definitions."""
    gains = [label / math.log2(rank + 1) for rank, label in enumerate(labels[:10], start=1)]
    ideal = [2.0 / math.log2(rank + 1) for rank in range(1, min(max(relevant, 1), 10) + 1)]
    first = next((rank for rank, label in enumerate(labels, start=1) if label >= 1), None)
    best = best_rank(labels)
    return {
        "P@5": sum(label >= 1 for label in labels[:5]) / 5,
        "mrr": 1.0 / best if best else 0.0,
        "RR": 1.0 / first if first else 0.0,
        "nDCG@10": min(sum(gains) / sum(ideal), 1.0),
        "Recall@10": min(sum(label >= 1 for label in labels[:10]) / relevant, 1.0) if relevant else None,
        "ceiling P@5": min(5, relevant) / 5,
    }


def best_rank(labels: Sequence[int]) -> int | None:
    """Seed 001's rank_of_best."""
    best = max(labels, default=0)
    return labels.index(best) + 1 if best >= 1 else None


def topic_result(
    identity: str = "nodes-talk",
    text: str = "How do nodes exchange messages over topics?",
    labels: Sequence[int | None] = (2, 1, 1, 1, 0, None, 0, None, None, None),
    *,
    kind: TopicType = TopicType.SPECIFIC,
    category: Category | None = None,
    first: int = 0,
    relevant: int = 6,
    lost: Sequence[Anchoring] = (),
    total_ms: float = 2.4,
    error: str | None = None,
    **changes: object,
) -> TopicResult:
    """One topic with so many hits as there are labels, and one judgment for each relevant chunk.

    lost: what became of its last judgments, where that is not `exact`.
    changes: fields of its Topic.
    """
    topic = Topic(id=identity, text=text, type=kind, category=category)
    topic = replace(topic, **changes)  # type: ignore[arg-type]  # the fields are those of a topic
    hits = () if error else hits_of(first, len(labels), 0.82 if relevant else 0.24)
    marked = () if error else tuple(labels)
    known = [label or 0 for label in marked]
    best = [1 if label is None else label for label in marked]
    kinds = [Anchoring.EXACT] * (relevant - len(lost)) + list(lost)
    judged = [_judgment(first + place, kind) for place, kind in enumerate(kinds)]
    reached = None if error else sum(label >= 1 for label in known[:5]) / 5 >= TARGET
    return TopicResult(
        topic=replace(topic, judgments=tuple(judgment for judgment, _ in judged)),
        hits=hits,
        labels=marked,
        values={} if error else measures_of(known, relevant),
        upper={} if error else measures_of(best, max(relevant, sum(label >= 1 for label in best))),
        rank_of_best=best_rank(known),
        relevant=sum(resolution.anchoring.scores for _, resolution in judged),
        resolutions=tuple(resolution for _, resolution in judged),
        total_ms=None if error else total_ms,
        error=error,
        reached=reached,
    )


_REASONS = {
    Anchoring.EXACT: "",
    Anchoring.RE_ANCHORED: "the page has changed, and its words stand there once",
    Anchoring.AMBIGUOUS: "its words stand on the page 3 times",
    Anchoring.ORPHANED: "its words are not on the page any more",
}


def _judgment(place: int, kind: Anchoring) -> tuple[Judgment, Resolution]:
    chunk = chunk_of(place)
    words = chunk.text[:60]
    judgment = Judgment(Passage(url=chunk.document.url, quote=Quote(words)), 2 if place % 3 == 0 else 1)
    found = (chunk.id,) if kind.scores else ()
    span = Span(chunk.start, chunk.start + len(words)) if kind.scores else None
    return judgment, Resolution(kind, chunk.document.url, span, found, _REASONS[kind])


_S, _B, _P, _E = TopicType.SPECIFIC, TopicType.BROAD, TopicType.PARAPHRASE, TopicType.EDGE
_F, _C, _X = Category.FACTUAL, Category.CONCEPTUAL, Category.CONTEXTUAL

GOOD: tuple[tuple[str, str, TopicType, Category | None, tuple[int | None, ...]], ...] = (
    ("nodes-talk", "How do nodes exchange messages over topics?", _S, _C, (2, 2, 1, 1, 1, 0, None)),
    ("action-or-service", "When should I use an action instead of a service?", _S, _C, (2, 1, 1, 1, 0, None)),
    ("qos-sensors", "Which QoS profile should a subscriber use for sensor topics?", _S, _F, (2, 2, 1, 1, 0, 1)),
    ("urdf-inertia", "How are mass and inertia of a link specified in the URDF?", _S, _F, (2, 1, 1, 1, 1, 0)),
    ("stop-categories", "What does a stop of category 1 do?", _S, _F, (2, 1, 2, 0, 1, None)),
    ("battery-fault", "What does fault code B-204 mean?", _S, _F, (2, 1, 1, 1, None, 0)),
    ("capture-point", "When does the robot fall over?", _P, _C, (1, 2, 1, 1, 0, None)),
    ("camera-time", "Which time stamp does an image carry?", _S, _F, (2, 1, 1, 1, 0, None)),
    ("robot-overview", "How does the robot work?", _B, _X, (2, 1, 1, 1, 1, 1)),
    ("sensing-overview", "Tell me about sensing", _B, _X, (2, 2, 1, 1, 0, None)),
    ("program-messaging", "robot messaging between processes", _P, _C, (2, 1, 1, 1, 0, None)),
    ("without-hardware", "Can I try all this without a robot?", _P, _X, (2, 1, 1, 0, 1, None)),
    ("privacy", "Does the robot listen all the time?", _S, _C, (2, 1, 1, 0, 0, None)),
    ("quantum", "quantum computing algorithms", _E, None, (0, 0, 0, 0, 0, 0)),
    ("nonsense", "asdf qwerty zxcv", _E, None, (0, 0, 0, 0, 0, 0)),
)
"""Id, text, type, category and labels of the topics of a set that passes."""

_WORSE: Mapping[str, tuple[int | None, ...]] = {
    "action-or-service": (0, 0, 1, 0, 0, None),
    "qos-sensors": (0, 0, 0, 0, 0, 0),
    "capture-point": (0, 0, 0, 2, 0, None),
    "program-messaging": (None, None, 0, 0, 0, None),
    "without-hardware": (0, 1, 0, 0, 0, None),
    "stop-categories": (0, 2, 0, 1, 0, None),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What the made-up gate asks for."""

    share: float = 0.8
    mrr: float = 0.7
    p95_ms: float = 2_000.0


def passed() -> Validation:
    """15 topics, 12 of which have P@5 >= 0.80."""
    topics = [_topic(place, *row) for place, row in enumerate(GOOD)]
    return validation_of(
        topics,
        advice=(
            "Query 'quantum computing algorithms' returned no relevant results (expected - out of domain)",
            "Query 'asdf qwerty zxcv' returned no relevant results (expected - out of domain)",
        ),
    )


def failed() -> Validation:
    """The same after a regression: worse rankings, judgments that are lost, one topic that could not be asked."""
    topics = []
    for place, (identity, text, kind, category, labels) in enumerate(GOOD):
        lost = {"qos-sensors": (Anchoring.ORPHANED,) * 2, "urdf-inertia": (Anchoring.AMBIGUOUS,)}.get(identity, ())
        moved = (Anchoring.RE_ANCHORED,) if identity == "nodes-talk" else ()
        error = "The embedder did not answer within 30 s." if identity == "camera-time" else None
        topics.append(
            _topic(
                place, identity, text, kind, category, _WORSE.get(identity, labels), lost=(*lost, *moved), error=error
            )
        )
    return replace(
        validation_of(topics, p95_ms=1_840.0, extra=[_not_asked(topics)]),
        against_live=(
            Difference("P@5", 14, 0.74, 0.457, -0.283, Interval(-0.44, -0.13), 0.004, 0.012, 0.17),
            Difference("mrr", 14, 0.86, 0.571, -0.289, Interval(-0.5, -0.08), 0.011, 0.022, 0.21),
            Difference("nDCG@10", 14, 0.7, 0.55, -0.15, Interval(-0.31, 0.02), 0.083, 0.083, 0.16),
        ),
        advice=(
            "Topic 'camera-time' could not be asked: The embedder did not answer within 30 s.",
            "Queries of type paraphrase score low: P@5 0.20 against 0.55 of the others.",
            f"2 judgments on {SITE}/communication/qos are orphaned: `assay testset repair` repairs those it can prove.",
            "p95 latency 1840ms within acceptable range but approaching limit",
        ),
    )


def undecided() -> Validation:
    """Labels are missing: the gate would pass if the hits that nobody has judged were relevant."""
    rows = [(i, t, k, c, (2, 1, None, None, 0) if k is not _E else labels) for i, t, k, c, labels in GOOD]
    return validation_of([_topic(place, *row) for place, row in enumerate(rows)])


def structure_only() -> Validation:
    """No test set: no topics, and a verdict that says so."""
    return validation_of((), test_set=False)


def small() -> Validation:
    """One topic of each kind: good, bad, failed, and one that nothing answers; for files that people look through."""
    rows = [row for row in GOOD if row[0] in {"nodes-talk", "qos-sensors", "camera-time", "quantum"}]
    topics = []
    for place, (identity, text, kind, category, labels) in enumerate(rows):
        bad = identity == "qos-sensors"
        error = "The embedder did not answer within 30 s." if identity == "camera-time" else None
        lost = (Anchoring.RE_ANCHORED, Anchoring.ORPHANED) if bad else ()
        given = (0, None, 1, 0, 0) if bad else labels[:5]
        topics.append(_topic(place, identity, text, kind, category, given, lost=lost, error=error))
    advised = ("Query 'quantum computing algorithms' returned no relevant results (expected - out of domain)",)
    return validation_of(topics, extra=[_not_asked(topics)], advice=advised)


def many(count: int) -> Validation:
    """As many topics as asked for."""
    rows = (
        (f"topic-{number:05}", f"{GOOD[number % 15][1]} ({number})", *GOOD[number % 15][2:]) for number in range(count)
    )
    return validation_of([_topic(place, *row) for place, row in enumerate(rows)])


def _not_asked(topics: Sequence[TopicResult]) -> Finding:
    failed = [result for result in topics if result.error is not None]
    told = tuple(f"{one.topic.id}: {one.error}" for one in failed)
    return Finding(
        "topics asked",
        Outcome.INCONCLUSIVE,
        1.0 - len(failed) / len(topics),
        "every topic was searched without an error",
        f"{len(failed)} of {len(topics)} topics failed, and are in no figure: {'; '.join(told)} Fix the "
        "cause, and run again",
        told,
        len(failed),
    )


def _topic(
    place: int,
    identity: str,
    text: str,
    kind: TopicType,
    category: Category | None,
    labels: Sequence[int | None],
    *,
    lost: Sequence[Anchoring] = (),
    error: str | None = None,
) -> TopicResult:
    nothing = kind is TopicType.EDGE
    return topic_result(
        identity,
        text,
        labels,
        kind=kind,
        category=category,
        first=place,
        relevant=0 if nothing else 6,
        lost=lost,
        total_ms=1.9 + 0.13 * place,
        error=error,
        expects_answer=not nothing,
        expected_criteria={
            "min_score": 0.3,
            "expected_topic": "none" if nothing else text.rpartition(" ")[2].strip("?"),
        },
    )


def validation_of(
    topics: Sequence[TopicResult],
    *,
    p95_ms: float = 4.1,
    test_set: bool = True,
    extra: Sequence[Finding] = (),
    advice: Sequence[str] = (),
    limits: Limits | None = None,
) -> Validation:
    """A validation of these topics, with the means, findings and verdict that follow from them."""
    asked = limits or Limits()
    answered = [result for result in topics if result.error is None]
    findings = (*_structure(), *extra, *(_quality(answered, p95_ms, asked) if test_set else ()))
    good = sum(result.reached is True for result in answered)
    headline = f"{good}/{len(answered)} queries ({_of(good, answered):.0%}) achieved precision@5 >= {TARGET:.2f}."
    outcome = worst(finding.outcome for finding in findings)
    notes = () if test_set else (NO_TEST_SET,)
    verdict = Verdict(
        outcome,
        GENERATION,
        FINGERPRINT["gate"],
        FINGERPRINT["content"],
        BEGAN,
        findings,
        notes,
        FINGERPRINT["test set"] if test_set else None,
        "handbook" if test_set else None,
        "examples/handbook.testset.yaml" if test_set else None,
        headline if test_set else "",
    )
    return Validation(
        started_at=BEGAN,
        seconds=1.84,
        topics=tuple(topics),
        measures=overall(topics),
        groups=_groups(topics),
        latency=_latency(len(answered), p95_ms) if test_set else None,
        completeness=1.0,
        hashes=1.0,
        results=sum(len(result.hits[: result.topic.top_k]) for result in topics),
        anchoring={
            kind: sum(one.anchoring is kind for result in topics for one in result.resolutions) for kind in Anchoring
        },
        verdict=verdict,
        provenance=_provenance(test_set=test_set),
        unjudged=_unjudged(answered),
        advice=tuple(advice),
        precision_target=TARGET,
    )


def overall(topics: Sequence[TopicResult]) -> tuple[MeasureValue, ...]:
    """Every measure over these topics; the interval is a rough one."""
    names = dict.fromkeys(name for result in topics for name in result.values)
    found = []
    for name in names:
        values = [value for result in topics if (value := result.values.get(name)) is not None]
        upper = [value for result in topics if (value := result.upper.get(name)) is not None]
        if not values:
            found.append(MeasureValue(name, None, 0, len(topics)))
            continue
        mean = fmean(values)
        half = 1.96 * math.sqrt(fmean((value - mean) ** 2 for value in values) / len(values))
        interval = Interval(max(mean - half, 0.0), min(mean + half, 1.0)) if len(values) > 1 else None
        found.append(MeasureValue(name, mean, len(values), len(topics), interval, fmean(upper) if upper else None))
    return tuple(found)


def _groups(topics: Sequence[TopicResult]) -> dict[str, tuple[MeasureValue, ...]]:
    groups: dict[str, list[TopicResult]] = {}
    for result in topics:
        groups.setdefault(f"type {result.topic.type.value}", []).append(result)
    for result in topics:
        if result.topic.category:
            groups.setdefault(f"category {result.topic.category.value}", []).append(result)
    return {name: overall(members) for name, members in groups.items()}


def _structure() -> tuple[Finding, ...]:
    return (
        Finding("completeness", Outcome.PASS, 1.0, "every chunk has its URL, title, position, content, time and hash"),
        Finding(
            "hashes", Outcome.PASS, 1.0, "the recomputed SHA-256 of every document's and chunk's text is the stored"
        ),
        Finding("failed pages", Outcome.PASS, 0.0, "at most 5% of the pages failed"),
    )


def _quality(results: Sequence[TopicResult], p95_ms: float, limits: Limits) -> list[Finding]:
    good = sum(result.reached is True for result in results)
    best = sum((result.upper.get("P@5") or 0.0) >= TARGET for result in results)
    mrr = fmean([result.values.get("mrr") or 0.0 for result in results]) if results else 0.0
    missing = [f"{one.topic.id}: P@5 {one.values.get('P@5') or 0.0:.2f}" for one in results if not one.reached]
    return [
        _finding(
            "precision",
            _of(good, results),
            _of(best, results),
            limits.share,
            f"at least {limits.share:.0%} of the topics have P@5 >= {TARGET:g}",
            f"{good} of {len(results)} topics ({_of(good, results):.3g}) have P@5 >= {TARGET:g}; required: "
            f"{limits.share:.0%}",
            missing,
        ),
        _finding(
            "MRR",
            mrr,
            mrr,
            limits.mrr,
            f"the best hit's 1 / rank is at least {limits.mrr:g} on average",
            f"MRR is {mrr:.3f}; required: {limits.mrr:g}",
            [],
        ),
        Finding(
            "latency",
            Outcome.PASS if p95_ms < limits.p95_ms else Outcome.FAIL,
            p95_ms,
            f"95% of the searches take less than {limits.p95_ms:g} ms",
        ),
    ]


def _finding(
    check: str, value: float, best: float, least: float, limit: str, detail: str, examples: Sequence[str]
) -> Finding:
    if value >= least - 1e-9:
        return Finding(check, Outcome.PASS, value, limit)
    outcome = Outcome.INCONCLUSIVE if best >= least - 1e-9 else Outcome.FAIL
    return Finding(check, outcome, value, limit, detail, tuple(examples[:50]), len(examples))


def _of(part: int, whole: Sequence[object]) -> float:
    return part / len(whole) if whole else 0.0


def percentiles(samples: int, p50_ms: float, p95_ms: float) -> Percentiles:
    """Figures with these two."""
    return Percentiles(samples, p50_ms * 1.12, p50_ms, p95_ms, p95_ms * 1.04, p95_ms * 1.05, samples < 1_000)


def _latency(samples: int, p95_ms: float) -> LatencyFigures:
    shares = {"embed": 0.16, "search": 0.55, "fuse": 0.07, "filter": 0.14}
    at_once = percentiles(500, p95_ms * 2.2, p95_ms * 4.0)
    return LatencyFigures(
        **asdict(percentiles(samples, p95_ms * 0.58, p95_ms)),
        stages={name: percentiles(samples, p95_ms * 0.58 * share, p95_ms * share) for name, share in shares.items()},
        loads=(LoadFigures(**asdict(at_once), name="50 at once", errors=0, rate=1_900.0),),
        note="The first search is left out: it opens what the others find open.",
    )


def _unjudged(results: Sequence[TopicResult]) -> tuple[Unjudged, ...]:
    return tuple(
        Unjudged(result.topic.id, hit.rank, hit, "counts as not relevant until it is judged")
        for result in results
        for hit, label in zip(result.hits[:5], result.labels, strict=False)
        if label is None
    )[:50]


def _provenance(*, test_set: bool) -> Provenance:
    return Provenance(
        target="candidate",
        generation=GENERATION,
        content_fingerprint=FINGERPRINT["content"],
        embedder=EmbedderIdentity("static", "wordllama-l2-256", 256, revision="1"),
        chunker=ChunkerIdentity("reader-3", "chunker-2", 1_800, None, 0, "characters"),
        documents=23,
        chunks=118,
        search={"mode": "hybrid", "fusion": "score", "dense_weight": 0.4, "sparse_weight": 1.0, "depth": 10},
        test_set="handbook" if test_set else None,
        test_set_fingerprint=FINGERPRINT["test set"] if test_set else None,
        test_set_path="examples/handbook.testset.yaml" if test_set else None,
        gate=FINGERPRINT["gate"],
        versions={"assay": "0.1.0", "python": "3.12.3", "qdrant-edge-py": "0.9.0", "wordllama": "0.4.0"},
    )
