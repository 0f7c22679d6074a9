"""The info string of a code fence, and the visible part of its content."""

import re
from collections.abc import Callable
from dataclasses import dataclass

_ATTRIBUTE_LIST = re.compile(r"^\{\s*([^}]*)\}?")
_CLASS = re.compile(r"\.([\w+#.-]+)")
_TITLE = re.compile(r"""(?:^|\s)(?:title|filename|file)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'{}]+))""")
_BRACKETED_TITLE = re.compile(r"\[([^\[\]A-Za-z]*+[A-Za-z][^\[\]]*+)\]")
_LANGUAGE = re.compile(r"[^\s{}=,\[\]\"'`]+")
_MAGIC_COMMENT = re.compile(
    r"""[ \t]*(?://|\#|/\*|<!--|\{/\*|--|%|;)[ \t]*          # how the language opens a comment
        highlight-(?:\w+-)*(?:next-line|start|end|line)
        [ \t]*(?:\*/\}|\*/|-->)?[ \t]*""",
    re.VERBOSE,
)
_LINES = re.compile(r"(?=[\d:])(\d{0,9})(:?)(\d{0,9})")
_LINES_REVERSED = re.compile(r"((?:\d{0,9}:)?\d{0,9}(?:,(?:\d{0,9}:)?\d{0,9})*):(?=.)")
"""Line selections, matched backwards, so that they end where the path does and are searched once."""
_SECTION_NAME = re.compile(r"(?:(?![A-Za-z_])[\w-])*+[A-Za-z_][\w-]*+")

_LANGUAGES = {
    "py": "python", "js": "js", "ts": "ts", "jsx": "jsx", "tsx": "tsx", "yml": "yaml", "yaml": "yaml", "sh": "bash",
    "md": "markdown", "rs": "rust", "kt": "kotlin", "rb": "ruby", "cs": "csharp", "h": "c", "hpp": "cpp",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FenceInfo:
    """language: as the author named it, "" for none. title: shown above the code, "" for none."""

    language: str
    title: str


def parse_info(info: str) -> FenceInfo:
    """Parse the language and title of an info string; highlighted lines and other instructions are ignored.

    Understands `ts title="app.ts" {1,3}`, `{ .yaml title="a.yml" }`, `py hl_lines="2"` and `ts [vite.config.ts]`.
    """
    info = info.strip()
    if not info:
        return FenceInfo("", "")
    titled = _TITLE.search(info)
    title = next((group for group in titled.groups() if group), "") if titled else ""
    if attributes := _ATTRIBUTE_LIST.match(info):
        reference = _CLASS.search(attributes[1])
        return FenceInfo(reference[1] if reference else "", title.strip())
    first = _LANGUAGE.match(info)
    language = first[0] if first and info[first.end() : first.end() + 1] != "=" else ""
    if not title and (bracketed := _BRACKETED_TITLE.search(info, len(language))):
        title = bracketed[1]
    return FenceInfo(language, title.strip())


def language_of(path: str) -> str:
    """The language of a file by its suffix, "" for none."""
    name = path.rpartition("/")[2]
    suffix = name.rpartition(".")[2].lower() if "." in name else ""
    return _LANGUAGES.get(suffix, suffix)


def without_magic_comments(content: str) -> str:
    """Remove the lines that only tell Docusaurus what to highlight."""
    if "highlight-" not in content:
        return content
    return "".join(
        line for line in content.splitlines(keepends=True) if not _MAGIC_COMMENT.fullmatch(line.rstrip("\n"))
    )


def without_common_indent(content: str) -> str:
    """Remove the common indentation of indented code, up to three spaces.

    Python-Markdown indents the content of a list item by four spaces, whatever its marker is; CommonMark's rules leave
    some of them.
    """
    indents = [len(line) - len(line.lstrip(" ")) for line in content.split("\n") if line.strip()]
    common = min([3, *indents])
    return "\n".join(line[common:] for line in content.split("\n")) if common else content


def snippet(reference: str, include: Callable[[str], str | None]) -> str | None:
    """The file, or its part, selected by `path`, `path:section` or `path:1:3,6:7`; None when there is none."""
    if (content := include(reference)) is not None:
        return content
    if found := _LINES_REVERSED.match(reference[::-1]):
        content = include(reference[: -found.end()])
        return None if content is None else selected_lines(content, line_ranges(found[1][::-1]))
    path, _, section = reference.rpartition(":")
    if not path or not _SECTION_NAME.fullmatch(section) or (content := include(path)) is None:
        return None
    return _section(content, section)


def line_ranges(written: str) -> list[tuple[int, int | None]]:
    """Parse the ranges of `3`, `1:3`, `:4` or `1:3, 6:`, counted from 1; None is the last line."""
    ranges: list[tuple[int, int | None]] = []
    for part in written.split(","):
        if found := _LINES.fullmatch(part.strip()):
            first = int(found[1] or 1)
            ranges.append((first, int(found[3]) if found[3] else None if found[2] else first))
    return ranges


def selected_lines(content: str, ranges: list[tuple[int, int | None]]) -> str:
    """The lines of these ranges, counted from 1, both ends included; None is the last line."""
    lines = content.splitlines(keepends=True)
    return "".join("".join(lines[max(first, 1) - 1 : last]) for first, last in ranges)


def _section(content: str, name: str) -> str:
    """The text between `--8<-- [start:name]` and `--8<-- [end:name]`."""
    start = re.search(rf"^.*-+8<-+[ \t]*\[start:[ \t]*{re.escape(name)}\].*\n?", content, re.MULTILINE)
    if not start:
        return content
    end = re.compile(rf"^.*-+8<-+[ \t]*\[end:[ \t]*{re.escape(name)}\]", re.MULTILINE).search(content, start.end())
    return content[start.end() : end.start() if end else len(content)]
