"""Compare two systems on the same topics: significant differences, and the topics behind them. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from assay.errors import InputError
from assay.model.comparisons import ChangedTopic, ComparedMeasure, Comparison, Conclusion, Side
from assay.model.counting import some_of
from assay.model.evaluation import Outcome, Resolution, ResolvedTopic
from assay.model.validations import Difference, Provenance, StoredTopic, TopicResult
from assay.validation.metrics import PASSAGES, parse_measure
from assay.validation.metrics.formulas import rank_of_best
from assay.validation.metrics.judged import judge
from assay.validation.running.measuring import Measures, found_passages
from assay.validation.statistics import compare, mean_of_known
from assay.validation.unjudged import MAX_JUDGED_GAP, TopicBounds, labels_could_reverse

HEADLINE = ("nDCG@10", "P@5", "mrr", "Recall@10")
"""Compared by default. Few, because each further measure raises every adjusted p."""

ANY = "any"
"""Alias for every measure that is compared."""

_NAMED = 5
_JUDGED = "judged@5"
_NOT_QUALITY = ("judged@", "ceiling", "rank_of_best")

_ALPHA = 0.05
MUCH_FEWER = 0.05
"""Share by which the winner may have fewer relevant chunks while measures that divide by them stay fair."""

_BY_RELEVANT = ("Recall@", "AP", "nDCG", "bpref")

_TOLERANCE = 1e-9


def stored_topic(result: TopicResult) -> StoredTopic:
    """The part of a topic's result that a report stores."""
    topic = result.topic
    return StoredTopic(
        id=topic.id,
        text=topic.text,
        type=topic.type.value,
        category=topic.category.value if topic.category else None,
        values=result.values if result.passages is None else {**result.values, PASSAGES: result.passages},
        upper=result.upper,
        rank_of_best=result.rank_of_best,
        chunk_ids=tuple(hit.chunk.id for hit in result.hits[: topic.top_k]),
        labels=result.labels[: topic.top_k],
        latency_ms=result.total_ms,
        error=result.error,
        relevant=result.relevant,
        lost=_lost(result.resolutions),
    )


def ranked_topic(topic: ResolvedTopic, ranking: Sequence[str], measures: Measures) -> StoredTopic:
    """Measure an external ranking. ranking: chunk ids, best first; empty if there was no answer."""
    kept = [chunk for chunk in ranking if chunk not in topic.excluded]
    ids = [topic.judged_id(chunk) for chunk in kept]
    top_k = topic.topic.top_k
    whole, shown = judge(ids, topic.counted), judge(ids[:top_k], topic.counted)
    looked_at = {one: shown if one in measures.on_top_k else whole for one in measures.parsed}
    best = rank_of_best(shown)
    return StoredTopic(
        id=topic.topic.id,
        text=topic.topic.text,
        type=topic.topic.type.value,
        category=topic.topic.category.value if topic.topic.category else None,
        values={
            **{one.name: one.formula(part) for one, part in looked_at.items()},
            PASSAGES: found_passages(topic, ids),
        },
        upper={one.name: one.bound(part) for one, part in looked_at.items()},
        rank_of_best=None if best is None else round(best),
        chunk_ids=tuple(kept[:top_k]),
        labels=tuple(map(topic.labels.get, ids[:top_k])),
        relevant=sum(label >= 1 for label in topic.counted.values()),
        lost=_lost(topic.resolutions),
    )


def _lost(resolutions: Sequence[Resolution]) -> int:
    return sum(not one.anchoring.scores for one in resolutions)


def measures_to_compare(asked: Sequence[str], a: Side, b: Side) -> tuple[str, ...]:
    """Normalized names of the measures, each once; by default those of HEADLINE that both sides have.

    asked: names, or `any` for all that both sides have.

    Raises InputError for an unknown name, and for a measure that a side lacks.
    """
    there = _measured(a) & _measured(b)
    if not asked:
        return tuple(name for name in HEADLINE if name in there)
    names: dict[str, None] = {}
    for one in asked:
        if one.lower() in {ANY, "all"}:
            names |= dict.fromkeys(sorted(name for name in there if not name.startswith(_NOT_QUALITY)))
        else:
            names[parse_measure(one).name] = None
    for name in names:
        for side in (a, b):
            if name not in _measured(side):
                raise InputError(
                    f"{side.name} has no values of {name}.",
                    hint=f"Both have {', '.join(sorted(there))}; [validation] measures adds others to a report.",
                )
    return tuple(names)


def compare_sides(a: Side, b: Side, measures: Sequence[str] = (), notes: Sequence[str] = ()) -> Comparison:
    """Compare B with A, topic by topic.

    If the sides have different numbers of relevant chunks, as with different chunk sizes, judged passages are compared
    too (`passages@10`), and measures that divide by the relevant chunks declare no winner with fewer of them.

    measures: see measures_to_compare; the first orders the changed topics.
    notes: further warnings.

    Raises InputError if no topic can be compared, or as measures_to_compare does.
    """
    names = measures_to_compare(measures, a, b)
    joined, left_out = _join(a, b)
    if not joined or not names:
        raise InputError(
            f"{a.name} and {b.name} have no topic in common that both answered and measured.",
            hint="; ".join(left_out) or "Compare two systems that were measured with the same test set.",
        )
    of_a, of_b = ({one: side.topics[one].values for one in joined} for side in (a, b))
    judged = _judged(a, joined), _judged(b, joined)
    lost = sum(a.topics[one].lost for one in joined), sum(b.topics[one].lost for one in joined)
    relevant = _relevant(a, joined), _relevant(b, joined)
    if relevant[0] != relevant[1] and PASSAGES in _measured(a) & _measured(b):
        names = (*dict.fromkeys([*names, PASSAGES]),)
    differences = compare(names, of_a, of_b)
    return Comparison(
        a=a,
        b=b,
        topics=len(joined),
        measures=tuple(_concluded(one, a, b, joined, relevant) for one in differences),
        changed=_changed(a, b, joined, names[0]),
        ordered_by=names[0],
        judged=judged,
        lost=lost,
        differing=_differing(a.provenance, b.provenance),
        left_out=left_out,
        warnings=(*_warnings(a, b, joined), *_relevance_note(a, b, relevant), *notes),
    )


def worse(comparison: Comparison, measure: str) -> Conclusion:
    """Whether B is worse: WORSE, UNFAIR if it may be, else NOT_SHOWN. Too many lost topics make it WORSE.

    measure: one that was compared, or `any`. Raises InputError for one that was not compared.
    """
    asked = comparison.measures
    if measure.lower() != ANY:
        name = parse_measure(measure).name
        asked = tuple(one for one in asked if one.difference.measure == name)
        if not asked:
            raise InputError(f"{name} is not among the compared measures.", hint=f"Add --measure {name}.")
    if comparison.lost_topics is not None and comparison.lost_topics.outcome is Outcome.FAIL:
        return Conclusion.WORSE
    met = {one.conclusion for one in asked if one.difference.difference < 0.0}
    return next((one for one in (Conclusion.WORSE, Conclusion.UNFAIR) if one in met), Conclusion.NOT_SHOWN)


# --- joining -------------------------------------------------------------------------------------------------------


def _measured(side: Side) -> set[str]:
    return {name for topic in side.topics.values() for name, value in topic.values.items() if value is not None}


def _join(a: Side, b: Side) -> tuple[list[str], tuple[str, ...]]:
    """Ids of the topics that can be compared, in A's order, and descriptions of those left out."""
    both = [one for one in a.topics if one in b.topics]
    other = [one for one in both if a.topics[one].text != b.topics[one].text]
    failed = [one for one in both if one not in other and (a.topics[one].error or b.topics[one].error)]
    out = set(other) | set(failed)
    error = next((a.topics[one].error or b.topics[one].error for one in failed), None)
    reasons = (
        (f"that only {a.name} has", [one for one in a.topics if one not in b.topics], ""),
        (f"that only {b.name} has", [one for one in b.topics if one not in a.topics], ""),
        ("with a different text on each side", other, ""),
        ("that failed on one side", failed, f" (the first: {error})"),
    )
    return [one for one in both if one not in out], tuple(
        f"{len(ids)} {'topic' if len(ids) == 1 else 'topics'} left out {what}: {some_of(ids, _NAMED)}{cause}"
        for what, ids, cause in reasons
        if ids
    )


# --- conclusions ---------------------------------------------------------------------------------------------------


def _concluded(
    found: Difference,
    a: Side,
    b: Side,
    joined: Sequence[str],
    relevant: tuple[int | None, int | None],
) -> ComparedMeasure:
    """Draw the conclusion from a difference, with its sentence."""
    name, topics = found.measure, found.topics
    values = [(a.topics[one].values.get(name), b.topics[one].values.get(name)) for one in joined]
    if all(x == y for x, y in values):
        return ComparedMeasure(found, Conclusion.EQUAL, "the same for every topic")
    if found.adjusted_p >= _ALPHA or not found.difference:
        power = (
            f"{topics} topics are too few to estimate a detectable difference"
            if found.detectable is None
            else f"{topics} topics detect differences from {found.detectable:.2g}"
        )
        return ComparedMeasure(found, Conclusion.NOT_SHOWN, f"no significant difference; {power}")
    better = found.difference > 0.0
    loser, winner = (a, b) if better else (b, a)
    if _unfair(loser, winner, name, joined):
        return ComparedMeasure(
            found,
            Conclusion.UNFAIR,
            f"{loser.name} is lower, but fewer of its hits are judged, and labels could reverse this",
        )
    of_loser, of_winner = (relevant[0], relevant[1]) if better else (relevant[1], relevant[0])
    if _counts_less(name, of_loser, of_winner):
        return ComparedMeasure(
            found,
            Conclusion.UNFAIR,
            f"{winner.name} is higher, but it is measured against {of_winner} relevant chunks and {loser.name} against "
            f"{of_loser}",
        )
    words = f"{b.name} is {'better' if better else 'worse'}"
    return ComparedMeasure(found, Conclusion.BETTER if better else Conclusion.WORSE, words)


def _counts_less(name: str, of_loser: int | None, of_winner: int | None) -> bool:
    """Whether the winner has so few relevant chunks that this alone raises a measure that divides by them."""
    if of_loser is None or of_winner is None or not name.startswith(_BY_RELEVANT):
        return False
    return of_winner < (1.0 - MUCH_FEWER) * of_loser


def _relevant(side: Side, joined: Sequence[str]) -> int | None:
    """Total relevant chunks of the compared topics; None if a report does not count them."""
    counts = [side.topics[one].relevant for one in joined]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _relevance_note(a: Side, b: Side, relevant: tuple[int | None, int | None]) -> list[str]:
    """Warn that the sides have different numbers of relevant chunks."""
    if relevant[0] == relevant[1] or None in relevant:
        return []
    why = (
        "the chunkers cut the judged passages into different numbers of chunks"
        if a.provenance.chunker != b.provenance.chunker
        else "a passage spans more chunks on one side, or a report does not count lost judgments"
    )
    return [
        (
            f"The sides have different numbers of relevant chunks, {relevant[0]} for {a.name} and {relevant[1]} for "
            f"{b.name}: {why}. More relevant chunks lower Recall@k, AP and nDCG@k and raise P@k for the same answers. "
            f"mrr, RR, Success@k and {PASSAGES} (judged passages found) are comparable."
        )
    ]


def _unfair(loser: Side, winner: Side, name: str, joined: Sequence[str]) -> bool:
    """Whether labels for the loser's unjudged hits could bring it level."""
    kept = _without_losses(loser, winner, joined)
    bounds = [
        TopicBounds(value, most, other, lost=one not in kept)
        for one in joined
        for topic, other in [(loser.topics[one], winner.topics[one].values.get(name))]
        for value, most in [(topic.values.get(name), topic.upper.get(name))]
        if value is not None and most is not None and other is not None
    ]
    return labels_could_reverse(bounds, _judged(loser, kept), _judged(winner, kept))


def _without_losses(side: Side, other: Side, joined: Sequence[str]) -> dict[str, None]:
    """The topics for which a side lost no more judgments than the other."""
    return {one: None for one in joined if side.topics[one].lost <= other.topics[one].lost}


def _judged(side: Side, joined: Iterable[str]) -> float | None:
    return mean_of_known(side.topics[one].values.get(_JUDGED) for one in joined)


def _changed(a: Side, b: Side, joined: Sequence[str], measure: str) -> tuple[ChangedTopic, ...]:
    changed = []
    for one in joined:
        before, after = a.topics[one], b.topics[one]
        x, y = before.values.get(measure), after.values.get(measure)
        if x is not None and y is not None and (abs(y - x) > _TOLERANCE or before.rank_of_best != after.rank_of_best):
            changed.append(ChangedTopic(one, after.text, x, y, before.rank_of_best, after.rank_of_best))
    return tuple(sorted(changed, key=lambda one: (-abs(one.change), one.id)))


# --- what else differs ---------------------------------------------------------------------------------------------


def _warnings(a: Side, b: Side, joined: Sequence[str]) -> list[str]:
    warnings = []
    tests = a.provenance.test_set_fingerprint, b.provenance.test_set_fingerprint
    if tests[0] != tests[1]:
        names = [side.provenance.test_set or "one without a name" for side in (a, b)]
        which = f"two versions of {names[0]}" if names[0] == names[1] else f"{names[0]} and {names[1]}"
        warnings.append(
            f"The sides were measured with different test sets ({which}): topics are joined by their id, and a "
            "difference may come from added or changed labels."
        )
    for less, more in ((a, b), (b, a)):
        warnings += _about_judgments(less, more, joined)
    return warnings + [f"Latency of {side.name}: {side.latency_note}." for side in (a, b) if side.latency_note]


def _about_judgments(less: Side, more: Side, joined: Sequence[str]) -> Iterator[str]:
    """Warn that a side lost more judgments than the other, or that fewer of its hits are judged."""
    kept = _without_losses(less, more, joined)
    lost = sum(less.topics[one].lost - more.topics[one].lost for one in joined if one not in kept)
    if lost:
        yield (
            f"{less.name} lost {lost} judged passages of {len(joined) - len(kept)} topics that {more.name} has. This "
            "lowers its values, and no label can correct it. If the pages were removed on purpose, add "
            "--allow-removals."
        )
    of_less, of_more = _judged(less, kept), _judged(more, kept)
    if of_less is not None and of_more is not None and of_more - of_less > MAX_JUDGED_GAP:
        yield (
            f"{of_less:.0%} of the first hits of {less.name} are judged, and {of_more:.0%} of those of {more.name}. "
            f"Unjudged hits count as not relevant, so {less.name} may be better than its values; `assay label` shows "
            "the hits to judge."
        )


def _differing(a: Provenance, b: Provenance) -> dict[str, tuple[str, str]]:
    """All recorded facts in which the systems differ."""
    x, y = _facts(a), _facts(b)
    names = [*x, *(name for name in y if name not in x)]
    return {name: (x.get(name, "–"), y.get(name, "–")) for name in names if x.get(name) != y.get(name)}


def _facts(provenance: Provenance) -> Mapping[str, str]:
    facts: dict[str, object] = {
        "generation": provenance.generation,
        "content": (provenance.content_fingerprint or "")[:12] or None,
        "documents": provenance.documents,
        "chunks": provenance.chunks,
        "test set": provenance.test_set,
    }
    facts |= {f"search.{name}": value for name, value in provenance.search.items()}
    for name, identity in (("embedder", provenance.embedder), ("chunker", provenance.chunker)):
        facts |= {f"{name}.{field}": value for field, value in (asdict(identity) if identity else {}).items()}
    facts |= {f"version.{name}": value for name, value in provenance.versions.items()}
    return {name: "–" if value is None else str(value) for name, value in facts.items()}
