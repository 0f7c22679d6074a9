"""Whether the server is stopping."""

import threading


class Drain:
    """Set once, when the server begins to stop; read by the readiness probe."""

    def __init__(self) -> None:
        self._begun = threading.Event()

    def begin(self) -> None:
        """Make the readiness probe fail from now on."""
        self._begun.set()

    @property
    def begun(self) -> bool:
        """Whether the server has begun to stop."""
        return self._begun.is_set()
