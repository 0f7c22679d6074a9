"""The include-markdown plugin: `{% include-markdown "file" %}` and `{% include "file" %}`, put in before reading."""

import posixpath
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from assay.errors import InputError

_STRING = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_DIRECTIVE = re.compile(
    rf"(?P<indent>^[ \t]*)?\{{%-?\s*include(?P<markdown>-markdown)?\s+(?P<path>{_STRING})"
    rf"(?P<arguments>(?:\s+[\w-]+=(?:{_STRING}|[\w-]+))*)\s*-?%\}}",
    re.MULTILINE,
)
_ARGUMENT = re.compile(rf"([\w-]+)=({_STRING}|[\w-]+)")
_FENCE = re.compile(r"[ \t]*(```|~~~)")
_LINK = re.compile(r"(\]\(\s*<?|^[ ]{0,3}\[[^\]\n]+\]:[ \t]+<?)(?![a-zA-Z][\w+.-]*:|/|#|\{)([^\s)>#?]+)", re.MULTILINE)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_DEEPEST = 10


@dataclass
class MarkdownIncludes:
    """Puts the files of directives into a page.

    read: the content of a file by its path relative to the root; None if it cannot be read.
    docs: folder of the docs, relative to the root. limit: most characters of all files of one page.
    """

    read: Callable[[str], str | None]
    docs: str
    limit: int
    missing: list[str] = field(default_factory=list)
    """Paths of directives whose file was not found, as written."""

    _size: int = 0

    def put_in(self, page: str, text: str, depth: int = 0) -> str:
        """A page's text with the files that it includes. page: its path relative to the root.

        Raises InputError when the files are together over the limit.
        """
        if "{%" not in text or depth > _DEEPEST:
            return text
        return _DIRECTIVE.sub(lambda found: self._included(page, found, depth), text)

    def _included(self, page: str, found: re.Match[str], depth: int) -> str:
        written = _unquoted(found["path"])
        path = self._path(page, written)
        text = None if path is None else self.read(path)
        if path is None or text is None:
            self.missing.append(written)
            return ""
        self._size += len(text)
        if self._size > self.limit:
            raise InputError(f"the files it includes are together over {self.limit:,} characters (max_page_bytes)")
        arguments = {name: _unquoted(value) for name, value in _ARGUMENT.findall(found["arguments"])}
        text = self.put_in(path, _selected(text, arguments.get("start"), arguments.get("end")), depth + 1)
        if arguments.get("trailing-newlines") == "false":
            text = text.rstrip("\r\n")
        if arguments.get("dedent") == "true":
            text = textwrap.dedent(text)
        if found["markdown"]:
            if arguments.get("rewrite-relative-urls") != "false":
                text = _moved_links(text, posixpath.dirname(path), posixpath.dirname(page))
            text = "".join(_shifted(text, arguments.get("heading-offset", "0")))
        indent = found["indent"] or ""
        return "".join(indent + line for line in text.splitlines(keepends=True) or [""])

    def _path(self, page: str, written: str) -> str | None:
        """The file of a directive, relative to the root: beside the page, or in the docs."""
        if "://" in written or written.startswith("/"):
            return None
        folder = posixpath.dirname(page) if written.startswith(("./", "../")) else self.docs
        path = posixpath.normpath(posixpath.join(folder, written))
        return None if path.startswith("../") else path


def _unquoted(value: str) -> str:
    if value[:1] not in {'"', "'"}:
        return value
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[1]), value[1:-1])


def _selected(text: str, start: str | None, end: str | None) -> str:
    """The parts between two marks; the whole text if neither is given."""
    if start and end:
        parts = text.split(start)
        return "".join("".join(part.split(end)[::2]) for part in (parts[1:] or parts))
    if start:
        return text.partition(start)[2]
    return text.partition(end)[0] if end else text


def _moved_links(text: str, origin: str, folder: str) -> str:
    """Relative links of a text that moves to another folder, which lead where they led."""
    if origin == folder:
        return text

    def moved(found: re.Match[str]) -> str:
        path = posixpath.relpath(posixpath.join("/", origin, found[2]), posixpath.join("/", folder))
        return found[1] + path + ("/" if found[2].endswith("/") else "")

    return _LINK.sub(moved, text)


def _shifted(text: str, offset: str) -> Iterator[str]:
    """The lines of a text with headings some levels deeper, or higher."""
    levels = int(offset) if re.fullmatch(r"-?\d", offset) else 0
    fence = ""
    for line in text.splitlines(keepends=True):
        opened = _FENCE.match(line)
        if opened and fence in {"", opened[1]}:
            fence = "" if fence else opened[1]
        if levels and not fence and line.startswith("#"):
            body = line.lstrip("#")
            line = "#" * max(len(line) - len(body) + levels, 1) + body  # noqa: PLW2901
        yield line
