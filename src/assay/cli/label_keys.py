"""The keys of somebody who labels: single ones of a terminal without Enter, or characters of a pipe."""

import sys
from collections import deque
from collections.abc import Iterator

import typer

_ESCAPE = "\x1b"
_END = "\x04"


def keys() -> Iterator[str]:
    """Each key in lower case, as it is pressed; ends with the input.

    White space and what arrow and function keys send are passed over. Ctrl-C raises KeyboardInterrupt.
    """
    return _of_terminal() if sys.stdin is not None and sys.stdin.isatty() else _of_pipe()


def _of_terminal() -> Iterator[str]:
    waiting: deque[str] = deque()
    while True:
        while not waiting:
            try:
                pressed = typer.getchar()
            except EOFError:
                return
            if not pressed.startswith((_ESCAPE, "\x00", "\xe0")):  # an arrow or function key, on POSIX or Windows
                waiting.extend(pressed)
        key = waiting.popleft()
        if key == _END:
            return
        if not key.isspace():
            yield key.lower()


def _of_pipe() -> Iterator[str]:
    while sys.stdin is not None:
        key = sys.stdin.read(1)
        if not key:
            return
        if not key.isspace():
            yield key.lower()
