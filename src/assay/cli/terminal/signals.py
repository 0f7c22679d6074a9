"""SIGTERM as a clean stop: a build is abandoned, and the live generation stays live."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Terminated(KeyboardInterrupt):
    """The process received SIGTERM."""

    def __init__(self) -> None:
        super().__init__("terminated by SIGTERM")


@contextmanager
def stopping_cleanly() -> Iterator[None]:
    """Raise Terminated on SIGTERM within the block, as Ctrl-C raises KeyboardInterrupt; servers replace the handler."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread can handle signals
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second SIGTERM must not interrupt the cleanup
    raise Terminated
