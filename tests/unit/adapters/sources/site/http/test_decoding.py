"""Bodies are decoded within bounds, and become text whatever their servers say."""

import gzip
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.sources.site.http.decoding import BodyDecoder, BodyTooLong, DecodingError, decode_text, gunzip

MOST = 1_000_000


def _decode(coding: str, body: bytes, *, piece: int = 7, most: int = MOST) -> bytes:
    decoder = BodyDecoder(coding, most)
    for start in range(0, len(body), piece):
        decoder.feed(body[start : start + piece])
    return decoder.finish()


def _raw(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


@given(st.binary(max_size=2_000))
def test_every_coding_gives_back_what_was_packed(body: bytes) -> None:
    assert _decode("", body) == body
    assert _decode("gzip", gzip.compress(body)) == body
    assert _decode("deflate", zlib.compress(body)) == body
    assert _decode("br", brotli.compress(body)) == body
    assert _decode("deflate, gzip", gzip.compress(zlib.compress(body))) == body
    assert _decode("gzip", gzip.compress(body) + gzip.compress(body)) == body + body


def test_raw_deflate_is_taken_too() -> None:
    assert _decode("deflate", _raw(b"a page " * 50), piece=1_000) == b"a page " * 50


@pytest.mark.parametrize("pack", [gzip.compress, brotli.compress], ids=["gzip", "br"])
def test_a_bomb_is_never_unpacked_beyond_its_bound(pack: object) -> None:
    bomb = pack(b"0" * 50_000_000)  # type: ignore[operator]
    decoder = BodyDecoder("gzip" if pack is gzip.compress else "br", MOST)
    with pytest.raises(BodyTooLong):
        decoder.feed(bomb)
    assert len(decoder.body) < 2 * MOST


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_what_is_not_in_its_coding_or_ends_early_is_an_error(coding: str) -> None:
    with pytest.raises(DecodingError):
        _decode(coding, b"<html>plain words, and enough of them")
    compress = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}[coding](bytes(range(256)) * 9)
    with pytest.raises(DecodingError):
        _decode(coding, compress[:-20])


def test_a_coding_that_is_not_known_is_an_error() -> None:
    with pytest.raises(DecodingError, match="sdch"):
        BodyDecoder("sdch", MOST)


def test_a_file_is_unpacked_by_its_content() -> None:
    assert gunzip(gzip.compress(b"x"), MOST) == b"x"
    assert gunzip(b"x", MOST) == b"x"
    with pytest.raises(BodyTooLong):
        gunzip(gzip.compress(b"0" * 3_000_000), MOST)


@pytest.mark.parametrize(
    ("body", "header", "text"),
    [
        ("Grüße".encode(), "text/html; charset=iso-8859-1", "Grüße"),
        ("Grüße".encode("cp1252"), "text/html; charset=utf-8", "Grüße"),
        ("Grüße".encode("cp1252"), "text/html", "Grüße"),
        ("Привет, мир".encode("cp1251"), "text/html; charset=windows-1251", "Привет, мир"),
        ('<meta charset="shift_jis">日本'.encode("shift_jis"), "text/html", '<meta charset="shift_jis">日本'),
        ("日本".encode("iso2022_jp"), "text/html; charset=ISO-2022-JP", "日本"),
        ("Größe".encode("utf-16"), "text/html; charset=utf-8", "Größe"),
        (b"plain", "text/html; charset=zlib", "plain"),
        (b"plain", "text/html; charset=no-such-set", "plain"),
        (b"a\x00b", "text/html", "a\ufffdb"),
        ("Viele Umlaute: äöüäöüäöüäöü".encode() + b"\xff", "", "Viele Umlaute: äöüäöüäöüäöü\ufffd"),
    ],
)
def test_the_text_of_a_body_is_found_whatever_its_server_says(body: bytes, header: str, text: str) -> None:
    assert decode_text(body, header) == text


@given(st.binary(max_size=300), st.text(max_size=30))
def test_any_bytes_become_text(body: bytes, charset: str) -> None:
    assert "\x00" not in decode_text(body, f"text/html; charset={charset}")
