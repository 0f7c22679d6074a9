"""The keys of somebody who labels: single ones of a terminal without Enter, or characters of a pipe."""

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
"""What arrow and function keys send (ECMA-48), and letters with Alt."""


@contextmanager
def pressed_keys() -> Iterator[Iterator[str]]:
    """Each key in lower case, as it is pressed, until the input or the block ends.

    White space and what arrow and function keys send are passed over. Ctrl-C raises KeyboardInterrupt. What is pressed
    before it is asked for waits, and is not echoed.
    """
    if sys.stdin is None or not sys.stdin.isatty():
        yield _keys(_of_pipe())
    elif sys.platform == "win32":
        yield _keys(_of_console())
    else:
        with _single_keys(sys.stdin.fileno()) as bursts:
            yield _keys(bursts)


def _keys(bursts: Iterator[str]) -> Iterator[str]:
    """Single keys of what comes at once."""
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
        """Within the block the terminal gives keys without Enter and shows none of them."""
        before = termios.tcgetattr(terminal)
        try:
            yield _of_terminal(terminal)
        finally:
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)

    def _of_terminal(terminal: int) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            tty.setcbreak(terminal, termios.TCSANOW)  # again each time, for a shell may have changed it after Ctrl-Z
            some = os.read(terminal, 64)
            if not some:
                return
            yield decoder.decode(some)
