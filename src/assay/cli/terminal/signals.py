"""SIGTERM as a clean stop: what is being built is given up, and what is live stays."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Terminated(KeyboardInterrupt):
    """The process was asked to end by SIGTERM."""

    def __init__(self) -> None:
        super().__init__("ended by SIGTERM")


@contextmanager
def stopping_cleanly() -> Iterator[None]:
    """Within the block SIGTERM raises Terminated, as Ctrl-C raises KeyboardInterrupt; a server sets its own way."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one does not cut the giving up short
    raise Terminated
