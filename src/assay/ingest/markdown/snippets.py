"""Files that a line of an MkDocs page names, put in its place before the page is parsed.

`--8<-- "file"` of pymdownx.snippets, also as a block of files, and `{! file !}` of markdown-include. They stand
anywhere: in a list, a table, an admonition or a code fence.
"""

import re
import textwrap
from collections.abc import Callable, Iterator

from assay.ingest.markdown.fences import snippet

_LINE = re.compile(
    r"(?P<indent>[ \t]*)(?P<escape>;*)(?:"
    r"""-+8<-+[ \t]+(?P<quote>["'])(?P<named>[^"'\n]+)(?P=quote)"""
    r"|(?P<block>-+8<-+)"
    r"|\{!>?[ \t]*+(?P<included>\S(?:.*[^ \t])?)[ \t]*+!\})[ \t]*"
)
_SECTION_MARK = re.compile(r"-+8<-+[ \t]+\[[ \t]*(?:start|end)[ \t]*:[ \t]*[A-Za-z][\w-]*[ \t]*\]")
FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?^---[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_DEEPEST = 10
_MOST_FILES = 500


def with_snippets(source: str, include: Callable[[str], str | None], *, dedent: bool = False) -> str:
    """Replace each line that names a file with that file, or remove it when there is none.

    include: gives a file by the path as written. dedent: a selected part loses its common indentation.

    At most 500 files and 10 levels are put in.
    """
    if "8<-" not in source and "{!" not in source:
        return source
    return "\n".join(_Expansion(include, dedent).lines(source, 0))


class _Expansion:
    def __init__(self, include: Callable[[str], str | None], dedent: bool) -> None:
        self._include = include
        self._dedent = dedent
        self._files = 0

    def lines(self, source: str, depth: int) -> Iterator[str]:
        in_block = False
        for line in source.split("\n"):
            marked = "8<-" in line or "{!" in line
            found = _LINE.fullmatch(line) if marked else None
            if found is not None and found["escape"]:
                yield line.replace(";", "", 1)
            elif found is not None and found["block"]:
                in_block = not in_block
            elif in_block:
                yield from self._file(line.strip(), line[: len(line) - len(line.lstrip())], depth)
            elif found is not None:
                yield from self._file((found["named"] or found["included"]).strip(), found["indent"], depth)
            elif not (marked and _is_section_mark(line)):
                yield line

    def _file(self, reference: str, indent: str, depth: int) -> Iterator[str]:
        if not reference:
            yield ""
        if not reference or reference.startswith(";") or depth >= _DEEPEST or self._files >= _MOST_FILES:
            return
        self._files += 1
        text = snippet(reference, self._include)
        if text is None:
            return
        if self._dedent and self._include(reference) is None:
            text = textwrap.dedent(text)
        text = FRONT_MATTER.sub("", text.removeprefix("\ufeff"), count=1).removesuffix("\n")
        for line in self.lines(text, depth + 1):
            yield indent + line if line else line


def _is_section_mark(line: str) -> bool:
    found = _SECTION_MARK.search(line)
    return found is not None and line[found.start() - 1 : found.start()] != ";"
