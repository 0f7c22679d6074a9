"""Bodies as they come over the wire, decoded within bounds, and their bytes as text."""

import codecs
import re
import zlib
from typing import Protocol

import brotli

from assay.redaction import redacted_content

_STEP = 256 * 1024
_GZIP = b"\x1f\x8b"


class TooLong(Exception):
    """A body is longer than it may be, decoded."""


class BadCoding(Exception):
    """A body is not in the coding that its server says, or in one that is not known here."""


class _Inflater(Protocol):
    def feed(self, data: bytes, most: int) -> bytes: ...

    def whole(self) -> bool: ...


class _Plain:
    def feed(self, data: bytes, most: int) -> bytes:
        return data[: most + 1]

    def whole(self) -> bool:
        return True


class _Zlib:
    """gzip, zlib, or raw deflate, which some servers send for the second."""

    def __init__(self, *, deflate: bool) -> None:
        self._stream = zlib.decompressobj(wbits=47)
        self._deflate = deflate
        self._begun = False

    def feed(self, data: bytes, most: int) -> bytes:
        out = bytearray()
        while data and len(out) <= most:
            try:
                out += self._stream.decompress(data, min(_STEP, most + 1 - len(out)))
            except zlib.error as error:
                if not (self._deflate and not self._begun):
                    raise BadCoding(str(error)) from None
                self._stream, self._deflate = zlib.decompressobj(wbits=-zlib.MAX_WBITS), False
                continue
            self._begun = True
            data = self._stream.unconsumed_tail
            if self._stream.eof and self._stream.unused_data.startswith(_GZIP):  # members of gzip, one after another
                data, self._stream = self._stream.unused_data, zlib.decompressobj(wbits=47)
        return bytes(out)

    def whole(self) -> bool:
        return self._stream.eof


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()

    def feed(self, data: bytes, most: int) -> bytes:
        out = bytearray()
        try:
            out += self._stream.process(data, output_buffer_limit=_STEP)
            while len(out) <= most and not self._stream.can_accept_more_data():
                out += self._stream.process(b"", output_buffer_limit=_STEP)
        except brotli.error as error:
            raise BadCoding(str(error)) from None
        return bytes(out)

    def whole(self) -> bool:
        return bool(self._stream.is_finished())


class BodyDecoder:
    """Takes a body's pieces and keeps what they decode to.

    coding: the Content-Encoding header. most: bytes, decoded.

    Raises BadCoding for a coding that is not known.
    """

    def __init__(self, coding: str, most: int) -> None:
        self._steps = [_step(name.strip().lower()) for name in reversed(coding.split(",")) if name.strip()]
        self._most = most
        self.body = bytearray()

    def feed(self, piece: bytes) -> None:
        """Take a piece. Raises TooLong, BadCoding."""
        for step in self._steps:
            piece = step.feed(piece, self._most)
        self.body += piece
        if len(self.body) > self._most:
            raise TooLong

    def finish(self) -> bytes:
        """The whole body. Raises BadCoding when it ended too early."""
        if self.body and not all(step.whole() for step in self._steps):
            raise BadCoding("it ends too early")
        return bytes(self.body)


def _step(name: str) -> _Inflater:
    match name:
        case "identity" | "utf-8" | "none":  # the last two are mistakes that are met
            return _Plain()
        case "gzip" | "x-gzip":
            return _Zlib(deflate=False)
        case "deflate":
            return _Zlib(deflate=True)
        case "br":
            return _Brotli()
    raise BadCoding(f"its coding {name[:20]!r} is not known")


def gunzipped(data: bytes, most: int) -> bytes:
    """The content of a file that is gzip by its first bytes; any other as it is. Raises TooLong, BadCoding."""
    if not data.startswith(_GZIP):
        return data
    decoder = BodyDecoder("gzip", most)
    decoder.feed(data)
    return decoder.finish()


# --- text ---

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*+=\s*+["']?\s*+([\w:.-]{1,40})""", re.IGNORECASE)
_CHARSET = re.compile(r"""charset\s*+=\s*+["']?\s*+([\w:.-]{1,40})""", re.IGNORECASE)
_LATIN = frozenset({"ascii", "iso8859-1", "cp1252"})
_KNOWN = re.compile(r"(utf-(8|16|16-le|16-be)|cp\d+|iso8859-\d+|koi8-[rtu]|gb(k|2312|18030)|big5|big5hkscs|shift_jis"
                    r"|euc_(jp|kr)|iso2022_jp|hz|mac-roman|mac-cyrillic|tis-620|johab|ascii)")  # fmt: skip
"""Python's names of the encodings that browsers know (WHATWG Encoding); never one that transforms bytes."""


def decoded(body: bytes, content_type: str, *, html: bool = True) -> str:
    """The text of a body, whatever its server says of it.

    A byte order mark decides; then UTF-8 wherever the bytes are that and more than ASCII, for nothing else looks so by
    chance; then the header, then the page's own `<meta>`, then Windows-1252. What cannot be decoded is replaced, and
    secrets that a site repeats are masked: the text is stored and searched.
    """
    for mark, name in _BOMS:
        if body.startswith(mark):
            return _clean(body[len(mark) :].decode(name, "replace"))
    declared = _CHARSET.search(content_type)
    names = [declared[1]] if declared else []
    if html and (meta := _META.search(body[:4096])):
        names.append(meta[1].decode("ascii", "replace"))
    encodings = [encoding for name in names if (encoding := _encoding(name)) is not None]
    wide = any(encoding.startswith("utf-16") for encoding in encodings[:1])
    if not wide and not any(encoding in {"iso2022_jp", "hz"} for encoding in encodings):
        encodings.insert(0, "utf-8")
    for encoding in encodings:
        try:
            return _clean(body.decode(encoding))
        except (UnicodeDecodeError, LookupError):
            continue
    last = next((encoding for encoding in encodings if encoding not in {"utf-8", *_LATIN}), None)
    if last is None:
        last = "utf-8" if _mostly_utf8(body) else "cp1252"
    return _clean(body.decode(last, "replace"))


def _encoding(name: str) -> str | None:
    try:
        found = codecs.lookup(name.strip()).name
    except (LookupError, ValueError):
        return None
    if found in _LATIN:
        return "cp1252"  # as browsers take it
    return found if _KNOWN.fullmatch(found) else None


def _mostly_utf8(body: bytes) -> bool:
    """Whether a text is UTF-8 but for a few broken places."""
    text = body.decode("utf-8", "replace")
    return sum(char > "\x7f" for char in text) > 10 * text.count("\ufffd")


def _clean(text: str) -> str:
    return redacted_content(text.replace("\x00", "\ufffd") if "\x00" in text else text)
