"""A publish with its catalog in Postgres that is killed at any step, or whose server is, harms nothing."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.acceptance.killing import count_calls, kill
from tests.acceptance.test_killed_publish import QUERY, ROOT, _answers, _open, _write_docs
from tests.copies import copy_tree
from tests.postgres import PostgresServer, running_postgres

from assay.errors import CatalogUnavailable
from assay.model.generations import State


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_publish_killed_at_any_step_harms_nothing_and_the_next_one_succeeds(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs, base = tmp_path / "docs", tmp_path / "base"
    first_url = postgres.new_database()
    monkeypatch.setenv("DATABASE_URL", first_url)
    _write_docs(docs, changed=False)
    with _open(base, docs) as assay:
        assert assay.publish().promoted
    before, first = _answers(base, docs)
    _write_docs(docs, changed=True)

    def copied(name: str) -> Path:
        """A copy of the index, and of the catalog, which is used from now on."""
        folder = tmp_path / name
        copy_tree(base, folder)
        monkeypatch.setenv("DATABASE_URL", postgres.new_database(template=first_url))
        return folder

    clean = copied("clean")
    calls = count_calls(clean, docs)
    after, _ = _answers(clean, docs)
    assert after != before
    assert calls >= 12
    # Every fourth change: what all of them do to the index is seen with SQLite, in less time.
    for call, when in [*((call, "before") for call in range(1, calls + 1, 4)), (calls, "after")]:
        data_dir = copied(f"killed-{call}-{when}")
        kill(data_dir, docs, call, when)
        answers, live = _answers(data_dir, docs)
        assert answers == (before if live == first else after), f"{call} {when}"
        with _open(data_dir, docs) as assay:
            assay.publish()  # at once: no lock outlives its holder
            states = {generation.id: generation.state for generation in assay.generations()}
            assert sorted(states.values()).count(State.LIVE) == 1
            assert set(states.values()) <= {State.LIVE, State.RETIRED}, f"{call} {when}: {states}"
            assert assay.parts.store.generations() == sorted(states), f"{call} {when}"
            assay.searches.live.refresh()
            assert [hit.chunk.id for hit in assay.search(QUERY).hits] == after, f"{call} {when}"
        shutil.rmtree(data_dir)


PUBLISHING = """
import sys
from pathlib import Path
from tests.acceptance.test_killed_publish import _open
with _open(Path(sys.argv[1]), Path(sys.argv[2])) as assay:
    class Slow:
        def __getattr__(self, name):
            return getattr(store, name)
        def create(self, *arguments):
            print("building", flush=True)
            sys.stdin.readline()
            return store.create(*arguments)
    store = assay.parts.store
    assay.parts.store = Slow()
    assay.publish()
"""


@pytest.mark.timeout(300)
def test_a_publish_whose_server_is_killed_in_the_middle_fails_cleanly_and_the_next_one_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs, data_dir = tmp_path / "docs", tmp_path / "data"
    with running_postgres() as server:
        monkeypatch.setenv("DATABASE_URL", server.new_database())
        _write_docs(docs, changed=False)
        with _open(data_dir, docs) as assay:
            assert assay.publish().promoted
        before, first = _answers(data_dir, docs)
        _write_docs(docs, changed=True)
        command = [sys.executable, "-c", PUBLISHING, str(data_dir), str(docs)]
        building = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert building.stdout is not None
        assert building.stdout.readline() == "building\n"
        server.kill()
        _, said = building.communicate("\n", timeout=120)
        assert building.returncode == 1
        assert CatalogUnavailable.__name__ in said
        server.start()
        assert _answers(data_dir, docs) == (before, first)
        with _open(data_dir, docs) as assay:
            assert assay.publish().promoted
            assert {generation.state for generation in assay.generations()} == {State.LIVE, State.RETIRED}
            assert assay.parts.store.generations() == sorted(generation.id for generation in assay.generations())
        assert _answers(data_dir, docs)[0] != before
