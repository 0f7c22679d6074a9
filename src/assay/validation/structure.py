"""Limits on the structure of a generation, which need no labelled query: integrity, pages, addresses, titles."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import NamedTuple
from urllib.parse import urlsplit

from assay.errors import EmbedderRefused, EmbedderUnavailable, InputError
from assay.model.evaluation import MOST_EXAMPLES, Finding, Outcome, percent
from assay.model.generations import Generation
from assay.model.ids import is_placeholder
from assay.model.ranking import Filters, Mode, Query, Ranking
from assay.ports import Catalog, Progress, StoredDocument, VectorIndex
from assay.validation.integrity import KINDS, Audit, Recheck, audit

_TITLES_AT_ONCE = 500
_THREADS = 4
_BY_TITLE = "reachable by title"
_MOST_ALIKE = 3
"""So many pages that get one and the same title or text at once are no pages of their own any more."""


@dataclass(frozen=True, slots=True)
class StructuralLimits:
    """What a generation has to reach without any labelled query.

    max_failed_pages: largest share of pages that failed, 0 to 1.
    max_page_fall: largest share of the live generation's pages that may be gone, or lose what they said, 0 to 1.
    title_top_k: a title has to find its document in so many hits.
    max_unreachable: largest share of documents that their own title may fail to find, 0 to 1.
    title_sample: the most documents whose titles are tried.
    """

    max_failed_pages: float
    max_page_fall: float
    title_top_k: int
    max_unreachable: float
    title_sample: int


@dataclass(frozen=True, slots=True)
class Judged:
    """What a structural judgment looks at.

    live: the generation that is live now; None before the first promotion.
    search: asks the production searcher opened on the generation.
    expect_queries: tells the embedder what will be asked next.
    recheck: what vectors of the generation are made anew with, to compare; see integrity.audit.
    """

    generation: Generation
    live: Generation | None
    catalog: Catalog
    index: VectorIndex
    search: Callable[[Query], Ranking]
    expect_queries: Callable[[Sequence[str]], None]
    recheck: Recheck | None = None


def structure_findings(judged: Judged, limits: StructuralLimits, progress: Progress) -> list[Finding]:
    """Hold a generation's structure against the limits: integrity, pages, addresses, titles that find their page.

    Raises CatalogError, VectorStoreError, EmbeddingError: a check that could not run is not a verdict. Where the
    embedder does not answer or refuses, what needs it is undecided.
    """
    return [
        *_integrity(judged, progress),
        _failed_pages(judged.generation, limits),
        _page_fall(judged, limits),
        _lost_content(judged, limits),
        _addresses(judged),
        *_searched_by_default(judged),
        _titles(judged, limits, progress),
    ]


def structure_notes(judged: Judged) -> list[str]:
    """What passes, and a reader of the verdict should know all the same."""
    notes = []
    made_up = sum(map(is_placeholder, _urls(judged.catalog, judged.generation.id)))
    if made_up:
        notes.append(f"{made_up} pages have no real address: links of hits lead nowhere until --base-url is given.")
    recheck, chunks = judged.recheck, judged.generation.chunks
    if recheck is not None and recheck.embedder is None:
        notes.append(
            f"No vector was made anew to compare, for {judged.generation.embedder.model} is paid by the request: "
            "`assay audit --sample 500` makes some, `assay audit --all` every one."
        )
    elif recheck is not None and recheck.vectors is not None and recheck.vectors < chunks:
        notes.append(
            f"The vectors of {recheck.vectors} of {chunks} chunks were made anew; `assay audit` makes every one."
        )
    return notes


def _finding(
    check: str,
    passed: bool,
    value: float,
    limit: str,
    detail: str,
    examples: Sequence[str] = (),
    count: int | None = None,
) -> Finding:
    """A finding; count: of all that the examples are from, None when they are all."""
    outcome = Outcome.PASS if passed else Outcome.FAIL
    shown = tuple(examples)[:MOST_EXAMPLES]
    return Finding(
        check, outcome, value, limit, "" if passed else detail, shown, len(examples) if count is None else count
    )


def _integrity(judged: Judged, progress: Progress) -> list[Finding]:
    report = audit(judged.generation, judged.catalog, judged.index, progress, judged.recheck)
    findings = []
    for kind, promise in KINDS.items():
        fault = report.faults[kind]
        if kind in report.skipped and not fault.count:
            continue
        share = 1.0 - min(fault.count / max(report.looked_at(kind), 1), 1.0)
        detail = (
            f"{fault.count} faults in {_scope(kind, report)}; {promise} in a sound generation. "
            f"{fault.cause}{' ' if fault.cause else ''}Build it anew: `assay publish --rebuild`"
        )
        findings.append(_finding(kind, fault.count == 0, share, promise, detail, fault.examples, fault.count))
    return findings


def _scope(kind: str, report: Audit) -> str:
    chunks = report.looked_at(kind)
    return f"{chunks} chunks" if chunks == report.chunks else f"{chunks} of {report.chunks} chunks"


def _failed_pages(generation: Generation, limits: StructuralLimits) -> Finding:
    pages = generation.documents + generation.failed_pages - generation.carried_pages
    share = generation.failed_pages / max(pages, 1)
    return _finding(
        "failed pages",
        share <= limits.max_failed_pages,
        share,
        f"at most {percent(limits.max_failed_pages)} of the pages failed",
        f"{generation.failed_pages} of {pages} pages could not be read ({percent(share)}; "
        f"{percent(limits.max_failed_pages)} are allowed). Mend them and run again, or raise gate.max_failed_pages",
    )


def _page_fall(judged: Judged, limits: StructuralLimits) -> Finding:
    """Whether the pages of the live generation are still there, by their addresses: other pages make up for none.

    A page that had no real address is still there when its file is, for no link is lost by giving it one.
    """
    live = [document.info for document in judged.catalog.documents(judged.live.id)] if judged.live else []
    candidate = [document.info for document in judged.catalog.documents(judged.generation.id)] if live else []
    before, now = {info.url for info in live}, {info.url for info in candidate}
    files = {(info.source, info.source_path) for info in candidate}
    named = {info.url for info in live if is_placeholder(info.url) and (info.source, info.source_path) in files}
    gone = sorted(before - now - named)
    fall = len(gone) / max(len(before), 1)
    return _finding(
        "fall in pages",
        fall <= limits.max_page_fall,
        fall,
        f"at most {percent(limits.max_page_fall)} of the live generation's pages are gone",
        f"{len(gone)} of the live generation's {len(before)} pages are gone ({percent(fall)}; "
        f"{percent(limits.max_page_fall)} are allowed), {', '.join(gone[:2])} among them. {_why_gone(before, now)} "
        "If that is meant, run it again with --allow-removals, or raise gate.max_page_fall",
        gone,
    )


def _lost_content(judged: Judged, limits: StructuralLimits) -> Finding:
    """Whether the pages of the live generation still say something of their own.

    A site that is closed for maintenance, or wants a login, often gives one page with status 200 for every address:
    none is gone, and none has failed.
    """
    live = {at.url: at for at in map(_Content.of, judged.catalog.documents(judged.live.id))} if judged.live else {}
    now = map(_Content.of, judged.catalog.documents(judged.generation.id)) if live else iter(())
    changed = [(live[at.url], at) for at in now if at.url in live and at.text_hash != live[at.url].text_hash]
    called = Counter(at.title for before, at in changed if at.title != before.title)
    said = Counter(at.text_hash for _, at in changed)
    lost = [
        at
        for before, at in changed
        if (before.chunks and not at.chunks)
        or (at.title != before.title and called[at.title] >= _MOST_ALIKE)
        or said[at.text_hash] >= _MOST_ALIKE
    ]
    share = len(lost) / max(len(live), 1)
    name, times = (Counter(at.title for at in lost).most_common(1) or [("", 0)])[0]
    called_so = f" ({name[:80]!r})" if times >= _MOST_ALIKE else ""
    return _finding(
        "lost content",
        share <= limits.max_page_fall,
        share,
        f"at most {percent(limits.max_page_fall)} of the live generation's pages became empty, or one and the same",
        f"{len(lost)} of the live generation's {len(live)} pages are empty now, or all became one and the same"
        f"{called_so} ({percent(share)}; {percent(limits.max_page_fall)} are allowed). "
        "Is the site closed for maintenance, does it want a login, or is it made by JavaScript now? Run it again when "
        "it is well. If that is meant, run it with --allow-removals, or raise gate.max_page_fall",
        [at.url for at in lost],
    )


class _Content(NamedTuple):
    """What a document says, in short."""

    url: str
    title: str
    text_hash: str
    chunks: int

    @classmethod
    def of(cls, document: StoredDocument) -> "_Content":
        return cls(document.info.url, document.info.title, document.text_hash, document.chunk_count)


def _why_gone(before: set[str], now: set[str]) -> str:
    """What most likely happened to the pages, as a question: another address, or other pages at the same one."""
    old, new = _common_beginning(before), _common_beginning(now)
    if before & now or new.startswith(old) or not (urlsplit(old).hostname and urlsplit(new).hostname):
        return "Is it the same folder or site, at the same address?"
    return f"All addresses now begin with {new}, and began with {old} before: is --base-url right?"


def _common_beginning(urls: set[str]) -> str:
    """The longest beginning of all URLs that ends in a slash; without a host where they have several."""
    folders = [url.partition("?")[0].split("/")[:-1] for url in urls] or [[]]
    pairs = zip(min(folders), max(folders), strict=False)  # all that lie between these two begin as both do
    return "".join(f"{one}/" for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _urls(catalog: Catalog, generation_id: str) -> set[str]:
    return {document.info.url for document in catalog.documents(generation_id)}


def _searched_by_default(judged: Judged) -> Iterator[Finding]:
    """A finding where no page is of a current version and a default locale at once: most searches find nothing then."""
    pages = [document.info for document in judged.catalog.documents(judged.generation.id)]
    if not pages or any(info.primary for info in pages):
        return
    versions = sorted({info.version or "none" for info in pages if info.version_is_current})
    locales = sorted({info.locale or "none" for info in pages if info.locale_is_default})
    yield _finding(
        "searched by default",
        False,
        0.0,
        "some page is of a current version and in a default locale",
        f"none of the {len(pages)} pages is: current is version {', '.join(versions) or 'none'}, the default locale is "
        f"{', '.join(locales) or 'none'}, and they never meet. Set current_version and default_locale of the source",
    )


def _addresses(judged: Judged) -> Finding:
    """Whether the pages have real addresses, once a generation with real ones is live.

    A source whose live pages have none already may go on without.
    """
    live = list(judged.catalog.documents(judged.live.id)) if judged.live else []
    without = {document.info.source for document in live if is_placeholder(document.info.url)}
    made_up = [
        document.info.url
        for document in judged.catalog.documents(judged.generation.id)
        if is_placeholder(document.info.url) and document.info.source not in without
    ]
    has_real = any(not is_placeholder(document.info.url) for document in live)
    share = len(made_up) / max(judged.generation.documents, 1)
    return _finding(
        "addresses",
        not (made_up and has_real),
        1.0 - share,
        "no page without a real address where the live generation has real ones",
        f"{len(made_up)} pages have no real address ({', '.join(made_up[:1])}): hits would link to nowhere. "
        "Give the folder's address with --base-url, or as `base_url` in [[sources]]",
        made_up,
    )


def _titles(judged: Judged, limits: StructuralLimits, progress: Progress) -> Finding:
    """Whether each document is found by its own title.

    Documents that share a title, and a passage that stands on several pages, cannot all be found: one of them is
    enough.
    """
    documents = [d for d in judged.catalog.documents(judged.generation.id) if d.chunk_count and d.info.title.strip()]
    tried = _sample(documents, limits.title_sample, judged.generation.content_fingerprint)
    scope = f"{len(tried)} of {len(documents)} documents" if len(tried) < len(documents) else "documents"
    limit = (
        f"at least {percent(1.0 - limits.max_unreachable)} of {scope} found by their own title in the top "
        f"{limits.title_top_k}"
    )
    progress.begin("titles", len(tried))
    try:
        lost = _not_found(judged, tried, limits.title_top_k, progress)
    except (EmbedderUnavailable, EmbedderRefused) as error:
        detail = f"titles could not be looked up: {error} Run it again when that is mended"
        return Finding(_BY_TITLE, Outcome.INCONCLUSIVE, None, limit, detail)
    finally:
        progress.end()
    share = len(lost) / max(len(tried), 1)
    return _finding(
        _BY_TITLE,
        share <= limits.max_unreachable,
        1.0 - share,
        limit,
        f"{len(lost)} of {len(tried)} documents are not found by their own title ({percent(share)}; "
        f"{percent(limits.max_unreachable)} are allowed): {', '.join(lost[:3])}. Other pages of the same "
        "version answer these titles better. Let a title say more where it can; where it is right as it is, raise "
        "gate.max_unreachable",
        lost,
    )


def _not_found(judged: Judged, tried: Sequence[StoredDocument], top_k: int, progress: Progress) -> list[str]:
    """Those of the documents that their title does not find. Raises EmbeddingError, VectorStoreError, CatalogError."""
    lost = []
    is_found = partial(_is_found, judged=judged, top_k=top_k)
    # One is asked first: a search fails in seconds where nobody answers, and many queries at once only after minutes.
    batches = ([*tried[:1]], *_batches(tried[1:], _TITLES_AT_ONCE))
    with ThreadPoolExecutor(_THREADS) as threads:
        for batch in batches:
            if len(batch) > 1:
                judged.expect_queries([document.info.title for document in batch])
            for document, found in zip(batch, threads.map(is_found, batch), strict=True):
                if not found:
                    lost.append(f"{document.info.url} ({document.info.title!r})")
                progress.advance()
    return lost


def _batches(documents: Sequence[StoredDocument], size: int) -> Iterator[Sequence[StoredDocument]]:
    for start in range(0, len(documents), size):
        yield documents[start : start + size]


def _is_found(document: StoredDocument, judged: Judged, top_k: int) -> bool:
    info = document.info
    filters = Filters(
        versions=(info.version,) if info.version else (),
        locales=(info.locale,) if info.locale else (),
        sources=(info.source,),
    )
    try:
        ranking = judged.search(Query(info.title, top_k, Mode.HYBRID, filters=filters))
    except InputError:  # nothing in this title can be searched for, by anybody
        return True
    return any(hit.chunk.document.title == info.title for hit in ranking.hits) or _shares_a_passage(
        document, judged, ranking
    )


def _shares_a_passage(document: StoredDocument, judged: Judged, ranking: Ranking) -> bool:
    own = {chunk.content_hash for chunk in judged.catalog.chunks(judged.generation.id, [document.revision])}
    return any(hit.chunk.content_hash in own for hit in ranking.hits)


def _sample(documents: Sequence[StoredDocument], size: int, seed: str) -> Sequence[StoredDocument]:
    """All of them, or so many drawn by the generation's content: the same generation gives the same sample."""
    if len(documents) <= size:
        return documents
    return random.Random(seed).sample(documents, size)  # noqa: S311 - a sample, not a secret
