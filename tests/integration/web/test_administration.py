"""Releasing over HTTP: promoting and going back while clients search."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import pytest
from tests.copies import copy_tree
from tests.integration.web.conftest import Connect, RunningServer, running_server, settings_for, write_pages
from tests.integration.web.wire import Answer, ask, bearer, make_key, search
from tests.postgres import running_postgres

from assay.app import Assay
from assay.contracts.operators.admin import GenerationList, ReleaseAnswer
from assay.model.access import Scope
from assay.model.generations import State

Index = tuple[Path, list[str]]

FAR_LESS_THAN_A_STATEMENT_HAS = 60.0
"""Seconds; a statement has 120, and what is asked of a catalog first less than two."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A retired, a live and a candidate generation, as ids in order, each with a page more; to be copied."""
    folder = tmp_path_factory.mktemp("original")
    pages = write_pages(folder / "pages")
    ids = []
    with Assay.open(settings_for(folder)) as assay:
        for number, build in enumerate((assay.publish, assay.publish, assay.builds.ingest)):
            if number:
                text = f"# Extra {number}\n\nPage number {number}.\n"
                (pages / f"extra-{number}.md").write_text(text, encoding="utf-8")
            build()
            ids.append(assay.generations()[0].id)
    return folder, ids


@pytest.fixture
def index(original: Index, tmp_path: Path) -> Index:
    """A copy of it."""
    folder, ids = original
    return copy_tree(folder, tmp_path / "copy"), ids


class Operator:
    """Somebody with an admin key."""

    def __init__(self, server: RunningServer, key: str) -> None:
        self._port, self._key = server.port, key

    def list(self) -> GenerationList:
        answer = ask(self._port, "/v1/admin/generations", headers=bearer(self._key))
        assert answer.status == 200
        return GenerationList.model_validate_json(answer.content)

    def ask(self, action: str, body: object) -> Answer:
        return ask(self._port, f"/v1/admin/{action}", body, headers=bearer(self._key))

    def promote(self, generation: str) -> ReleaseAnswer:
        answer = self.ask("promote", {"generation": generation})
        assert answer.status == 200, answer.content
        return ReleaseAnswer.model_validate_json(answer.content)

    def leave(self, generation: str) -> ReleaseAnswer:
        answer = self.ask("rollback", {"leave": generation})
        assert answer.status == 200, answer.content
        return ReleaseAnswer.model_validate_json(answer.content)


def test_a_promotion_and_a_rollback_are_served_at_once_and_happen_once(index: Index, tmp_path: Path) -> None:
    folder, (first, second, third) = index
    keys = tmp_path / "keys.json"
    token = make_key(keys, "operator", Scope.ADMIN)
    # A server that looks once a minute: what it serves at once, it serves because it was told.
    with running_server(folder, keys_file=str(keys), poll_seconds=60) as server:
        operator = Operator(server, token)
        listed = operator.list()
        assert listed.live == second
        assert [(each.id, each.state) for each in listed.generations] == [
            (third, State.CANDIDATE),
            (second, State.LIVE),
            (first, State.RETIRED),
        ]
        for name, generation, changed in (
            ("live", second, False),
            ("candidate", third, True),
            (third, third, False),
            ("live", third, False),
            (first, first, True),
            (third, third, True),
        ):
            released = operator.promote(name)
            assert (released.changed, released.generation.id, released.generation.state) == (
                changed,
                generation,
                "live",
            )
            assert released.generation.verdict == "PASS"
            assert ask(server.port, "/v1/search", {"query": "nodes"}).body["generation"] == generation
        for leave, live, changed in ((first, third, False), (third, first, True), (third, first, False)):
            released = operator.leave(leave)
            assert (released.changed, released.generation.id) == (changed, live)
            assert ask(server.port, "/v1/search", {"query": "nodes"}).body["generation"] == live
        assert operator.list().live == first


def test_two_operators_at_the_same_time_promote_and_go_back_once(index: Index, tmp_path: Path) -> None:
    folder, (_, second, third) = index
    keys = tmp_path / "keys.json"
    token = make_key(keys, "operator", Scope.ADMIN)
    with running_server(folder, keys_file=str(keys)) as server, ThreadPoolExecutor(6) as pool:
        operator = Operator(server, token)
        promoted = list(pool.map(operator.promote, [third] * 6))
        assert sorted(each.changed for each in promoted) == [False] * 5 + [True]
        left = list(pool.map(operator.leave, [third] * 6))
        assert sorted(each.changed for each in left) == [False] * 5 + [True]
        assert {each.generation.id for each in left} == {second}


@pytest.fixture(scope="module")
def refusing(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """An operator of a server with one generation."""
    keys = tmp_path_factory.mktemp("keys") / "keys.json"
    token = make_key(keys, "operator", Scope.ADMIN)
    with running_server(published, keys_file=str(keys)) as server:
        yield Operator(server, token)


@pytest.mark.parametrize(
    ("action", "body", "status", "error"),
    [
        ("promote", {"generation": "nothing"}, 404, "not_found"),
        ("promote", {"generation": "candidate"}, 404, "not_found"),
        ("rollback", {"leave": "nothing"}, 404, "not_found"),
        ("promote", {}, 400, "validation_error"),
        ("rollback", {}, 400, "validation_error"),
        ("promote", {"generation": ""}, 400, "validation_error"),
        ("promote", {"generation": "x" * 101}, 400, "validation_error"),
        ("promote", {"generation": 5}, 400, "validation_error"),
        ("promote", {"generation": "a\0b"}, 400, "validation_error"),
        ("rollback", {"leave": "FIRST"}, 404, "not_found"),
    ],
)
def test_what_cannot_be_released_is_refused_and_live_stays(
    refusing: Operator, action: str, body: dict[str, object], status: int, error: str
) -> None:
    live = refusing.list().live
    assert live is not None
    sent = {name: live if value == "FIRST" else value for name, value in body.items()}
    answer = refusing.ask(action, sent)
    assert (answer.status, answer.body["error"]) == (status, error)
    assert refusing.list().live == live


def test_a_candidate_that_does_not_pass_is_409_with_the_reason(index: Index, tmp_path: Path) -> None:
    folder, (_, live, _) = index
    for page in list((folder / "pages").glob("*.md"))[10:]:
        page.unlink()
    with Assay.open(settings_for(folder)) as assay:
        fallen = assay.builds.ingest().generation.id
    keys = tmp_path / "keys.json"
    token = make_key(keys, "operator", Scope.ADMIN)
    with running_server(folder, keys_file=str(keys)) as server:
        operator = Operator(server, token)
        answer = operator.ask("promote", {"generation": fallen})
        assert (answer.status, answer.body["error"]) == (409, "conflict")
        assert "did not pass" in answer.body["message"]
        assert operator.list().live == live


def test_no_search_of_many_clients_fails_or_mixes_while_generations_come_and_go(index: Index, tmp_path: Path) -> None:
    folder, ids = index
    keys = tmp_path / "keys.json"
    token = make_key(keys, "operator", Scope.ADMIN)
    stop = threading.Event()
    seen: list[Answer] = []

    with running_server(folder, keys_file=str(keys), poll_seconds=0.1) as server, ThreadPoolExecutor(12) as pool:

        def keep_asking() -> None:
            while not stop.is_set():
                seen.append(ask(server.port, "/v1/search", {"query": "page number", "top_k": 20}))

        asking = [pool.submit(keep_asking) for _ in range(12)]
        try:
            operator = Operator(server, token)
            for _ in range(2):
                assert operator.promote(ids[2]).changed
                assert operator.promote(ids[0]).changed
                assert operator.promote(ids[2]).changed
                assert operator.leave(ids[2]).changed
                assert operator.promote(ids[1]).changed
        finally:
            stop.set()
        for each in asking:
            each.result()
        assert search(server.port).status == 200
    assert {answer.status for answer in seen} == {200}
    extra = {ids[0]: set(), ids[1]: {"Extra 1"}, ids[2]: {"Extra 1", "Extra 2"}}
    assert {answer.body["generation"] for answer in seen} == set(ids)
    for answer in seen:
        titles = {result["title"] for result in answer.body["results"] if result["title"].startswith("Extra")}
        assert titles == extra[answer.body["generation"]]


def test_a_catalog_that_stands_still_is_told_at_once_and_released_from_when_it_is_back(
    tmp_path: Path, connect: Connect
) -> None:
    pytest.importorskip("psycopg", reason="needs the driver, psycopg[binary]")
    write_pages(tmp_path / "pages")
    operator = bearer(make_key(tmp_path / "keys.json", "operator", Scope.ADMIN))
    settings = settings_for(tmp_path, keys_file=str(tmp_path / "keys.json"))
    with running_postgres() as server:
        catalog = settings.catalog.model_copy(update={"url": server.new_database()})
        with Assay.open(settings.model_copy(update={"catalog": catalog})) as assay:
            live = assay.publish().promoted
            assert live is not None
            client = connect(assay)
            server.stall()
            started = monotonic()
            try:
                answers = [
                    client.get("/v1/admin/generations", headers=operator),
                    client.post("/v1/admin/promote", json={"generation": live.id}, headers=operator),
                    client.post("/v1/admin/rollback", json={"leave": live.id}, headers=operator),
                ]
            finally:
                server.go_on()
            assert [answer.status_code for answer in answers] == [503, 503, 503]
            assert monotonic() - started < FAR_LESS_THAN_A_STATEMENT_HAS
            assay.parts.catalog.check()
            assert client.get("/v1/admin/generations", headers=operator).json()["live"] == live.id
