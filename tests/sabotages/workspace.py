"""A published handbook to be damaged: its folder, its test set, its data directory, and the provider of its vectors."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.adapters.embedders.static import StaticEmbedder
from assay.app import Assay, shipped_folder
from assay.model.evaluation import Finding, Outcome, Verdict
from assay.ports import Embedder
from assay.settings import load_settings
from tests.copies import copy_tree
from tests.peers.openai import OpenAIDialect
from tests.peers.serving import Asked, Peer, PeerRules
from tests.planting import EdgePoints, Stores
from tests.sites import Site

BASE_URL = "https://handbook.example"
STATIC = "built-in"
PAID = "paid"
EMBEDDERS = (STATIC, PAID)
_DIMENSION = 256

T = TypeVar("T")
Rows = NDArray[np.float64]
Spoil = Callable[[Sequence[str], Rows, bool], Rows]
"""What a model that went wrong gives in place of these vectors: of texts, and whether they are queries."""


class SpoiledPeer(Peer):
    """A provider that embeds honestly, unless it is told otherwise."""

    spoil: Spoil | None = None

    def rows(self, asked: Asked) -> list[list[float]]:
        rows = super().rows(asked)
        if self.spoil is None:
            return rows
        spoiled: list[list[float]] = self.spoil(asked.texts, np.array(rows), asked.query).tolist()
        return spoiled


class SpoiledEmbedder:
    """The built-in model, of which an installation went wrong."""

    def __init__(self, spoil: Spoil) -> None:
        self._honest = StaticEmbedder()
        self._spoil = spoil

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the model has
        return getattr(self._honest, name)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._unit(texts, self._honest.embed_documents(texts), query=False)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._unit([text], self._honest.embed_query(text)[None], query=True)[0]
        return vector

    def _unit(self, texts: Sequence[str], rows: NDArray[np.float32], *, query: bool) -> NDArray[np.float32]:
        spoiled = self._spoil(texts, rows.astype(np.float64), query)
        return (spoiled / np.linalg.norm(spoiled, axis=1, keepdims=True)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Judgment:
    """What Assay said of a workspace.

    outcome: the verdict's; `REFUSED` for an error of Assay's own, `CRASH` for another one.
    error: its class and what it says.
    """

    outcome: str
    findings: tuple[Finding, ...] = ()
    error: tuple[str, str] | None = None

    @classmethod
    def of(cls, verdict: Verdict) -> "Judgment":
        return cls(verdict.outcome.value, verdict.findings)

    @property
    def named_by(self) -> list[tuple[str, str]]:
        """The checks that did not pass, or the class of the error, each with what it says."""
        failed = [one for one in self.findings if one.outcome is not Outcome.PASS]
        return [(one.check, "\n".join([one.detail, *one.examples])) for one in failed] + (
            [self.error] if self.error else []
        )


@dataclass
class Workspace:
    """What a sabotage may change.

    root: with `docs` (the source), `testset.yaml` and `data`.
    kept: what is open until the workspace is thrown away.
    settings: put over the others, by table.
    source: put over the other settings of the source; None takes one away.
    expected: ids that the service's own validation is told to expect.
    site: the same pages as a site on loopback, where a sabotage asks for one.
    spoil: what the model does from now on; None for nothing wrong.
    """

    root: Path
    embedder: str
    peer: SpoiledPeer
    kept: ExitStack
    settings: dict[str, Any] = field(default_factory=dict)
    source: dict[str, Any] = field(default_factory=dict)
    spoil: Spoil | None = None
    site: Site | None = None
    expected: list[str] = field(default_factory=list)

    @property
    def docs(self) -> Path:
        """The source folder."""
        return self.root / "docs"

    @property
    def testset(self) -> Path:
        """Labelled queries."""
        return self.root / "testset.yaml"

    @property
    def stores(self) -> Stores:
        """What is stored of the one generation that there is."""
        (index,) = (self.root / "data" / "generations").iterdir()
        return self.stores_of(index.name)

    def stores_of(self, generation: str) -> Stores:
        """What is stored of a generation."""
        return Stores(self.root / "data", EdgePoints(self.root / "data" / "generations" / generation))

    def pages(self) -> list[Path]:
        """The files of the pages, without drafts and parts of pages."""
        found = (path for path in self.docs.rglob("*.md*") if not path.name.startswith("_"))
        return sorted(path for path in found if "\ndraft: true\n" not in path.read_text(encoding="utf-8"))

    def some_pages(self, share: float, least: int = 1) -> list[Path]:
        """So many of them; the same for the same share."""
        return some(self.pages(), share, least)

    @contextmanager
    def opened(self) -> Iterator[Assay]:
        """Assay over it, with the model as it is now."""
        source = {"path": self.docs, "base_url": BASE_URL, "name": "handbook"} | self.source
        source = {name: value for name, value in source.items() if value is not None}
        values: dict[str, Any] = {"data_dir": self.root / "data", "sources": [source]}
        if self.embedder == PAID:
            values["embedding"] = {
                "provider": "openai",
                "model": "peer-model",
                "openai_api_key": "peer-key",
                "base_url": f"{self.peer.url}/v1",
                "dimensions": _DIMENSION,
                "query_prefix": "query: ",
            }
        for table, changes in self.settings.items():
            values[table] = values.get(table, {}) | changes
        self.peer.spoil = self.spoil
        try:
            with Assay.open(load_settings(None, values)) as assay:
                if self.embedder == STATIC and self.spoil is not None:
                    spoiled: Embedder = SpoiledEmbedder(self.spoil)
                    assay.parts.embedder = spoiled  # type: ignore[misc]  # a cached property, which is set at first use
                yield assay
        finally:
            self.peer.spoil = None


def some(items: Sequence[T], share: float, least: int = 1) -> list[T]:
    """A share of the items, rounded up, at least so many; drawn by chance that does not change."""
    count = min(max(ceil(share * len(items)), least), len(items))
    return Random(7).sample(items, count)


class Workshop:
    """Healthy workspaces, each built once and copied for every sabotage."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._peer = SpoiledPeer(OpenAIDialect(), PeerRules(dimension=_DIMENSION)).start()
        self._built: dict[str, Path] = {}
        self._copies = 0

    def close(self) -> None:
        """Stop the provider."""
        self._peer.stop()

    @contextmanager
    def copy(self, embedder: str, *, live: bool) -> Iterator[Workspace]:
        """A workspace of one's own. live: with a live generation, else with the source alone."""
        self._copies += 1
        target = self._folder / f"copy-{self._copies}"
        copy_tree(self._original(embedder), target)
        if not live:
            shutil.rmtree(target / "data")
        with ExitStack() as opened:
            opened.callback(shutil.rmtree, target)
            opened.callback(self._peer.faults.always, None)
            yield Workspace(target, embedder, self._peer, opened)

    def _original(self, embedder: str) -> Path:
        if embedder not in self._built:
            folder = self._built[embedder] = self._folder / embedder
            shutil.copytree(shipped_folder("examples") / "handbook", folder / "docs")
            shutil.copy(shipped_folder("examples") / "handbook.testset.yaml", folder / "testset.yaml")
            with ExitStack() as kept, Workspace(folder, embedder, self._peer, kept).opened() as assay:
                assert assay.publish().promoted
        return self._built[embedder]
