"""Where documents come from."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from assay.model.documents import PageRead
from assay.ports.progress import Progress

INFORMATION = "assay.information"
"""Name of the logger for messages that inform a person and warn of nothing: a command shows them with its warnings."""


class Source(Protocol):
    """Where documents come from: a folder, a site."""

    @property
    def name(self) -> str:
        """Short name, unique among the sources of an index; kept with every document."""

    def read(self, known: Mapping[str, str], progress: "Progress | None" = None) -> Iterator[PageRead]:
        """Yield every page that the source has, each key once, in an order that does not change between runs.

        known: source hash by page key, from the live generation. A page whose hash is still the same may be
            yielded as PageUnchanged without its content; with an empty mapping every page comes in full.
        progress: told of a stage of its own by a source that has long work to do before its first page; and, outside
            of such a stage, of how many items will come (`expect`) as soon as that is known.

        A page that fails is yielded as PageFailed. A known page that is not yielded is gone; PageGone says why.
        Raises SourceError when the source itself cannot be read.
        """
