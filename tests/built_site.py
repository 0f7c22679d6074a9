"""The real Docusaurus build of the shared folder: its files, served, and what of a page is around its content."""

import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.sites import HTML, Reply, Request, Site, served

_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_BLOCKS = ["p", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "tr", "pre", "ul", "ol", "nav"]
_APART = frozenset([*_BLOCKS, "a", "button", "footer", "header", "aside", "summary", "span"])


def built_files(shared: Path) -> dict[str, bytes]:
    """Its files by path, which begins with a slash."""
    archive = shared / "sites" / "redux-toolkit-docusaurus-3.10.tar.gz"
    if not archive.is_file():
        pytest.skip(f"the built site is not at {archive}")
    with tarfile.open(archive) as files:
        return {
            member.name.removeprefix("."): content.read()
            for member in files
            if member.isfile() and (content := files.extractfile(member)) is not None
        }


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[Site]:
    """Serve them on loopback, folders by their index page, as a host of static sites does."""

    def answer(request: Request) -> Reply:
        path = request.path.rstrip("/")
        page = files.get(f"{path}/index.html")
        if page is not None:
            return Reply(200, page, {"Content-Type": HTML})
        if path in files:
            return Reply(200, files[path], {"Content-Type": HTML if path.endswith("html") else "application/xml"})
        return Reply(404, files["/404.html"], {"Content-Type": HTML})

    site = Site()
    site.fallback = answer
    with served(site) as site:
        yield site


class Surroundings(HTMLParser):
    """Parts a page of Docusaurus in its content and what is around it, without Assay's own parser.

    inside: words of the content, blanks between. around: texts of elements outside of it, or chrome within it (hash
    links, buttons). ids: of all elements.
    """

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: set[str] = set()
        self.around: set[str] = set()
        self._inside: list[str] = []
        self._piece: list[str] = []
        self._stack: list[tuple[str, bool]] = []
        self.feed(page.decode())
        self.close()
        self._end_piece()
        self.inside = flat("".join(self._inside))

    @property
    def _is_content(self) -> bool:
        return self._stack[-1][1] if self._stack else False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.ids |= {value for name, value in attrs if name == "id" and value}
        if tag in _APART:
            self._end_piece()
        if tag in _VOID:
            return
        kind = named.get("class") or ""
        content = self._is_content or "theme-doc-markdown" in kind
        if tag in {"button", "script", "style", "svg"} or "hash-link" in kind:
            content = False
        self._stack.append((tag, content))

    def handle_endtag(self, tag: str) -> None:
        if tag in _APART:
            self._end_piece()
        if any(open_tag == tag for open_tag, _ in self._stack):
            while self._stack.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self._stack and self._stack[-1][0] in {"script", "style", "title"}:
            return
        if self._is_content:
            self._inside.append(data)
        else:
            self._piece.append(data)

    def _end_piece(self) -> None:
        self._inside.append(" ")
        piece = flat("".join(self._piece))
        self._piece = []
        if piece:
            self.around.add(piece)


def flat(text: str) -> str:
    """Without zero-width signs and with single blanks, so that texts of other parsers compare."""
    return re.sub(r"\s+", " ", re.sub("[\u200b\u200c\u200d\ufeff]", "", text)).strip()
