"""What `assay doctor` looks at: each part on its own, so that one that fails does not hide the others."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Literal

from rich.console import Console

from assay.app import Assay
from assay.app.testsets import load_test_set
from assay.cli.terminal.output import on_one_line, pages_and_chunks
from assay.errors import AssayError, CatalogNotFound, NoLiveGeneration
from assay.model.access import Scope
from assay.model.counting import counted
from assay.model.documents import PageExcluded, PageFailed
from assay.model.generations import Generation, State
from assay.model.ranking import Query
from assay.settings import SourceSettings

_LOW_SPACE_BYTES = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. level: ok, warn (works, but) or fail."""

    name: str
    level: Literal["ok", "warn", "fail"]
    message: str

    def as_body(self) -> dict[str, str]:
        """The check as JSON."""
        return {"check": self.name, "level": self.level, "message": self.message}


def diagnose(assay: Assay, *, ask_provider: bool) -> list[Check]:
    """Look at every part. Nothing is raised: what fails is a check that says so.

    ask_provider: whether to embed a few words also where that costs something.
    """
    ask = ask_provider or is_free(assay)
    if assay.parts.adopted is not None:
        return _look(
            assay,
            (
                ("engine", _engine),
                ("embedder", _embedder if ask else _embedder_unasked),
                ("API keys", _keys),
                ("test set", _test_set),
                ("vector store", _adopted),
            ),
        )
    looks: tuple[tuple[str, Callable[[Assay], Check]], ...] = (
        ("engine", _engine),
        ("embedder", _embedder if ask else _embedder_unasked),
        ("data directory", _data_dir),
        ("API keys", _keys),
        ("catalog", _catalog),
        ("vector store", _store),
        ("sources", _sources),
        ("test set", _test_set),
        ("live generation", _live if ask else _live_unasked),
        ("candidate", _candidate),
    )
    return _look(assay, looks)


def is_free(assay: Assay) -> bool:
    """Whether the configured model runs here, so that asking it costs nothing but time."""
    return assay.settings.embedding.provider in {"static", "fastembed"}


def _look(assay: Assay, looks: Sequence[tuple[str, Callable[[Assay], Check]]]) -> list[Check]:
    """Look at one part after the other. What stands in the way of several is told once."""
    checks, told = [], dict[str, str]()
    for name, look in looks:
        try:
            checks.append(look(assay))
        except AssayError as error:
            first = told.setdefault(str(error), name)
            checks.append(
                Check(name, "fail", str(error) if first == name else f"not looked at, for what {first} says.")
            )
    return checks


def show_diagnosis(console: Console, checks: Sequence[Check]) -> None:
    """One line for each check."""
    marks = {"ok": "[green]✓[/]", "warn": "[yellow]![/]", "fail": "[red]✗[/]"}
    for check in checks:
        console.print(f"{marks[check.level]} [bold]{check.name}[/]: {on_one_line(check.message)}")


def _engine(assay: Assay) -> Check:  # noqa: ARG001 - every look has the same form
    return Check("engine", "ok", f"Assay {version('assay')}, qdrant-edge {version('qdrant-edge-py')}.")


def _embedder(assay: Assay) -> Check:
    identity = assay.parts.embedder.identity
    length = float((assay.parts.embedder.embed_query("a test sentence") ** 2).sum())
    level: Literal["ok", "fail"] = "ok" if abs(length - 1.0) < 1e-3 else "fail"
    return Check("embedder", level, f"{identity.provider}, {identity.model}, {identity.dimension} dimensions.")


def _embedder_unasked(assay: Assay) -> Check:
    identity = assay.parts.embedder.identity
    message = f"{identity.provider}, {identity.model}, {identity.dimension} dimensions; "
    return Check("embedder", "ok", f"{message}not asked (`assay doctor --ask-provider` embeds a few words).")


def _data_dir(assay: Assay) -> Check:
    folder = assay.settings.data_dir
    if not folder.is_dir():
        return Check("data directory", "warn", f"{folder} is not there yet; `assay publish` makes it.")
    free = shutil.disk_usage(folder).free
    message = f"{folder.resolve()}, {free / 1e9:.1f} GB free."
    return Check("data directory", "warn" if free < _LOW_SPACE_BYTES else "ok", message)


def _keys(assay: Assay) -> Check:
    closed = assay.settings.server.search == "key"
    try:
        keys = assay.parts.keys.listed()
    except AssayError as error:
        means = "nobody can search or administer" if closed else "nobody can administer; searches need no key"
        return Check("API keys", "fail", f"{error} Until then {means}.")
    now = datetime.now(UTC)
    valid = [key for key in keys if not key.has_expired(now)]
    if closed and not valid:
        return Check(
            "API keys", "warn", '[server] search is "key", and there is none; `assay keys add NAME` makes one.'
        )
    over = f", {len(keys) - len(valid)} more expired" if len(valid) < len(keys) else ""
    admins = sum(Scope.ADMIN in key.scopes for key in valid)
    return Check("API keys", "ok", f"{len(valid)} valid, {admins} of them with the scope admin{over}.")


def _catalog(assay: Assay) -> Check:
    try:
        assay.parts.catalog.check()
    except CatalogNotFound as error:
        return Check("catalog", "warn", str(error))
    kinds: dict[str, int] = {}
    for generation in assay.generations():
        kinds[generation.state.value] = kinds.get(generation.state.value, 0) + 1
    listed = ", ".join(f"{count} {state}" for state, count in kinds.items()) or "no generations yet"
    return Check("catalog", "ok", f"reachable, schema current; {listed}.")


def _store(assay: Assay) -> Check:
    assay.parts.store.check()
    report = assay.parts.store.describe()
    known = {generation.id: generation.state for generation in _generations(assay)}
    strays = [identity for identity in assay.parts.store.generations() if identity not in known]
    problems = list(report.problems)
    if strays and assay.parts.store.owns_all_indexes:
        problems.append(f"{len(strays)} left-over index(es); the next build removes them")
    elif strays:
        problems.append(
            f"{len(strays)} index(es) that this catalog does not know ({', '.join(strays[:3])}): they are left alone, "
            "for another Assay may serve them; remove them on the server if none does"
        )
    live = next((identity for identity, state in known.items() if state is State.LIVE), None)
    if report.shown is not None and report.shown != live:
        problems.append(
            f"outside readers are led to {report.shown}, and {live or 'nothing'} is live; the next `assay publish` "
            "leads them there"
        )
    return Check("vector store", "warn" if problems else "ok", "; ".join([report.summary, *problems]) + ".")


def _adopted(assay: Assay) -> Check:
    assay.parts.store.check()
    return Check("vector store", "ok", f"{assay.parts.store.describe().summary}.")


def _sources(assay: Assay) -> Check:
    if not assay.settings.sources:
        return Check("sources", "warn", "none is configured; name a folder on the command line or in assay.toml.")
    parts, failures = [], 0
    for source, settings in zip(assay.parts.sources, assay.settings.sources, strict=True):
        if settings.url:  # reading it whole can take an hour
            parts.append(f"{source.name}: {_reach(assay, settings)}")
            continue
        pages = list(source.read({}))
        failed = [page for page in pages if isinstance(page, PageFailed)]
        left_out = sum(1 for page in pages if isinstance(page, PageExcluded))
        failures += len(failed)
        parts.append(f"{source.name}: {counted(len(pages) - len(failed) - left_out, 'page')}, {left_out} left out")
        parts += [f"{page.key} fails: {page.reason}" for page in failed[:3]]
    return Check("sources", "warn" if failures else "ok", "; ".join(parts) + ".")


def _test_set(assay: Assay) -> Check:
    path = assay.settings.validation.testset
    if path is None:
        return Check("test set", "ok", "none is set, so a candidate is judged by its structure alone.")
    test_set = load_test_set(path)
    return Check("test set", "ok", f"{test_set.name}, {counted(len(test_set.topics), 'topic')}, of {path}.")


def _reach(assay: Assay, site: SourceSettings) -> str:
    """Whether a site can be read, by its first page. Raises SourceError."""
    found = assay.builds.has_first_page(site)
    where = f"{site.url} can be read" if found else f"{site.url} answers, and its first page is none to search"
    return f"{where}; `assay ingest --dry-run` reads all of it"


def _live(assay: Assay) -> Check:
    try:
        with assay.searches.live.lease() as searcher:
            generation = searcher.generation
            documents = assay.parts.catalog.listing(generation.id)
            title = next((document.info.title for document in documents if document.chunk_count), "documentation")
            ranking = searcher.search(Query(title, 1))
    except NoLiveGeneration as error:
        return Check("live generation", "warn", str(error))
    except CatalogNotFound:
        return Check("live generation", "warn", "there is none, for there is no catalog.")
    message = f"{generation.id}, {pages_and_chunks(generation.documents, generation.chunks)}; a search took "
    message += f"{ranking.timings.total_ms:.1f} ms."
    if ranking.hits:
        return Check("live generation", "ok", message)
    why = f"It found nothing for {title!r}, the title of a page: is any page of the current version and default locale?"
    return Check("live generation", "fail", f"{message} {why}")


def _live_unasked(assay: Assay) -> Check:
    try:
        with assay.searches.live.lease() as searcher:
            generation = searcher.generation
    except NoLiveGeneration as error:
        return Check("live generation", "warn", str(error))
    except CatalogNotFound:
        return Check("live generation", "warn", "there is none, for there is no catalog.")
    return Check(
        "live generation",
        "ok",
        f"{generation.id}, {pages_and_chunks(generation.documents, generation.chunks)}.",
    )


def _candidate(assay: Assay) -> Check:
    waiting = [generation.id for generation in _generations(assay) if generation.state is State.CANDIDATE]
    if waiting:
        return Check("candidate", "warn", f"{waiting[0]} is waiting; `assay promote` checks it and makes it live.")
    return Check("candidate", "ok", "none is waiting.")


def _generations(assay: Assay) -> list[Generation]:
    """All generations; none where nothing has been ingested, which the catalog's own check says."""
    try:
        return assay.generations()
    except CatalogNotFound:
        return []
