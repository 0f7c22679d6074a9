"""Documents that their own title finds."""

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from assay.errors import InputError
from assay.model.evaluation import Finding, percent
from assay.model.ranking import Filters, Mode, Query, Ranking
from assay.ports import Progress, StoredDocument
from assay.validation.structure.judged import Judged, StructuralLimits, finding

_TITLES_AT_ONCE = 500
_THREADS = 4


def reachable_by_title(judged: Judged, limits: StructuralLimits, progress: Progress) -> Iterator[Finding]:
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
    finally:
        progress.end()
    share = len(lost) / max(len(tried), 1)
    yield finding(
        "reachable by title",
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
