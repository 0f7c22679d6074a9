"""What passes, and a reader of the verdict should know all the same."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from assay.errors import AssayError
from assay.model.counting import counted
from assay.model.ids import is_placeholder
from assay.validation.structure.judged import Judged

_PAGES = 20


def structure_notes(judged: Judged) -> list[str]:
    """Every note on a generation's structure, in the order of the report.

    What cannot be read is left out: the checks say so.
    """
    found: list[str] = []
    for note in NOTES:
        with suppress(AssayError):
            found += note(judged)
    return found


def placeholder_addresses(judged: Judged) -> Iterator[str]:
    """Count the pages without a real address."""
    made_up = sum(is_placeholder(page.url) for page in judged.catalog.known_pages(judged.generation.id).values())
    if made_up:
        pages = counted(made_up, "page has", "pages have")
        yield f"{pages} no real address: links of hits lead nowhere until --base-url is given."


def vectors_not_compared(judged: Judged) -> Iterator[str]:
    """Say which vectors were not made again, and the command that makes them."""
    recheck, chunks = judged.recheck, judged.generation.chunks
    if recheck is not None and recheck.embedder is None:
        yield (
            f"Most vectors were not made anew to compare, for {judged.generation.embedder.model} is paid by the "
            "request: `assay audit --sample 500` makes some, `assay audit --all` every one."
        )
    elif recheck is not None and recheck.vectors is not None and recheck.vectors < chunks:
        yield f"The vectors of {recheck.vectors} of {chunks} chunks were made anew; `assay audit` makes every one."


def checksums_not_recorded(judged: Judged) -> Iterator[str]:
    """Count the vectors that have no checksum: all of a generation, or none."""
    pages = [page.url for page in judged.catalog.known_pages(judged.generation.id).values()]
    if pages and not judged.catalog.checksums(judged.generation.id, pages[:_PAGES]):
        yield (
            f"{judged.generation.chunks} vectors have no recorded checksum, for an earlier version of Assay built this "
            "generation: a vector that was changed since may go unnoticed. The next build records them."
        )


NOTES: tuple[Callable[[Judged], Iterable[str]], ...] = (
    placeholder_addresses,
    vectors_not_compared,
    checksums_not_recorded,
)
