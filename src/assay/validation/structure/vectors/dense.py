"""Checks of the dense vectors without keyword search, which would hide wrong ones.

The checks work with any model. Each limit states the smallest share of wrong vectors that the check detects.
"""

import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import InputError, InvalidEmbedding
from assay.model.documents import Chunk
from assay.model.evaluation import Finding, percent
from assay.ports import Embedder, Progress, Vector, stage
from assay.validation.integrity import EmbeddingCheck
from assay.validation.integrity.recheck import name_of
from assay.validation.structure.context import CheckContext, StructuralLimits, finding
from assay.validation.structure.vectors.sampling import EQUAL, Rows, draw_points, is_usable, unit_rows

_COMPARED = 1_000
"""Number of points whose vectors are compared with each other: a million cosines take some milliseconds."""

_MOST_EQUAL = 0.1
"""Largest share of texts whose vector equals that of a text with other words; real documentation had none."""

_MOST_ALIKE = 0.95
"""Largest mean cosine of two vectors: .2 to .4 with the built-in model, up to .85 with other models."""

_TITLES = 300
_LEAST_TITLES = 10
"""Fewer titles have too random ranks."""

_LEAST_RANK = 0.8
"""Smallest mean share of other pages that rank below a title's own page. By chance it is .5; the built-in model, which
is weak, had .977 on 25 pages, .992 on 69 and .997 on 155."""

_WHY_NOT_BY_TITLES = (
    "the vectors are of other texts or another model, or the pages do not match their titles. Run `assay audit`: if it "
    "reports `embeddings`, fix the model and run `assay publish --rebuild`; if it finds the index sound, read the "
    "pages named here, and fix the source or its convention. If they match their titles, queries are embedded by "
    "another model, or with another prefix, than documents"
)
_ALONE = 3
"""Number of texts and titles that are also embedded in single requests, to compare with a batch."""

_CERTAIN = 0.95
_ONE_SIDED = 1.645
"""Standard deviations below which 95% of a normal distribution lies."""

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")


def distinct_vectors(context: CheckContext, _: StructuralLimits, __: Progress) -> Iterator[Finding]:
    """Check that texts with different words have different vectors, in different directions.

    Digits do not count as words: the built-in model hardly sees them, so generated pages may have equal vectors.
    """
    points = [
        (point.chunk, point.dense) for point in draw_points(context, _COMPARED, "vectors") if point.chunk is not None
    ]
    usable = [(chunk, dense) for chunk, dense in points if is_usable(dense, context.generation.embedder.dimension)]
    distinct = list({chunk.embedded_hash: (chunk, dense) for chunk, dense in usable}.values())
    if len(distinct) < 2:
        return
    vectors = unit_rows([dense for _, dense in distinct if dense is not None])
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1.0)
    words = [frozenset(_WORD.findall(_NUMBER.sub(" ", chunk.embedded_text.casefold()))) for chunk, _ in distinct]
    same = [
        (row, next((int(other) for other in np.flatnonzero(near) if words[other] != words[row]), None))
        for row, near in enumerate(cosines >= EQUAL)
    ]
    pairs = [(distinct[row][0], distinct[other][0]) for row, other in same if other is not None]
    share = len(pairs) / len(distinct)
    yield finding(
        "distinct vectors",
        share <= _MOST_EQUAL,
        1.0 - share,
        f"at most {percent(_MOST_EQUAL)} of {len(distinct)} texts have the vector of a text with other words (finds "
        "one vector given to more texts than that)",
        f"{len(pairs)} of {len(distinct)} texts have the vector of a text with other words ({percent(share)}): the "
        "embedder returned one vector for many texts. Check it with two texts, then run `assay publish --rebuild`",
        [f"{name_of(one)} and {name_of(other)}" for one, other in pairs],
    )
    vectors = vectors[list({one: row for row, one in enumerate(words)}.values())]  # one for each set of words
    count = len(vectors)
    if count < 2:
        return
    mean = (float(np.square(vectors.astype(np.float64).sum(axis=0)).sum()) - count) / (count * (count - 1))
    yield finding(
        "spread of vectors",
        mean <= _MOST_ALIKE,
        mean,
        f"the mean cosine of two of {count} vectors is at most {_MOST_ALIKE:g}",
        f"the mean cosine of two of {count} vectors is {mean:.3f}: all point in one direction, so dense search cannot "
        "distinguish texts. Check the model, then run `assay publish --rebuild`",
    )


def titles_by_vectors(context: CheckContext, _: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    """Check that each title ranks its own page above most others, by the vectors of the pages' first chunks.

    The mean share of other pages that are less similar is the area under the ROC curve: .5 for random vectors.
    """
    if context.embedder is None or context.index is None:
        return
    beginnings = _beginnings(context)
    if len(beginnings) < _LEAST_TITLES:
        return
    with stage(progress, "titles by vectors"):
        alone, made = _title_vectors([one.title for one in beginnings], context.embedder)
    if context.embedder.batching.costly:  # only such an embedder takes several queries at once
        yield _queries_alone_and_in_batches([one.title for one in beginnings], alone, made, context.embedder)
    asked = [row for row, vector in enumerate(made) if vector is not None]
    titles = np.stack([vector for vector in made if vector is not None])
    similar = titles @ unit_rows([one.dense for one in beginnings]).T  # (titles, pages)
    ranks = [_left_behind(similar[at], row, beginnings) for at, row in enumerate(asked)]
    known = [rank for rank in ranks if rank is not None]
    if len(known) < _LEAST_TITLES:
        return
    mean = float(np.mean(known))
    worst = sorted((rank, asked[at]) for at, rank in enumerate(ranks) if rank is not None)
    found = _found_by_ranks(len(known))
    yield finding(
        "titles by vectors",
        mean >= _LEAST_RANK,
        mean,
        f"the titles of {len(known)} pages rank them above {percent(_LEAST_RANK)} of the other pages on average, by "
        f"vectors alone (finds {percent(found)} of the vectors at other texts with 95% certainty)",
        f"titles rank their page above {percent(round(mean, 3))} of the other pages on average; by chance it is 50%: "
        f"{_WHY_NOT_BY_TITLES}",
        [f"{beginnings[row].url} ({beginnings[row].title!r}): {percent(rank)}" for rank, row in worst],
    )


def embedded_again(context: CheckContext, limits: StructuralLimits, progress: Progress) -> Iterator[Finding]:
    """Check some vectors of a paid embedder by embedding their texts again; the audit does it for a free one.

    A few texts are embedded in single requests too, because a batch may give other vectors.
    """
    embedder = context.embedder
    if embedder is None or not embedder.batching.costly or not limits.embedded_again or context.index is None:
        return
    points = [point for point in draw_points(context, limits.embedded_again, "vectors") if point.chunk is not None]
    chunks = [point.chunk for point in points if point.chunk is not None]
    if not chunks:
        return
    with stage(progress, "embed again"):
        # A query first: it times out after seconds, documents only after the longer time-out of a build.
        _title_vector(chunks[0].document.title or chunks[0].embedded_text, embedder)
        check = EmbeddingCheck(embedder)
        astray, found = check.look(chunks, points)
        wrong_ids = {one.chunk.id for one in astray}
        sound = [pair for pair in zip(chunks, points, strict=True) if pair[0].id not in wrong_ids][:_ALONE]
        apart = [one for chunk, point in sound for one in check.look([chunk], [point])[0]]
    if sound:
        yield _alone_and_in_batches(
            "documents", len(sound), [f"{name_of(a.chunk)}: cosine {a.cosine:.2f}" for a in apart]
        )
    wrong = [f"{name_of(one.chunk)}: cosine {one.cosine:.2f}" for one in astray] + [example for _, example in found]
    tokens = sum(chunk.token_count for chunk in chunks)
    share = 1.0 - (1.0 - _CERTAIN) ** (1.0 / len(chunks)) if len(chunks) < context.generation.chunks else 0.0
    yield finding(
        "embedded again",
        not wrong,
        1.0 - len(wrong) / len(chunks),
        f"{len(chunks)} of {context.generation.chunks} texts embedded again ({tokens} tokens of "
        f"{context.generation.embedder.model}) have the vectors that the index holds (finds "
        + (f"{percent(share)} wrong vectors with 95% certainty)" if share else "every wrong vector)"),
        f"{len(wrong)} of {len(chunks)} vectors do not match their texts: they are of another text or another model. "
        "`assay audit --all` compares every vector; `assay publish --rebuild` embeds everything again",
        wrong,
    )


def _queries_alone_and_in_batches(
    titles: Sequence[str], alone: Sequence[Vector | None], made: Sequence[Vector | None], embedder: Embedder
) -> Finding:
    same = EmbeddingCheck(embedder).same
    pairs = [(*row, n) for n, row in enumerate(zip(alone, made, strict=False))]
    asked = [(one, other, titles[n]) for one, other, n in pairs if one is not None and other is not None]
    apart = [f"{title!r}: cosine {float(one @ other):.2f}" for one, other, title in asked if not same(one, other)]
    return _alone_and_in_batches("queries", len(asked), apart)


def _alone_and_in_batches(what: str, count: int, apart: Sequence[str]) -> Finding:
    return finding(
        f"{what} alone and in batches",
        not apart,
        1.0 - len(apart) / max(count, 1),
        f"{count} {what} have the same vector in a single request as in a batch",
        f"{len(apart)} of {count} {what} have another vector in a single request than in a batch, such as "
        f"{apart[0] if apart else ''}: users' queries, which are sent in single requests, do not match the index. "
        "Report it to the provider (padding, or another endpoint for batches); until it is fixed, set [embedding] "
        "batch_texts = 1 and run `assay publish --rebuild`",
        apart,
    )


# --- samples -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Beginning:
    """The first chunk of a page, with its vector."""

    url: str
    title: str
    words: frozenset[str]
    dense: Vector


def _beginnings(context: CheckContext) -> list[_Beginning]:
    """The first chunks of a repeatable sample of pages, one for each title.

    Titles that differ only in numbers count as the same: no vector distinguishes `Document 7` from `Document 8`.

    Raises CatalogError, VectorStoreError.
    """
    pages = sorted(context.catalog.known_pages(context.generation.id).values(), key=lambda page: page.url)
    if len(pages) > _TITLES:
        pages = random.Random(f"{context.generation.content_fingerprint} titles").sample(pages, _TITLES)  # noqa: S311 - to be repeated
    first = [
        chunk
        for chunk in context.catalog.chunks(context.generation.id, [page.revision for page in pages])
        if chunk.position == 0 and chunk.document.title.strip()
    ]
    one_each = {_NUMBER.sub("", chunk.document.title): chunk for chunk in first}
    assert context.index is not None
    vectors = context.index.vectors([chunk.id for chunk in one_each.values()])
    return [
        _beginning(chunk, vectors[chunk.id])
        for chunk in one_each.values()
        if chunk.id in vectors and is_usable(vectors[chunk.id], context.generation.embedder.dimension)
    ]


def _beginning(chunk: Chunk, dense: Vector) -> _Beginning:
    words = frozenset(_WORD.findall(chunk.document.title.casefold()))
    return _Beginning(chunk.document.url, chunk.document.title, words, dense)


def _title_vectors(titles: Sequence[str], embedder: Embedder) -> tuple[list[Vector | None], list[Vector | None]]:
    """Embed the first few titles in single requests, and every title in batches.

    None for a title without a known token. Raises EmbeddingError.
    """
    embedder.prefetch_queries([])  # drops vectors that other checks prefetched in batches
    alone = [_title_vector(title, embedder) for title in titles[:_ALONE]]  # first, to fail fast
    embedder.prefetch_queries(titles)
    return alone, [_title_vector(title, embedder) for title in titles]


def _title_vector(title: str, embedder: Embedder) -> Vector | None:
    try:
        return embedder.embed_query(title)
    except (InvalidEmbedding, InputError):
        return None


def _left_behind(similar: Rows, own: int, pages: Sequence[_Beginning]) -> float | None:
    """The share of other pages less similar than a title's own page, ties as half; None without others.

    A page whose title has all words of this one may match as well, and is left out.
    """
    others = [row for row, page in enumerate(pages) if row != own and not page.words >= pages[own].words]
    if not others:
        return None
    rest = similar[others]
    return float((rest < similar[own] - 1e-6).mean() + 0.5 * (np.abs(rest - similar[own]) <= 1e-6).mean())


def _found_by_ranks(titles: int) -> float:
    """The smallest share of misplaced vectors that this check detects with 95% certainty.

    The rank share of a title is uniform on 0 to 1 if its page has another text's vector, else 1. With a share s of
    misplaced vectors the mean is 1 - s/2, and the variance of one is 1 - 2s/3 - (1 - s/2)².
    """
    for per_mille in range(1_000):
        share = per_mille / 1_000
        mean = 1.0 - share / 2.0
        deviation = math.sqrt(max(1.0 - 2.0 * share / 3.0 - mean * mean, 0.0) / titles)
        if mean + _ONE_SIDED * deviation <= _LEAST_RANK:
            return share
    return 1.0
