"""Pages and chunks that several checks read: the audit reads each once from the catalog, and passes it to collectors.

If that fails, each check reads the catalog itself, so that its finding says what is wrong.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from assay.model.documents import Chunk, DocumentInfo
from assay.model.generations import Generation
from assay.ports import Catalog, Progress, StoredDocument, track

logger = logging.getLogger(__name__)

R = TypeVar("R")


class Passage(NamedTuple):
    """The fields of a chunk that checks of content read."""

    text: str
    content_hash: str
    section_url: str


class PageText(NamedTuple):
    """A page and its passages."""

    info: DocumentInfo
    text: str
    passages: list[Passage]


class Collector(ABC, Generic[R]):
    """Collects what one check needs of the content. stage: names the progress of a walk of its own."""

    stage: ClassVar[str]

    @abstractmethod
    def result(self) -> R:
        """The input of the check, which can be pickled."""


class PageCollector(Collector[R]):
    """Collects from every page."""

    @abstractmethod
    def add(self, info: DocumentInfo, text: str) -> None:
        """Take the next page, in the order of URLs."""


class PassageCollector(Collector[R]):
    """Collects from every chunk."""

    @abstractmethod
    def add(self, info: DocumentInfo, passage: Passage) -> None:
        """Take the next chunk, in the order of URLs and positions."""


AnyCollector = PageCollector[Any] | PassageCollector[Any]
Kinds = Sequence[type[AnyCollector]]
Results = dict[type[Collector[Any]], Any]


class Collectors:
    """A collector of each kind, which all get the same pages."""

    def __init__(self, kinds: Kinds) -> None:
        each = [kind() for kind in kinds]
        self._of_pages = [one for one in each if isinstance(one, PageCollector)]
        self._of_passages = [one for one in each if isinstance(one, PassageCollector)]

    def add(self, page: PageText) -> None:
        """Pass the next page to all collectors."""
        for of_pages in self._of_pages:
            of_pages.add(page.info, page.text)
        for of_passages in self._of_passages:
            for passage in page.passages:
                of_passages.add(page.info, passage)

    def results(self) -> Results:
        """Every result, by the kind of its collector."""
        return {type(one): one.result() for one in (*self._of_pages, *self._of_passages)}

    def stop(self) -> None:
        """Do nothing."""


class Collecting(Protocol):
    """Collectors here or in another process. Any error means that there is no result."""

    def add(self, page: PageText) -> None:
        """Pass the next page to all collectors."""

    def results(self) -> Results:
        """Every result, by the kind of its collector; called once."""

    def stop(self) -> None:
        """End the process, if there is one."""


class SharedContent:
    """The content of a generation, read once for all checks where possible. A watcher of the audit."""

    def __init__(self, catalog: Catalog, generation: Generation) -> None:
        self._catalog = catalog
        self._generation = generation
        self._collecting: Collecting | None = None
        self._is_complete = False
        self._results: Results = {}

    @contextmanager
    def collect(self, collecting: Collecting) -> Iterator[None]:
        """Within the block, collect from the audit's walk; the first check that needs a result waits for all."""
        self._collecting = collecting
        try:
            yield
        finally:
            collecting.stop()
            self._collecting = None

    def add(self, document: StoredDocument, chunks: Sequence[Chunk]) -> None:
        """Take the next page of the audit."""
        if self._collecting is not None:
            try:
                self._collecting.add(PageText(document.info, document.text, [_passage(chunk) for chunk in chunks]))
            except Exception as error:  # noqa: BLE001 - the check that failed meets it again, and reports it
                self._give_up(error)

    def complete(self) -> None:
        """Note that the audit has read everything."""
        self._is_complete = True

    def result(self, kind: type[PageCollector[R]] | type[PassageCollector[R]], progress: Progress) -> R:
        """The result of a collector. Raises CatalogError, and errors of the collector."""
        if self._collecting is not None and self._is_complete:
            try:
                self._results = self._collecting.results()
            except Exception as error:  # noqa: BLE001 - as above
                self._give_up(error)
            self._is_complete = False
        if kind not in self._results:
            self._results[kind] = self._collect_alone(kind(), progress)
        found: R = self._results[kind]
        return found

    def _collect_alone(self, collector: PageCollector[R] | PassageCollector[R], progress: Progress) -> R:
        catalog, generation = self._catalog, self._generation
        if isinstance(collector, PageCollector):
            for page in track(catalog.documents(generation.id), progress, collector.stage, generation.documents):
                collector.add(page.info, page.text)
        else:
            for chunk in track(catalog.chunks(generation.id), progress, collector.stage, generation.chunks):
                collector.add(chunk.document, _passage(chunk))
        return collector.result()

    def _give_up(self, error: Exception) -> None:
        logger.warning("Pages are read once for each check: %s", str(error) or type(error).__name__)
        if self._collecting is not None:
            self._collecting.stop()
            self._collecting = None


def _passage(chunk: Chunk) -> Passage:
    return Passage(chunk.text, chunk.content_hash, chunk.section_url)
