"""Asks the topics of a test set, one after the other; what fails is kept as failed.

Where topics in a row fail because something that all of them need is not there, such as the embedder, the rest is not
asked: each would wait as long as those did, to no other end.
"""

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import cycle, islice

from assay.errors import (
    AssayError,
    CatalogUnavailable,
    EmbedderRefused,
    EmbedderUnavailable,
    InputError,
    ServiceRefused,
    ServiceThrottled,
    ServiceUnavailable,
    StoreUnavailable,
)
from assay.model.batches import batched
from assay.model.documents import Chunk
from assay.model.evaluation import ResolvedTopic, Run, TopicRun
from assay.model.ranking import Hit, Mode, Query, Ranking, Timings
from assay.ports import Progress
from assay.validation.statistics import samples_to_prove

LEAST_DEPTH = 10
"""Hits that are asked for at least, so that measures at 10 mean what they say."""

ENOUGH_TIMED = samples_to_prove(0.95)
"""Searches that are timed at least: with fewer, even if all were quick, 95% of all searches might not be."""

MOST_TIMED = ENOUGH_TIMED
"""Topics whose latency is measured where each query costs something to embed."""

GIVEN_UP_AFTER = 3
"""Topics in a row that fail for the same outside reason, each after its retries, until the rest is not asked."""

_EMBEDDED_AT_ONCE = 2_000
"""Queries that are announced together: their vectors are held until the next are."""

_OUTSIDE = (
    EmbedderUnavailable,
    EmbedderRefused,
    StoreUnavailable,
    CatalogUnavailable,
    ServiceUnavailable,
    ServiceThrottled,
    ServiceRefused,
)
"""What is no fault of a topic, and befalls the next one too."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom the topics are asked of, and how.

    search: the production searcher.
    prefetch_queries: tells the embedder what will be asked next, so that it embeds many in one call; None to have every
        query embedded by itself.
    mode, threshold: of every query.
    depth: hits to ask for; a topic with a larger top_k gets more.
    """

    search: Callable[[Query], Ranking]
    prefetch_queries: Callable[[Sequence[str]], None] | None
    mode: Mode
    threshold: float
    depth: int = LEAST_DEPTH


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run, and which of its topics have a latency that means something.

    timed: ids of the topics whose query was embedded by itself, as in production.
    """

    run: Run
    timed: frozenset[str]


def run_topics(topics: Sequence[ResolvedTopic], asked: Asked, generation: str, progress: Progress) -> RunReport:
    """Ask every topic. Nothing that a search raises ends the run: it is that topic's error.

    Once GIVEN_UP_AFTER of them in a row failed for the same outside reason, those that are left are not asked, and say
    so. The first query of all opens what the others find open, so its latency is never counted: it is asked once more,
    unless asking costs something.
    """
    first, later = _in_two(topics, asked)
    progress.begin("topics", len(topics))
    runs: dict[str, TopicRun] = {}
    met: dict[str, Chunk] = {}
    asking = _Asking(asked)
    if first and asked.prefetch_queries is None:
        _Asking(asked).ask(first[0])
    for part, together in ((first, False), *((batch, True) for batch in batched(later, _EMBEDDED_AT_ONCE))):
        if together and asked.prefetch_queries is not None and not asking.given_up:
            _announce(part, asked.prefetch_queries)
        for topic in part:
            answer = asking.ask(topic)
            runs[topic.topic.id] = replace(answer, hits=tuple(_sharing(hit, met) for hit in answer.hits))
            progress.advance()
    progress.end()
    alone = [topic.topic.id for topic in (first if asked.prefetch_queries is None else first[1:])]
    ordered = tuple(runs[topic.topic.id] for topic in topics)
    return RunReport(Run(generation, asked.depth, ordered), frozenset(alone))


def time_again(
    topics: Sequence[ResolvedTopic], asked: Asked, report: RunReport, progress: Progress
) -> tuple[Timings, ...]:
    """Ask the timed topics of a run again until ENOUGH_TIMED searches are timed; returns the further timings.

    An embedder that costs something remembers these queries: embedding one counts as long as it took the first time.
    A topic that fails now is left out, and ends the asking where nothing else answers.
    """
    first = {one.topic_id: one.timings for one in report.run.topics if one.timings and one.topic_id in report.timed}
    answered = [topic for topic in topics if topic.topic.id in first]
    wanted = ENOUGH_TIMED - len(answered)
    if wanted <= 0 or not answered:
        return ()
    progress.begin("time", wanted)
    found: list[Timings] = []
    for topic in islice(cycle(answered), wanted + len(answered)):
        if len(found) == wanted:
            break
        timings = _Asking(asked).ask(topic).timings
        if timings is not None:
            before = first[topic.topic.id]
            found.append(timings if asked.prefetch_queries is None or before is None else _embedded_as(before, timings))
            progress.advance()
    progress.end()
    return tuple(found)


def _embedded_as(before: Timings, timings: Timings) -> Timings:
    """The timings of a search whose query was remembered, with the time that embedding it took before."""
    total = timings.total_ms - timings.embed_ms + before.embed_ms
    return replace(timings, embed_ms=before.embed_ms, total_ms=total)


def _in_two(topics: Sequence[ResolvedTopic], asked: Asked) -> tuple[Sequence[ResolvedTopic], Sequence[ResolvedTopic]]:
    """Those whose query is embedded by itself, and those whose embeddings may be made in few calls."""
    if asked.prefetch_queries is None or len(topics) <= MOST_TIMED:
        return topics, ()
    ids = [topic.topic.id for topic in topics]
    alone = set(random.Random("\n".join(ids)).sample(ids, MOST_TIMED + 1))  # noqa: S311 - a sample, not a secret
    return [t for t in topics if t.topic.id in alone], [t for t in topics if t.topic.id not in alone]


def _sharing(hit: Hit, met: dict[str, Chunk]) -> Hit:
    """The hit with the chunk that another hit has already: a hundred thousand topics meet the same ones again."""
    known = met.setdefault(hit.chunk.id, hit.chunk)
    return hit if known is hit.chunk or known != hit.chunk else replace(hit, chunk=known)


def _announce(topics: Sequence[ResolvedTopic], prefetch_queries: Callable[[Sequence[str]], None]) -> None:
    """What cannot be embedded together fails again one by one, and is told apart there."""
    with suppress(AssayError):
        prefetch_queries([topic.topic.text for topic in topics if topic.topic.text.strip()])


class _Asking:
    """Asks topic after topic, as long as there is use in it."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._in_a_row: list[AssayError] = []

    @property
    def given_up(self) -> bool:
        """Whether no further topic is asked."""
        return len(self._in_a_row) >= GIVEN_UP_AFTER

    def ask(self, topic: ResolvedTopic) -> TopicRun:
        """One topic's hits, without the chunks that are excluded and numbered anew."""
        wanted = max(self._asked.depth, topic.topic.top_k)
        query = Query(
            topic.topic.text,
            wanted + len(topic.excluded),
            self._asked.mode,
            self._asked.threshold,
            topic.topic.filters,
        )
        if not query.text.strip():
            return TopicRun(topic.topic.id, ())  # asks for nothing, so nothing is the right answer
        if self.given_up:
            why = f"It was not asked, for {GIVEN_UP_AFTER} topics in a row before it failed: {self._in_a_row[-1]}"
            return TopicRun(topic.topic.id, (), error=why, asked=False)
        try:
            ranking = self._asked.search(query)
        except InputError:  # nothing in it can be searched for: the service refuses it, and finds nothing
            return TopicRun(topic.topic.id, ())
        except AssayError as error:
            self._note(error)
            return TopicRun(topic.topic.id, (), error=str(error))
        self._in_a_row = []
        return TopicRun(topic.topic.id, _kept(ranking.hits, topic)[:wanted], ranking.timings)

    def _note(self, error: AssayError) -> None:
        """Count failures for one outside reason; any other tells nothing of the next topic."""
        same = isinstance(error, _OUTSIDE) and all(type(error) is type(before) for before in self._in_a_row)
        self._in_a_row = [*self._in_a_row, error] if same else [error] if isinstance(error, _OUTSIDE) else []


def without_excluded(run: Run, topics: Sequence[ResolvedTopic]) -> Run:
    """A run that was made before it was known which chunks are excluded. topics: in the order of the run."""
    answers = zip(run.topics, topics, strict=True)
    return replace(run, topics=tuple(replace(answer, hits=_kept(answer.hits, topic)) for answer, topic in answers))


def _kept(hits: Sequence[Hit], topic: ResolvedTopic) -> tuple[Hit, ...]:
    """The hits that are not excluded, numbered anew."""
    kept = [hit for hit in hits if hit.chunk.id not in topic.excluded]
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(kept, start=1))
