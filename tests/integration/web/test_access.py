"""Keys, scopes and rate limits of a running server, over real sockets."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient
from tests.copies import copy_tree
from tests.integration.cli.commands import forked
from tests.integration.web.conftest import ROUTES, RunningServer, asking, running_server, settings_for
from tests.integration.web.wire import Answer, ask, bearer, make_key, search

from assay.app import Assay
from assay.contracts.search_api import ErrorResponse
from assay.model.access import Scope
from assay.web.application import create_app

GENERATIONS = "/v1/admin/generations"
ORIGIN = {"Origin": "https://docs.example.org"}


@dataclass(frozen=True, slots=True)
class Guarded:
    """A server with keys."""

    server: RunningServer
    file: Path
    searcher: str
    admin: str

    @property
    def port(self) -> int:
        return self.server.port


def _guarded(published: Path, folder: Path, **settings: object) -> Iterator[Guarded]:
    file = folder / "keys.json"
    searcher, admin = make_key(file, "website"), make_key(file, "operator", Scope.ADMIN)
    with running_server(published, keys_file=str(file), **settings) as server:
        yield Guarded(server, file, searcher, admin)


@pytest.fixture(scope="module")
def public(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """Everyone may search."""
    yield from _guarded(published, tmp_path_factory.mktemp("public"))


@pytest.fixture(scope="module")
def closed(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """Only who has a key may search."""
    yield from _guarded(
        published, tmp_path_factory.mktemp("closed"), search="key", cors_origins=["https://docs.example.org"]
    )


def error_of(answer: Answer) -> str:
    """The error's word, the body being what every error's body is."""
    assert answer.headers["Content-Type"] == "application/json"
    return ErrorResponse.model_validate(answer.body).error


# --- who may search ------------------------------------------------------------------------------------------------


def test_searching_needs_no_key_and_takes_one(public: Guarded) -> None:
    for key in (None, public.searcher, public.admin):
        assert search(public.port, key).status == 200


@pytest.mark.parametrize("route", ROUTES)
def test_where_searching_needs_a_key_every_search_route_does(closed: Guarded, route: str) -> None:
    body = asking(route, "What are nodes in here?")
    refused = ask(closed.port, route, body)
    assert (refused.status, error_of(refused)) == (401, "unauthorized")
    assert refused.headers["WWW-Authenticate"] == 'Bearer realm="assay"'
    assert "scope `search`" in refused.body["message"]
    for key in (closed.searcher, closed.admin):
        assert ask(closed.port, route, body, headers=bearer(key)).status == 200


@pytest.mark.parametrize("path", ["/openapi.json", "/nothing", "//", "/search/", "/v1/admin", "//search"])
def test_a_path_that_no_rule_names_needs_what_a_search_needs(closed: Guarded, path: str) -> None:
    assert ask(closed.port, path).status == 401
    assert ask(closed.port, path, headers=bearer(closed.searcher)).status == (200 if path == "/openapi.json" else 404)


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/health", "/api/v1/health"])
def test_probes_and_health_need_no_key_and_do_not_mind_a_wrong_one(closed: Guarded, path: str) -> None:
    assert ask(closed.port, path).status == 200
    assert ask(closed.port, path, headers=bearer("assay_wrong")).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer {key}"},
        {"authorization": "bearer {key}"},
        {"Authorization": "Bearer   {key} "},
        {"X-API-Key": "{key}"},
        {"X-API-Key": "{key}", "Authorization": "Basic dXNlcjpwYXNz"},
        {"X-API-Key": "{key}", "Authorization": "Bearer somebody-elses"},
    ],
)
def test_a_key_is_sent_as_bearer_or_as_x_api_key_which_decides(closed: Guarded, headers: dict[str, str]) -> None:
    sent = {name: value.format(key=closed.searcher) for name, value in headers.items()}
    assert ask(closed.port, body={"query": "nodes"}, headers=sent).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer assay_abcdefgh_" + "a" * 43},
        {"Authorization": "Bearer x"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer"},
        {"X-API-Key": ""},
        {"X-API-Key": "r\u00e4der"},
        {"X-API-Key": "x" * 10_000},
    ],
)
def test_a_key_that_is_not_known_is_refused_also_where_none_is_needed(public: Guarded, headers: dict[str, str]) -> None:
    refused = ask(public.port, body={"query": "nodes"}, headers=headers)
    assert (refused.status, error_of(refused)) == (401, "unauthorized")
    assert refused.headers["WWW-Authenticate"] == 'Bearer realm="assay", error="invalid_token"'


def test_another_scheme_is_for_somebody_in_front(public: Guarded, closed: Guarded) -> None:
    basic = {"Authorization": "Basic dXNlcjpwYXNz"}
    assert search(public.port, **basic).status == 200
    assert search(closed.port, **basic).status == 401


# --- scopes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (GENERATIONS, None),
        ("/v1/admin/promote", {"generation": "x"}),
        ("/v1/admin/rollback", {"leave": "x"}),
        ("/v1/admin/nothing", None),
    ],
)
def test_administration_needs_an_admin_key(public: Guarded, path: str, body: object) -> None:
    without = ask(public.port, path, body)
    assert (without.status, error_of(without)) == (401, "unauthorized")
    wrong = ask(public.port, path, body, headers=bearer(public.searcher))
    assert (wrong.status, error_of(wrong)) == (403, "forbidden")
    assert wrong.headers["WWW-Authenticate"] == 'Bearer realm="assay", error="insufficient_scope", scope="admin"'
    assert '"website"' in wrong.body["message"]
    assert ask(public.port, path, body, headers=bearer(public.admin)).status == (200 if path == GENERATIONS else 404)


# --- keys that come and go -----------------------------------------------------------------------------------------


def _assay_keys(published: Path, file: Path, *arguments: str) -> str:
    """Run `assay keys` as an operator does, in a process of its own, and give its standard output."""
    command = ("keys", *arguments, "--data-dir", str(published / "index"))
    log = file.parent / "keys.log"
    with closing(forked(file.parent, *command, log=log, ASSAY_SERVER__KEYS_FILE=str(file))) as process:
        said = process.stdout.read()
        process.wait(60)
        assert process.returncode == 0, log.read_text(encoding="utf-8")
        return said


def test_a_key_works_once_it_is_made_and_ends_once_it_is_revoked(closed: Guarded, published: Path) -> None:
    token = _assay_keys(published, closed.file, "add", "visitor").strip()
    assert search(closed.port, token).status == 200
    _assay_keys(published, closed.file, "revoke", "visitor")
    assert search(closed.port, token).status == 401
    assert search(closed.port, closed.searcher).status == 200


def test_a_key_whose_time_is_over_is_refused(closed: Guarded) -> None:
    over = make_key(closed.file, "over", Scope.ADMIN, expires_at=datetime.now(UTC) - timedelta(seconds=1))
    refused = search(closed.port, over)
    assert refused.status == 401
    assert "expired" in refused.body["message"]


def test_damaged_keys_are_503_for_who_sends_one_and_nobody_else(published: Path, tmp_path: Path) -> None:
    for guarded in _guarded(published, tmp_path):
        whole = guarded.file.read_bytes()
        guarded.file.write_bytes(whole[:-20])
        refused = search(guarded.port, guarded.searcher)
        assert (refused.status, error_of(refused)) == (503, "service_unavailable")
        assert str(tmp_path) not in refused.body["message"]
        assert ask(guarded.port, GENERATIONS, headers=bearer(guarded.admin)).status == 503
        assert search(guarded.port).status == 200
        guarded.file.write_bytes(whole)
        assert search(guarded.port, guarded.searcher).status == 200
        log = guarded.server.stop()
        assert "are damaged" in log
        assert "Traceback" not in log


def test_keys_work_while_the_catalog_is_gone(published: Path, tmp_path: Path) -> None:
    copy_tree(published, tmp_path / "copy")
    for guarded in _guarded(tmp_path / "copy", tmp_path, search="key"):
        for file in (tmp_path / "copy" / "index").glob("catalog.sqlite*"):
            file.write_bytes(b"no database")
        assert search(guarded.port, guarded.searcher).status == 200
        assert search(guarded.port).status == 401
        assert ask(guarded.port, GENERATIONS, headers=bearer(guarded.admin)).status == 503
        assert ask(guarded.port, "/health").body["postgres"] is False


# --- CORS ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "path", "key", "host"),
    [
        (400, "/livez", None, "evil.example"),
        (401, "/v1/search", None, "localhost"),
        (401, "/v1/search", "wrong", "localhost"),
        (403, GENERATIONS, "searcher", "localhost"),
        (404, "/v1/admin/x", "admin", "localhost"),
        (405, "/search", "searcher", "localhost"),
    ],
)
def test_a_refusal_is_readable_for_a_page_that_may_ask(
    closed: Guarded, status: int, path: str, key: str | None, host: str
) -> None:
    token = {"searcher": closed.searcher, "admin": closed.admin}.get(key or "", key)
    answer = ask(closed.port, path, headers={**ORIGIN, **bearer(token), "Host": host})
    assert answer.status == status
    assert answer.headers["Access-Control-Allow-Origin"] == "https://docs.example.org"
    exposed = answer.headers["Access-Control-Expose-Headers"]
    assert {"Retry-After", "RateLimit", "WWW-Authenticate", "X-Request-ID"} <= set(exposed.split(", "))
    assert answer.headers["X-Request-ID"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Server" not in answer.headers


def test_a_preflight_needs_no_key_and_lets_one_be_sent(closed: Guarded) -> None:
    asked = {
        **ORIGIN,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,x-api-key",
    }
    answer = ask(closed.port, method="OPTIONS", headers=asked)
    assert answer.status == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "https://docs.example.org"
    allowed = answer.headers["Access-Control-Allow-Headers"].lower()
    assert "authorization" in allowed
    assert "x-api-key" in allowed


# --- rate limits ---------------------------------------------------------------------------------------------------


def test_an_address_may_ask_so_often_and_is_told_how_it_stands(published: Path, tmp_path: Path) -> None:
    for guarded in _guarded(published, tmp_path, rate_limit="3/day", trusted_proxies=["127.0.0.1"], cors_origins=["*"]):
        for left in (2, 1, 0):
            answer = search(guarded.port, **{"X-Forwarded-For": "198.51.100.7"})
            assert answer.status == 200
            reset = answer.headers["RateLimit-Reset"]
            assert 86_300 <= int(reset) <= 86_400
            assert answer.headers["RateLimit"] == f'"day";r={left};t={reset}'
            assert answer.headers["RateLimit-Policy"] == '"day";q=3;w=86400'
            assert answer.headers["RateLimit-Limit"] == "3"
            assert answer.headers["RateLimit-Remaining"] == str(left)
            assert "Retry-After" not in answer.headers
        refused = search(guarded.port, **{"X-Forwarded-For": "198.51.100.7", **ORIGIN})
        assert (refused.status, error_of(refused)) == (429, "rate_limited")
        assert refused.headers["Retry-After"] == refused.headers["RateLimit-Reset"]
        assert f"try again in {refused.headers['Retry-After']} seconds" in refused.body["message"]
        assert refused.headers["RateLimit-Remaining"] == "0"
        assert refused.headers["Access-Control-Allow-Origin"] == "*"
        # What stands left of the last untrusted address is the client's own invention.
        assert search(guarded.port, **{"X-Forwarded-For": "1.2.3.4, 198.51.100.7"}).status == 429
        assert search(guarded.port, **{"X-Forwarded-For": "198.51.100.7, 127.0.0.1"}).status == 429
        assert search(guarded.port, **{"X-Forwarded-For": "198.51.100.8"}).status == 200
        # Keys are counted for themselves, probes not at all.
        assert search(guarded.port, guarded.searcher, **{"X-Forwarded-For": "198.51.100.7"}).status == 200
        assert ask(guarded.port, "/readyz", headers={"X-Forwarded-For": "198.51.100.7"}).status == 200
        limited = _samples(ask(guarded.port, "/metrics", headers=bearer(guarded.admin)))
        assert limited["assay_rate_limited_requests_total", (("by", "address"),)] == 3.0


def test_every_kind_of_request_counts_also_those_with_a_wrong_key(published: Path, tmp_path: Path) -> None:
    for guarded in _guarded(published, tmp_path, rate_limit="4/day"):
        assert ask(guarded.port, "/nothing").status == 404
        assert search(guarded.port, "wrong").status == 401
        assert ask(guarded.port, body={"query": ""}).status == 400
        assert ask(guarded.port, "/health").status == 200
        assert search(guarded.port).status == 429
        assert search(guarded.port, "wrong").status == 429


def test_each_key_is_counted_for_itself_by_its_own_limit_or_the_servers(published: Path, tmp_path: Path) -> None:
    for guarded in _guarded(published, tmp_path, key_rate_limit="2/hour", rate_limit="off"):
        own = make_key(guarded.file, "small", rate_limit="1/minute")
        free = make_key(guarded.file, "free", rate_limit="off")
        assert [search(guarded.port, guarded.searcher).status for _ in range(3)] == [200, 200, 429]
        assert [search(guarded.port, own).status for _ in range(2)] == [200, 429]
        refused = search(guarded.port, own)
        assert refused.headers["RateLimit-Policy"] == '"minute";q=1;w=60'
        assert "with this key" in refused.body["message"]
        assert [search(guarded.port, free).status for _ in range(4)] == [200] * 4
        assert "RateLimit" not in search(guarded.port, free).headers
        assert search(guarded.port, guarded.admin).status == 200
        assert [search(guarded.port).status for _ in range(4)] == [200] * 4


def test_an_address_that_nobody_trusts_cannot_say_for_whom_it_asks(published: Path, tmp_path: Path) -> None:
    for guarded in _guarded(published, tmp_path, rate_limit="2/day"):
        statuses = [search(guarded.port, **{"X-Forwarded-For": f"198.51.100.{n}"}).status for n in range(3)]
        assert statuses == [200, 200, 429]
        lines = [json.loads(line) for line in guarded.server.stop().splitlines()]
        assert {line["client"] for line in lines if "client" in line} == {"127.0.0.1"}
        warnings = [line["message"] for line in lines if line["level"] == "warning"]
        assert len([text for text in warnings if "trusted_proxies" in text]) == 1


def test_on_the_machine_alone_nobody_is_limited_unless_told(public: Guarded) -> None:
    answer = search(public.port)
    assert not [name for name in answer.headers if name.lower().startswith("ratelimit")]


def test_behind_a_named_proxy_addresses_are_limited_unless_told_otherwise(published: Path, tmp_path: Path) -> None:
    for guarded in _guarded(published, tmp_path, trusted_proxies=["127.0.0.0/8"]):
        assert search(guarded.port, Host="docs.example.org").headers["RateLimit-Policy"] == '"minute";q=600;w=60'


# --- host names ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:80", "docs.localhost", "localhost."]
)
def test_the_names_of_this_machine_are_answered(public: Guarded, host: str) -> None:
    assert search(public.port, Host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evillocalhost",
        "",
        "[::2]",
    ],
)
def test_a_foreign_name_on_loopback_is_refused_before_anything_else(public: Guarded, host: str) -> None:
    answer = ask(public.port, "/metrics", headers={"Host": host})
    assert (answer.status, error_of(answer)) == (400, "validation_error")
    assert "[server] allowed_hosts" in answer.body["message"]


def test_the_settings_say_under_which_names_the_server_answers(published: Path, tmp_path: Path) -> None:
    for guarded in _guarded(published, tmp_path, allowed_hosts=["docs.example.org", "*.internal"]):
        statuses = {
            host: search(guarded.port, Host=host).status
            for host in ("docs.example.org", "a.b.internal", "internal", "localhost")
        }
        assert statuses == {"docs.example.org": 200, "a.b.internal": 200, "internal": 400, "localhost": 400}


# --- /metrics ------------------------------------------------------------------------------------------------------


def _samples(answer: Answer) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    assert answer.status == 200
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def test_metrics_are_for_programs_of_this_machine_and_for_admin_keys(public: Guarded) -> None:
    assert ask(public.port, "/metrics").status == 200
    head = ask(public.port, "/metrics", method="HEAD")
    assert (head.status, head.content) == (200, b"")
    for sign in ({"X-Forwarded-For": "198.51.100.1"}, {"Via": "1.1 proxy"}, ORIGIN, {"Forwarded": "for=x"}):
        assert ask(public.port, "/metrics", headers=sign).status == 401
        assert ask(public.port, "/metrics", headers={**sign, **bearer(public.searcher)}).status == 403
        assert ask(public.port, "/metrics", headers={**sign, **bearer(public.admin)}).status == 200


@pytest.mark.parametrize(
    ("rule", "statuses"), [("key", (401, 403, 200)), ("public", (200, 200, 200)), ("off", (404, 404, 404))]
)
def test_the_settings_say_who_may_read_metrics(
    published: Path, tmp_path: Path, rule: str, statuses: tuple[int, int, int]
) -> None:
    for guarded in _guarded(published, tmp_path, metrics=rule):
        asked = [
            ask(guarded.port, "/metrics", headers=bearer(key)).status for key in (None, guarded.searcher, guarded.admin)
        ]
        assert tuple(asked) == statuses


# --- on an address that others reach -------------------------------------------------------------------------------


def test_on_an_address_that_others_reach_clients_are_limited_and_any_name_will_do(
    published: Path, tmp_path: Path
) -> None:
    make_key(tmp_path / "keys.json", "operator", Scope.ADMIN)
    index = ["--data-dir", str(published / "index")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "OTEL_"))}
    server = subprocess.Popen(
        [sys.executable, "-m", "assay", "serve", "--host", "0.0.0.0", "--port", "0", "--public", *index],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment | {"ASSAY_SERVER__KEYS_FILE": str(tmp_path / "keys.json"), "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert server.stdout
        port = int(server.stdout.readline().rpartition(":")[2])
        answer = search(port, Host="docs.example.org")
        assert answer.status == 200
        assert answer.headers["RateLimit-Policy"] == '"minute";q=600;w=60'
    finally:
        server.kill()
        server.communicate()


def test_an_error_inside_is_readable_for_a_page_and_counted(published: Path, tmp_path: Path) -> None:
    broken = (
        "class Broken(Searches):\n    def search(self, query, *_, **__):\n        raise RuntimeError('/srv/secret')\n"
    )
    with running_server(
        published, definitions=broken, kind="Broken", keys_file=str(tmp_path / "keys.json"), cors_origins=["*"]
    ) as server:
        answer = search(server.port, **ORIGIN)
        assert (answer.status, error_of(answer)) == (500, "internal_error")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert b"secret" not in answer.content
        counted = _samples(ask(server.port, "/metrics"))
        assert counted["assay_searches_total", (("route", "/search"), ("status", "500"))] == 1.0


def test_without_redis_requests_are_answered_and_counted_here(published: Path) -> None:
    pytest.importorskip("redis", reason="the extra `redis` is not installed")
    settings = settings_for(published, rate_limit="3/hour", rate_limit_storage="redis://127.0.0.1:1/0")
    with Assay.open(settings) as assay, TestClient(create_app(assay)) as client:
        answers = [client.get("/v1/search", params={"q": "nodes"}) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 2
    assert answers[0].headers["RateLimit-Remaining"] == "2"
