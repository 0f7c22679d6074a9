"""Inline text with its links: the content of a paragraph, a heading or a table cell."""

import re
from dataclasses import dataclass

_BLANKS = re.compile(r"\s{2,}|[^\S ]")
_BACKTICKS = re.compile(r"`+")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class InlineLink:
    """A link in inline text. start, end: span in that text. target: absolute URL."""

    start: int
    end: int
    target: str


@dataclass(frozen=True, slots=True)
class Inline:
    """Inline text with collapsed whitespace, and a newline at each line break of the page."""

    text: str
    links: tuple[InlineLink, ...] = ()


EMPTY = Inline("")


def storable(text: str) -> str:
    """Replace surrogates and NUL, which cannot be stored, with U+FFFD (CommonMark, section 2.3)."""
    if text.isascii() and "\0" not in text:
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _UNSTORABLE.sub("\ufffd", text)
    return text.replace("\0", "\ufffd")


def join_inlines(parts: list[Inline], separator: str) -> Inline:
    """Join inline texts with a separator; empty ones are omitted."""
    shown = [part for part in parts if part.text]
    if len(shown) == 1:
        return shown[0]
    links: list[InlineLink] = []
    offset = 0
    for part in shown:
        links.extend(InlineLink(link.start + offset, link.end + offset, link.target) for link in part.links)
        offset += len(part.text) + len(separator)
    return Inline(separator.join(part.text for part in shown), tuple(links))


def code_span(content: str) -> str:
    """Write inline code with as many backticks as needed."""
    if "`" not in content:
        return f"`{content}`"
    runs = {len(run) for run in _BACKTICKS.findall(content)}
    length = next(length for length in range(1, len(runs) + 2) if length not in runs)
    fence = "`" * length
    padding = " " if content.startswith("`") or content.endswith("`") else ""
    return f"{fence}{padding}{content}{padding}{fence}"


def _trim_link(content: str, link: InlineLink) -> InlineLink | None:
    """The link without surrounding blanks; None if nothing remains."""
    shown = content[link.start : link.end]
    start = link.start + len(shown) - len(shown.lstrip())
    end = start + len(shown.strip())
    return InlineLink(start, end, link.target) if start < end else None


class InlineBuffer:
    """Collects inline text and collapses whitespace as a browser does, until a block takes it."""

    __slots__ = ("_ends_blank", "_length", "_links", "_open", "_parts")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._ends_blank = True
        self._links: list[InlineLink] = []
        self._open: list[tuple[int, str | None]] = []

    @property
    def is_empty(self) -> bool:
        """Whether nothing was collected since the last `take`."""
        return not self._parts

    @property
    def length(self) -> int:
        """Characters collected since the last `take`."""
        return self._length

    def text(self, content: str) -> None:
        """Add text and collapse its whitespace, also with that before it."""
        if "  " in content or not content.isprintable():  # no blank but the usual one is printable
            content = _BLANKS.sub(" ", content)
        if self._ends_blank:
            content = content.lstrip(" ")
        if content:
            self._add(content)

    def verbatim(self, content: str) -> None:
        """Add text with unchanged whitespace: code, formulas."""
        if content:
            self._add(content)

    def line_break(self) -> None:
        """Break the line, unless a block or line has just started."""
        if self._parts and self._parts[-1][-1] != "\n":
            self.drop_blank()
            self._add("\n")

    def drop_blank(self) -> None:
        """Remove a blank at the end."""
        last = self._parts[-1] if self._parts else ""
        if last[-1:] == " ":
            self._length -= 1
            if last == " ":
                self._parts.pop()
            else:
                self._parts[-1] = last[:-1]
            self._ends_blank = False

    def open_link(self, target: str | None) -> None:
        """Open a link. target: None for one that leads nowhere."""
        self._open.append((self._length, target))

    def close_link(self) -> None:
        """Close the last opened link."""
        if not self._open:
            return
        start, target = self._open.pop()
        if target is not None and start < self._length:
            self._links.append(InlineLink(start, self._length, target))

    def wrap_code(self, start: int) -> None:
        """Turn everything after an offset into inline code."""
        tail: list[str] = []
        length = self._length
        while length > start:
            part = self._parts.pop()
            length -= len(part)
            tail.append(part)
        content = "".join(reversed(tail))
        kept, code = content[: start - length], content[start - length :].replace("\n", " ").strip()
        shown = code_span(code) if code else content[start - length :]
        self._parts += [part for part in (kept, shown) if part]
        self._length = start + len(shown)
        if not code:
            return
        shift = shown.index(code)
        self._ends_blank = False
        for place in range(len(self._links) - 1, -1, -1):
            link = self._links[place]
            if link.start < start:
                break
            self._links[place] = InlineLink(link.start + shift, link.end + shift, link.target)

    def take(self) -> Inline:
        """Return everything collected, without surrounding blanks; close open links and clear the buffer."""
        while self._open:
            self.close_link()
        content = "".join(self._parts).rstrip(" \n")
        links = tuple(link for link in (_trim_link(content, link) for link in self._links) if link)
        self._parts, self._length, self._ends_blank, self._links = [], 0, True, []
        return Inline(content, links)

    def _add(self, content: str) -> None:
        self._parts.append(content)
        self._length += len(content)
        self._ends_blank = content[-1] in " \n"
