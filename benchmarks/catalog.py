"""Growth of the catalog's costs with the number of chunks, in SQLite and in Postgres.

Run as `python -m benchmarks.catalog [sqlite] [postgres] [--plans] [--cycles=N] [ROWS ...]`, such as 100000 1000000;
both databases, 20,000 and 60,000 by default. Generated pages of ten chunks each go through the catalog's port as a
build sends them; no index is built. Postgres is the empty database at ASSAY_BENCH_POSTGRES, or a server started from
the tests' package, which does not wait for its disk. Each size runs in a process of its own. With several sizes, the
exponent b of cost = a · rows^b is fitted to each figure. `--plans` prints Postgres's plan of each statement.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import Any

import numpy as np
from sqlalchemy import text

from assay.adapters.catalog.catalog import SqlCatalog, sqlite_url
from assay.adapters.catalog.sql.database import Database, connect
from assay.adapters.catalog.sql.postgres import PostgresOptions, is_postgres
from assay.model.batches import batched
from assay.model.documents import Chunk, Document, Section
from assay.model.generations import State
from assay.settings import CatalogSettings
from assay.testing.catalog_samples import NOON, cut, generation, page
from benchmarks.catalog_plans import print_plans
from benchmarks.postgres_server import PostgresLoad
from benchmarks.scale import exponents, vocabulary

SIZES = (20_000, 60_000)
CYCLES = 5
"""Publishes that replace every page by default, each followed by the removal of the generation before."""

_CHUNKS = 10
"""Chunks of a page."""
_SENTENCES = 5
_DOCUMENTS_AT_ONCE = 64
_CHUNKS_AT_ONCE = 512
_KEPT_AT_ONCE = 2_000
_SAMPLE = 300
_SCHEMA = "assay_benchmark"
_LARGE = 5_000_000
"""Rows from which `catalog.statement_seconds` is raised, as docs/postgres.md says."""

Stored = tuple[Document, list[Chunk]]


class Pages:
    """Generated pages. release: part of every text, so that another release changes every page."""

    def __init__(self, count: int) -> None:
        draw = random.Random(7)
        words = vocabulary()
        self._sentences = [" ".join(draw.choices(words, k=25)).capitalize() + "." for _ in range(5_000)]
        self.count = count

    def page(self, number: int, release: int) -> Stored:
        """One page: the same for the same numbers."""
        draw = random.Random(number)
        texts = [f"Release {release}. " + " ".join(draw.choices(self._sentences, k=_SENTENCES)) for _ in range(_CHUNKS)]
        document, chunks = cut(
            page(f"part-{number // 1000:04}/page-{number:07}", title=f"Page {number}")[0].info, texts
        )
        sections = tuple(Section(2, one.section, one.anchor, one.heading_path, one.start, one.end) for one in chunks)
        return replace(document, sections=sections, key=f"{number}.md"), chunks

    def all(self, release: int) -> Iterator[Stored]:
        """Every page."""
        return (self.page(number, release) for number in range(self.count))


class Figures:
    """Figures by name. Each stage's peak of memory is measured from its beginning.

    CPU seconds are this process's, and those of a Postgres server on this machine; they do not depend on what else the
    machine does. server: None for SQLite.
    """

    def __init__(self, server: PostgresLoad | None) -> None:
        self.found: dict[str, float] = {}
        self._server_seconds: Callable[[], float] = server.seconds if server else lambda: 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Seconds and peak memory of a stage."""
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # resets the peak
        before, served = _memory("VmRSS"), self._server_seconds()
        started, used = perf_counter(), process_time()
        yield
        self.add(f"{name} s", perf_counter() - started)
        self.add(f"{name}: CPU s", process_time() - used)
        self.add(f"{name}: server's CPU s", self._server_seconds() - served)
        self.add(f"{name}: memory MB", _memory("VmHWM") - before)

    def calls(self, name: str, call: Callable[[Any], object], inputs: Sequence[Any]) -> None:
        """Median, 95th percentile and maximum of a call's time, in milliseconds."""
        seconds = []
        for one in inputs:
            started = perf_counter()
            call(one)
            seconds.append(perf_counter() - started)
        for label, value in (("p50", np.median(seconds)), ("p95", np.percentile(seconds, 95)), ("max", max(seconds))):
            self.add(f"{name} {label} ms", float(value) * 1e3)

    def add(self, name: str, value: float) -> None:
        """Keep a figure, and print it."""
        self.found[name] = value
        print(f"  {name:44} {value:12.4g}", file=sys.stderr, flush=True)


def _memory(field: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) / 1024


# --- what a build does ---------------------------------------------------------------------------------------------


def publish(catalog: SqlCatalog, name: str, pages: Pages, figures: Figures) -> None:
    """Store every page and make the generation live."""
    catalog.add_generation(generation(name))
    with figures.stage("store"):
        for batch in batched(pages.all(0), _DOCUMENTS_AT_ONCE):
            catalog.add_documents(name, batch)
    _index(catalog, name, figures)
    with figures.stage("candidate"):
        catalog.transition(name, State.CANDIDATE)
    with figures.stage("promote"):
        catalog.promote(name, NOON)


def _index(catalog: SqlCatalog, name: str, figures: Figures) -> None:
    """Read the chunks twice and record checksums, as the passes of a build do."""
    with figures.stage("first pass"):
        rows = sum(1 for _ in catalog.chunks(name))
    catalog.update_generation(replace(catalog.generation(name), chunks=rows))
    with figures.stage("second pass"):
        checksums: dict[str, dict[str, bytes]] = {}
        for chunk in catalog.chunks(name):
            checksums.setdefault(chunk.document.url, {})[chunk.id] = bytes(16)
            if len(checksums) > 200:
                last = chunk.document.url
                unfinished = checksums.pop(last)
                catalog.record_checksums(name, checksums)
                checksums = {last: unfinished}
        catalog.record_checksums(name, checksums)


def publish_unchanged(catalog: SqlCatalog, live: str, figures: Figures) -> None:
    """A build that finds every page unchanged."""
    with figures.stage("unchanged: known pages"):
        revisions = [one.revision for one in catalog.known_pages(live).values()]
    catalog.add_generation(generation("unchanged"))
    with figures.stage("unchanged: include"):
        for batch in batched(revisions, _KEPT_AT_ONCE):
            catalog.include_revisions("unchanged", batch)
    with figures.stage("unchanged: forget"):
        catalog.forget("unchanged")


def publish_edits(catalog: SqlCatalog, live: str, name: str, pages: Pages, figures: Figures) -> None:
    """A build with one page in a hundred changed, made live."""
    changed = [pages.page(number, 1_000_000) for number in range(0, pages.count, 100)]
    keys = {document.key for document, _ in changed}
    with figures.stage("edits: known pages"):
        kept = [one.revision for one in catalog.known_pages(live).values() if one.key not in keys]
    catalog.add_generation(generation(name))
    with figures.stage("edits: store"):
        for batch in batched(changed, _DOCUMENTS_AT_ONCE):
            catalog.add_documents(name, batch)
        for some in batched(kept, _KEPT_AT_ONCE):
            catalog.include_revisions(name, some)
    with figures.stage("edits: check of 1,000 kept pages"):
        catalog.damaged_revisions(kept[:1_000])
    chunks = [chunk for number in range(min(pages.count, 1_500)) for chunk in pages.page(number, 0)[1]]
    hashes = [[chunk.embedded_hash for chunk in batch] for batch in batched(chunks, _CHUNKS_AT_ONCE)]
    figures.calls("edits: vectors of 512 chunks", lambda batch: catalog.embedded_chunks(live, batch), hashes)
    catalog.transition(name, State.CANDIDATE)
    catalog.promote(name, NOON)


# --- what is asked while it serves ---------------------------------------------------------------------------------


def ask(
    catalog: SqlCatalog, database: Database, name: str, pages: Pages, figures: Figures, when: str, release: int = 0
) -> None:
    """Each question that a search, a report or another program asks."""
    draw = random.Random(1)
    some = [pages.page(number, release) for number in draw.sample(range(pages.count), min(_SAMPLE, pages.count))]
    ids = [chunk.id for _, chunks in some for chunk in chunks]
    urls = [document.info.url for document, _ in some]
    hashes = [chunk.content_hash for _, chunks in some for chunk in chunks]

    def lists(values: Sequence[str], size: int) -> list[list[str]]:
        return [draw.sample(list(values), min(size, len(values))) for _ in range(_SAMPLE)]

    asked: tuple[tuple[str, Callable[[Any], object], Sequence[Any]], ...] = (
        ("5 chunks", lambda some: catalog.chunk_metadata(some, name), lists(ids, 5)),
        ("100 chunks", lambda some: catalog.chunk_metadata(some, name), lists(ids, 100)),
        ("live row", lambda _: catalog.live_id(), range(_SAMPLE)),
        ("health", lambda _: catalog.check(), range(_SAMPLE)),
        ("one page", lambda url: catalog.document(name, url), urls),
        ("places of 100 chunks", lambda some: catalog.places_of_ids(name, some), lists(ids, 100)),
        ("places of 100 texts", lambda some: catalog.places_of_texts(name, some), lists(hashes, 100)),
        ("places on 20 pages", lambda some: catalog.places_at(name, some), lists(urls, 20)),
        (
            "view by slug",
            lambda url: _view(database, "slug = :value", url.split("/", 3)[3].replace("/", "-")),
            urls[:20],
        ),
        ("view by source_path", lambda url: _view(database, "source_path = :value", _path(url)), urls[:20]),
    )
    for label, call, inputs in asked:
        figures.calls(f"{when}: {label}", call, inputs)


def read_all(catalog: SqlCatalog, database: Database, name: str, figures: Figures) -> None:
    """Whole generations, as a listing and an audit read them."""
    with figures.stage("listing"):
        assert sum(1 for _ in catalog.listing(name))
    with figures.stage("documents"):
        assert sum(1 for _ in catalog.documents(name))
    with figures.stage("view: count"):
        _view(database, ":value = 'x'", "x", "count(*)")


def _path(url: str) -> str:
    return f"docs/{url.split('/', 3)[3]}.md"


def _view(database: Database, condition: str, value: str, columns: str = "chunk_id, title") -> None:
    with database.reading() as connection:
        found = connection.execute(text(f"SELECT {columns} FROM documents WHERE {condition}"), {"value": value}).all()
    assert found


# --- retention -----------------------------------------------------------------------------------------------------


def retire(catalog: SqlCatalog, old: str, figures: Figures) -> None:
    """Remove a whole generation while look-ups and writers go on; one of a single page is live."""
    catalog.add_generation(generation("last"))
    catalog.add_documents("last", [page("last", "one", "two")])
    catalog.transition("last", State.CANDIDATE)
    catalog.promote("last", NOON)
    ids = [chunk.id for chunk in catalog.chunks("last")]
    ended = threading.Event()
    waits: dict[str, list[float]] = {"look-up": [], "writer": []}
    current = catalog.generation("last")

    def repeat(kind: str, call: Callable[[], object]) -> None:
        while not ended.is_set():
            started = perf_counter()
            call()
            waits[kind].append(perf_counter() - started)
            sleep(0.02)

    calls: dict[str, Callable[[], object]] = {
        "look-up": lambda: catalog.chunk_metadata(ids, "last"),
        "writer": lambda: catalog.update_generation(current),
    }
    threads = [threading.Thread(target=repeat, args=one) for one in calls.items()]
    for thread in threads:
        thread.start()
    try:
        with figures.stage("retention: forget"):
            catalog.forget(old)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    for kind, seconds in waits.items():
        figures.add(f"retention: slowest {kind} meanwhile ms", max(seconds, default=0.0) * 1e3)


def vacuum(server: PostgresLoad, database: Database, figures: Figures) -> None:
    """Vacuum by hand after a removal, as autovacuum does on its own."""
    dead, alive = server.dead_rows()
    figures.add("vacuum: dead rows before", dead)
    figures.add("vacuum: rows alive before", alive)
    figures.add("vacuum: size before MB", size_megabytes(database))
    with figures.stage("vacuum"):
        server.vacuum()
    figures.add("vacuum: dead rows after", server.dead_rows()[0])


def size_megabytes(database: Database) -> float:
    """The catalog's size on disk."""
    if database.path is not None:
        return database.path.stat().st_size / 1e6
    with database.reading() as connection:
        size = connection.exec_driver_sql(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
            " AND relkind = 'r'"
        ).scalar()
        return float(size or 0) / 1e6


def cycle(catalog: SqlCatalog, database: Database, live: str, pages: Pages, figures: Figures, count: int) -> str:
    """Publishes that change every page, with the size after each."""
    for number in range(2, count + 2):
        name = f"g{number}"
        catalog.add_generation(generation(name))
        for batch in batched(pages.all(number), _DOCUMENTS_AT_ONCE):
            catalog.add_documents(name, batch)
        catalog.transition(name, State.CANDIDATE)
        catalog.promote(name, NOON)
        catalog.forget(live)
        live = name
        figures.add(f"size after cycle {number - 1} MB", size_megabytes(database))
    return live


# --- sizes ---------------------------------------------------------------------------------------------------------


def measure(url: str, rows: int, *, plans: bool, cycles: int) -> dict[str, float]:
    """All figures of one size, in this process."""
    server = PostgresLoad(url, _SCHEMA) if is_postgres(url) else None
    figures, pages = Figures(server), Pages(rows // _CHUNKS)
    seconds = 600.0 if rows > _LARGE else CatalogSettings().statement_seconds
    settings = CatalogSettings(
        schema_name=_SCHEMA if is_postgres(url) else None, lookup_seconds=30.0, statement_seconds=seconds
    )
    options = settings.options(PostgresOptions)
    catalog = SqlCatalog.open(url, create=True, options=options)
    database = connect(url, create=False, options=options)
    try:
        figures.add("chunks", pages.count * _CHUNKS)
        publish(catalog, "g0", pages, figures)
        figures.add("size MB", size_megabytes(database))
        ask(catalog, database, "g0", pages, figures, "asked")
        if plans and is_postgres(url):
            print_plans(database, "g0", [pages.page(n, 0) for n in range(0, pages.count, max(pages.count // 50, 1))])
        read_all(catalog, database, "g0", figures)
        publish_unchanged(catalog, "g0", figures)
        publish_edits(catalog, "g0", "g1", pages, figures)
        with figures.stage("retention of edits: forget"):
            catalog.forget("g0")
        live = "g1"
        if cycles:
            live = cycle(catalog, database, live, pages, figures, cycles)
            ask(catalog, database, live, pages, figures, "after cycles", 1 + cycles)
        retire(catalog, live, figures)
        if server:
            vacuum(server, database, figures)
        figures.add("size after all MB", size_megabytes(database))
    finally:
        database.close()
        catalog.close()
        if server:
            server.close()
    return figures.found


@contextmanager
def postgres_url() -> Iterator[str]:
    """The database that the environment names, or one of a new server; the schema used is removed."""
    given = os.environ.get("ASSAY_BENCH_POSTGRES")
    if given:
        _drop_schema(given)
        yield given
        _drop_schema(given)
        return
    from tests.postgres import running_postgres

    with running_postgres() as server:
        yield server.new_database()


def _drop_schema(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {_SCHEMA} CASCADE".encode())


def main(arguments: Sequence[str] = ()) -> None:
    """Measure each size in each database; or, in a process of its own, one size."""
    if arguments and arguments[0] == "measure":
        cycles = next((int(one.partition("=")[2]) for one in arguments if one.startswith("--cycles=")), CYCLES)
        print(json.dumps(measure(arguments[1], int(arguments[2]), plans="--plans" in arguments, cycles=cycles)))
        return
    sizes = [int(one) for one in arguments if one.isdigit()] or SIZES
    kinds = [one for one in ("sqlite", "postgres") if one in arguments] or ["sqlite", "postgres"]
    flags = [one for one in arguments if one.startswith("--")]
    found: dict[str, list[Mapping[str, float]]] = {kind: [] for kind in kinds}
    for size in sizes:
        for kind in kinds:
            print(f"{kind}, {size} chunks", flush=True)
            with tempfile.TemporaryDirectory() as folder:
                place = nullcontext(sqlite_url(Path(folder) / "catalog.db")) if kind == "sqlite" else postgres_url()
                with place as url:
                    command = [sys.executable, "-m", "benchmarks.catalog", "measure", url, str(size), *flags]
                    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            found[kind].append(json.loads(run.stdout.splitlines()[-1]))
        _print_side_by_side({kind: rows[-1] for kind, rows in found.items()})
    if len(sizes) > 1:
        for kind in kinds:
            print(f"exponents in {kind}:")
            exponents(found[kind])


def _print_side_by_side(figures: Mapping[str, Mapping[str, float]]) -> None:
    print(f"{'':46}" + "".join(f"{kind:>14}" for kind in figures))
    for name in next(iter(figures.values())):
        values = (f"{rows.get(name, float('nan')):14.4g}" for rows in figures.values())
        print(f"  {name:44}" + "".join(values), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
