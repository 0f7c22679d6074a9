"""Unfinished and misspelt queries, suggestions, and searches by a URL, over a real index."""

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.integration.web.conftest import BASE_URL, PARTS, TASKS, Connect, asking, settings_for

from assay.app import Assay
from assay.contracts.facets import Facets
from assay.contracts.native_entities import SearchRanking
from assay.contracts.search_api import ErrorResponse
from assay.contracts.suggestions import Suggestions


def test_a_misspelt_word_is_corrected_and_the_answer_says_so(client: TestClient) -> None:
    answer = client.post("/v1/search", json={"query": "Replcaing the gyroscope"}).json()
    SearchRanking.model_validate(answer)
    assert answer["corrections"] == [{"typed": "Replcaing", "used": "Replacing", "start": 0}]
    assert answer["query"] == "Replcaing the gyroscope"
    best = answer["results"][0]
    assert best["title"] == "Replacing the gyroscope"
    (start, end), *_ = best["highlights"]
    assert best["content"][start:end] == "Replacing"


def test_correction_can_be_switched_off_by_query_and_by_setting(
    client: TestClient, published: Path, connect: Connect
) -> None:
    asked = {"query": "Replcaing the gyroscope"}
    assert client.post("/v1/search", json=asked | {"correct": False}).json()["corrections"] == []
    settings = settings_for(published)
    search = settings.search.model_copy(update={"correct": False})
    with Assay.open(settings.model_copy(update={"search": search})) as assay:
        other = connect(assay)
        assert other.post("/v1/search", json=asked).json()["corrections"] == []
        assert other.post("/v1/search", json=asked | {"correct": True}).json()["corrections"] != []


def test_a_query_of_known_words_is_answered_as_without_correction(client: TestClient) -> None:
    asked = {"query": "Which programs publish topics?"}
    plain, corrected = (client.post("/v1/search", json=asked | {"correct": on}).json() for on in (False, True))
    assert plain["results"] == corrected["results"]


def test_the_last_word_is_completed_while_somebody_types(client: TestClient) -> None:
    answer = client.post("/v1/search", json={"query": "Testing the gyr", "typing": True}).json()
    assert answer["results"][0]["title"] == "Testing the gyroscope"


@pytest.mark.parametrize("route", ["/search", "/query", "/api/v1/search"])
def test_the_shapes_of_the_seeds_are_corrected_too(client: TestClient, route: str) -> None:
    text = client.post(route, json=asking(route, "Replcaing the gyroscope")).text
    assert "replacing-gyroscope" in text
    assert ("'Replcaing' was searched as 'Replacing'" in text) is (route == "/api/v1/search")


def test_suggestions_name_titles_and_headings_with_their_links(client: TestClient) -> None:
    answer = client.get("/v1/suggest", params={"q": "gyros", "limit": 2}).json()
    Suggestions.model_validate(answer)
    assert [one["kind"] for one in answer["suggestions"]] == ["title", "title"]
    assert all("gyroscope" in one["text"] for one in answer["suggestions"])
    (heading,) = client.get("/v1/suggest", params={"q": "top"}).json()["suggestions"]
    assert (heading["text"], heading["kind"]) == ("Topics", "heading")
    assert heading["url"].startswith(f"{BASE_URL}/nodes")
    assert client.get("/v1/suggest?q=zzzz").json()["suggestions"] == []


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({}, "q: it is required"),
        ({"q": ""}, "q: it must be a string of 1 to 2,000 characters"),
        ({"q": "a", "limit": "0"}, "limit: it must be a whole number from 1 to 50; 0 was sent."),
        ({"q": "a", "limit": "ten"}, 'limit: it must be a whole number from 1 to 50; the string "ten" was sent.'),
        ({"q": ["a", "b"]}, "q: it must be a string"),
        ({"q": "a", "lmit": "3"}, "did you mean `limit`"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(client: TestClient, parameters: dict[str, str], complaint: str) -> None:
    answer = client.get("/v1/suggest", params=parameters)
    assert answer.status_code == 400
    assert complaint in ErrorResponse.model_validate(answer.json()).message


def test_a_search_by_url_answers_as_its_body_does(client: TestClient) -> None:
    by_url = client.get(
        "/v1/search",
        params={
            "q": "Testing the camera",
            "top_k": "2",
            "mode": "sparse",
            "threshold": "0.1",
            "correct": "false",
            "everything": "true",
            "sources": ["manual", "other"],
        },
    )
    filters = {"everything": True, "sources": ["manual", "other"]}
    by_body = client.post(
        "/v1/search",
        json={
            "query": "Testing the camera",
            "top_k": 2,
            "mode": "sparse",
            "threshold": 0.1,
            "correct": False,
            "filters": filters,
        },
    )
    assert by_url.status_code == 200, by_url.text
    assert [{**one.json(), "timings_ms": 0} for one in (by_url, by_body)] == [
        {**by_body.json(), "timings_ms": 0} for _ in range(2)
    ]


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ("top_k=5", "q: it is required"),
        ("q=a&top_k=500", "top_k: it must be a whole number from 1 to 100; 500 was sent."),
        ("q=a&top_k=1_0", 'top_k: it must be a whole number from 1 to 100; the string "1_0" was sent.'),
        ("q=a&top_k=%D9%A5", 'top_k: it must be a whole number from 1 to 100; the string "\u0665" was sent.'),
        ("q=a&top_k=+5", 'top_k: it must be a whole number from 1 to 100; the string " 5" was sent.'),
        ("q=a&top_k=5.0", 'top_k: it must be a whole number from 1 to 100; the string "5.0" was sent.'),
        ("q=a&threshold=0_1", 'threshold: it must be a number from 0 to 1; the string "0_1" was sent.'),
        ("q=a&threshold=nan", 'threshold: it must be a number from 0 to 1; the string "nan" was sent.'),
        ("q=a&everything=maybe", 'everything: it must be true or false; the string "maybe" was sent.'),
        ("q=a&mode=both", "mode: it must be"),
        ("q=a&url_prefix=/docs", "url_prefix: Not an absolute http(s) URL"),
        ("q=a&version=2", "did you mean `versions`"),
    ],
)
def test_a_wrong_search_by_url_is_refused_by_name(client: TestClient, parameters: str, complaint: str) -> None:
    answer = client.get(f"/v1/search?{parameters}")
    assert answer.status_code == 400
    assert complaint in answer.json()["message"]


@pytest.mark.parametrize("url", ["/v1/suggest?q=gyros", "/v1/search?q=gyros"])
def test_head_answers_as_get_without_a_body(client: TestClient, url: str) -> None:
    answer = client.head(url)
    assert answer.status_code == 200
    assert answer.content == b""
    assert answer.headers["Content-Type"] == client.get(url).headers["Content-Type"]
    assert client.head("/v1/suggest").status_code == 400


def test_a_damaged_vocabulary_leaves_searches_working(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from sqlalchemy import text
    from tests.integration.web.conftest import write_pages

    write_pages(tmp_path / "pages")
    settings = settings_for(tmp_path)
    with Assay.open(settings) as assay:
        assert assay.publish().promoted
        with assay.parts.catalog._database.writing(durable=True) as connection:  # type: ignore[attr-defined]
            connection.execute(text("UPDATE vocabularies SET content = :content"), {"content": b"no zlib"})
    with Assay.open(settings) as assay:
        ranking = assay.search("Replcaing the gyroscope")
        assert ranking.hits
        assert not ranking.corrections
        assert assay.suggest("gyro") == []
    assert "Queries are not completed and not corrected" in caplog.text
    assert json.dumps([hit.title for hit in ranking.hits])


def test_a_search_grouped_by_page_lists_pages_with_the_ranks_of_their_results(client: TestClient) -> None:
    asked = {"query": "nodes and topics", "top_k": 3, "group_by": "page", "passages_per_page": 2}
    answer = client.post("/v1/search", json=asked).json()
    SearchRanking.model_validate(answer)
    by_rank = {result["rank"]: result for result in answer["results"]}
    assert len(answer["pages"]) == 3
    assert sorted(rank for page in answer["pages"] for rank in page["ranks"]) == sorted(by_rank)
    assert all(by_rank[rank]["url"] == page["url"] for page in answer["pages"] for rank in page["ranks"])
    assert "pages" not in client.post("/v1/search", json={"query": "nodes"}).json()
    by_url = client.get("/v1/search", params={"q": "nodes and topics", "top_k": 3, "group_by": "page"}).json()
    assert [page["url"] for page in by_url["pages"]] == [page["url"] for page in answer["pages"]]
    refused = client.post("/v1/search", json=asked | {"group_by": "section"})
    assert refused.status_code == 400
    assert "group_by" in refused.json()["message"]


@pytest.mark.parametrize(
    ("query", "weak"),
    [
        ("zxqv kjwpl mnbvf", True),
        ("recipe for a chocolate cake", True),
        ("How do nodes communicate?", False),
        ("Testing the camera", False),
        ("Zeichen wie Räder", False),  # far by the model, but with all its words
    ],
)
def test_a_query_that_nothing_answers_is_said_to_have_no_good_answer(
    client: TestClient, query: str, *, weak: bool
) -> None:
    answer = client.post("/v1/search", json={"query": query}).json()
    assert answer["no_good_answer"] is weak
    assert answer["results"]


def test_facets_name_the_source_whose_pages_have_neither_version_nor_locale(client: TestClient) -> None:
    answer = client.get("/v1/facets").json()
    Facets.model_validate(answer)
    assert answer["sources"] == [
        {"name": "manual", "pages": len(PARTS) * len(TASKS) + 1, "versions": [], "locales": []}
    ]
    assert client.head("/v1/facets").status_code == 200
