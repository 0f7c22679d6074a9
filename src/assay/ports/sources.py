"""Sources of documents."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from assay.model.documents import PageRead, RawPage
from assay.ports.progress import Progress

INFORMATION = "assay.information"
"""Name of the logger for notices that are no warnings; commands print both."""


T = TypeVar("T")


PageReader = Callable[[RawPage, Any], bytes]
"""Reads a page before its version and locale are known; gives RawPage.document, or b"" if it does not read it.

The second argument is the page's tree if the task has parsed it and left it unchanged; else None.
"""


class TaskRunner(Protocol):
    """Runs work of a source in other processes, where that pays."""

    def expect(self, pages: int, characters: int = 0) -> None:
        """Announce new pages before the source has read them, so that processes start meanwhile.

        characters: in all these pages, if they are longer than usual.
        """

    def run(self, task: Callable[[PageReader], T], characters: int) -> Callable[[], T]:
        """Start a task. The returned function waits for its result, and may be called once.

        task: picklable, as its result, and without side effects; an error is raised by the returned function. Where no
            other process can run it, the returned function does.
        characters: of the page that it reads, which decides whether processes are started for it.
        """


class Source(Protocol):
    """A folder or a site from which documents are read."""

    @property
    def name(self) -> str:
        """Short name, unique within an index and stored with each document."""

    def read(
        self, known: Mapping[str, str], progress: "Progress | None" = None, tasks: TaskRunner | None = None
    ) -> Iterator[PageRead]:
        """Yield every page of the source once, in an order that is the same in every run.

        known: source hash by page key, from the live generation. A page whose hash is the same may be yielded as
            PageUnchanged, without content; with an empty mapping every page is yielded in full.
        progress: a source with long work before its first page begins a stage; outside a stage it calls `expect`
            once the number of items is known.

        tasks: runs a source's own work on its pages; None for this process.

        A page that fails is yielded as PageFailed. A known page that is not yielded was removed; PageGone gives the
        reason.
        Raises SourceError when the source itself cannot be read.
        """
