"""A build with workers gives what a build without them gives, bit for bit."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.memory_embedder import MemoryEmbedder
from tests.memory_source import MemorySource
from tests.page_limits import PAGE_LIMITS
from tests.pages import page
from tests.workers import PatientReadAhead

from assay.adapters.catalog.memory import MemoryCatalog
from assay.adapters.stores.bm25 import Bm25Encoder
from assay.adapters.stores.memory import MemoryStore
from assay.ingest.chunking.chunker import ChunkingRules
from assay.ingest.parts import BuildParts
from assay.ingest.pipeline import BuildReport, Pipeline
from assay.ingest.workers import read_ahead
from assay.model.documents import Chunk, MediaType, PageExcluded, PageFailed, PageRead, RawPage
from assay.model.generations import ChunkerIdentity
from assay.model.vocabulary import Vocabulary
from assay.ports import IndexSpec, Progress, Silence, Source, SparseVector, StoredDocument, TaskRunner


class Shuffled:
    """A source that yields what another does, in an order in which pages that share a URL are far apart."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @property
    def name(self) -> str:
        return self._source.name

    def read(
        self, known: Mapping[str, str], progress: Progress | None = None, tasks: TaskRunner | None = None
    ) -> Iterator[PageRead]:
        yield from sorted(self._source.read(known), key=lambda each: each.key[::-1])


class Desk:
    """Two sources and everything that a build of them needs, in memory."""

    def __init__(self, workers: int, work_dir: Path) -> None:
        self.docs: dict[str, str | RawPage | PageFailed | PageExcluded] = {}
        self.more: dict[str, str | RawPage | PageFailed | PageExcluded] = {}
        for number in range(400):
            self.docs[f"part-{number}.md"] = _text(number)
        for number in range(0, 400, 9):
            # The same URL as a page of the other source, and as one of this.
            self.more[f"part-{number}.md"] = _text(number, "Here it is another.")
            self.more[f"new-{number}.md"] = _text(number, "It is new.")
            self.more[f"new-{number}.mdx"] = _text(number, "It is newer.")
            self.docs[f"torn-{number}.md"] = PageFailed(f"torn-{number}.md", "torn")
            self.docs[f"left-{number}.md"] = PageExcluded(f"left-{number}.md", "a draft")
            key = f"strange-{number}.html"
            self.docs[key] = page("<p>", key=key, media_type=MediaType.HTML)
            self.docs[f"bare-{number}.md"] = "# Nothing but this\n"
        embedder = MemoryEmbedder(16, 90)
        rules = ChunkingRules(600, embedder.max_tokens, 60, embedder.tokenizer)
        chunker = ChunkerIdentity("r", "c", rules.max_characters, rules.max_tokens, rules.overlap, rules.tokenizer)
        self.catalog, self.store = MemoryCatalog(), MemoryStore()
        sources = (
            Shuffled(MemorySource(self.docs, name="docs", base_url="https://docs.example")),
            Shuffled(MemorySource(self.more, name="more", base_url="https://docs.example")),
        )
        self.parts = BuildParts(
            sources,
            embedder,
            Bm25Encoder("english"),
            self.store,
            self.catalog,
            rules,
            chunker,
            work_dir,
            workers,
            PAGE_LIMITS,
        )

    def build(self) -> BuildReport:
        return Pipeline(self.parts, Silence()).build()

    def edit(self) -> None:
        """Change most pages, break some, and take some away."""
        for number in range(0, 400, 2):
            self.docs[f"part-{number}.md"] = _text(number, "It was changed.")
        for number in range(1, 400, 10):
            self.docs[f"part-{number}.md"] = page("", key=f"part-{number}.md", media_type=MediaType.HTML)
        for number in range(3, 400, 10):
            del self.docs[f"part-{number}.md"]


def _text(number: int, remark: str = "") -> str:
    steps = "\n\n".join(
        f"## Step {step}\n\nTurn part {number} {step} times. {remark}\n\n```sh\nturn {number} --times {step}\n```"
        for step in range(number % 7 + 1)
    )
    return f"# Part {number}\n\nSee [the other](part-{number + 1}.md). {remark * (number % 40)}\n\n{steps}\n"


def _contents(desk: Desk, report: BuildReport) -> tuple[list[StoredDocument], list[Chunk], Vocabulary | None]:
    """Everything in the catalog, apart from times."""
    identity = report.generation.id
    documents = sorted(desk.catalog.documents(identity), key=lambda each: each.info.url)
    chunks = [replace(chunk, created_at=None) for chunk in desk.catalog.chunks(identity)]
    return documents, chunks, desk.catalog.vocabulary(identity)


def _vectors(desk: Desk, report: BuildReport) -> dict[str, tuple[bytes, SparseVector | None]]:
    """The vectors of each chunk by its id."""
    index = desk.store.open(report.generation.id, IndexSpec.of(report.generation))
    stored = index.stored(list(index.ids()))
    return {name: (b"" if one.dense is None else one.dense.tobytes(), one.sparse) for name, one in stored.items()}


def _timeless(report: BuildReport) -> BuildReport:
    generation = replace(
        report.generation, id="", parent=None, created_at=report.generation.created_at.min, sealed_at=None, seconds={}
    )
    return replace(report, generation=generation, base=None, live_before=None, seconds={})


def test_a_build_with_workers_equals_one_without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cut_by_workers = 0
    finished = PatientReadAhead.read

    def counted(self: PatientReadAhead, items: Iterator[read_ahead.SourcePage]) -> Iterator[object]:
        nonlocal cut_by_workers
        for result in finished(self, items):
            cut_by_workers += result[2] is not None
            yield result

    monkeypatch.setattr(PatientReadAhead, "read", counted)
    monkeypatch.setattr("assay.ingest.page_flow.ReadAhead", PatientReadAhead)
    alone, helped = Desk(0, tmp_path), Desk(2, tmp_path)
    for is_edited in (False, True, False):
        if is_edited:
            alone.edit()
            helped.edit()
        without = alone.build()
        before = cut_by_workers
        with_workers = helped.build()
        assert cut_by_workers > before + 50
        assert _timeless(with_workers) == _timeless(without)
        assert _contents(helped, with_workers) == _contents(alone, without)
        assert _vectors(helped, with_workers) == _vectors(alone, without)
        assert without.excluded
        assert without.failed
