"""The checks of `assay doctor`. Each is independent, so that one failure does not hide others."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from time import perf_counter
from typing import Literal

from rich.console import Console

from assay.app import Assay
from assay.app.evaluation import AppliedTestSet
from assay.cli.terminal.output import on_one_line, pages_and_chunks
from assay.errors import AssayError, CatalogNotFound, NoLiveGeneration
from assay.model.access import Scope
from assay.model.counting import counted
from assay.model.documents import PageExcluded, PageFailed, RawPage
from assay.model.generations import Generation, State
from assay.model.ranking import Query
from assay.path_checks import is_folder
from assay.settings import SourceSettings

_LOW_SPACE_BYTES = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check. level: ok, warn (works, with a reservation) or fail."""

    name: str
    level: Literal["ok", "warn", "fail"]
    message: str

    def as_body(self) -> dict[str, str]:
        """The check as JSON."""
        return {"check": self.name, "level": self.level, "message": self.message}


def diagnose(assay: Assay, *, ask_provider: bool) -> list[Check]:
    """Check every part. An error becomes a failed check.

    ask_provider: embed and rerank a few words even with a paid provider.
    """
    ask = ask_provider or embeds_locally(assay)
    checks: tuple[tuple[str, Callable[[Assay], Check]], ...] = (
        ("engine", _engine),
        ("embedder", partial(_embedder, ask=ask)),
        ("reranker", partial(_reranker, ask_provider=ask_provider)),
        ("data directory", _data_dir),
        ("API keys", _keys),
        ("catalog", _catalog),
        ("vector store", _store),
        ("sources", _sources),
        ("test set", _test_set),
        ("log of queries", _query_log),
        ("live generation", partial(_live, ask=ask)),
        ("candidate", _candidate),
    )
    if assay.parts.adopted is not None:
        checks = (*(one for one in checks if one[0] in _OF_ADOPTED), ("vector store", _adopted))
    unused = {
        *(["reranker"] if assay.settings.rerank.provider is None else []),
        *([] if assay.queries.are_logged else ["log of queries"]),
    }
    checks = tuple(one for one in checks if one[0] not in unused)
    return _run_checks(assay, checks)


_OF_ADOPTED = frozenset({"engine", "embedder", "reranker", "API keys", "test set", "log of queries"})
"""Checks that apply to an adopted collection too."""


def embeds_locally(assay: Assay) -> bool:
    """Whether the configured model runs on this machine, without a paid provider."""
    return assay.settings.embedding.provider in {"static", "fastembed"}


def _run_checks(assay: Assay, checks: Sequence[tuple[str, Callable[[Assay], Check]]]) -> list[Check]:
    """Run each check. An error shared by several checks is reported in full only once."""
    results, reported = [], dict[str, str]()
    for name, check in checks:
        try:
            results.append(check(assay))
        except AssayError as error:
            first = reported.setdefault(str(error), name)
            message = str(error) if first == name else f"not checked: the same error as {first}."
            results.append(Check(name, "fail", message))
    return results


def show_diagnosis(console: Console, checks: Sequence[Check]) -> None:
    """Print a line for each check."""
    marks = {"ok": "[green]✓[/]", "warn": "[yellow]![/]", "fail": "[red]✗[/]"}
    for check in checks:
        console.print(f"{marks[check.level]} [bold]{check.name}[/]: {on_one_line(check.message)}")


def _engine(assay: Assay) -> Check:  # noqa: ARG001 - every check has the same signature
    return Check("engine", "ok", f"Assay {version('assay')}, qdrant-edge {version('qdrant-edge-py')}.")


def _embedder(assay: Assay, *, ask: bool) -> Check:
    identity = assay.parts.embedder.identity
    message = f"{identity.provider}, {identity.model}, {identity.dimension} dimensions"
    if not ask:
        return Check("embedder", "ok", f"{message}; not tested (`assay doctor --ask-provider` embeds a few words).")
    length = float((assay.parts.embedder.embed_query("a test sentence") ** 2).sum())
    return Check("embedder", "ok" if abs(length - 1.0) < 1e-3 else "fail", f"{message}.")


def _reranker(assay: Assay, *, ask_provider: bool) -> Check:
    settings = assay.settings.rerank
    reranking = assay.parts.reranking(settings)
    assert reranking is not None
    identity = reranking.reranker.identity
    message = f"{identity.provider}, {identity.model}, orders {counted(reranking.depth, 'hit')}"
    if not ask_provider and settings.provider != "fastembed":
        return Check("reranker", "ok", f"{message}; not tested (`assay doctor --ask-provider` reranks a few words).")
    started = perf_counter()
    texts = [f"a test sentence, number {number}" for number in range(reranking.depth)]
    reranking.reranker.scores("a test", texts)
    seconds = perf_counter() - started
    return Check(
        "reranker", "ok", f"{message}; reranking them took {seconds:.2f} s of the allowed {settings.timeout:g} s."
    )


def _data_dir(assay: Assay) -> Check:
    folder = assay.settings.data_dir
    if not is_folder(folder):
        return Check("data directory", "warn", f"{folder} does not exist yet; `assay publish` creates it.")
    free = shutil.disk_usage(folder).free
    message = f"{folder.resolve()}, {free / 1e9:.1f} GB free."
    return Check("data directory", "warn" if free < _LOW_SPACE_BYTES else "ok", message)


def _keys(assay: Assay) -> Check:
    closed = assay.settings.server.search == "key"
    try:
        keys = assay.parts.keys.listed()
    except AssayError as error:
        effect = "nobody can search or administer" if closed else "nobody can administer; searches need no key"
        return Check("API keys", "fail", f"{error} Until then {effect}.")
    now = datetime.now(UTC)
    valid = [key for key in keys if not key.has_expired(now)]
    if closed and not valid:
        return Check(
            "API keys", "warn", '[server] search is "key", and there is no key; `assay keys add NAME` creates one.'
        )
    expired = f", {len(keys) - len(valid)} more expired" if len(valid) < len(keys) else ""
    admins = sum(Scope.ADMIN in key.scopes for key in valid)
    return Check("API keys", "ok", f"{len(valid)} valid, {admins} of them with the scope admin{expired}.")


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
        left_over = counted(len(strays), "left-over index", "left-over indexes")
        problems.append(f"{left_over}; the next build removes them")
    elif strays:
        indexes = counted(len(strays), "index", "indexes")
        problems.append(
            f"{indexes} unknown to this catalog ({', '.join(strays[:3])}): Assay keeps them, because "
            "another Assay may serve them; remove them on the server if none does"
        )
    live = next((identity for identity, state in known.items() if state is State.LIVE), None)
    if report.shown is not None and report.shown != live:
        problems.append(
            f"the alias for other programs points to {report.shown}, but {live or 'nothing'} is live; the next "
            "`assay publish` switches it"
        )
    return Check("vector store", "warn" if problems else "ok", "; ".join([report.summary, *problems]) + ".")


def _adopted(assay: Assay) -> Check:
    assay.parts.store.check()
    return Check("vector store", "ok", f"{assay.parts.store.describe().summary}.")


def _sources(assay: Assay) -> Check:
    if not assay.settings.sources:
        return Check(
            "sources", "warn", "none is configured; pass a folder on the command line or set it in assay.toml."
        )
    parts, failures = [], 0
    for source, settings in zip(assay.parts.sources, assay.settings.sources, strict=True):
        if settings.url:  # a whole crawl can take an hour
            parts.append(f"{source.name}: {_reach(assay, settings)}")
            continue
        pages = list(source.read({}))
        failed = [page for page in pages if isinstance(page, PageFailed)]
        left_out = sum(isinstance(page, PageExcluded) for page in pages)
        read = sum(isinstance(page, RawPage) for page in pages)
        failures += len(failed)
        parts.append(f"{source.name}: {counted(read, 'page')}, {left_out} left out")
        parts += [f"{page.key} fails: {page.reason}" for page in failed[:3]]
    return Check("sources", "warn" if failures else "ok", "; ".join(parts) + ".")


def _test_set(assay: Assay) -> Check:
    path = assay.settings.validation.testset
    if path is False:
        return Check("test set", "ok", "[validation] testset is false, so only structural checks validate a candidate.")
    applied = assay.evaluation.applied_test_set() if path or _generations(assay) else AppliedTestSet()
    if applied.test_set is None:
        return Check(
            "test set",
            "warn",
            "none is set, so only structural checks validate a candidate, and no check sees that answers got worse; "
            "`assay testset derive -o docs.testset.yaml` makes a first one.",
        )
    message = f"{applied.test_set.name}, {counted(len(applied.test_set.topics), 'topic')}, from {applied.path}."
    live = next((one for one in _generations(assay) if one.state is State.LIVE), None)
    if live is not None and assay.parts.adopted is None and not assay.evaluation.passes(live, applied.test_set):
        message += " The live generation has no PASS by it under the present limits; `assay publish` judges it."
        return Check("test set", "warn", " ".join([message, *applied.notes]))
    return Check("test set", "ok", " ".join([message, *applied.notes]))


def _query_log(assay: Assay) -> Check:
    searches = assay.queries.report(limit=1).totals.searches
    days = assay.settings.queries.keep_days
    return Check(
        "log of queries", "ok", f"{counted(searches, 'search', 'searches')} of the last {counted(days, 'day')}."
    )


def _reach(assay: Assay, site: SourceSettings) -> str:
    """Try to read the first page of a site. Raises SourceError."""
    found = assay.builds.has_first_page(site)
    result = f"{site.url} can be read" if found else f"{site.url} answers, but its first page has nothing to search"
    return f"{result}; `assay ingest --dry-run` reads all of it"


def _live(assay: Assay, *, ask: bool) -> Check:
    """Open the live generation, and search it for the title of a page if the embedder may be asked."""
    try:
        with assay.searches.live.lease() as searcher:
            generation = searcher.generation
            documents = assay.parts.catalog.listing(generation.id) if ask else ()
            title = next((document.info.title for document in documents if document.chunk_count), "documentation")
            ranking = searcher.search(Query(title, 1, rerank=False)) if ask else None
    except NoLiveGeneration as error:
        return Check("live generation", "warn", str(error))
    except CatalogNotFound:
        return Check("live generation", "warn", "there is none, because there is no catalog.")
    message = f"{generation.id}, {pages_and_chunks(generation.documents, generation.chunks)}"
    if ranking is None:
        return Check("live generation", "ok", f"{message}.")
    message += f"; a search took {ranking.timings.total_ms:.1f} ms."
    if ranking.hits:
        return Check("live generation", "ok", message)
    problem = f"It found nothing for {title!r}, the title of a page: does any page have the default version and locale?"
    return Check("live generation", "fail", f"{message} {problem}")


def _candidate(assay: Assay) -> Check:
    candidates = [generation.id for generation in _generations(assay) if generation.state is State.CANDIDATE]
    if candidates:
        message = f"{candidates[0]} is not live yet; `assay promote` validates it and makes it live."
        return Check("candidate", "warn", message)
    return Check("candidate", "ok", "there is none.")


def _generations(assay: Assay) -> list[Generation]:
    """Return all generations; none without a catalog, which has its own check."""
    try:
        return assay.generations()
    except CatalogNotFound:
        return []
