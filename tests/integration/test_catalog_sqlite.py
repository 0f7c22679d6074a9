"""The catalog in a real SQLite file: several processes, killed writers, read-only media, damage and full disks."""

import os
import re
import shutil
import sqlite3
import sys
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Select, event
from tests.disks import fill_disk
from tests.forking import ForkedProgram

from assay.adapters.catalog.catalog import SqlCatalog, sqlite_url
from assay.adapters.catalog.sql import database as database_module
from assay.adapters.catalog.sql import queries, tables
from assay.errors import (
    BuildInProgress,
    CatalogError,
    CatalogUnavailable,
    GenerationNotFound,
)
from assay.model.evaluation import Passage
from assay.model.generations import State
from assay.testing.catalog_generations import agree
from assay.testing.catalog_samples import NOON, SITE, built, generation, in_state, page

EVERY_METHOD: dict[str, Callable[[SqlCatalog], object]] = {
    "add_generation": lambda catalog: catalog.add_generation(generation("new")),
    "update_generation": lambda catalog: catalog.update_generation(generation("g1")),
    "generation": lambda catalog: catalog.generation("g1"),
    "generations": lambda catalog: catalog.generations(),
    "live_id": lambda catalog: catalog.live_id(),
    "transition": lambda catalog: catalog.transition("g1", State.CANDIDATE),
    "promote": lambda catalog: catalog.promote("g1", NOON),
    "forget": lambda catalog: catalog.forget("g1"),
    "known_pages": lambda catalog: catalog.known_pages("g1"),
    "add_documents": lambda catalog: catalog.add_documents("g1", [page("new")]),
    "include_revisions": lambda catalog: catalog.include_revisions("g1", []),
    "documents": lambda catalog: list(catalog.documents("g1")),
    "document": lambda catalog: catalog.document("g1", SITE),
    "documents_at": lambda catalog: list(catalog.documents_at("g1", [SITE])),
    "urls_of_texts": lambda catalog: catalog.urls_of_texts("g1", ["x"]),
    "text_of": lambda catalog: catalog.text_of("x"),
    "places_at": lambda catalog: catalog.places_at("g1", [SITE]),
    "places_of_ids": lambda catalog: catalog.places_of_ids("g1", ["x"]),
    "places_of_texts": lambda catalog: catalog.places_of_texts("g1", ["x"]),
    "anchors": lambda catalog: catalog.anchors(["x"]),
    "keep_anchors": lambda catalog: catalog.keep_anchors("g1", {"x": Passage(url=SITE)}),
    "chunks": lambda catalog: list(catalog.chunks("g1")),
    "chunk_metadata": lambda catalog: catalog.chunk_metadata(["c1"], "g1"),
    "embedded_chunks": lambda catalog: catalog.embedded_chunks("g1", ["x"]),
    "damaged_revisions": lambda catalog: catalog.damaged_revisions(["x"]),
    "check": lambda catalog: catalog.check(),
}
WRITING = (
    "add_generation",
    "update_generation",
    "transition",
    "promote",
    "forget",
    "add_documents",
    "include_revisions",
)

PRELUDE = """
import sys, time
from assay.adapters.catalog.catalog import SqlCatalog
from assay.model.generations import State
from assay.testing.catalog_samples import *
catalog = SqlCatalog.open(sys.argv[1], create=False)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "catalog" / "catalog.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture
def catalog(url: str) -> Iterator[SqlCatalog]:
    catalog = SqlCatalog.open(url, create=True)
    yield catalog
    catalog.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A locked database is given up at once, by connections that are opened from now on."""
    monkeypatch.setattr(database_module, "LOCK_TIMEOUT_SECONDS", 0.05)


def run_code(*arguments: str) -> None:
    """Run the first argument as a program whose arguments are all of them."""
    sys.argv = list(arguments)
    exec(PRELUDE + arguments[0], {"__name__": "__main__"})


Started = Callable[..., ForkedProgram]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """Starts other processes that have the catalog open; each is returned once it has said that it is ready."""
    running: list[ForkedProgram] = []

    def start(code: str, url: str, *arguments: str) -> ForkedProgram:
        running.append(ForkedProgram(tmp_path / "log", run_code, code, url, *arguments))
        assert running[-1].stdout.readline() == "ready\n"
        return running[-1]

    yield start
    for process in running:
        process.close()


def ended(process: ForkedProgram) -> str:
    """Its output, once its standard input is closed."""
    process.stdin.close()
    said = process.stdout.read()
    process.wait(60)
    assert process.returncode == 0
    return said


# --- readers and writers -------------------------------------------------------------------------------------------


def test_the_file_has_a_write_ahead_log_and_its_foreign_keys_hold(catalog: SqlCatalog, path: Path) -> None:
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    with catalog._database.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_change_of_state_is_flushed_to_the_disk_and_documents_with_it(catalog: SqlCatalog) -> None:
    levels: list[int] = []
    event.listen(
        catalog._database.engine,
        "commit",
        lambda connection: levels.append(connection.exec_driver_sql("PRAGMA synchronous").scalar()),
    )
    normal, full = 1, 2
    catalog.add_generation(generation("g1"))
    catalog.add_documents("g1", [page("a")])
    catalog.transition("g1", State.CANDIDATE)
    catalog.promote("g1", NOON)
    assert levels == [full, normal, full, full]


def test_readers_do_not_wait_for_a_writer_and_see_what_was_before(catalog: SqlCatalog) -> None:
    built(catalog, "g1", page("a", "one"))
    catalog.promote("g1", NOON)
    with catalog._database.writing(durable=True) as connection:
        connection.exec_driver_sql("UPDATE live SET generation_id = NULL")
        connection.exec_driver_sql("DELETE FROM chunks")
        answers: list[object] = []
        reader = threading.Thread(
            target=lambda: answers.extend([catalog.live_id(), [chunk.text for chunk in catalog.chunks("g1")]])
        )
        reader.start()
        reader.join(timeout=10)
        assert answers == ["g1", ["one"]]


def test_an_open_iteration_keeps_nobody_from_writing(catalog: SqlCatalog, path: Path) -> None:
    built(catalog, "g1", *(page(f"p{number:03}") for number in range(250)))
    chunks = catalog.chunks("g1")
    assert next(chunks).text == "What p000 says."
    in_state(catalog, "g2", State.CANDIDATE)
    catalog.promote("g2", NOON)
    with sqlite3.connect(path, isolation_level=None, timeout=0) as connection:
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        assert busy == 0, "a transaction is open"
    assert len(list(chunks)) == 249


def test_a_generation_that_is_deleted_while_it_is_read_is_not_taken_for_a_shorter_one(catalog: SqlCatalog) -> None:
    built(catalog, "g1", *(page(f"p{number:03}") for number in range(250)))
    revisions = [known.revision for known in catalog.known_pages("g1").values()]
    for reading in (catalog.documents("g1"), catalog.chunks("g1"), catalog.chunks("g1", revisions)):
        next(reading)
        catalog.forget("g1")
        with pytest.raises(GenerationNotFound):
            list(reading)
        built(catalog, "g1", *(page(f"p{number:03}") for number in range(250)))


def test_a_build_holds_no_transaction_between_its_batches(catalog: SqlCatalog, path: Path) -> None:
    catalog.add_generation(generation("g1"))
    with catalog.build_lock():
        for name in "ab":
            catalog.add_documents("g1", [page(name)])
            with sqlite3.connect(path, isolation_level=None, timeout=0) as other:
                other.execute("BEGIN IMMEDIATE")
                other.execute("ROLLBACK")


def test_threads_that_read_and_write_together_do_not_disturb_each_other(catalog: SqlCatalog) -> None:
    built(catalog, "g0", page("a"))
    catalog.promote("g0", NOON)
    failures: list[BaseException] = []

    def use(number: int) -> None:
        try:
            for turn in range(5):
                name = f"g{number}-{turn}"
                built(catalog, name, page("a"), page(f"p{number}", f"turn {turn}"))
                catalog.promote(name, NOON)
                assert len(list(catalog.chunks(name))) == 2
                assert catalog.live_id() is not None
        except BaseException as error:  # noqa: BLE001 - a thread's error is looked at below
            failures.append(error)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(catalog.generations()) == 31
    agree(catalog)


def test_what_many_generations_share_is_stored_once(catalog: SqlCatalog, path: Path) -> None:
    same = [page(f"p{number}", "one", "two") for number in range(10)]
    for number in range(4):
        built(catalog, f"g{number}", *same, page("changing", f"version {number}"))
    counts = "SELECT (SELECT count(*) FROM document_revisions), (SELECT count(*) FROM chunks)"
    with sqlite3.connect(path) as connection:
        assert connection.execute(counts).fetchone() == (14, 24)
        catalog.forget("g0")
        assert connection.execute(counts).fetchone() == (13, 23)
        for number in (1, 2, 3):
            catalog.forget(f"g{number}")
        assert connection.execute(counts).fetchone() == (0, 0)
        assert connection.execute("SELECT count(*) FROM generation_documents").fetchone() == (0,)


# --- processes -----------------------------------------------------------------------------------------------------


HOLDING = """
with catalog.build_lock():
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_another_process_that_builds_is_named_and_its_right_ends_with_it(
    catalog: SqlCatalog, url: str, started: Started
) -> None:
    holder = started(HOLDING, url)
    with pytest.raises(BuildInProgress, match=rf"process {holder.pid} on .*, since 20.*Z.* is running"):
        catalog.build_lock().__enter__()
    holder.close()
    with catalog.build_lock(), pytest.raises(BuildInProgress, match=f"process {os.getpid()} on"):
        catalog.build_lock().__enter__()
    holder = started(HOLDING, url)
    ended(holder)
    with catalog.build_lock():
        pass


PROMOTING = """
print("ready", flush=True)
sys.stdin.read()
for turn in range(20):
    catalog.promote(sys.argv[2 + turn % 2], NOON)
"""


def test_promotions_by_two_processes_leave_one_generation_live(catalog: SqlCatalog, url: str, started: Started) -> None:
    for name in "abcd":
        in_state(catalog, name, State.CANDIDATE)
    first, second = started(PROMOTING, url, "a", "b"), started(PROMOTING, url, "c", "d")
    for process in (first, second):
        process.stdin.close()
    for process in (first, second):
        ended(process)
    agree(catalog)
    assert sorted(each.state for each in catalog.generations()) == [State.LIVE, *[State.RETIRED] * 3]


BUILDING = """
from itertools import count
catalog.add_generation(generation("g2"))
for batch in count():
    catalog.add_documents("g2", [page(f"new-{batch}-{number}") for number in range(40)])
    if batch == 0:
        print("ready", flush=True)
"""


@pytest.mark.parametrize("delay", [0.0, 0.07])
def test_a_writer_that_is_killed_leaves_whole_batches_and_what_was_live(
    catalog: SqlCatalog, url: str, path: Path, started: Started, delay: float
) -> None:
    built(catalog, "g1", page("a"))
    catalog.promote("g1", NOON)
    writer = started(BUILDING, url)
    threading.Event().wait(delay)
    writer.close()
    assert catalog.live_id() == "g1"
    assert len(list(catalog.documents("g2"))) % 40 == 0
    assert len(list(catalog.chunks("g2"))) == len(catalog.known_pages("g2")) > 0
    catalog.forget("g2")
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM document_revisions").fetchone() == (1,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


# --- read-only media -----------------------------------------------------------------------------------------------


SERVING = """
import os
if os.getuid() == 0:
    os.setgroups([])
    os.setuid(65534)
catalog.close()
catalog = SqlCatalog.open(sys.argv[1], create=False)
assert not os.access(os.path.dirname(sys.argv[1].removeprefix("sqlite:///")), os.W_OK)
print("ready", flush=True)
for line in sys.stdin:
    print(catalog.live_id(), [chunk.text for chunk in catalog.chunks(line.strip())], flush=True)
try:
    catalog.forget("g1")
except Exception as error:
    print(type(error).__name__, error, flush=True)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter; pytest's own are closed to them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


def test_a_process_without_write_access_serves_and_sees_promotions(open_folder: Path, started: Started) -> None:
    url = sqlite_url(open_folder / "catalog.db")
    catalog = SqlCatalog.open(url, create=True)
    built(catalog, "g1", page("a", "one"))
    built(catalog, "g2", page("a", "two"))
    catalog.promote("g1", NOON)
    catalog.close()
    assert not (open_folder / "catalog.db-wal").exists()
    we_can_write = os.getuid() == 0
    if not we_can_write:
        open_folder.chmod(0o555)
    server = started(SERVING, url)
    assert answer(server, "g1") == "g1 ['one']"
    if we_can_write:
        catalog.promote("g2", NOON)
        assert (open_folder / "catalog.db-wal").exists()
        assert answer(server, "g2") == "g2 ['two']"
        catalog.close()
        assert not (open_folder / "catalog.db-wal").exists()
        assert answer(server, "g2") == "g2 ['two']"
    assert re.match("CatalogError.*cannot be written", ended(server))


def test_a_full_disk_does_not_keep_anybody_from_reading(small_disk: Path) -> None:
    url = sqlite_url(small_disk / "catalog.db")
    catalog = SqlCatalog.open(url, create=True)
    built(catalog, "g1", page("a", "one"))
    built(catalog, "g2", page("a", "two"))
    catalog.promote("g1", NOON)
    catalog.close()
    filler = fill_disk(small_disk)
    reader = SqlCatalog.open(url, create=False)
    reader.check()
    assert reader.live_id() == "g1"
    assert [chunk.text for chunk in reader.chunks("g1")] == ["one"]
    with pytest.raises(CatalogError, match="no space left"):
        reader.promote("g2", NOON)
    filler.unlink()
    writer = SqlCatalog.open(url, create=False)
    writer.promote("g2", NOON)
    assert reader.live_id() == "g2"
    reader.promote("g1", NOON)
    assert writer.live_id() == "g1"
    writer.close()
    reader.close()


def answer(server: ForkedProgram, line: str) -> str:
    """What a process says to one line."""
    print(line, file=server.stdin, flush=True)
    return server.stdout.readline().rstrip()


HIDDEN = """
import os
if os.getuid() == 0:
    os.setuid(65534)
print("ready", flush=True)
sys.stdin.read()
try:
    SqlCatalog.open(sys.argv[2], create=False)
except Exception as error:
    print(type(error).__name__, error)
"""


def test_a_file_that_this_user_may_not_see_cannot_be_opened(open_folder: Path, started: Started) -> None:
    seen, hidden = (sqlite_url(open_folder / name / "catalog.db") for name in ("seen", "hidden"))
    for url in (seen, hidden):
        SqlCatalog.open(url, create=True).close()
    (open_folder / "hidden").chmod(0o000)
    said = ended(started(HIDDEN, seen, hidden))
    (open_folder / "hidden").chmod(0o755)
    assert re.match("CatalogUnavailable.*cannot be opened", said)


# --- what goes wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WRITING)
def test_a_writer_that_waits_too_long_says_who_is_in_the_way(
    catalog: SqlCatalog, path: Path, url: str, impatient: None, name: str
) -> None:
    in_state(catalog, "g1", State.CANDIDATE if name == "promote" else State.BUILDING)
    mine = SqlCatalog.open(url, create=False)
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CatalogUnavailable, match="locked by another process"):
            EVERY_METHOD[name](mine)
        other.execute("ROLLBACK")
    EVERY_METHOD[name](mine)
    mine.close()


@pytest.mark.parametrize("name", EVERY_METHOD)
def test_a_file_that_was_overwritten_is_an_error_of_the_catalog(
    catalog: SqlCatalog, path: Path, url: str, name: str
) -> None:
    in_state(catalog, "g1", State.BUILDING)
    catalog.close()
    mine = SqlCatalog.open(url, create=False)
    mine.close()
    path.write_bytes(b"no database at all\n" * 1000)
    with pytest.raises(CatalogError, match="was never a SQLite database"):
        EVERY_METHOD[name](mine)


@pytest.mark.parametrize("name", EVERY_METHOD)
def test_a_file_that_lost_its_tables_is_an_error_of_the_catalog(
    catalog: SqlCatalog, path: Path, url: str, name: str
) -> None:
    catalog.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("DROP VIEW documents")
        for table in ("anchors", "chunks", "generation_documents", "document_revisions", "live", "generations"):
            connection.execute(f"DROP TABLE {table}")
    with pytest.raises(CatalogError, match="another schema"):
        EVERY_METHOD[name](catalog)


@pytest.mark.parametrize("column", [column.name for column in tables.generations.columns if column.name != "id"])
def test_a_value_of_any_type_in_a_generation_is_damage_and_no_fault_of_ours(
    catalog: SqlCatalog, path: Path, column: str
) -> None:
    built(catalog, "g1", page("a"))
    catalog.promote("g1", NOON)
    refused = 0
    for value in (b"\xff\xfe", 5, 2.5, "[null]", "{", "[" * 100_000, "yesterday"):
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute(f"UPDATE generations SET {column} = ?", [value])
        for read in (catalog.generations, lambda: catalog.generation("g1")):
            try:
                read()
            except CatalogError as error:
                refused += bool(error.hint)
    assert refused or column == "has_variants"  # of which every value is true or false


def test_a_damaged_page_of_the_file_is_found_when_it_is_read(catalog: SqlCatalog, path: Path) -> None:
    built(catalog, "g1", *(page(f"p{number}", "some text " * 100) for number in range(200)))
    catalog.close()
    content = bytearray(path.read_bytes())
    content[len(content) // 3 : -4096] = b"\xa5" * len(content[len(content) // 3 : -4096])
    path.write_bytes(content)
    with pytest.raises(CatalogError, match="damaged"):
        for _ in catalog.chunks("g1"):
            pass


def test_a_stored_text_that_does_not_unpack_is_damage(catalog: SqlCatalog, path: Path) -> None:
    built(catalog, "g1", page("a"))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE document_revisions SET text = x'00'")
    with pytest.raises(CatalogError, match=f"text of {SITE}/a is damaged"):
        catalog.document("g1", f"{SITE}/a")


@pytest.mark.parametrize("outline", [b"\0", zlib.compress(b"[]"), zlib.compress(b'{"sections": {"level": [1]}}')])
def test_an_outline_that_does_not_unpack_is_damage(catalog: SqlCatalog, path: Path, outline: bytes) -> None:
    built(catalog, "g1", page("a"))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE document_revisions SET outline = ?", [outline])
    with pytest.raises(CatalogError, match=f"outline of {SITE}/a is damaged"):
        catalog.document("g1", f"{SITE}/a")


@pytest.mark.parametrize("passage", [b"\0", zlib.compress(b"[]"), zlib.compress(b'{"quote": {"exakt": "x"}}')])
def test_an_anchor_that_does_not_unpack_is_damage(catalog: SqlCatalog, path: Path, passage: bytes) -> None:
    built(catalog, "g1", page("a"))
    catalog.keep_anchors("g1", {"k": Passage(url=f"{SITE}/a")})
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE anchors SET passage = ?", [passage])
    with pytest.raises(CatalogError, match="anchor of a judgment is damaged"):
        catalog.anchors(["k"])


def test_broken_json_in_a_row_is_damage(catalog: SqlCatalog, path: Path) -> None:
    built(catalog, "g1", page("a"))
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE generations SET embedder = '{'")
    with pytest.raises(CatalogError, match="damaged"):
        catalog.generations()


def test_a_full_disk_is_said_to_be_full_and_costs_nothing_that_was_there(catalog: SqlCatalog) -> None:
    built(catalog, "g1", page("a"))
    catalog.promote("g1", NOON)
    catalog.add_generation(generation("g2"))
    catalog._database.engine.dispose()

    @event.listens_for(catalog._database.engine, "connect")
    def limit(connection: sqlite3.Connection, _: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 5}")

    with pytest.raises(CatalogError, match="no space left"):
        catalog.add_documents("g2", [page(f"p{number}", "text " * 1000) for number in range(50)])
    assert catalog.known_pages("g2") == {}
    assert catalog.live_id() == "g1"
    assert [chunk.text for chunk in catalog.chunks("g1")] == ["What a says."]


def test_a_folder_in_place_of_the_file_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "catalog.db").mkdir()
    for create in (True, False):
        with pytest.raises(CatalogUnavailable, match="cannot be opened"):
            SqlCatalog.open(f"sqlite:///{tmp_path}/catalog.db", create=create)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CatalogError, match=r"folder .*file/deeper cannot be created"):
        SqlCatalog.open(f"sqlite:///{tmp_path}/file/deeper/catalog.db", create=True)


def test_a_path_with_every_kind_of_character_is_just_a_path(tmp_path: Path) -> None:
    path = tmp_path / "a b%20c#d?e=é" / "catalog.db"
    catalog = SqlCatalog.open(sqlite_url(path), create=True)
    built(catalog, "g1", page("a"))
    catalog.close()
    assert path.exists()
    shutil.move(path.parent, tmp_path / "moved")
    moved = SqlCatalog.open(f"sqlite:///{tmp_path}/moved/catalog.db", create=False)
    assert len(list(moved.chunks("g1"))) == 1
    moved.close()


MANY = [str(number) for number in range(500)]
"""As many as a look-up asks for at once: with few, SQLite begins with them anyway."""


@pytest.mark.parametrize(
    ("statement", "begins"),
    [
        (queries.places_of_ids("g1", MANY), "ix_chunks_chunk_id"),
        (queries.places_of_texts("g1", MANY), "ix_chunks_content_hash"),
        (queries.embedded_chunks("g1", MANY), "ix_chunks_embedded_hash"),
        (queries.metadata_of(MANY, "g1"), "ix_chunks_chunk_id"),
        (queries.urls_of_texts("g1", MANY), "ix_document_revisions_text_hash"),
        (queries.infos_of("g1", MANY), "document_revisions USING INDEX"),
    ],
)
def test_a_look_up_begins_with_the_rows_that_it_names_and_not_with_all_documents(
    tmp_path: Path, statement: Select[Any], begins: str
) -> None:
    catalog = SqlCatalog.open(sqlite_url(tmp_path / "catalog.db"), create=True)
    with catalog._database.reading() as connection:
        compiled = statement.compile(connection.engine, compile_kwargs={"render_postcompile": True})
        values = tuple(compiled.params[name] for name in compiled.positiontup or ())
        plan = [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", values)]
    catalog.close()
    first = next(step for step in plan if step.startswith("SEARCH"))
    assert begins in first, plan
