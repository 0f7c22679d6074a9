"""The files of the page and of `<assay-search>`, compressed once and named by their content."""

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_TYPES = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}

LOADER = "assay.js"
"""The script that sites load; it loads the modules by the digest in its place."""

_PLACE = "DIGEST"
_COMMENT = re.compile(rb"^[ \t]*(?:/\*\*.*?\*/|//[^\n]*)$", re.MULTILINE | re.DOTALL)
"""A comment that has its lines for itself."""


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file as it is sent. compressed: gzip of content. etag: with its quotes."""

    content: bytes
    compressed: bytes
    media_type: str
    etag: str

    @classmethod
    def of(cls, content: bytes, media_type: str) -> "StaticFile":
        """Compress the content."""
        return cls(content, gzip.compress(content, 9, mtime=0), media_type, f'"{_digest(content)}"')


@dataclass(frozen=True, slots=True)
class StaticFiles:
    """The files of one version of the page.

    digest: names their content; a part of their URLs, so that browsers keep them and never mix two versions.
    loader: `assay.js`, whose URL has no digest.
    """

    digest: str
    by_name: Mapping[str, StaticFile]
    loader: StaticFile


@cache
def static_files() -> StaticFiles:
    """Read the files of this package."""
    folder = files("assay.web.page") / "static"
    contents = {
        entry.name: _without_comments(entry.read_bytes()) if entry.name.endswith(".js") else entry.read_bytes()
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
    }
    digest = _digest(b"".join(name.encode() + b"\0" + content + b"\0" for name, content in contents.items()))
    loader = contents.pop(LOADER).replace(_PLACE.encode(), digest.encode())
    by_name = {name: StaticFile.of(content, _media_type(name)) for name, content in contents.items()}
    return StaticFiles(digest, by_name, StaticFile.of(loader, _media_type(LOADER)))


def _without_comments(script: bytes) -> bytes:
    """A script without its comments, a fifth of what is sent; its lines keep their numbers."""
    return _COMMENT.sub(lambda comment: b"\n" * comment[0].count(b"\n"), script)


def _media_type(name: str) -> str:
    return _TYPES[name.rpartition(".")[2]]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
