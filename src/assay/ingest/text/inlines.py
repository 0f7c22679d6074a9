"""Running text with its links: what a paragraph, a heading or a table cell holds."""

import re
from dataclasses import dataclass

_BLANKS = re.compile(r"\s{2,}|[^\S ]")
_BACKTICKS = re.compile(r"`+")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class InlineLink:
    """A link in a run of text. start, end: span in that text; target: absolute URL."""

    start: int
    end: int
    target: str


@dataclass(frozen=True, slots=True)
class Inline:
    """A run of text as a reader sees it: blanks collapsed, a newline where the page breaks the line."""

    text: str
    links: tuple[InlineLink, ...] = ()


EMPTY = Inline("")


def storable(text: str) -> str:
    """The text with U+FFFD for what could not be stored: surrogates, and NUL as CommonMark has it (section 2.3)."""
    if text.isascii() and "\0" not in text:
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _UNSTORABLE.sub("\ufffd", text)
    return text.replace("\0", "\ufffd")


def joined(parts: list[Inline], separator: str) -> Inline:
    """The parts one after another with the separator between them; empty ones are left out."""
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
    """Inline code in as many backticks as it needs."""
    if "`" not in content:
        return f"`{content}`"
    runs = {len(run) for run in _BACKTICKS.findall(content)}
    length = next(length for length in range(1, len(runs) + 2) if length not in runs)
    fence = "`" * length
    padding = " " if content.startswith("`") or content.endswith("`") else ""
    return f"{fence}{padding}{content}{padding}{fence}"


def _trimmed(content: str, link: InlineLink) -> InlineLink | None:
    """The link without blanks at its ends; None when nothing of it shows."""
    shown = content[link.start : link.end]
    start = link.start + len(shown) - len(shown.lstrip())
    end = start + len(shown.strip())
    return InlineLink(start, end, link.target) if start < end else None


class InlineBuffer:
    """Collects running text, collapsing blanks as a browser does, until a block takes it."""

    __slots__ = ("_ends_blank", "_length", "_links", "_open", "_parts")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._ends_blank = True
        self._links: list[InlineLink] = []
        self._open: list[tuple[int, str | None]] = []

    @property
    def is_empty(self) -> bool:
        """Whether nothing was collected since the last take."""
        return not self._parts

    @property
    def length(self) -> int:
        """Characters collected since the last take."""
        return self._length

    def text(self, content: str) -> None:
        """Add text; its blanks collapse, also with those before it."""
        if "  " in content or not content.isprintable():  # no blank but the usual one is printable
            content = _BLANKS.sub(" ", content)
        if self._ends_blank:
            content = content.lstrip(" ")
        if content:
            self._add(content)

    def verbatim(self, content: str) -> None:
        """Add text whose blanks stay as they are: code, formulas."""
        if content:
            self._add(content)

    def line_break(self) -> None:
        """Break the line; nothing happens at the beginning of a block or of a line."""
        if self._parts and self._parts[-1][-1] != "\n":
            self.drop_blank()
            self._add("\n")

    def drop_blank(self) -> None:
        """Take back a blank at the end, if there is one."""
        last = self._parts[-1] if self._parts else ""
        if last[-1:] == " ":
            self._length -= 1
            if last == " ":
                self._parts.pop()
            else:
                self._parts[-1] = last[:-1]
            self._ends_blank = False

    def open_link(self, target: str | None) -> None:
        """A link begins; None for one that leads nowhere."""
        self._open.append((self._length, target))

    def close_link(self) -> None:
        """The last opened link ends."""
        if not self._open:
            return
        start, target = self._open.pop()
        if target is not None and start < self._length:
            self._links.append(InlineLink(start, self._length, target))

    def wrap_code(self, start: int) -> None:
        """Make everything from an offset on inline code."""
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
        """Everything collected, without blanks at its ends; links that are open end. The buffer is empty after."""
        while self._open:
            self.close_link()
        content = "".join(self._parts).rstrip(" \n")
        links = tuple(link for link in (_trimmed(content, link) for link in self._links) if link)
        self._parts, self._length, self._ends_blank, self._links = [], 0, True, []
        return Inline(content, links)

    def _add(self, content: str) -> None:
        self._parts.append(content)
        self._length += len(content)
        self._ends_blank = content[-1] in " \n"
