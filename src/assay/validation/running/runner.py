"""Search the topics of a test set one after the other, and record failures.

After several failures in a row of a shared dependency, such as the embedder, the remaining topics are skipped: each
would wait for the same time-out.
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
    RerankerRefused,
    RerankerUnavailable,
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
"""Smallest number of hits per search, so that measures at 10 are complete."""

MIN_TIMED_SEARCHES = samples_to_prove(0.95)
"""Smallest number of timed searches: fewer cannot prove that 95% of all searches are fast, even if all were."""

MAX_TIMED_TOPICS = MIN_TIMED_SEARCHES
"""Largest number of timed topics if embedding a query costs money."""

GIVEN_UP_AFTER = 3
"""Failures in a row of the same dependency, each after its retries, after which the remaining topics are skipped."""

_EMBEDDED_AT_ONCE = 2_000
"""Batch size of the prefetch; the vectors of one batch are kept at a time."""

_OUTSIDE = (
    EmbedderUnavailable,
    EmbedderRefused,
    RerankerUnavailable,
    RerankerRefused,
    StoreUnavailable,
    CatalogUnavailable,
    ServiceUnavailable,
    ServiceThrottled,
    ServiceRefused,
)
"""Failures of a dependency, which the next topic would meet too."""


@dataclass(frozen=True, slots=True)
class SearchSetup:
    """The searcher and the search settings of a run.

    search: the production searcher.
    prefetch_queries: embeds the next queries in batches; None to embed each query on its own.
    mode, threshold: of every query.
    depth: hits per search; a topic with a larger top_k gets more.
    rerank: whether a reranker orders the hits.
    """

    search: Callable[[Query], Ranking]
    prefetch_queries: Callable[[Sequence[str]], None] | None
    mode: Mode
    threshold: float
    depth: int = LEAST_DEPTH
    rerank: bool = True


@dataclass(frozen=True, slots=True)
class TimedRun:
    """A run, and the topics whose latency counts.

    timed: ids of the topics whose query was embedded on its own, as in production.
    """

    run: Run
    timed: frozenset[str]


def run_topics(topics: Sequence[ResolvedTopic], setup: SearchSetup, generation: str, progress: Progress) -> TimedRun:
    """Search every topic. An error of a search is recorded with its topic and does not end the run.

    After GIVEN_UP_AFTER failures in a row of the same dependency, the remaining topics are skipped and say so. The
    first query opens files and connections, so its latency is never counted: it is searched once before, unless
    embedding costs money.
    """
    first, later = _split_timed(topics, setup)
    progress.begin("topics", len(topics))
    runs: dict[str, TopicRun] = {}
    met: dict[str, Chunk] = {}
    searcher = _TopicSearcher(setup)
    if first and setup.prefetch_queries is None:
        _TopicSearcher(setup).ask(first[0])
    for part, together in ((first, False), *((batch, True) for batch in batched(later, _EMBEDDED_AT_ONCE))):
        if together and setup.prefetch_queries is not None and not searcher.given_up:
            _prefetch(part, setup.prefetch_queries)
        for topic in part:
            answer = searcher.ask(topic)
            runs[topic.topic.id] = replace(answer, hits=tuple(_share_chunk(hit, met) for hit in answer.hits))
            progress.advance()
    progress.end()
    timed = [topic.topic.id for topic in (first if setup.prefetch_queries is None else first[1:])]
    ordered = tuple(runs[topic.topic.id] for topic in topics)
    return TimedRun(Run(generation, setup.depth, ordered), frozenset(timed))


def repeat_timing(
    topics: Sequence[ResolvedTopic], setup: SearchSetup, report: TimedRun, progress: Progress
) -> tuple[Timings, ...]:
    """Repeat the timed topics of a run until MIN_TIMED_SEARCHES searches are timed. Return the further timings.

    A paid embedder has these queries cached: their embedding time is taken from the first search. A topic that fails
    now is left out.
    """
    first = {one.topic_id: one.timings for one in report.run.topics if one.timings and one.topic_id in report.timed}
    answered = [topic for topic in topics if topic.topic.id in first]
    wanted = MIN_TIMED_SEARCHES - len(answered)
    if wanted <= 0 or not answered:
        return ()
    progress.begin("time", wanted)
    found: list[Timings] = []
    for topic in islice(cycle(answered), wanted + len(answered)):
        if len(found) == wanted:
            break
        timings = _TopicSearcher(setup).ask(topic).timings
        if timings is not None:
            before = first[topic.topic.id]
            found.append(
                timings if setup.prefetch_queries is None or before is None else _with_embedding_of(before, timings)
            )
            progress.advance()
    progress.end()
    return tuple(found)


def _with_embedding_of(before: Timings, timings: Timings) -> Timings:
    """The timings of a search with a cached query vector, with the embedding time of the first search."""
    total = timings.total_ms - timings.embed_ms + before.embed_ms
    return replace(timings, embed_ms=before.embed_ms, total_ms=total)


def _split_timed(
    topics: Sequence[ResolvedTopic], setup: SearchSetup
) -> tuple[Sequence[ResolvedTopic], Sequence[ResolvedTopic]]:
    """Split topics into those whose query is embedded on its own and those embedded in batches."""
    if setup.prefetch_queries is None or len(topics) <= MAX_TIMED_TOPICS:
        return topics, ()
    ids = [topic.topic.id for topic in topics]
    timed = set(random.Random("\n".join(ids)).sample(ids, MAX_TIMED_TOPICS + 1))  # noqa: S311 - a sample, not a secret
    return [t for t in topics if t.topic.id in timed], [t for t in topics if t.topic.id not in timed]


def _share_chunk(hit: Hit, met: dict[str, Chunk]) -> Hit:
    """Share equal chunks between hits: 100,000 topics return the same chunks many times."""
    known = met.setdefault(hit.chunk.id, hit.chunk)
    return hit if known is hit.chunk or known != hit.chunk else replace(hit, chunk=known)


def _prefetch(topics: Sequence[ResolvedTopic], prefetch_queries: Callable[[Sequence[str]], None]) -> None:
    """Prefetch a batch. Errors are ignored: the query fails again on its own and is reported there."""
    with suppress(AssayError):
        prefetch_queries([topic.topic.text for topic in topics if topic.topic.text.strip()])


class _TopicSearcher:
    """Searches topics until a dependency has failed GIVEN_UP_AFTER times in a row."""

    def __init__(self, setup: SearchSetup) -> None:
        self._setup = setup
        self._in_a_row: list[AssayError] = []

    @property
    def given_up(self) -> bool:
        """Whether the remaining topics are skipped."""
        return len(self._in_a_row) >= GIVEN_UP_AFTER

    def ask(self, topic: ResolvedTopic) -> TopicRun:
        """Search one topic; excluded chunks are removed and the ranks renumbered."""
        wanted = max(self._setup.depth, topic.topic.top_k)
        query = Query(
            topic.topic.text,
            wanted + len(topic.excluded),
            self._setup.mode,
            self._setup.threshold,
            topic.topic.filters,
            rerank=self._setup.rerank,
        )
        if not query.text.strip():
            return TopicRun(topic.topic.id, ())  # an empty query correctly finds nothing
        if self.given_up:
            why = f"Skipped after {GIVEN_UP_AFTER} failures in a row: {self._in_a_row[-1]}"
            return TopicRun(topic.topic.id, (), error=why, asked=False)
        try:
            ranking = self._setup.search(query)
        except InputError:  # the query has nothing to search for: it correctly finds nothing
            return TopicRun(topic.topic.id, ())
        except AssayError as error:
            self._note(error)
            return TopicRun(topic.topic.id, (), error=str(error))
        self._in_a_row = []
        return TopicRun(topic.topic.id, _kept(ranking.hits, topic)[:wanted], ranking.timings)

    def _note(self, error: AssayError) -> None:
        """Count failures of the same dependency; any other error does not affect the next topic."""
        same = isinstance(error, _OUTSIDE) and all(type(error) is type(before) for before in self._in_a_row)
        self._in_a_row = [*self._in_a_row, error] if same else [error] if isinstance(error, _OUTSIDE) else []


def without_excluded(run: Run, topics: Sequence[ResolvedTopic]) -> Run:
    """Remove excluded chunks from a run that was made before they were known. topics: in the order of the run."""
    answers = zip(run.topics, topics, strict=True)
    return replace(run, topics=tuple(replace(answer, hits=_kept(answer.hits, topic)) for answer, topic in answers))


def _kept(hits: Sequence[Hit], topic: ResolvedTopic) -> tuple[Hit, ...]:
    """Remove excluded hits and renumber the ranks."""
    kept = [hit for hit in hits if hit.chunk.id not in topic.excluded]
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(kept, start=1))
