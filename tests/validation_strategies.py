"""Any result of a validation, with texts and numbers as hostile as Python lets them be."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from assay.model.evaluation import (
    Anchoring,
    Category,
    Finding,
    Interval,
    MeasureValue,
    Outcome,
    TopicType,
    Verdict,
    worst,
)
from assay.model.ranking import Hit
from assay.model.validations import Difference, TopicResult, Unjudged, Validation
from tests import validations

HOSTILE = (
    "<script>alert(1)</script>",
    "</title></style></svg><img src=x onerror=alert(1)>",
    "]]><!-- -->&lt;&#x0;",
    "| a | b |\n|---|---|",
    "`code` ``` **bold** [x](javascript:alert(1)) ![i](https://evil.example/p.png)",
    "@octocat #1 GH-1 :tada: www.evil.example https://evil.example a@b.example $x$ ~~s~~",
    "\u202eright to left\u2066",
    "NUL \0, bell \x07, escape \x1b[31m, half \ud800, none \uffff",
    "# heading\n- list\n> quote\n1. one",
    "\\",
    "'\"=`",
)

texts = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(codec=None), max_size=40))
names = texts.filter(bool)
numbers = st.one_of(
    st.none(), st.floats(0, 1), st.sampled_from([float("nan"), float("inf"), float("-inf"), -1.0, 0.0, 1e300])
)
figures = st.one_of(st.floats(0, 1), st.sampled_from([float("nan"), float("inf"), 1e300]))
urls = st.one_of(
    st.just("https://docs.example.org/a?b=<c>&d=\"e'"),
    st.just("javascript:alert(1)"),
    st.just("data:text/html,x"),
    texts,
)


@st.composite
def topic_results(draw: st.DrawFn, identity: str) -> TopicResult:
    """Any topic with its hits."""
    made = validations.topic_result(
        identity,
        draw(texts),
        draw(st.lists(st.sampled_from([0, 1, 2, None]), max_size=7)),
        kind=draw(st.sampled_from(TopicType)),
        category=draw(st.sampled_from([None, *Category])),
        relevant=6,
        lost=draw(st.lists(st.sampled_from(Anchoring), max_size=3)),
        total_ms=draw(figures),
        error=draw(st.one_of(st.none(), texts)),
        expects_answer=draw(st.booleans()),
        expected_criteria=draw(st.dictionaries(texts, st.one_of(texts, numbers, st.lists(numbers)), max_size=2)),
    )
    hits = tuple(_hostile(hit, draw(texts), draw(texts), draw(urls), draw(figures)) for hit in made.hits)
    values = dict(made.values) | {draw(names): draw(numbers)}
    reasons = tuple(replace(one, reason=draw(texts)) for one in made.resolutions)
    return replace(
        made, hits=hits, values=values, resolutions=reasons, reached=draw(st.sampled_from([None, True, False]))
    )


def _hostile(hit: Hit, text: str, title: str, url: str, similarity: float) -> Hit:
    document = replace(hit.chunk.document, title=title, url=url)
    chunk = replace(hit.chunk, text=text, document=document, section=title, heading_path=(title,), created_at=None)
    return replace(hit, chunk=chunk, similarity=similarity)


@st.composite
def measures(draw: st.DrawFn) -> MeasureValue:
    """Any mean."""
    interval = draw(st.one_of(st.none(), st.builds(Interval, figures, figures)))
    tied = draw(st.one_of(st.none(), st.tuples(figures, figures)))
    return MeasureValue(draw(st.one_of(st.just("P@5"), names)), draw(numbers), 3, 4, interval, draw(numbers), tied)


findings = st.builds(
    Finding,
    check=texts,
    outcome=st.sampled_from(Outcome),
    value=numbers,
    limit=texts,
    detail=texts,
    examples=st.lists(texts, max_size=7).map(tuple),
    count=st.integers(0, 1_000),
)


@st.composite
def any_validations(draw: st.DrawFn) -> Validation:
    """Any validation."""
    results: list[Any] = [draw(topic_results(f"{place}-{draw(names)}")) for place in range(draw(st.integers(0, 4)))]
    whole = validations.validation_of((), test_set=draw(st.booleans()))
    found = tuple(draw(st.lists(findings, max_size=3)))
    verdict = Verdict(
        worst(finding.outcome for finding in found),
        "20260302T100105Z-9c1e",
        "gate",
        "content",
        datetime(2026, 3, 2, tzinfo=UTC),
        found,
        tuple(draw(st.lists(texts, max_size=2))),
        headline=draw(texts),
    )
    unjudged = tuple(
        Unjudged(result.topic.id, hit.rank, hit, draw(texts)) for result in results for hit in result.hits[:2]
    )
    difference = st.builds(
        Difference, names, st.just(3), figures, figures, figures, st.none(), figures, figures, numbers
    )
    return replace(
        whole,
        topics=tuple(results),
        verdict=verdict,
        results=sum(len(result.hits) for result in results),
        anchoring={kind: draw(st.integers(0, 5)) for kind in Anchoring},
        measures=tuple(draw(st.lists(measures(), max_size=3, unique_by=lambda one: one.name))),
        unjudged=unjudged,
        against_live=tuple(draw(st.lists(difference, max_size=2))),
        advice=tuple(draw(st.lists(texts, max_size=3))),
        seconds=draw(figures),
        completeness=draw(figures),
        provenance=replace(
            whole.provenance, target=draw(texts), test_set=draw(texts), search={draw(names): draw(texts)}
        ),
    )
