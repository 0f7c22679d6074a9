"""Pages of a source's tasks, read where a task has parsed them."""

from typing import Any

from assay.errors import InputError
from assay.ingest.reading import read_page
from assay.ingest.workers.guard import is_large
from assay.ingest.workers.messages import pickle_message
from assay.model.documents import RawPage


def read_early(page: RawPage, tree: Any) -> bytes:  # noqa: ANN401 - fixed signature
    """PageReader of a worker. A page that cannot be read is left to the build, which says why."""
    try:
        return pickle_message(read_page(page, tree))
    except InputError:
        return b""


def read_small_early(page: RawPage, tree: Any) -> bytes:  # noqa: ANN401 - fixed signature
    """PageReader of a build without workers, which reads large pages within limits later."""
    return b"" if is_large(page) else read_early(page, tree)


def read_later(page: RawPage, tree: Any) -> bytes:  # noqa: ANN401, ARG001 - fixed signature
    """PageReader for a task that failed in a worker: the page is read within limits later."""
    return b""
