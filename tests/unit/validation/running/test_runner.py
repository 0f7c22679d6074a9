"""Asking a test set's topics: what is asked, what is left out of a ranking, and what a failure costs."""

from collections.abc import Sequence

import pytest
from tests.validations import hits_of

from assay.errors import AssayError, EmbedderRefused, EmbedderUnavailable, InputError, VectorStoreError
from assay.model.evaluation import ResolvedTopic, Topic, TopicType
from assay.model.ranking import Filters, Mode, Query, Ranking, Timings
from assay.ports import Silence
from assay.validation.running import runner
from assay.validation.running.runner import (
    GIVEN_UP_AFTER,
    MAX_TIMED_TOPICS,
    MIN_TIMED_SEARCHES,
    SearchSetup,
    repeat_timing,
    run_topics,
)

TIMINGS = Timings(0.1, 0.5, 0.1, 0.2, 1.0)


class Service:
    """Gives the same hits to every query, and remembers what it was asked."""

    def __init__(self, refused: dict[str, Exception] | None = None) -> None:
        self.asked: list[Query] = []
        self.expected: list[list[str]] = []
        self.refused = refused or {}

    def search(self, query: Query) -> Ranking:
        self.asked.append(query)
        if query.text in self.refused:
            raise self.refused[query.text]
        return Ranking(query, hits_of(0, min(query.top_k, 12)), "g1", TIMINGS)

    def expect(self, texts: Sequence[str]) -> None:
        self.expected.append(list(texts))


def _topic(
    name: str, text: str | None = None, excluded: frozenset[str] = frozenset(), **fields: object
) -> ResolvedTopic:
    topic = Topic(id=name, text=name if text is None else text, **fields)  # type: ignore[arg-type]  # of a topic
    return ResolvedTopic(topic, (), {}, excluded)


def _run(service: Service, *topics: ResolvedTopic, costly: bool = False, depth: int = 10):  # noqa: ANN202
    setup = SearchSetup(service.search, service.expect if costly else None, Mode.SPARSE, 0.25, depth)
    return run_topics(topics, setup, "g1", Silence())


def test_every_topic_is_asked_as_it_says_and_as_deep_as_the_run() -> None:
    service = Service()
    filters = Filters(versions=("2.0",))
    report = _run(service, _topic("a", filters=filters), _topic("b", top_k=30))
    assert [one.topic_id for one in report.run.topics] == ["a", "b"]
    assert service.asked[-2:] == [Query("a", 10, Mode.SPARSE, 0.25, filters), Query("b", 30, Mode.SPARSE, 0.25)]
    assert (report.run.generation, report.run.depth) == ("g1", 10)


def test_the_first_search_is_made_twice_and_timed_once() -> None:
    service = Service()
    report = _run(service, _topic("a"), _topic("b"))
    assert [query.text for query in service.asked] == ["a", "a", "b"]
    assert report.timed == {"a", "b"}


def test_excluded_chunks_are_taken_out_and_the_rest_is_numbered_anew() -> None:
    whole = hits_of(0, 12)
    excluded = frozenset({whole[0].chunk.id, whole[3].chunk.id})
    service = Service()
    (answer,) = _run(service, _topic("a", excluded=excluded)).run.topics
    assert service.asked[0].top_k == 12
    assert [hit.chunk.id for hit in answer.hits] == [hit.chunk.id for hit in whole if hit.chunk.id not in excluded]
    assert [hit.rank for hit in answer.hits] == list(range(1, 11))


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_query_finds_nothing_and_is_no_failure(text: str) -> None:
    service = Service()
    (answer,) = _run(service, _topic("edge", text, type=TopicType.EDGE)).run.topics
    assert (answer.hits, answer.error, service.asked) == ((), None, [])


def test_a_query_in_which_nothing_can_be_searched_for_finds_nothing() -> None:
    service = Service({"!!!": InputError("query: nothing in it can be searched for")})
    (answer,) = _run(service, _topic("edge", "!!!")).run.topics
    assert (answer.hits, answer.error) == ((), None)


def test_an_embedder_that_fails_at_the_seventh_topic_costs_that_topic_alone() -> None:
    service = Service({"t7": EmbedderUnavailable("The provider does not answer.")})
    report = _run(service, *(_topic(f"t{number}") for number in range(1, 11)))
    failed = [one for one in report.run.topics if one.error is not None]
    assert [(one.topic_id, one.error, one.hits, one.timings) for one in failed] == [
        ("t7", "The provider does not answer.", (), None)
    ]
    assert all(one.hits for one in report.run.topics if one.topic_id != "t7")


def test_where_queries_cost_something_a_sample_is_embedded_singly_and_the_rest_together() -> None:
    service = Service()
    topics = [_topic(f"t{number}") for number in range(MAX_TIMED_TOPICS + 20)]
    report = _run(service, *topics, costly=True)
    assert len(service.asked) == len(topics)
    assert len(report.timed) == MAX_TIMED_TOPICS
    (announced,) = service.expected
    alone = [query.text for query in service.asked[: MAX_TIMED_TOPICS + 1]]
    assert set(announced) == {topic.topic.text for topic in topics} - set(alone)
    assert report.timed == set(alone[1:])
    assert [one.topic_id for one in report.run.topics] == [topic.topic.id for topic in topics]
    assert _run(Service(), *topics, costly=True).timed == report.timed


def test_hits_of_one_chunk_share_it() -> None:
    service = Service()
    first, second = _run(service, _topic("a"), _topic("b")).run.topics
    assert all(one.chunk is other.chunk for one, other in zip(first.hits, second.hits, strict=True))


DOWN = EmbedderUnavailable("The provider does not answer.", hint="Is the address right?")


class Dying(Service):
    """Fails from its so-manieth search on, each time with the next error."""

    def __init__(self, answers: int, *errors: AssayError) -> None:
        super().__init__()
        self.answers = answers
        self.errors = errors

    def search(self, query: Query) -> Ranking:
        if len(self.asked) < self.answers:
            return super().search(query)
        self.asked.append(query)
        raise self.errors[(len(self.asked) - self.answers - 1) % len(self.errors)]


@pytest.mark.parametrize("costly", [False, True])
def test_what_is_left_is_not_asked_once_topics_in_a_row_failed_for_the_same_outside_reason(costly: bool) -> None:
    service = Dying(0, DOWN)
    report = _run(service, *(_topic(f"t{number}") for number in range(5_000)), costly=costly)
    assert len(service.asked) == GIVEN_UP_AFTER + (not costly)
    assert service.expected == []
    asked = [one for one in report.run.topics if one.asked]
    assert len(asked) == GIVEN_UP_AFTER
    assert {one.error for one in asked} == {str(DOWN)}
    assert {one.error for one in report.run.topics if not one.asked} == {
        f"Skipped after {GIVEN_UP_AFTER} failures in a row: {DOWN}"
    }
    assert report.timed.isdisjoint({one.topic_id for one in report.run.topics if one.timings})


def test_topics_before_an_outage_keep_their_answers() -> None:
    report = _run(Dying(11, DOWN), *(_topic(f"t{number}") for number in range(40)))
    assert [bool(one.hits) for one in report.run.topics] == [True] * 10 + [False] * 30
    assert [one.asked for one in report.run.topics] == [True] * 13 + [False] * 27


@pytest.mark.parametrize(
    "errors",
    [
        (DOWN, EmbedderRefused("The key is refused.")),
        (VectorStoreError("This query cannot be answered."),),
    ],
)
def test_failures_for_other_reasons_or_of_the_topics_themselves_end_nothing(errors: tuple[AssayError, ...]) -> None:
    service = Dying(0, *errors)
    report = _run(service, *(_topic(f"t{number}") for number in range(30)))
    assert all(one.asked and one.error for one in report.run.topics)


def test_an_answer_in_between_tells_that_what_failed_is_there() -> None:
    service = Service({f"t{number}": DOWN for number in range(40) if number % GIVEN_UP_AFTER})
    report = _run(service, *(_topic(f"t{number}") for number in range(40)))
    assert all(one.asked for one in report.run.topics)


def test_an_empty_query_needs_no_embedder_and_is_no_failure_when_it_is_gone() -> None:
    topics = [*(_topic(f"t{number}") for number in range(5)), _topic("edge", "", type=TopicType.EDGE)]
    assert _run(Dying(0, DOWN), *topics).run.topics[-1].error is None


def test_very_many_queries_are_announced_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_EMBEDDED_AT_ONCE", 10)
    service = Service()
    _run(service, *(_topic(f"t{number}") for number in range(MAX_TIMED_TOPICS + 26)), costly=True)
    assert [len(part) for part in service.expected] == [10, 10, 5]
    asked = [query.text for query in service.asked[MAX_TIMED_TOPICS + 1 :]]
    assert [text for part in service.expected for text in part] == asked


# --- latency -------------------------------------------------------------------------------------------------------


def _again(service: Service, *topics: ResolvedTopic, costly: bool = False) -> tuple[Timings, ...]:
    """What is timed besides the run, and nothing else in `service.asked`."""
    setup = SearchSetup(service.search, service.expect if costly else None, Mode.SPARSE, 0.25, 10)
    report = run_topics(topics, setup, "g1", Silence())
    service.asked.clear()
    return repeat_timing(topics, setup, report, Silence())


@pytest.mark.parametrize("count", [1, 20, MIN_TIMED_SEARCHES - 1])
def test_few_topics_are_asked_again_until_enough_searches_are_timed(count: int) -> None:
    service = Service()
    again = _again(service, *(_topic(f"t{number}") for number in range(count)))
    assert len(again) == len(service.asked) == MIN_TIMED_SEARCHES - count
    asked = [query.text for query in service.asked]
    assert max(map(asked.count, asked)) - min(map(asked.count, asked)) <= 1  # each as often as the others


@pytest.mark.parametrize("count", [MIN_TIMED_SEARCHES, MIN_TIMED_SEARCHES + 20])
def test_enough_topics_are_not_asked_again(count: int) -> None:
    assert _again(Service(), *(_topic(f"t{number}") for number in range(count))) == ()


def test_topics_that_cannot_be_timed_are_not_asked_again() -> None:
    service = Service({"broken": VectorStoreError("gone")})
    again = _again(service, _topic("broken"), _topic("empty", text=""), _topic("good"))
    assert len(again) == MIN_TIMED_SEARCHES - 1
    assert {query.text for query in service.asked} == {"good"}
    assert _again(Service({"broken": VectorStoreError("gone")}), _topic("broken")) == ()


def test_a_service_that_fails_meanwhile_ends_the_asking() -> None:
    service = Service()
    setup = SearchSetup(service.search, None, Mode.SPARSE, 0.25, 10)
    topics = [_topic("a"), _topic("b")]
    report = run_topics(topics, setup, "g1", Silence())
    service.refused = {name: VectorStoreError("gone") for name in "ab"}
    service.asked.clear()
    assert repeat_timing(topics, setup, report, Silence()) == ()
    assert len(service.asked) <= MIN_TIMED_SEARCHES


def test_a_query_that_is_remembered_counts_as_embedded_as_long_as_the_first_time() -> None:
    """It costs nothing to embed again, and would make a provider look quicker than it is."""
    times = iter([Timings(90.0, 1.0, 0.0, 0.0, 91.0)] * 3 + [Timings(0.0, 2.0, 0.0, 0.0, 2.0)] * MIN_TIMED_SEARCHES)

    class Remembering(Service):
        def search(self, query: Query) -> Ranking:
            return Ranking(query, (), "g1", next(times))

    again = _again(Remembering(), *(_topic(name) for name in "abc"), costly=True)
    assert {(one.embed_ms, one.search_ms, one.total_ms) for one in again} == {(90.0, 2.0, 92.0)}
