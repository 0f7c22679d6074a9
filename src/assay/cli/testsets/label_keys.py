"""Single key presses from a terminal without Enter, or characters from a pipe."""

import codecs
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

import typer

_END = "\x04"
_SPECIAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?")
"""Escape sequences of arrow and function keys (ECMA-48), and of letters with Alt."""


@contextmanager
def pressed_keys() -> Iterator[Iterator[str]]:
    """Yield each key in lower case, as it is pressed, until the input or the block ends.

    Skips white space, arrow and function keys. Keys pressed early are buffered and not echoed. Ctrl-C raises
    KeyboardInterrupt.
    """
    if sys.stdin is None or not sys.stdin.isatty():
        yield _keys(_of_pipe())
    elif sys.platform == "win32":
        yield _keys(_of_console())
    else:
        with _single_keys(sys.stdin.fileno()) as bursts:
            yield _keys(bursts)


def _keys(bursts: Iterator[str]) -> Iterator[str]:
    """Split each burst of input into keys."""
    for burst in bursts:
        for key in _SPECIAL.sub("", burst):
            if key == _END:
                return
            if not key.isspace():
                yield key.lower()


def _of_pipe() -> Iterator[str]:
    return chain.from_iterable(iter(lambda: sys.stdin.read(1), "")) if sys.stdin is not None else iter(())


def _of_console() -> Iterator[str]:
    while True:
        try:
            key = typer.getchar()
        except EOFError:
            return
        if not key.startswith(("\x00", "\xe0")):  # an arrow or function key
            yield key


if sys.platform != "win32":
    import termios
    import tty

    @contextmanager
    def _single_keys(terminal: int) -> Iterator[Iterator[str]]:
        """Read keys without Enter and without echo within the block."""
        before = termios.tcgetattr(terminal)
        try:
            yield _of_terminal(terminal)
        finally:
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)

    def _of_terminal(terminal: int) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            tty.setcbreak(terminal, termios.TCSANOW)  # each time: the shell may reset it after Ctrl-Z
            pressed = os.read(terminal, 64)
            if not pressed:
                return
            yield decoder.decode(pressed)
