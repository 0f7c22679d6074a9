"""Pages as text, and the sources of the generation that answers searches."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from assay.app.parts import Parts
from assay.app.searching import Searches
from assay.errors import CatalogCorrupt, ConfigurationError, EmbeddingError, InputError
from assay.model.documents import DocumentInfo, Section
from assay.model.generations import Generation
from assay.model.ids import canonical_url
from assay.ports import ChunkPlace
from assay.retrieval.searcher import Searcher

if TYPE_CHECKING:
    from assay.app.systems import Systems

_CHARACTERS_PER_TOKEN = 3
"""An estimate that is rather too high in tokens, for the time in which no tokenizer can be loaded."""


@dataclass(frozen=True, slots=True)
class PageText:
    """A page of the generation that answers searches.

    sections: as in Document; empty if they are not stored.
    chunks: ordered by position.
    """

    generation: str
    document: DocumentInfo
    text: str
    sections: tuple[Section, ...]
    chunks: tuple[ChunkPlace, ...]


@dataclass(frozen=True, slots=True)
class SourceSummary:
    """A source of a generation.

    pages: number of pages, of all versions and locales.
    versions, locales: number of pages of each; empty if there is only one without a name.
    current_versions, default_locales: those that are searched if none is requested.
    """

    name: str
    pages: int
    versions: dict[str, int]
    locales: dict[str, int]
    current_versions: tuple[str, ...]
    default_locales: tuple[str, ...]


class Pages:
    """Reads pages of the generation that answers searches. Thread-safe."""

    def __init__(self, parts: Parts, searches: Searches, systems: "Systems") -> None:
        self._parts = parts
        self._searches = searches
        self._systems = systems
        self._lock = Lock()
        self._summary: tuple[str, tuple[SourceSummary, ...]] | None = None

    def page(self, url: str) -> PageText:
        """Read the page at a URL; a fragment is ignored.

        Raises InputError for an unknown URL or one that is not absolute, NoLiveGeneration, CatalogError,
        VectorStoreError.
        """
        wanted = canonical_url(url)
        with self._searches.live.lease() as searcher:
            return self._read(searcher, wanted, f"No page of the index has the URL {wanted}.")

    def page_of_chunk(self, chunk_id: str) -> tuple[PageText, ChunkPlace]:
        """Read the page of a chunk, and the chunk's place in it.

        Raises InputError for an id that the generation lacks, NoLiveGeneration, CatalogError, VectorStoreError.
        """
        with self._searches.live.lease() as searcher:
            chunk = searcher.index.chunks([chunk_id]).get(chunk_id)
            if chunk is None:
                raise InputError(
                    f"No chunk of generation {searcher.generation.id} has the id {chunk_id}.",
                    hint="Search again: ids change when the text of a page changes.",
                )
            url = chunk.document.url
            page = self._read(searcher, url, f"The page of chunk {chunk_id}, {url}, is not in the catalog.")
        place = next((place for place in page.chunks if place.chunk_id == chunk_id), None)
        if place is None:
            raise CatalogCorrupt(
                f"The catalog has no chunk {chunk_id} on {url}, and the index has it.",
                hint="`assay audit` names the fault; `assay publish --rebuild` rebuilds the index.",
            )
        return page, place

    def sources(self) -> tuple[Generation, tuple[SourceSummary, ...]]:
        """Summarize the sources of the generation that answers searches. Its documents are listed once.

        For an adopted collection, the one source has neither pages nor versions: only its chunks are known.

        Raises NoLiveGeneration, CatalogError.
        """
        generation = self._searches.served_generation()
        with self._lock:
            if self._summary is None or self._summary[0] != generation.id:
                self._summary = (generation.id, self._summarize(generation))
            return generation, self._summary[1]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text, by the embedder's tokenizer; estimated if the embedder cannot be built."""
        try:
            return self._searches.embedder.count_tokens(texts)
        except (ConfigurationError, EmbeddingError):
            return [len(text) // _CHARACTERS_PER_TOKEN + 1 for text in texts]

    def _read(self, searcher: Searcher, url: str, missing: str) -> PageText:
        page = next(iter(self._systems.corpus(searcher.generation, searcher).pages([url])), None)
        if page is None or not page.chunks:
            raise InputError(missing, hint="Pass a URL as a search returns it.")
        first = page.chunks[0].chunk_id
        document = searcher.index.chunks([first])[first].document
        return PageText(searcher.generation.id, document, page.text, page.sections or (), page.chunks)

    def _summarize(self, generation: Generation) -> tuple[SourceSummary, ...]:
        if self._parts.adopted is not None:
            return (SourceSummary(self._parts.adopted, 0, {}, {}, (), ()),)
        pages: Counter[str] = Counter()
        versions: dict[str, Counter[str]] = {}
        locales: dict[str, Counter[str]] = {}
        current: dict[str, dict[str, None]] = {}
        default: dict[str, dict[str, None]] = {}
        for listed in self._parts.catalog.listing(generation.id):
            info = listed.info
            pages[info.source] += 1
            if info.version is not None:
                versions.setdefault(info.source, Counter())[info.version] += 1
                if info.version_is_current:
                    current.setdefault(info.source, {})[info.version] = None
            if info.locale is not None:
                locales.setdefault(info.source, Counter())[info.locale] += 1
                if info.locale_is_default:
                    default.setdefault(info.source, {})[info.locale] = None
        return tuple(
            SourceSummary(
                name,
                count,
                dict(versions.get(name, {})),
                dict(locales.get(name, {})),
                tuple(current.get(name, ())),
                tuple(default.get(name, ())),
            )
            for name, count in sorted(pages.items())
        )
