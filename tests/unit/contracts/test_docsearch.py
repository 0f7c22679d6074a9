"""Requests of DocSearch clients, in the forms in which each of them sends them, and the hits that they read."""

import json
import re
from dataclasses import replace
from html import unescape
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rankings import URL, chunk_of, hit_of, ranking_of

from assay.contracts.docsearch.answers import to_result
from assay.contracts.docsearch.requests import (
    DEFAULT_PRE_TAG,
    LEVELS,
    MOST_HITS,
    DocSearchQuery,
    DocSearchResult,
    parse_queries,
    parse_query,
    to_query,
)
from assay.errors import InputError
from assay.model.headings import InnerHeading
from assay.model.ranking import Correction, Filters, Hit, Mode, Ranking
from assay.settings import SearchSettings

BOX = {
    "query": "how do nodes talk",
    "indexName": "handbook",
    "attributesToRetrieve": [f"hierarchy.{level}" for level in LEVELS] + ["content", "type", "url"],
    "attributesToSnippet": [f"hierarchy.{level}:10" for level in LEVELS[1:]] + ["content:10"],
    "snippetEllipsisText": "…",
    "highlightPreTag": "<mark>",
    "highlightPostTag": "</mark>",
    "hitsPerPage": 20,
    "clickAnalytics": False,
}
"""As the boxes of @docsearch/js send it."""


def sent(**fields: object) -> DocSearchQuery:
    return parse_query({"query": "nodes", **fields}, "handbook")


def result_of(*hits: Hit, text: str = "nodes", **fields: object) -> dict[str, object]:
    result = to_result(sent(query=text, **fields), ranking_of(*hits, text=text), 1.5)
    DocSearchResult.model_validate(result)
    return result


def hits_of(*hits: Hit, **fields: object) -> list[dict[str, object]]:
    return result_of(*hits, **fields)["hits"]  # type: ignore[return-value]  # JSON


# --- requests ------------------------------------------------------------------------------------------------------


def test_the_parameters_of_a_box_are_read() -> None:
    (query,) = parse_queries({"requests": [BOX]})
    assert (query.query, query.index_name, query.hits_per_page) == ("how do nodes talk", "handbook", 20)
    assert query.attributes_to_snippet[-1] == "content:10"


@pytest.mark.parametrize(
    "params",
    [
        pytest.param({"query": "nodes", "hitsPerPage": 3, "facetFilters": ["language:en"]}, id="an object"),
        pytest.param('query=nodes&hitsPerPage=3&facetFilters=["language:en"]', id="text of a URL"),
        pytest.param(urlencode({"query": "nodes", "hitsPerPage": 3, "facetFilters": "language:en"}), id="encoded text"),
    ],
)
def test_parameters_may_be_an_object_or_url_encoded_text_of_their_own(params: object) -> None:
    (query,) = parse_queries({"requests": [{"indexName": "handbook", "params": params}]})
    assert (query.query, query.hits_per_page, query.facet_filters) == ("nodes", 3, [["language:en"]])


@pytest.mark.parametrize(
    ("written", "clauses"),
    [
        ("language:en", [["language:en"]]),
        ("language:en,version:2.0", [["language:en"], ["version:2.0"]]),
        (["language:en"], [["language:en"]]),
        (["language:en", ["version:1.0", "version:2.0"]], [["language:en"], ["version:1.0", "version:2.0"]]),
        ([["language:en"], ["version:2.0"]], [["language:en"], ["version:2.0"]]),
        ('["language:en",["version:1.0"]]', [["language:en"], ["version:1.0"]]),
        ("", []),
        (None, []),
    ],
)
def test_facet_filters_may_be_nested_flat_or_text(written: object, clauses: object) -> None:
    assert sent(facetFilters=written).facet_filters == clauses


@pytest.mark.parametrize("facets", ["language", ["language"], '["language"]'])
def test_facets_may_be_a_string_or_a_list(facets: object) -> None:
    assert sent(facets=facets).facets == ["language"]


def test_unknown_parameters_are_ignored() -> None:
    sent(distinct=True, clickAnalytics=True, analytics=False, advancedSyntax=True, userToken="anonymous", filters="")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"hitsPerPage": 1_001}, r"^hitsPerPage: it must be a whole number from 0 to 1000; 1001 was sent"),
        ({"page": -1}, r"^page: it must be a whole number from 0"),
        ({"query": "a" * 2_001}, r"^query: .*0 to 2,000 characters"),
        ({"query": "no\0de"}, r"^query: .*NUL"),
        ({"query": ["nodes"]}, r"^query: it must be a string"),
        ({"filters": "version:1.0"}, r"^filters: it must be empty, because only facetFilters"),
        ({"numericFilters": ["year>2000"]}, r"^numericFilters: it must be empty"),
        ({"facetFilters": {"language": "en"}}, r"^facetFilters: it must be a list of at most 100 lists;"),
    ],
)
def test_what_cannot_be_obeyed_is_refused_by_name(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sent(**fields)


@pytest.mark.parametrize("requests", [[], [BOX] * 51, {}, "x", [[]]])
def test_a_request_has_one_to_fifty_searches(requests: object) -> None:
    with pytest.raises(InputError, match=r"^requests"):
        parse_queries({"requests": requests})


@pytest.mark.parametrize(
    ("pre", "post"),
    [
        ("<mark>", "</mark>"),
        ("<em>", "</em>"),
        ('<span class="a b_c-d">', "</span>"),
        ("__ais-highlight__", "__/ais-highlight__"),
    ],
)
def test_harmless_highlight_tags_are_taken(pre: str, post: str) -> None:
    query = sent(highlightPreTag=pre, highlightPostTag=post)
    assert (query.highlight_pre_tag, query.highlight_post_tag) == (pre, post)


@pytest.mark.parametrize(
    ("pre", "post"),
    [
        ("<script>", "</script>"),
        ("<mark>", "</em>"),
        ("<mark>", "</mark><script>"),
        ("<mark onclick=x>", "</mark>"),
        ('<mark class="a" onclick="b">', "</mark>"),
        ('<span class="a">\n', "</span>"),
        ("<img src=x onerror=alert(1)>", ""),
        ("x", "<b>"),
        ("", ""),
        ("&lt;", "&gt;"),
    ],
)
def test_other_highlight_tags_are_refused(pre: str, post: str) -> None:
    with pytest.raises(InputError, match=r"^highlightPreTag, highlightPostTag: "):
        sent(highlightPreTag=pre, highlightPostTag=post)


def test_the_search_is_one_of_somebody_who_types() -> None:
    query = to_query(sent(), Filters(versions=("1.0",)), SearchSettings(mode=Mode.SPARSE, threshold=0.25))
    assert (query.text, query.typing, query.mode, query.threshold) == ("nodes", True, Mode.SPARSE, 0.25)
    assert query.filters == Filters(versions=("1.0",))


# --- hits ----------------------------------------------------------------------------------------------------------


def test_a_hit_below_a_heading_with_the_words_is_of_that_level() -> None:
    (hit,) = hits_of(hit_of("## Topics\n\nNodes talk."), text="topics")
    assert hit["type"] == "lvl2"
    assert hit["hierarchy"] == {
        **dict.fromkeys(LEVELS),
        "lvl0": "Nodes and topics",
        "lvl1": "Concepts",
        "lvl2": "Topics",
    }
    assert hit["url"] == f"{URL}#topics"
    assert (hit["url_without_anchor"], hit["anchor"]) == (URL, "topics")
    assert hit["content"] == "Nodes talk."
    assert "queryID" not in hit


def test_a_hit_whose_passage_has_the_words_is_content() -> None:
    (hit,) = hits_of(hit_of("Nodes talk."), highlightPreTag="<em>", highlightPostTag="</em>")
    assert hit["type"] == "content"
    assert hit["_snippetResult"]["content"] == {  # type: ignore[index]  # JSON
        "value": "<em>Nodes</em> talk.",
        "matchLevel": "full",
        "matchedWords": ["nodes"],
    }


def test_a_hit_links_to_the_heading_nearest_above_the_match_and_shows_its_section() -> None:
    text = "Nodes talk.\n\n## Services\n\nServices answer.\n\n## Actions\n\nActions report."
    inner = tuple(InnerHeading(text.index(f"## {name}"), 2, name, name.lower()) for name in ("Services", "Actions"))
    (hit,) = hits_of(hit_of(text, inner_headings=inner), text="answering")
    assert (hit["url"], hit["anchor"]) == (f"{URL}#services", "services")
    assert list(hit["hierarchy"].values())[1:3] == ["Concepts", "Services"]  # type: ignore[attr-defined]  # JSON
    assert hit["content"] == "Services answer."


def test_a_hit_above_all_headings_is_the_page() -> None:
    (hit,) = hits_of(hit_of("Nodes talk.", heading_path=(), section="", anchor=None))
    assert (hit["type"], hit["url"], hit["anchor"]) == ("lvl1", URL, None)
    assert hit["hierarchy"]["lvl0"] == hit["hierarchy"]["lvl1"] == "Nodes and topics"  # type: ignore[index]  # JSON
    # The search page of Docusaurus shows these as a path, in which the title would come twice.
    assert list(hit["_highlightResult"]["hierarchy"]) == ["lvl0"]  # type: ignore[index]  # JSON


def test_a_hit_above_all_headings_whose_passage_has_the_words_is_content() -> None:
    (hit,) = hits_of(hit_of("Nodes talk.", heading_path=(), section="", anchor=None), text="talk")
    assert hit["type"] == "content"


def test_only_levels_that_are_not_null_are_highlighted() -> None:
    (hit,) = hits_of(hit_of("Nodes talk."))
    marked = hit["_highlightResult"]["hierarchy"]  # type: ignore[index]  # JSON
    assert {level: each["value"] for level, each in marked.items()} == {
        "lvl0": f"{DEFAULT_PRE_TAG}Nodes</span> and topics",
        "lvl1": "Concepts",
        "lvl2": "Topics",
    }


def test_more_headings_than_levels_are_cut() -> None:
    (hit,) = hits_of(hit_of("Nodes talk.", heading_path=tuple("abcdefgh")))
    assert list(hit["hierarchy"].values()) == ["Nodes and topics", *"abcdef"]  # type: ignore[attr-defined]  # JSON


def test_a_section_is_shown_once() -> None:
    twice = hit_of("Nodes talk."), hit_of("Nodes listen.", rank=2)
    assert [hit["content"] for hit in hits_of(*twice)] == ["Nodes talk."]


def test_pages_with_the_same_title_are_told_apart() -> None:
    here = hit_of("Nodes talk.", heading_path=())
    other = replace(here.chunk.document, url="https://docs.example.org/start/nodes")
    there = replace(here, chunk=replace(here.chunk, id="x", document=other))
    titles = [hit["hierarchy"]["lvl0"] for hit in hits_of(here, there)]  # type: ignore[index]  # JSON
    assert titles == ["Nodes and topics (concepts/nodes)", "Nodes and topics (start/nodes)"]


def test_a_page_without_a_title_is_named_by_its_address() -> None:
    here = hit_of("Nodes talk.", heading_path=())
    untitled = replace(here.chunk, document=replace(here.chunk.document, title=""))
    (hit,) = hits_of(replace(here, chunk=untitled))
    assert hit["hierarchy"]["lvl0"] == "concepts/nodes"  # type: ignore[index]  # JSON


def test_a_hit_without_a_web_address_is_left_out() -> None:
    here = hit_of("Nodes talk.")
    for address in ("javascript:alert(1)", "file:///etc/passwd", ""):
        local = replace(here.chunk, document=replace(here.chunk.document, url=address))
        assert hits_of(replace(here, chunk=local)) == []


def test_the_hits_of_each_page_are_counted() -> None:
    found = [hit_of(f"Nodes {n}.", anchor=f"part-{n}") for n in range(8)]
    first, last, beyond = (result_of(*found, hitsPerPage=3, page=page) for page in (0, 2, 3))
    assert (first["nbHits"], first["nbPages"], first["exhaustiveNbHits"]) == (8, 3, True)
    assert [len(each["hits"]) for each in (first, last, beyond)] == [3, 2, 0]  # type: ignore[arg-type]  # JSON
    none = result_of(*found, hitsPerPage=0)
    assert (none["hits"], none["nbHits"], none["nbPages"]) == ([], 8, 0)
    assert not result_of(*(hit_of(f"{n}", anchor=f"{n}") for n in range(MOST_HITS)))["exhaustiveNbHits"]


def test_attributes_to_retrieve_select_the_fields_of_a_hit() -> None:
    always = {"objectID", "_snippetResult", "_highlightResult"}
    (few,) = hits_of(hit_of("Nodes talk."), attributesToRetrieve=["url", "hierarchy.lvl0"])
    assert set(few) == {*always, "url", "hierarchy"}
    assert few["hierarchy"] == {"lvl0": "Nodes and topics"}
    (none,) = hits_of(hit_of("Nodes talk."), attributesToRetrieve=[])
    assert set(none) == always
    (whole,) = hits_of(hit_of("Nodes talk."), attributesToRetrieve="*")
    assert set(whole) > {"type", "content", "anchor"}


def test_facets_count_the_hits_with_each_value() -> None:
    here = hit_of("Nodes talk.")
    german = replace(here.chunk, id="x", anchor="de", document=replace(here.chunk.document, locale="de", version="2"))
    found = result_of(here, replace(here, chunk=german), facets=["language", "version", "docusaurus_tag", "color"])
    assert found["facets"] == {"language": {"de": 1}, "version": {"2": 1}, "docusaurus_tag": {}}
    assert "facets" not in result_of(here)


def test_probably_wrong_answers_are_left_out() -> None:
    ranking = replace(ranking_of(hit_of("Nodes talk.")), no_good_answer=True)
    assert to_result(sent(), ranking, 1.0)["nbHits"] == 0


def test_hits_that_are_far_and_have_no_word_of_the_query_are_left_out() -> None:
    found = [
        hit_of("Nodes talk.", 0.1, anchor="words"),
        hit_of("Programs listen.", 0.1, anchor="far", section="", heading_path=()),
        hit_of("Programs answer.", 0.4, anchor="near", section="", heading_path=()),
    ]
    ranking = ranking_of(*found, text="talk")
    urls = [hit["anchor"] for hit in to_result(sent(), ranking, 1.0, relevant_from=0.3)["hits"]]
    assert urls == ["words", "near"]
    assert len(to_result(sent(), ranking, 1.0)["hits"]) == 3


def test_nothing_is_found_where_nothing_was_searched() -> None:
    result = to_result(sent(query=""), None, 0.0)
    assert (result["hits"], result["nbHits"], result["nbPages"], result["query"]) == ([], 0, 0, "")


def test_corrections_are_named_and_their_words_highlighted() -> None:
    ranking = replace(ranking_of(hit_of("Nodes talk."), text="ndoes"), corrections=(Correction("ndoes", "nodes", 0),))
    result = to_result(sent(query="ndoes"), ranking, 1.0)
    assert result["corrections"] == [{"typed": "ndoes", "used": "nodes", "start": 0}]
    assert result["hits"][0]["_snippetResult"]["content"]["matchedWords"] == ["nodes"]


# --- markup --------------------------------------------------------------------------------------------------------

HOSTILE = st.lists(
    st.sampled_from(
        [
            "<img src=x onerror=alert(1)>",
            "</mark><script>",
            "nodes",
            "<mark>",
            '"',
            "'",
            "&",
            "&lt;",
            "`",
            " ",
            "\n",
            "節点",
        ]
    )
    | st.text(max_size=5),
    max_size=8,
).map("".join)


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.values() for text in _texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [value] if isinstance(value, str) else []


@given(
    title=HOSTILE,
    headings=st.lists(HOSTILE, max_size=7),
    text=HOSTILE,
    anchor=HOSTILE,
    query=HOSTILE,
    ellipsis=st.sampled_from(["…", "<b>", "</mark><script>"]),
    words=st.integers(0, 5),
)
def test_no_markup_but_the_highlight_tags_leaves(
    title: str, headings: list[str], text: str, anchor: str, query: str, ellipsis: str, words: int
) -> None:
    chunk = chunk_of(text, heading_path=tuple(headings), anchor=anchor, section="")
    info = replace(chunk.document, title=title, url=f"{URL}?q={anchor}", version=title, locale=title)
    ranking = ranking_of(Hit(1, replace(chunk, document=info), 0.5, 0.5), text=query or "nodes")
    asked = DocSearchQuery.model_validate(
        {
            "query": "nodes",
            "highlightPreTag": "<mark>",
            "highlightPostTag": "</mark>",
            "snippetEllipsisText": ellipsis,
            "attributesToSnippet": [f"*:{words}"],
        }
    )
    result = to_result(asked, ranking, 1.0)
    for value in _texts(result["hits"]):
        bare = re.sub(r"<mark>|</mark>", "", value)
        assert not re.search(r'[<>"]', bare)
        assert value.count("<mark>") == value.count("</mark>")


@pytest.mark.parametrize(
    "title", ["a < b & <nodes>", "&nodes;", "&lt;nodes", "nodes & topics", 'what\'s "new" in nodes']
)
def test_the_marked_title_is_the_title(title: str) -> None:
    here = chunk_of("Nodes talk.")
    titled = replace(here, document=replace(here.document, title=title))
    (hit,) = hits_of(Hit(1, titled, 0.5, 0.5), highlightPreTag="<mark>", highlightPostTag="</mark>")
    value = hit["_highlightResult"]["hierarchy"]["lvl0"]["value"]  # type: ignore[index]  # JSON
    assert unescape(re.sub(r"</?mark>", "", value)) == title
    assert json.dumps(hit)


def test_a_ranking_of_a_search_is_not_changed() -> None:
    ranking: Ranking = ranking_of(hit_of("Nodes talk."))
    before = repr(ranking)
    to_result(sent(), ranking, 1.0)
    assert repr(ranking) == before
