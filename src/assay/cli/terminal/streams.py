"""Standard streams that survive being closed or full, report a lost reader, and mask secrets."""

import errno
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import BinaryIO, TextIO, cast

from assay.redaction import redacted, redacted_content

_CLOSED = "closed"


class OutputLost(OSError):
    """Standard output cannot be written. reader_gone: because its reader has exited, as after `| head`."""

    def __init__(self, reason: str, *, reader_gone: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.reader_gone = reader_gone


class _Output(TextIOWrapper):
    """Standard output, with an error of its own for failed writes."""

    def write(self, text: str, /) -> int:
        """Write, or raise OutputLost."""
        try:
            return super().write(redacted_content(text))
        except OSError as error:
            raise _lost(error) from None

    def flush(self) -> None:
        """Flush, or raise OutputLost."""
        try:
            super().flush()
        except OSError as error:
            raise _lost(error) from None


class _Messages(TextIOWrapper):
    """Standard error. A failed write loses the message and does not stop the command."""

    def write(self, text: str, /) -> int:
        """Write, if possible."""
        try:
            return super().write(redacted(text))
        except OSError:
            _redirect_to_null(2)
            return len(text)

    def flush(self) -> None:
        """Flush, if possible."""
        try:
            super().flush()
        except OSError:
            _redirect_to_null(2)


def secure_streams() -> None:
    """Reopen closed descriptors, so that no other file gets their numbers, and wrap standard output and error.

    Streams replaced by the calling program stay unchanged.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            # Writing a result to a closed standard output must fail; a message to standard error may be lost.
            _redirect_to_null(descriptor, os.O_WRONLY if descriptor == 2 else os.O_RDONLY)
    if sys.stdout is sys.__stdout__:
        sys.stdout = _Output(*_unwrapped(sys.stdout, 1), line_buffering=os.isatty(1))
    if sys.stderr is sys.__stderr__:
        sys.stderr = _Messages(*_unwrapped(sys.stderr, 2), line_buffering=True)


def discard_output() -> None:
    """Discard the rest of the output, so that the interpreter's last flush does not fail."""
    _redirect_to_null(1)


def _unwrapped(stream: TextIO | None, descriptor: int) -> tuple[BinaryIO, str, str]:
    """Return a stream's binary buffer, its encoding and its error handler.

    stream: None if it was closed when Python started.
    """
    if isinstance(stream, TextIOWrapper):
        encoding, errors = stream.encoding, stream.errors or "strict"
        return cast("BinaryIO", stream.detach()), encoding, errors
    return open(descriptor, "wb", closefd=False), "utf-8", "backslashreplace"


def _redirect_to_null(descriptor: int, mode: int = os.O_WRONLY) -> None:
    with suppress(OSError):
        opened = os.open(os.devnull, mode)
        if opened != descriptor:
            os.dup2(opened, descriptor)
            os.close(opened)


def _lost(error: OSError) -> OutputLost:
    reason = _CLOSED if error.errno == errno.EBADF else (error.strerror or str(error)).lower()
    return OutputLost(reason, reader_gone=isinstance(error, BrokenPipeError))
