"""Decompression of response bodies within a size limit, and their conversion to text."""

import codecs
import re
import zlib
from typing import Protocol

import brotli

from assay.redaction import redacted_content

_STEP = 256 * 1024
_GZIP = b"\x1f\x8b"


class BodyTooLong(Exception):
    """The decoded body is longer than allowed."""


class DecodingError(Exception):
    """The body does not match its Content-Encoding, or that encoding is not supported."""


class _Decompressor(Protocol):
    def feed(self, data: bytes, max_bytes: int) -> bytes: ...

    def is_complete(self) -> bool: ...


class _Plain:
    def feed(self, data: bytes, max_bytes: int) -> bytes:
        return data[: max_bytes + 1]

    def is_complete(self) -> bool:
        return True


class _Zlib:
    """gzip, zlib, or raw deflate, which some servers send as `deflate`."""

    def __init__(self, *, deflate: bool) -> None:
        self._stream = zlib.decompressobj(wbits=47)
        self._deflate = deflate
        self._started = False

    def feed(self, data: bytes, max_bytes: int) -> bytes:
        out = bytearray()
        while data and len(out) <= max_bytes:
            try:
                out += self._stream.decompress(data, min(_STEP, max_bytes + 1 - len(out)))
            except zlib.error as error:
                if not (self._deflate and not self._started):
                    raise DecodingError(str(error)) from None
                self._stream, self._deflate = zlib.decompressobj(wbits=-zlib.MAX_WBITS), False
                continue
            self._started = True
            data = self._stream.unconsumed_tail
            if self._stream.eof and self._stream.unused_data.startswith(_GZIP):  # concatenated gzip members
                data, self._stream = self._stream.unused_data, zlib.decompressobj(wbits=47)
        return bytes(out)

    def is_complete(self) -> bool:
        return self._stream.eof


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()

    def feed(self, data: bytes, max_bytes: int) -> bytes:
        out = bytearray()
        try:
            out += self._stream.process(data, output_buffer_limit=_STEP)
            while len(out) <= max_bytes and not self._stream.can_accept_more_data():
                out += self._stream.process(b"", output_buffer_limit=_STEP)
        except brotli.error as error:
            raise DecodingError(str(error)) from None
        return bytes(out)

    def is_complete(self) -> bool:
        return bool(self._stream.is_finished())


class BodyDecoder:
    """Decodes a body piece by piece.

    coding: the Content-Encoding header. max_bytes: of the decoded body.

    Raises DecodingError for an unsupported encoding.
    """

    def __init__(self, coding: str, max_bytes: int) -> None:
        self._steps = [_decompressor(name.strip().lower()) for name in reversed(coding.split(",")) if name.strip()]
        self._most = max_bytes
        self.body = bytearray()

    def feed(self, piece: bytes) -> None:
        """Decode one piece. Raises BodyTooLong, DecodingError."""
        for step in self._steps:
            piece = step.feed(piece, self._most)
        self.body += piece
        if len(self.body) > self._most:
            raise BodyTooLong

    def finish(self) -> bytes:
        """Return the decoded body. Raises DecodingError when it is truncated."""
        if self.body and not all(step.is_complete() for step in self._steps):
            raise DecodingError("it is truncated")
        return bytes(self.body)


def _decompressor(name: str) -> _Decompressor:
    match name:
        case "identity" | "utf-8" | "none":  # servers send the last two by mistake
            return _Plain()
        case "gzip" | "x-gzip":
            return _Zlib(deflate=False)
        case "deflate":
            return _Zlib(deflate=True)
        case "br":
            return _Brotli()
    raise DecodingError(f"unsupported Content-Encoding {name[:20]!r}")


def gunzip(data: bytes, max_bytes: int) -> bytes:
    """Decompress data that begins as gzip; return other data unchanged. Raises BodyTooLong, DecodingError."""
    if not data.startswith(_GZIP):
        return data
    decoder = BodyDecoder("gzip", max_bytes)
    decoder.feed(data)
    return decoder.finish()


# --- text ---

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*+=\s*+["']?\s*+([\w:.-]{1,40})""", re.IGNORECASE)
_CHARSET = re.compile(r"""charset\s*+=\s*+["']?\s*+([\w:.-]{1,40})""", re.IGNORECASE)
_LATIN = frozenset({"ascii", "iso8859-1", "cp1252"})
_KNOWN = re.compile(r"(utf-(8|16|16-le|16-be)|cp\d+|iso8859-\d+|koi8-[rtu]|gb(k|2312|18030)|big5|big5hkscs|shift_jis"
                    r"|euc_(jp|kr)|iso2022_jp|hz|mac-roman|mac-cyrillic|tis-620|johab|ascii)")  # fmt: skip
"""Python's names of the encodings that browsers support (WHATWG Encoding); none that transforms bytes."""


def decode_text(body: bytes, content_type: str, *, html: bool = True) -> str:
    """Decode a body to text, with secrets masked.

    The order: a byte order mark, UTF-8 if the bytes are valid UTF-8, the header, the page's `<meta>`, Windows-1252.
    Bytes that cannot be decoded are replaced.
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


_UNREADABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\ufffd]")
_SAMPLE, _MAX_SHARE = 8_192, 0.05


def is_garbled(text: str) -> bool:
    """Whether a decoded text begins with bytes that are no text: over 5 % control and replacement characters."""
    sample = text[:_SAMPLE]
    return len(_UNREADABLE.findall(sample)) > _MAX_SHARE * len(sample)


def _encoding(name: str) -> str | None:
    try:
        found = codecs.lookup(name.strip()).name
    except (LookupError, ValueError):
        return None
    if found in _LATIN:
        return "cp1252"  # as browsers do
    return found if _KNOWN.fullmatch(found) else None


def _mostly_utf8(body: bytes) -> bool:
    """Whether a text is UTF-8 with few invalid bytes."""
    text = body.decode("utf-8", "replace")
    return sum(char > "\x7f" for char in text) > 10 * text.count("\ufffd")


def _clean(text: str) -> str:
    return redacted_content(text.replace("\x00", "\ufffd") if "\x00" in text else text)
