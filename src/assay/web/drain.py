"""Whether the server is on its way out."""

import threading


class Drain:
    """Set once, when the server begins to stop; read by the readiness probe."""

    def __init__(self) -> None:
        self._begun = threading.Event()

    def begin(self) -> None:
        """From now on the server is not ready for more."""
        self._begun.set()

    @property
    def begun(self) -> bool:
        """Whether it has begun."""
        return self._begun.is_set()
