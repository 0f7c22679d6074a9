"""Bodies in all codings, and those that hurt."""

import gzip
import zlib

import brotli

from tests.site_traps.trap import (
    OK_HEAD,
    Trap,
    body,
    bomb,
    failing_first,
    page,
    raw_deflated,
    sends,
    typed,
)
from tests.sites import HTML, Reply


def traps() -> list[Trap]:
    """Bodies in all codings, and those that hurt."""
    latin = "<html><body><h1>Äpfel</h1><p>Grüße aus Köln und naïve cafés".encode("cp1252")
    return [
        Trap(
            "wrong character sets",
            {
                "": page("Sets", "a", "b", "c", "d", "e"),
                "a": typed("<h1>Grüße</h1>".encode(), "text/html; charset=iso-8859-1"),
                "b": typed(latin, "text/html"),
                "c": typed(b"<html><h1>x\xff\xfe\xff</h1>", "text/html; charset=utf-8"),
                "d": typed("\ufeff<h1>Größe</h1>".encode("utf-16-le"), "text/html; charset=nonsense"),
                "e": typed(b"<html><h1>E</h1>", "text/html; charset=zlib"),
            },
            ("", "a", "b", "c", "d", "e"),
        ),
        Trap(
            "types that are not said",
            {
                "": page("Types", "a", "b", "c"),
                "a": typed(body("A untyped"), None),
                "b": typed(b"\x00\x01\x02binary", None),
                "c": typed(body("C"), "application/octet-stream"),
            },
            ("", "a", "c"),
            {"b": "type"},
        ),
        Trap(
            "codings",
            {
                "": page("Codings", "a", "b", "c", "d", "e"),
                "a": typed(gzip.compress(body("A gzip")), HTML, Content_Encoding="gzip"),
                "b": typed(raw_deflated(body("B raw")), HTML, Content_Encoding="deflate"),
                "c": typed(zlib.compress(body("C zlib")), HTML, Content_Encoding="deflate"),
                "d": typed(brotli.compress(body("D brotli")), HTML, Content_Encoding="br"),
                "e": typed(gzip.compress(body("E one")), HTML, Content_Encoding="x-gzip"),
            },
            ("", "a", "b", "c", "d", "e"),
        ),
        Trap(
            "codings that are not so",
            {
                "": page("Lies", "a", "b"),
                "a": typed(body("A plain"), HTML, Content_Encoding="gzip"),
                "b": typed(body("B"), HTML, Content_Encoding="sdch"),
            },
            ("",),
            {"a": "decoded", "b": "decoded"},
        ),
        Trap(
            "bombs",
            {
                "": page("Bombs", "a", "b"),
                "a": typed(bomb("gzip"), HTML, Content_Encoding="gzip"),
                "b": typed(bomb("br"), HTML, Content_Encoding="br"),
            },
            ("",),
            {"a": "longer than", "b": "longer than"},
        ),
        Trap(
            "a gigabyte",
            {
                "": page("Large", "a", "b"),
                "a": Reply(raw=sends(OK_HEAD + b"Content-Length: 1000000000\r\n\r\n", b"<p>x</p>" * 100)),
                "b": Reply(
                    raw=sends(
                        OK_HEAD + b"Transfer-Encoding: chunked\r\n\r\n",
                        b"4000\r\n" + b"y" * 0x4000 + b"\r\n",
                        repeat=10_000,
                    )
                ),
            },
            ("",),
            {"a": "too long", "b": "longer than"},
        ),
        Trap(
            "slow bodies",
            {
                "": page("Slow", "a", "b"),
                "a": Reply(raw=sends(OK_HEAD + b"Content-Length: 1000\r\n\r\n", b"<", pause=0.2, repeat=20)),
                "b": Reply(raw=sends(b"HTTP/1.1 200 OK\r\nX-A: ", b"b", pause=0.2, repeat=20)),
            },
            ("",),
            {"a": "took longer", "b": "took longer"},
        ),
        Trap(
            "broken answers",
            {
                "": page("Broken", "a", "b", "c"),
                "a": Reply(raw=sends(OK_HEAD + b"Content-Length: 1000\r\n\r\n", b"<p>cut")),
                "b": Reply(raw=sends(b"SSH-2.0-OpenSSH\r\n\r\n")),
                "c": Reply(raw=sends(b"HTTP/1.1 200 OK\r\nX-A: " + b"a" * 300_000 + b"\r\n\r\n")),
            },
            ("",),
            {"a": "connection", "b": "HTTP", "c": "HTTP"},
        ),
        Trap(
            "errors of the server",
            {
                "": page("Errors", "a", "b", "c", "d"),
                "a": Reply(500),
                "b": Reply(501),
                "c": failing_first(page("C at last"), 503, Retry_After="0"),
                "d": failing_first(page("D at last"), 429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
            },
            ("", "c", "d"),
            {"a": "500", "b": "501"},
        ),
        Trap(
            "not modified without a question",
            {"": page("Status", "a", "b"), "a": Reply(304), "b": Reply(204)},
            ("",),
            {"a": "304", "b": "204"},
        ),
    ]
