"""The routes of DocSearch boxes, asked as each client asks them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.integration.web.conftest import settings_for
from tests.integration.web.wire import make_key

from assay.app import Assay
from assay.contracts.docsearch.requests import DocSearchAnswer, DocSearchError
from assay.model.access import Scope
from assay.settings import load_settings
from assay.web.application import create_app

SITE = "https://docs.example.org"
QUERIES = "/1/indexes/*/queries"
BOX = {
    "query": "replacing the gyrosc",
    "indexName": "manual",
    "attributesToSnippet": ["hierarchy.lvl1:10", "content:10"],
    "highlightPreTag": "<mark>",
    "highlightPostTag": "</mark>",
    "hitsPerPage": 5,
    "facetFilters": ["language:en", ["docusaurus_tag:default", "docusaurus_tag:docs-default-current"]],
}
TEXT = {"Content-Type": "text/plain"}
KEYS = "x-algolia-agent=Algolia%20for%20JavaScript&x-algolia-api-key={key}&x-algolia-application-id=docs.example.org/"


def ask(client: TestClient, *searches: object, path: str = QUERIES, **options: object) -> dict[str, object]:
    """Answers to searches, each checked against its model."""
    answer = client.post(path, content=json.dumps({"requests": searches}), **{"headers": TEXT, **options})  # type: ignore[arg-type]  # options of a request
    assert answer.status_code == 200, answer.text
    body: dict[str, object] = answer.json()
    DocSearchAnswer.model_validate(body)
    return body


def titles(result: object) -> list[str]:
    return [hit["hierarchy"]["lvl0"] for hit in result["hits"]]  # type: ignore[index]  # JSON


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param({"Content-Type": "text/plain"}, id="version 5"),
        pytest.param({"Content-Type": "application/x-www-form-urlencoded"}, id="version 4"),
        pytest.param({"Content-Type": "application/json", "X-Algolia-API-Key": "public"}, id="keys in headers"),
        pytest.param({}, id="nothing"),
    ],
)
def test_a_box_finds_what_somebody_types(client: TestClient, kind: dict[str, str]) -> None:
    answer = ask(client, BOX, path=f"{QUERIES}?{KEYS.format(key='public')}", headers=kind)
    (result,) = answer["results"]  # type: ignore[misc]  # JSON
    assert titles(result)[0] == "Replacing the gyroscope"
    assert len(result["hits"]) == 5
    assert result["hits"][0]["url"].startswith(f"{SITE}/robots/replacing-gyroscope")


@pytest.mark.parametrize("prefix", ["", "/assay", "/search/box", "/%C3%A4"])
@pytest.mark.parametrize(
    "host", ["/-dsn.algolia.net", "/.algolia.net", "/-1.algolianet.com", "/-2.algolianet.com", "/-3.algolianet.com", ""]
)
def test_every_host_that_a_client_makes_of_an_address_leads_here(client: TestClient, prefix: str, host: str) -> None:
    assert ask(client, {**BOX, "hitsPerPage": 1}, path=f"{prefix}{host}{QUERIES}")["results"]


def test_one_search_of_an_index_is_answered_alone(client: TestClient) -> None:
    body = {"params": "query=replacing%20gyroscope&hitsPerPage=1&facets=*"}
    answer = client.post("/assay/-dsn.algolia.net/1/indexes/manual/query", content=json.dumps(body), headers=TEXT)
    result = answer.json()
    assert titles(result) == ["Replacing the gyroscope"]
    assert result["index"] == "manual"


def test_the_search_page_of_docusaurus_gets_its_pages_and_facets(client: TestClient) -> None:
    common = {"query": "gyroscope", "hitsPerPage": 15, "advancedSyntax": True, "highlightPreTag": "__ais-highlight__"}
    common |= {"highlightPostTag": "__/ais-highlight__", "page": 0}
    tags = ["docusaurus_tag:default", "docusaurus_tag:docs-default-current"]
    filters = [["language:en"], tags]
    aside = {"hitsPerPage": 0, "page": 0, "analytics": False}
    searches: list[dict[str, object]] = [
        {**common, "facets": ["docusaurus_tag", "language"], "facetFilters": filters},
        {**common, **aside, "facets": "docusaurus_tag", "facetFilters": [["language:en"]]},
        {**common, **aside, "facets": "language", "facetFilters": [tags]},
    ]
    first, *others = ask(client, *({"indexName": "manual", "params": one} for one in searches))["results"]  # type: ignore[misc]  # JSON
    assert first["nbPages"] == -(-first["nbHits"] // 15)
    assert [one["hits"] for one in others] == [[], []]
    assert set(first["facets"]) == {"docusaurus_tag", "language"}
    (second,) = ask(client, {**searches[0], "page": 1})["results"]  # type: ignore[misc]  # JSON
    ids = [hit["objectID"] for hit in first["hits"] + second["hits"]]
    assert len(ids) == len(set(ids))


def test_an_empty_query_finds_nothing(client: TestClient) -> None:
    (result,) = ask(client, {"indexName": "manual", "query": ""})["results"]  # type: ignore[misc]  # JSON
    assert (result["hits"], result["nbHits"]) == ([], 0)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ('{"requests": []}', 400),
        ("query=nodes", 400),
        ('{"requests": [{"facetFilters": ["color:red"]}]}', 400),
        (json.dumps({"requests": [{"query": "n" * 70_000}]}), 413),
    ],
)
def test_errors_have_the_shape_that_clients_read(client: TestClient, body: str, status: int) -> None:
    answer = client.post(f"/assay/-dsn.algolia.net{QUERIES}", content=body, headers={**TEXT, "Origin": SITE})
    assert answer.status_code == status
    assert DocSearchError.model_validate(answer.json()).status == status
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_only_posts_are_answered(client: TestClient) -> None:
    answer = client.get(f"/assay/-dsn.algolia.net{QUERIES}")
    assert (answer.status_code, DocSearchError.model_validate(answer.json()).status) == (405, 405)


def test_a_preflight_allows_the_headers_of_the_clients(client: TestClient) -> None:
    headers = {
        "Origin": SITE,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,x-algolia-agent,x-algolia-api-key,x-algolia-application-id",
    }
    assert client.options(QUERIES, headers=headers).status_code == 200


# --- keys, origins and limits --------------------------------------------------------------------------------------


def _client(published: Path, keys: Path, **server: object) -> Iterator[TestClient]:
    settings = settings_for(published, keys_file=str(keys), trusted_proxies=["127.0.0.1"], **server)
    with Assay.open(settings) as assay, TestClient(create_app(assay), client=("127.0.0.1", 50_000)) as client:
        yield client


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys") / "keys.json"


@pytest.fixture(scope="module")
def closed(published: Path, keys: Path) -> Iterator[TestClient]:
    """Only who has a key may search, from one site."""
    yield from _client(published, keys, search="key", cors_origins=[SITE])


@pytest.fixture(scope="module")
def public(published: Path, keys: Path) -> Iterator[TestClient]:
    """Everyone may search, three times a minute."""
    yield from _client(published, keys, rate_limit="3/minute", cors_origins=[SITE])


def status(client: TestClient, key: str, address: str = "203.0.113.1", searches: int = 1, **headers: str) -> int:
    """The status of a search with a key in the URL, and that its body has the clients' shape."""
    answer = client.post(
        f"/-dsn.algolia.net{QUERIES}?{KEYS.format(key=key)}",
        content=json.dumps({"requests": [BOX] * searches}),
        headers={**TEXT, "X-Forwarded-For": address, "Origin": SITE, **headers},
    )
    body = answer.json()
    if answer.status_code == 200:
        assert len(body["results"]) == searches
    else:
        assert DocSearchError.model_validate(body).status == answer.status_code
        assert body["message"]
    if answer.status_code == 429:
        assert int(answer.headers["Retry-After"]) > 0
        assert "Retry-After" in answer.headers["Access-Control-Expose-Headers"]
    return answer.status_code


def test_a_key_that_can_only_search_is_enough_and_needed(closed: TestClient, keys: Path) -> None:
    assert status(closed, make_key(keys, "box")) == 200
    assert status(closed, "anything") == 401
    assert status(closed, "assay_00000000_" + "0" * 43) == 401


def test_an_admin_key_is_refused_in_a_box(closed: TestClient, public: TestClient, keys: Path) -> None:
    admin = make_key(keys, "operator", Scope.ADMIN)
    assert status(closed, admin) == status(public, admin) == 403


def test_a_key_in_a_url_opens_no_other_route(closed: TestClient, keys: Path) -> None:
    key = make_key(keys, "another box")
    for path in ("/v1/search", "/v1/admin/promote"):
        answer = closed.post(f"{path}?{KEYS.format(key=key)}", json={"query": "nodes"})
        assert answer.status_code == 401


def test_pages_of_other_sites_are_refused(closed: TestClient, keys: Path) -> None:
    assert status(closed, make_key(keys, "box of a site"), Origin="https://evil.example") == 400


def test_without_a_key_each_address_has_its_limit_and_each_search_counts(public: TestClient) -> None:
    assert [status(public, "public", "203.0.113.2") for _ in range(4)] == [200, 200, 200, 429]
    assert status(public, "public", "203.0.113.3", searches=2) == 200
    assert status(public, "public", "203.0.113.3", searches=2) == 429


def test_one_visitor_does_not_use_up_the_limit_of_a_key(public: TestClient, keys: Path) -> None:
    key = make_key(keys, "website", rate_limit="6/minute", address_rate_limit="2/minute")
    assert [status(public, key, "203.0.113.4") for _ in range(6)] == [200, 200, 429, 429, 429, 429]
    assert [status(public, key, f"198.51.100.{n}") for n in range(5)] == [200, 200, 200, 200, 429]


def test_the_limit_of_addresses_applies_to_boxes_with_a_key_of_no_other(public: TestClient, keys: Path) -> None:
    key = make_key(keys, "another website")
    assert [status(public, key, "203.0.113.5") for _ in range(4)] == [200, 200, 200, 429]
    answers = [
        public.post("/v1/search", json={"query": "nodes"}, headers={"X-API-Key": key, "X-Forwarded-For": "203.0.113.6"})
        for _ in range(4)
    ]
    assert {answer.status_code for answer in answers} == {200}


# --- versions and locales ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A Docusaurus site with three versions and two locales, and news without either."""
    folder = tmp_path_factory.mktemp("versions")
    docusaurus = "docusaurus-plugin-content-docs"
    texts = {
        "docs": "unreleased",
        "versioned_docs/version-2.0": "second",
        "versioned_docs/version-1.0": "first",
        f"i18n/fr/{docusaurus}/version-2.0": "deuxième",
    }
    for place, word in texts.items():
        page = folder / "site" / place / "wheels.md"
        page.parent.mkdir(parents=True)
        page.write_text(
            f"# Wheels\n\nThe {word} wheel of the cart.\n\n## Grease\n\nGrease the {word} wheel.\n", "utf-8"
        )
    (folder / "news").mkdir()
    (folder / "news" / "oil.md").write_text("# Oil\n\nGrease lasts longer.\n", "utf-8")
    (folder / "site" / "versions.json").write_text('["2.0", "1.0"]', "utf-8")
    sources = [
        {"path": folder / "site", "name": "site", "base_url": SITE, "convention": "docusaurus"},
        {"path": folder / "news", "name": "news", "base_url": f"{SITE}/news", "convention": "plain"},
    ]
    settings = load_settings(None, {"data_dir": folder / "index", "sources": sources})
    with Assay.open(settings) as assay:
        assay.builds.ingest()
    with Assay.open(settings, generation="candidate") as assay, TestClient(create_app(assay)) as client:
        yield client


@pytest.mark.parametrize(
    ("locale", "version", "paths"),
    [
        ("en", "2.0", {"/docs/wheels#grease", "/news/oil#oil"}),
        ("en", "1.0", {"/docs/1.0/wheels#grease", "/news/oil#oil"}),
        ("en", "current", {"/docs/next/wheels#grease", "/news/oil#oil"}),
        ("fr", "2.0", {"/fr/docs/wheels#grease"}),
        ("fr", "1.0", set()),
        ("en", "3.0", {"/news/oil#oil"}),
        ("de", "2.0", set()),
    ],
)
def test_a_box_searches_the_version_and_locale_of_its_page_and_pages_without_a_version(
    versions: TestClient, locale: str, version: str, paths: set[str]
) -> None:
    filters = [f"language:{locale}", ["docusaurus_tag:default", f"docusaurus_tag:docs-default-{version}"]]
    (result,) = ask(versions, {"query": "grease", "facetFilters": filters})["results"]  # type: ignore[misc]  # JSON
    assert {hit["url"] for hit in result["hits"]} == {f"{SITE}{path}" for path in paths}


def test_a_box_that_asks_for_a_version_alone_gets_no_page_without_one(versions: TestClient) -> None:
    (result,) = ask(versions, {"query": "grease", "facetFilters": ["version:1.0"]})["results"]  # type: ignore[misc]  # JSON
    assert {hit["url"] for hit in result["hits"]} == {f"{SITE}/docs/1.0/wheels#grease"}


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        ("versions=1.0", {"/docs/1.0/wheels#grease"}),
        ("versions=1.0&include_unversioned=true", {"/docs/1.0/wheels#grease", "/news/oil#oil"}),
        ("include_unversioned=true", {"/docs/wheels#grease", "/news/oil#oil"}),
        ("versions=3.0&include_unversioned=true", {"/news/oil#oil"}),
        ("versions=1.0&include_unversioned=true&sources=site", {"/docs/1.0/wheels#grease"}),
    ],
)
@pytest.mark.parametrize("mode", ["hybrid", "dense", "sparse"])
def test_a_search_of_versions_can_include_pages_without_one(
    versions: TestClient, mode: str, filters: str, paths: set[str]
) -> None:
    answer = versions.get(f"/v1/search?q=grease&mode={mode}&{filters}").json()
    assert {hit["section_url"] for hit in answer["results"]} == {f"{SITE}{path}" for path in paths}


def test_a_box_gets_its_choices_with_an_empty_query(versions: TestClient) -> None:
    (result,) = ask(versions, {"query": "", "hitsPerPage": 0, "facets": ["language", "version", "source"]})["results"]  # type: ignore[misc]  # JSON
    assert result["facets"] == {
        "language": {"en": 3, "fr": 1},
        "version": {"2.0": 2, "1.0": 1, "next": 1},
        "source": {"site": 4, "news": 1},
    }
