"""Models that went wrong: while documents were embedded, while queries are, or both."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from assay.adapters.embedders.static import StaticEmbedder
from tests.peers.hashed_vectors import hashed_vector
from tests.sabotages.table import Sabotage, Scenario
from tests.sabotages.workspace import EMBEDDERS, PAID, Rows, Spoil, Workspace

One = Callable[[str, Rows], Rows]
"""Another vector for a text, from the text and its true vector."""

SEMANTIC = ("titles by vectors", "reachable by title")
COLLAPSED = ("distinct vectors", "spread of vectors")
APART = ("documents alone and in batches", "queries alone and in batches")
REMADE = ("embeddings", "embedded again")


def _number(text: str, salt: str = "") -> int:
    return int.from_bytes(hashlib.blake2b(f"{salt}{text}".encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _drawn(text: str, row: Rows) -> Rows:
    """A direction that follows from nothing but the hash of the text."""
    return np.random.default_rng(_number(text)).normal(size=len(row))


def _constant(_: str, row: Rows) -> Rows:
    return np.ones(len(row))


def _collapsed(text: str, row: Rows) -> Rows:
    return _constant(text, row) + 0.05 * row


def _another(_: str, row: Rows) -> Rows:
    return np.roll(row, 7) * np.where(np.arange(len(row)) % 2, -1.0, 1.0)


def _never_the_same(_: str, row: Rows) -> Rows:
    noise = np.random.default_rng().normal(size=len(row))
    return row + 0.5 * noise / np.linalg.norm(noise)


def _spoil(share: float, one: One, *, documents: bool = True, queries: bool = True) -> Spoil:
    """Another vector for a share of the texts, which depends on the text alone."""

    def spoil(texts: Sequence[str], rows: Rows, query: bool) -> Rows:
        if not (queries if query else documents):
            return rows
        pairs = zip(texts, rows, strict=True)
        return np.array(
            [one(text, row) if _number(text, "of the share") < share * 2**64 else row for text, row in pairs]
        )

    return spoil


def _shift_batches(texts: Sequence[str], rows: Rows, query: bool) -> Rows:
    """Each answer gives every text the vector of the next one."""
    return np.roll(rows, 1, axis=0)


def _always(one: One, *, documents: bool = True, queries: bool = True) -> Callable[[Workspace, float], None]:
    """The model is so from the first text to the last query."""

    def damage(workspace: Workspace, share: float) -> None:
        workspace.spoil = _spoil(share, one, documents=documents, queries=queries)

    return damage


def _in_batches(one: One, *, documents: bool = True, queries: bool = True) -> Callable[[Workspace, float], None]:
    """The model gives other vectors for the texts of a request that has several."""
    spoil = _spoil(1.0, one, documents=documents, queries=queries)

    def damage(workspace: Workspace, _: float) -> None:
        workspace.spoil = lambda texts, rows, query: spoil(texts, rows, query) if len(texts) > 1 else rows

    return damage


def _always_shifted(workspace: Workspace, _: float) -> None:
    workspace.spoil = _shift_batches


def _while_building(one: One) -> Callable[[Workspace, float], None]:
    """The model is so during a build, and well when that is validated."""

    def damage(workspace: Workspace, share: float) -> None:
        workspace.spoil = _spoil(share, one)
        with workspace.opened() as assay:
            assay.builds.ingest(rebuild=True)
        workspace.spoil = None

    return damage


def _shifted_while_building(workspace: Workspace, _: float) -> None:
    workspace.spoil = _shift_batches
    with workspace.opened() as assay:
        assay.builds.ingest(rebuild=True)
    workspace.spoil = None


def _first_characters(workspace: Workspace, share: float) -> None:
    """The model reads the first few characters of a text and no more."""

    def cut(text: str, row: Rows) -> Rows:
        if workspace.embedder == PAID:
            return hashed_vector(text[:40], len(row), 0)
        return StaticEmbedder().embed_documents([text[:40]])[0].astype(np.float64)

    workspace.spoil = _spoil(share, cut, queries=False)


def _fails(fault: str) -> Callable[[Workspace, float], None]:
    """The provider answers so from now on."""

    def damage(workspace: Workspace, _: float) -> None:
        workspace.settings["embedding"] = {"retry_seconds": 0.2, "query_seconds": 0.2, "query_timeout": 1.0}
        workspace.peer.faults.always(fault)

    return damage


def _threshold_out_of_reach(workspace: Workspace, _: float) -> None:
    """Searches drop every hit that is not nearly the query itself."""
    workspace.settings["search"] = {"threshold": 0.95}


def _row(
    name: str,
    damage: Callable[[Workspace, float], None],
    scenario: Scenario,
    checks: tuple[str, ...],
    shares: tuple[float, ...] = (1.0,),
    embedders: tuple[str, ...] = EMBEDDERS,
) -> Sabotage:
    return Sabotage(name, damage, scenario, checks, shares, embedders)


SABOTAGES = (
    _row("a model that gives one vector", _always(_constant), Scenario.FIRST, COLLAPSED),
    _row(
        "a model that gives one vector for some texts",
        _always(_constant, queries=False),
        Scenario.FIRST,
        COLLAPSED,
        (0.2, 0.14),
    ),
    _row("a model whose vectors are nearly one", _always(_collapsed), Scenario.FIRST, COLLAPSED),
    _row("a model that draws vectors by hash", _always(_drawn), Scenario.FIRST, SEMANTIC),
    _row(
        "a model that draws vectors of documents by hash",
        _always(_drawn, queries=False),
        Scenario.FIRST,
        SEMANTIC,
        (1.0, 0.65),
    ),
    _row("a model that gives all queries one vector", _always(_constant, documents=False), Scenario.FIRST, SEMANTIC),
    _row("queries of another model than documents", _always(_another, documents=False), Scenario.FIRST, SEMANTIC),
    _row("a model that never gives the same vector twice", _always(_never_the_same), Scenario.FIRST, REMADE),
    _row("a model that reads 40 characters", _first_characters, Scenario.FIRST, ("read to the end",)),
    _row("answers shifted by one", _always_shifted, Scenario.FIRST, SEMANTIC + REMADE),
    _row("answers shifted by one during the build", _shifted_while_building, Scenario.STORED, SEMANTIC + REMADE),
    _row("another model during the build", _while_building(_another), Scenario.STORED, REMADE, (1.0, 0.14)),
    _row(
        "one vector for some texts during the build",
        _while_building(_constant),
        Scenario.STORED,
        COLLAPSED + REMADE,
        (0.2, 0.14),
    ),
    _row("another model behind the name since", _always(_another), Scenario.STORED, REMADE),
    _row("queries of another model since", _always(_another, documents=False), Scenario.STORED, SEMANTIC),
    _row("a provider that answers with NaN", _fails("nan"), Scenario.FIRST, ("InvalidEmbedding",), (1.0,), (PAID,)),
    _row(
        "a provider of vectors too short",
        _fails("wrong-dimension"),
        Scenario.FIRST,
        ("InvalidEmbedding",),
        (1.0,),
        (PAID,),
    ),
    _row("other vectors in batches", _in_batches(_another), Scenario.FIRST, APART, (1.0,), (PAID,)),
    _row("other vectors in batches since", _in_batches(_another), Scenario.STORED, REMADE + APART, (1.0,), (PAID,)),
    _row(
        "other vectors of documents in batches",
        _in_batches(_another, queries=False),
        Scenario.FIRST,
        APART[:1],
        (1.0,),
        (PAID,),
    ),
    _row(
        "other vectors of queries in batches",
        _in_batches(_another, documents=False),
        Scenario.STORED,
        APART[1:],
        (1.0,),
        (PAID,),
    ),
    _row("a threshold that nothing reaches", _threshold_out_of_reach, Scenario.STORED, ("titles over the threshold",)),
    _row("a provider that is away", _fails("500"), Scenario.STORED, ("reachable by title",), (1.0,), (PAID,)),
)
