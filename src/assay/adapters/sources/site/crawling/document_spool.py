"""Documents that were read while a site was crawled, in a temporary file until the crawl has ended."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Self

from assay.errors import SourceError


class DocumentSpool:
    """A temporary file of documents by page key. A context that removes it.

    Methods raise SourceError for errors of the disk.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places: dict[str, tuple[int, int]] = {}
        with self._mapped_errors():
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=folder, prefix="documents-")  # noqa: SIM115 - see __exit__

    def add(self, key: str, document: bytes) -> None:
        """Add the document of a page, in place of an earlier one."""
        with self._mapped_errors():
            self._places[key] = (self._file.seek(0, 2), len(document))
            self._file.write(document)

    def get(self, key: str) -> bytes:
        """The document of a page; b"" if it has none."""
        start, length = self._places.get(key, (0, 0))
        if not length:
            return b""
        with self._mapped_errors():
            self._file.seek(start)
            return self._file.read(length)

    @contextmanager
    def _mapped_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SourceError(
                f"The pages that were read cannot be kept in {self._folder}: {error.strerror or error}.",
                hint="Free some space there, or set another --data-dir.",
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        # Closing flushes a buffer that is no longer needed.
        with suppress(OSError):
            self._file.close()
