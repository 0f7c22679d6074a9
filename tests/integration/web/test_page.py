"""The search page over HTTP: its headers, its files, what it shows without JavaScript, and where keys are needed."""

import gzip
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.integration.web.conftest import Connect, settings_for
from tests.integration.web.wire import make_key

from assay.app import Assay
from assay.model.access import Scope
from assay.settings import Settings

FILES = re.compile(r'"(page/[0-9a-f]{16}/[\w.]+)"')


def test_the_page_may_load_its_own_files_only_and_be_in_no_frame(client: TestClient) -> None:
    response = client.get("/")
    assert (response.status_code, response.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    policy = dict(rule.split(" ", 1) for rule in response.headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "img-src", "connect-src", "form-action")} == {"'self'"}
    assert policy["require-trusted-types-for"] == "'script'"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["X-Frame-Options"] == "DENY"


def test_a_search_by_its_address_is_answered_without_javascript(client: TestClient) -> None:
    page = client.get("/?q=Replcaing+the+gyroscope&utm_source=mail").text
    assert "Results for <strong>Replacing the gyroscope</strong>" in page
    assert page.index("replacing-gyroscope") < page.index("cleaning-gyroscope")
    assert "<mark>" in page
    assert client.head("/?q=nodes").status_code == 200


@pytest.mark.parametrize(("query", "status"), [("x" * 2_001, 400), ("a%00b", 400), ("+", 200), ("", 200)])
def test_a_query_that_cannot_be_searched_is_refused_in_words(client: TestClient, query: str, status: int) -> None:
    response = client.get(f"/?q={query}")
    assert response.status_code == status
    assert ("Change the query" in response.text) == (status == 400)


def test_before_the_first_promotion_the_page_says_so(tmp_path: Path, connect: Connect) -> None:
    with Assay.open(settings_for(tmp_path)) as assay:
        client = connect(assay)
        assert client.get("/").status_code == 200
        response = client.get("/?q=nodes")
    assert response.status_code == 503
    assert "No generation is live yet" in response.text


def test_files_are_kept_for_ever_under_their_version_and_checked_under_another(client: TestClient) -> None:
    for path in FILES.findall(client.get("/").text):
        response = client.get(path)
        assert response.status_code == 200
        assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert response.headers["Content-Encoding"] == "gzip"
        other = client.get(re.sub(r"/[0-9a-f]{16}/", "/0123456789abcdef/", path))
        assert (other.status_code, other.headers["Cache-Control"], other.content) == (200, "no-cache", response.content)


def test_the_script_of_other_sites_is_checked_by_its_etag_and_may_be_loaded_from_anywhere(client: TestClient) -> None:
    response = client.get("/assay.js", headers={"Origin": "https://docs.example.org"})
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-cache"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    again = client.get("/assay.js", headers={"If-None-Match": response.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == response.headers["ETag"]


def test_a_client_that_takes_no_gzip_gets_the_same_file(client: TestClient) -> None:
    with client.stream("GET", "/assay.js", headers={"Accept-Encoding": "gzip"}) as response:
        compressed = b"".join(response.iter_raw())
    for accepted in ("identity", "gzip;q=0"):
        response = client.get("/assay.js", headers={"Accept-Encoding": accepted})
        assert "Content-Encoding" not in response.headers
        assert response.content == gzip.decompress(compressed)


@pytest.mark.parametrize("path", ["/page/x/none.js", "/page/x/assay.js", "/page/x/..%2Ffiles.py", "/page/x", "/page/"])
def test_there_is_no_other_file(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_the_page_can_be_switched_off(published: Path, connect: Connect) -> None:
    with Assay.open(settings_for(published, page=False)) as assay:
        client = connect(assay)
        for path in ("/", "/assay.js", "/page/0123456789abcdef/page.js"):
            assert client.get(path).status_code == 404


def closed_settings(folder: Path, keys: Path, **server: object) -> Settings:
    """Settings of a server that is searched with a key."""
    return settings_for(folder, search="key", keys_file=keys, **server)


def test_where_searching_needs_a_key_the_page_is_public_and_shows_nothing_that_is_indexed(
    published: Path, tmp_path: Path, connect: Connect
) -> None:
    key = make_key(tmp_path / "keys.json", "reader", Scope.SEARCH)
    with Assay.open(closed_settings(published, tmp_path / "keys.json")) as assay:
        client = connect(assay)
        for headers in ({}, {"Authorization": f"Bearer {key}"}, {"Authorization": "Bearer assay_wrong"}):
            response = client.get("/?q=nodes", headers=headers)
            assert response.status_code == 200
            assert "needs an API key" in response.text
            assert "docs.example.org" not in response.text
            assert "manual" not in response.text
        assert client.get("/assay.js").status_code == 200
        assert client.get(FILES.findall(response.text)[0]).status_code == 200
        assert client.get("/v1/facets").status_code == 401
        assert client.get("/v1/facets", headers={"Authorization": f"Bearer {key}"}).status_code == 200


def test_without_the_page_its_paths_need_a_key_as_every_unknown_path_does(
    published: Path, tmp_path: Path, connect: Connect
) -> None:
    make_key(tmp_path / "keys.json", "reader", Scope.SEARCH)
    with Assay.open(closed_settings(published, tmp_path / "keys.json", page=False)) as assay:
        client = connect(assay)
        assert [client.get(path).status_code for path in ("/", "/assay.js", "/page/x/page.js")] == [401] * 3
