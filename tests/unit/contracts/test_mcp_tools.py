"""The arguments that language models send to the tools of MCP."""

import pytest

from assay.contracts.mcp_tools import ListSources, ReadPage, SearchDocs, input_schema, parse, parse_read
from assay.errors import InputError


@pytest.mark.parametrize("name", ["query", "question", "q", "Query", "search_query", "searchQuery", "prompt"])
def test_models_may_call_the_query_by_other_names(name: str) -> None:
    assert parse(SearchDocs, {name: "nodes"}).query == "nodes"


@pytest.mark.parametrize("name", ["source", "library", "libraryName", "library_id", "package"])
def test_models_may_call_the_source_by_other_names(name: str) -> None:
    assert parse(SearchDocs, {"query": "nodes", name: "handbook"}).source == "handbook"


def test_the_declared_name_wins_over_another_one_in_any_order() -> None:
    assert parse(SearchDocs, {"q": "a", "query": "b"}).query == "b"
    assert parse(SearchDocs, {"query": "b", "q": "a"}).query == "b"


@pytest.mark.parametrize("limit", [3, 3.0, "3", " 3 ", [3]])
def test_a_whole_number_may_be_sent_in_other_forms(limit: object) -> None:
    assert parse(SearchDocs, {"query": "nodes", "limit": limit}).limit == 3


@pytest.mark.parametrize("limit", [2.5, "three", True, -1, 0, 21, "9" * 500, [1, 2], {}])
def test_what_is_no_number_in_range_is_refused_by_name(limit: object) -> None:
    with pytest.raises(InputError, match="limit: it must be a whole number from 1 to 20"):
        parse(SearchDocs, {"query": "nodes", "limit": limit})


def test_null_is_an_omitted_argument() -> None:
    assert parse(SearchDocs, {"query": "nodes", "version": None, "limit": None}) == SearchDocs(query="nodes")


def test_an_unknown_argument_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(InputError, match="There is no field `versoin`; did you mean `version`"):
        parse(SearchDocs, {"query": "nodes", "versoin": "2"})


def test_list_sources_takes_no_argument() -> None:
    assert parse(ListSources, {}) == ListSources()
    with pytest.raises(InputError, match="There is no field `x`"):
        parse(ListSources, {"x": 1})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either url or chunk_id; neither"),
        ({"url": "https://a", "chunk_id": "b"}, "either url or chunk_id; both"),
        ({"url": "https://a", "around": 2}, "around: it needs chunk_id"),
        ({"chunk_id": "b", "around": 21}, "around: it must be a whole number from 0 to 20"),
        ({"url": "https://a", "max_tokens": 1}, "max_tokens: it must be a whole number from 300 to 50000"),
        ({"url": "  "}, "url: it has only white space"),
        ({"url": "a\0b"}, "NUL"),
    ],
)
def test_read_page_says_what_is_wrong_with_its_arguments(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_read(arguments)


@pytest.mark.parametrize("name", ["url", "uri", "page", "pageUrl", "link"])
def test_models_may_call_the_url_by_other_names(name: str) -> None:
    assert parse_read({name: "https://a"}).url == "https://a"


def test_schemas_permit_other_names_and_show_plain_types() -> None:
    for model in (SearchDocs, ReadPage, ListSources):
        schema = input_schema(model)
        assert schema["type"] == "object"
        assert "additionalProperties" not in schema
        for field in schema["properties"].values():
            assert {"type", "description"} <= field.keys()
            assert "anyOf" not in field
