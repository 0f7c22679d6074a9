"""The standard streams, which may be closed, full, or read by somebody who goes away. No secret passes them."""

import errno
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import BinaryIO, TextIO, cast

from assay.redaction import redacted, redacted_content

_CLOSED = "closed"


class OutputLost(OSError):
    """Standard output takes no more. reader_gone: whether because nobody reads it any more, as after `| head`."""

    def __init__(self, reason: str, *, reader_gone: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.reader_gone = reader_gone


class _Output(TextIOWrapper):
    """Standard output: what it refuses is told apart from every other failing file."""

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
    """Standard error: when it takes no more, messages are lost, and nothing else is."""

    def write(self, text: str, /) -> int:
        """Write, if that is possible."""
        try:
            return super().write(redacted(text))
        except OSError:
            _lead_nowhere(2)
            return len(text)

    def flush(self) -> None:
        """Flush, if that is possible."""
        try:
            super().flush()
        except OSError:
            _lead_nowhere(2)


def secure_streams() -> None:
    """Open what is closed, so that no file of ours takes its number, and give both outputs their manners.

    Streams that a program has put in the place of the real ones stay as they are.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            # What is written to 1 has to fail, for it is the result; what is written to 2 has not.
            _lead_nowhere(descriptor, os.O_WRONLY if descriptor == 2 else os.O_RDONLY)
    if sys.stdout is sys.__stdout__:
        sys.stdout = _Output(*_unwrapped(sys.stdout, 1), line_buffering=os.isatty(1))
    if sys.stderr is sys.__stderr__:
        sys.stderr = _Messages(*_unwrapped(sys.stderr, 2), line_buffering=True)


def abandon_output() -> None:
    """Let the rest of the output go nowhere: the interpreter's last flush must not trip over it."""
    _lead_nowhere(1)


def _unwrapped(stream: TextIO | None, descriptor: int) -> tuple[BinaryIO, str, str]:
    """The bytes below a stream, its encoding, and what it does with characters that the encoding lacks.

    A stream that was closed when Python began is None.
    """
    if isinstance(stream, TextIOWrapper):
        encoding, errors = stream.encoding, stream.errors or "strict"
        return cast("BinaryIO", stream.detach()), encoding, errors
    return open(descriptor, "wb", closefd=False), "utf-8", "backslashreplace"


def _lead_nowhere(descriptor: int, mode: int = os.O_WRONLY) -> None:
    with suppress(OSError):
        opened = os.open(os.devnull, mode)
        if opened != descriptor:
            os.dup2(opened, descriptor)
            os.close(opened)


def _lost(error: OSError) -> OutputLost:
    reason = _CLOSED if error.errno == errno.EBADF else (error.strerror or str(error)).lower()
    return OutputLost(reason, reader_gone=isinstance(error, BrokenPipeError))
