"""Text files in UTF-8 or UTF-16, written back in the encoding in which they were read."""

import codecs
from dataclasses import dataclass, replace
from pathlib import Path

from assay.atomic_files import write_files
from assay.errors import FileUnwritable, InputError
from assay.model.located import Place

MAX_BYTES = 512 * 1024 * 1024
"""Maximum size of a file."""

_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file's text without its byte order mark.

    raw: its bytes when it was read, to detect changes by other programs.
    """

    path: Path
    text: str
    encoding: str
    mark: bytes
    raw: bytes

    @property
    def name(self) -> str:
        """Path for messages."""
        return str(self.path)

    @property
    def newline(self) -> str:
        """Line ending of the first line; LF if there is only one line."""
        first = self.text.find("\n")
        return "\r\n" if first > 0 and self.text[first - 1] == "\r" else "\n"

    def write(self, text: str) -> "TextFile":
        """Replace the file's text atomically, in the same encoding.

        Raises InputError if another program changed the file since it was read, or it cannot be written.
        """
        raw = self.mark + text.encode(self.encoding)
        if _read_bytes(self.path) != self.raw:
            raise InputError(
                f"{self.name} was changed by another program meanwhile; nothing was written.", hint="Try again."
            )
        replace_file(self.path, raw)
        return replace(self, text=text, raw=raw)


def read_text(path: Path) -> TextFile:
    """Read a file in UTF-8, or in UTF-16 with a byte order mark.

    Raises InputError for a file that is missing, larger than MAX_BYTES or in another encoding.
    """
    raw = _read_bytes(path)
    mark, encoding = next(((mark, name) for mark, name in _BYTE_ORDER_MARKS if raw.startswith(mark)), (b"", "utf-8"))
    try:
        text = raw[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, len(mark) + error.start) + 1
        found = raw[len(mark) + error.start]
        raise InputError(
            f"{Place(str(path), line)}: the byte 0x{found:02X} is not {encoding.upper()}.",
            hint="Save the file as UTF-8.",
        ) from None
    if (position := text.find("\0")) >= 0:
        line = text.count("\n", 0, position) + 1
        raise InputError(f"{Place(str(path), line)}: it contains a NUL character.", hint="Save the file as UTF-8 text.")
    return TextFile(path, text, encoding, mark, raw)


def replace_file(path: Path, raw: bytes) -> None:
    """Write a file atomically and keep its permissions. Raises FileUnwritable."""
    try:
        write_files({path.resolve(): [raw]})  # keeps a symbolic link
    except OSError as error:
        raise FileUnwritable(f"{path} cannot be written: {error.strerror}.") from None


def _read_bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} is larger than {MAX_BYTES // 1024 // 1024} MB, the maximum.")
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"There is no file {path}.",
            hint="Check the path; `assay testset derive` makes a first test set from the pages.",
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
