"""Checks that documents are found by their own title."""

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from functools import partial

from assay.errors import InputError
from assay.model.batches import batched
from assay.model.evaluation import Finding, percent
from assay.model.ranking import Filters, Mode, Query, Ranking
from assay.ports import ListedDocument, Progress, stage
from assay.validation.structure.context import CheckContext, StructuralLimits, finding

_TITLES_AT_ONCE = 500

_MOST_DROPPED = 0.5
"""Largest share of documents that the threshold may drop from the hits of their own title. A short title is less
similar to its page than a query: a threshold of .3, which calibration finds for the built-in model, drops 2 of 25."""


def reachable_by_title(context: CheckContext, limits: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    """Search for each document by its title, with the default threshold and number of hits.

    For documents that share a title or a passage, finding one of them is enough. Documents that only the threshold
    drops are a separate finding.
    """
    documents = [d for d in context.catalog.listing(context.generation.id) if d.chunk_count and d.info.title.strip()]
    tried = _sample(documents, limits.title_sample, context.generation.content_fingerprint)
    top_k = min(limits.title_top_k, context.top_k or limits.title_top_k)
    with stage(progress, "titles", len(tried)):
        found = _search_all(context, tried, top_k, progress)
    scope = f"{len(tried)} of {len(documents)} documents" if len(tried) < len(documents) else "documents"
    lost = [name for name, result in found if result is _Found.NO]
    share = len(lost) / max(len(tried), 1)
    yield finding(
        "reachable by title",
        share <= limits.max_unreachable,
        1.0 - share,
        f"at least {percent(1.0 - limits.max_unreachable)} of {scope} found by their own title in the top {top_k}",
        f"{len(lost)} of {len(tried)} documents are not found by their own title ({percent(share)}; limit "
        f"{percent(limits.max_unreachable)}): {', '.join(lost[:3])}. Other pages of the same version match these "
        "titles better. Make the titles more specific, or raise gate.max_unreachable",
        lost,
    )
    if context.threshold > 0.0:
        yield _over_the_threshold(context.threshold, found, scope)


def _over_the_threshold(threshold: float, found: Sequence[tuple[str, "_Found"]], scope: str) -> Finding:
    dropped = [name for name, result in found if result is _Found.UNDER_THRESHOLD]
    share = len(dropped) / max(len(found), 1)
    return finding(
        "titles over the threshold",
        share <= _MOST_DROPPED,
        1.0 - share,
        f"search.threshold = {threshold:g} drops at most {percent(_MOST_DROPPED)} of {scope} from the hits of their "
        "own title",
        f"search.threshold = {threshold:g} drops {len(dropped)} of {len(found)} documents from the hits of their own "
        f"title ({percent(share)}; limit {percent(_MOST_DROPPED)}): {', '.join(dropped[:3])}. Users' queries lose "
        "answers in the same way. Lower it: `assay calibrate` finds a threshold that keeps answers",
        dropped,
    )


def _search_all(
    context: CheckContext, tried: Sequence[ListedDocument], top_k: int, progress: Progress
) -> list[tuple[str, "_Found"]]:
    """Search for every document by title, by its name. Raises EmbeddingError, VectorStoreError, CatalogError."""
    results: list[tuple[str, _Found]] = []
    search = partial(_search, context=context, top_k=top_k)
    # One first: a single search of an unreachable service fails in seconds, a batch only after minutes.
    batches = ([*tried[:1]], *batched(tried[1:], _TITLES_AT_ONCE))
    with ThreadPoolExecutor(context.threads) as threads:
        for batch in batches:
            if len(batch) > 1:
                context.prefetch_queries([document.info.title for document in batch])
            for document, found in zip(batch, threads.map(search, batch), strict=True):
                results.append((f"{document.info.url} ({document.info.title!r})", found))
                progress.advance()
    return results


class _Found(Enum):
    """Whether a title finds its page. UNDER_THRESHOLD: only without a threshold."""

    YES = 1
    NO = 2
    UNDER_THRESHOLD = 3


def _search(document: ListedDocument, context: CheckContext, top_k: int) -> _Found:
    if _is_found(document, context, top_k, context.threshold):
        return _Found.YES
    dropped = context.threshold > 0.0 and _is_found(document, context, top_k, 0.0)
    return _Found.UNDER_THRESHOLD if dropped else _Found.NO


def _is_found(document: ListedDocument, context: CheckContext, top_k: int, threshold: float) -> bool:
    info = document.info
    filters = Filters(
        versions=(info.version,) if info.version else (),
        locales=(info.locale,) if info.locale else (),
        sources=(info.source,),
    )
    try:
        # Without the reranker: this checks the index, and each of many titles would be a paid request.
        ranking = context.search(Query(info.title, top_k, Mode.HYBRID, threshold, filters, rerank=False))
    except InputError:  # the title has nothing to search for
        return True
    return any(hit.chunk.document.title == info.title for hit in ranking.hits) or _shares_a_passage(
        document, context, ranking
    )


def _shares_a_passage(document: ListedDocument, context: CheckContext, ranking: Ranking) -> bool:
    own = {chunk.content_hash for chunk in context.catalog.chunks(context.generation.id, [document.revision])}
    return any(hit.chunk.content_hash in own for hit in ranking.hits)


def _sample(documents: Sequence[ListedDocument], size: int, seed: str) -> Sequence[ListedDocument]:
    """A sample of the documents, seeded by the content fingerprint so that it is repeatable."""
    if len(documents) <= size:
        return documents
    return random.Random(seed).sample(documents, size)  # noqa: S311 - a sample, not a secret
