"""Assay's own shape."""

import json
from dataclasses import replace

import pytest
from tests.rankings import URL, chunk_of, hit_of, ranking_of

from assay.contracts.native import parse, to_body, to_results, to_timings
from assay.contracts.native_entities import SearchInclude, SearchRanking
from assay.errors import InputError
from assay.model.headings import InnerHeading
from assay.model.ranking import Correction, Filters, Mode
from assay.settings import SearchSettings

DEFAULTS = SearchSettings(top_k=7, mode=Mode.SPARSE, threshold=0.25)


def query_of(**fields: object) -> object:
    return parse({"query": "nodes", **fields}, DEFAULTS).query


@pytest.mark.parametrize(
    ("query", "accepted"),
    [
        pytest.param("", False, id="0 characters"),
        pytest.param("a", True, id="1 character"),
        pytest.param("a" * 500, True, id="500 characters"),
        pytest.param("a" * 501, True, id="501 characters"),
        pytest.param("a" * 2_000, True, id="2,000 characters"),
        pytest.param("a" * 2_001, False, id="2,001 characters"),
        pytest.param("   ", False, id="spaces"),
        pytest.param("🤖" * 2_000, True, id="2,000 emoji"),
        pytest.param("no\0de", False, id="NUL"),
        pytest.param("\u202eكيف تتواصل العقد؟", True, id="right to left"),
        pytest.param("\ud800", False, id="lone surrogate"),
        pytest.param(None, False, id="null"),
    ],
)
def test_borders_of_query(query: object, accepted: bool) -> None:
    if accepted:
        assert parse({"query": query}, DEFAULTS).query.text == query
    else:
        with pytest.raises(InputError, match=r"^query: .* a string of 1 to 2,000 characters"):
            parse({"query": query}, DEFAULTS)


@pytest.mark.parametrize("top_k", [1, 20, 21, 100])
def test_top_k_inside_its_range_is_taken(top_k: int) -> None:
    assert parse({"query": "nodes", "top_k": top_k}, DEFAULTS).query.top_k == top_k


@pytest.mark.parametrize("top_k", [0, 101, -1, "5", 5.0, True, float("nan"), [5]])
def test_top_k_of_another_range_or_type_is_refused(top_k: object) -> None:
    with pytest.raises(InputError, match=r"^top_k: it must be a whole number from 1 to 100; "):
        query_of(top_k=top_k)


@pytest.mark.parametrize("threshold", [0, 0.0, 0.5, 1, 1.0])
def test_a_threshold_inside_its_range_is_taken(threshold: float) -> None:
    assert parse({"query": "nodes", "threshold": threshold}, DEFAULTS).query.threshold == threshold


@pytest.mark.parametrize("threshold", [-0.01, 1.01, float("nan"), float("inf"), "0.5", True])
def test_a_threshold_of_another_range_or_type_is_refused(threshold: object) -> None:
    with pytest.raises(InputError, match=r"^threshold: it must be a number from 0 to 1; "):
        query_of(threshold=threshold)


@pytest.mark.parametrize("mode", list(Mode))
def test_every_mode_is_taken_by_its_name(mode: Mode) -> None:
    assert parse({"query": "nodes", "mode": mode.value}, DEFAULTS).query.mode is mode


@pytest.mark.parametrize("mode", ["fuzzy", "HYBRID", "", 3, True])
def test_another_mode_is_refused(mode: object) -> None:
    with pytest.raises(InputError, match=r"^mode: it must be one of hybrid, dense, sparse; "):
        query_of(mode=mode)


@pytest.mark.parametrize("fields", [{}, {"top_k": None, "mode": None, "threshold": None}])
def test_what_is_left_out_or_null_comes_from_the_settings(fields: dict[str, object]) -> None:
    query = parse({"query": "nodes", **fields}, DEFAULTS).query
    assert (query.top_k, query.mode, query.threshold) == (7, Mode.SPARSE, 0.25)
    assert query.filters == Filters()
    assert not query.with_vectors


def test_filters_reach_the_query() -> None:
    asked = {
        "versions": ["2.0"],
        "locales": ["en", "fr"],
        "url_prefix": "HTTPS://Docs.Example.org:443/guide/",
        "sections": ["Topics"],
        "sources": ["handbook"],
        "everything": True,
    }
    assert parse({"query": "nodes", "filters": asked}, DEFAULTS).query.filters == Filters(
        versions=("2.0",),
        locales=("en", "fr"),
        url_prefix="https://docs.example.org/guide",
        sections=("Topics",),
        sources=("handbook",),
        everything=True,
    )


@pytest.mark.parametrize("name", ["version", "versions", "locale", "locales", "source", "sources", "section"])
def test_a_filter_next_to_the_query_is_pointed_to_the_filters(name: str) -> None:
    with pytest.raises(InputError, match=rf"There is no field `{name}`; did you mean `filters\.{name.rstrip('s')}s`\?"):
        query_of(**{name: ["2.0"]})


@pytest.mark.parametrize(
    ("filters", "complaint"),
    [
        ({"version": ["2.0"]}, "There is no field `version` in filters; did you mean `versions`?"),
        ({"versions": "2.0"}, "filters.versions: it must be a list of at most 50 strings"),
        ({"versions": ["a"] * 51}, "a list of 51 was sent"),
        ({"sections": ["x" * 501]}, "filters.sections[0]: it must be a string of 1 to 500 characters"),
        ({"locales": ["\ud800"]}, "filters.locales[0]: character 1 is half of a surrogate pair"),
        ({"url_prefix": "/docs"}, "filters.url_prefix: Not an absolute http(s) URL"),
        ({"url_prefix": "http://["}, "filters.url_prefix: Not a valid URL"),
        ({"url_prefix": "https://x.org/" + "a" * 2_000}, "filters.url_prefix: it must be a string of 1 to 2,000"),
        ({"everything": 1}, "filters.everything: it must be true or false; 1 was sent."),
        ([], "filters: it must be an object"),
    ],
)
def test_the_message_for_an_invalid_filter_names_it(filters: object, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        query_of(filters=filters)
    assert complaint in str(caught.value)


def test_asking_for_vectors_reaches_the_query() -> None:
    request = parse({"query": "nodes", "include": {"vectors": True}}, DEFAULTS)
    assert request.query.with_vectors
    assert request.include == SearchInclude(vectors=True)


def test_a_result_says_everything_about_its_chunk() -> None:
    hit = replace(
        hit_of("Nodes talk.", 0.87, rank_score=1.0, position=3, previous_id="before", next_id="after"),
        vector=(0.5, -0.5),
    )
    body = to_body(ranking_of(hit, text="node", mode=Mode.HYBRID), SearchInclude(vectors=True))
    timings = {"timings_ms": body.pop("timings_ms")}
    assert body == {
        "query": "node",
        "results": [
            {
                "rank": 1,
                "chunk_id": hit.chunk.id,
                "similarity": 0.87,
                "rank_score": 1.0,
                "content": "Nodes talk.",
                "highlights": [[0, 5]],
                "snippet": "Nodes talk.",
                "snippet_highlights": [[0, 5]],
                "text_fragment": None,
                "url": URL,
                "section_url": f"{URL}#topics",
                "title": "Nodes and topics",
                "section": "Topics",
                "heading_path": ["Concepts", "Topics"],
                "anchor": "topics",
                "position": 3,
                "source": "handbook",
                "source_path": "docs/concepts/nodes.md",
                "version": None,
                "locale": None,
                "start": 10,
                "end": 21,
                "previous_id": "before",
                "next_id": "after",
                "content_hash": hit.chunk.content_hash,
                "token_count": 7,
                "created_at": "2026-03-01T08:15:00Z",
                "vector": [0.5, -0.5],
            }
        ],
        "generation": "20260301T081500Z-4f2a",
        "mode": "hybrid",
        "top_k": 5,
        "threshold": 0.0,
        "degraded": False,
        "no_good_answer": False,
        "reranked": False,
        "rerank_failed": False,
        "corrections": [],
        "warnings": [],
    }
    SearchRanking.model_validate_json(json.dumps(body | timings))


def test_the_timings_add_the_formatting_to_the_search() -> None:
    timings = to_timings(ranking_of().timings, 0.0625)
    assert timings == {
        "timings_ms": {
            "embed": 0.25,
            "search": 1.5,
            "fuse": 0.125,
            "filter": 0.5,
            "rerank": 0.0,
            "format": 0.062,
            "total": 2.5,
        }
    }
    assert list(to_body(ranking_of(), SearchInclude())) == [*to_results(ranking_of(), SearchInclude()), "timings_ms"]


ALWAYS = {"rank", "chunk_id", "similarity", "rank_score"}
NOTHING = {"content": False, "metadata": False, "snippet": False}
SNIPPET = {"snippet", "snippet_highlights", "text_fragment"}


@pytest.mark.parametrize(
    ("include", "expected"),
    [
        pytest.param(SearchInclude(**NOTHING | {"content": True}), ALWAYS | {"content", "highlights"}, id="content"),
        pytest.param(SearchInclude(**NOTHING | {"snippet": True}), ALWAYS | SNIPPET, id="snippet"),
        pytest.param(SearchInclude(**NOTHING), ALWAYS, id="nothing"),
        pytest.param(SearchInclude(**NOTHING, vectors=True), ALWAYS | {"vector"}, id="vectors"),
    ],
)
def test_include_decides_which_fields_are_there(include: SearchInclude, expected: set[str]) -> None:
    results = to_body(ranking_of(hit_of("Nodes talk.")), include)["results"]
    assert isinstance(results, list)
    assert set(results[0]) == expected


def test_metadata_without_content_leaves_out_the_text_only() -> None:
    results = to_body(ranking_of(hit_of("Nodes talk.")), SearchInclude(content=False))["results"]
    assert isinstance(results, list)
    assert "content" not in results[0]
    assert results[0]["content_hash"] == chunk_of("Nodes talk.").content_hash


GUIDE = "Words.\n\n## Topics\n\nNodes talk.\n\n### Queue size\n\nHow many wait."
INNER = (
    InnerHeading(GUIDE.index("## Topics"), 2, "Topics", "topics"),
    InnerHeading(GUIDE.index("### Queue"), 3, "Queue size", "queue-size"),
)


@pytest.mark.parametrize(
    ("query", "section", "path", "anchor"),
    [
        ("words", "Guide", ["Concepts", "Guide"], "guide"),
        ("nodes", "Topics", ["Concepts", "Topics"], "topics"),
        ("how many messages wait", "Queue size", ["Concepts", "Topics", "Queue size"], "queue-size"),
        ("queue size of topics", "Queue size", ["Concepts", "Topics", "Queue size"], "queue-size"),
        ("something else", "Guide", ["Concepts", "Guide"], "guide"),
    ],
)
def test_the_section_of_a_result_is_the_one_above_the_words_that_match(
    query: str, section: str, path: list[str], anchor: str
) -> None:
    begin = {"section": "Guide", "heading_path": ("Concepts", "Guide"), "anchor": "guide"}
    hit = hit_of(GUIDE, inner_headings=INNER, **begin)
    results = to_body(ranking_of(hit, text=query), SearchInclude())["results"]
    assert isinstance(results, list)
    found = results[0]
    assert (found["section"], found["heading_path"], found["anchor"]) == (section, path, anchor)
    assert found["section_url"] == f"{URL}#{anchor}"
    assert found["content"] == GUIDE


@pytest.mark.parametrize(
    ("typing", "corrections", "expected"),
    [
        (False, (), ["node"]),
        (True, (), ["node", "nodelet"]),
        (True, (Correction("nod", "node", 0),), ["node"]),
    ],
)
def test_an_unfinished_word_is_highlighted_as_what_it_becomes(
    typing: bool, corrections: tuple[Correction, ...], expected: list[str]
) -> None:
    text = "nod" if corrections else "node"
    ranking = ranking_of(hit_of("A node, a nodelet."), text=text)
    ranking = replace(ranking, query=replace(ranking.query, typing=typing), corrections=corrections)
    results = to_body(ranking, SearchInclude())["results"]
    assert isinstance(results, list)
    assert [results[0]["content"][start:end] for start, end in results[0]["highlights"]] == expected


def test_what_a_chunk_does_not_have_is_null() -> None:
    hit = hit_of("Nodes talk.", anchor=None, created_at=None)
    hit = replace(hit, chunk=replace(hit.chunk, document=replace(hit.chunk.document, title="")))
    results = to_body(ranking_of(hit), SearchInclude())["results"]
    assert isinstance(results, list)
    assert results[0]["anchor"] is None
    assert results[0]["created_at"] is None
    assert results[0]["title"] is None
    assert results[0]["section_url"] == URL


def test_warnings_of_the_ranking_are_passed_on() -> None:
    body = to_body(replace(ranking_of(), warnings=("only stop words",)), SearchInclude())
    assert body["warnings"] == ["only stop words"]
