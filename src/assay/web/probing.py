"""Asking after the health of the parts without waiting for the threads that search."""

import logging

import anyio
from anyio.to_thread import run_sync

from assay.app import Assay, Health

logger = logging.getLogger("assay.web")

_PATIENCE_SECONDS = 2.0
_THREADS = 2


class Probe:
    """Looks at the health of an Assay from threads of its own; one that does not come back counts as down."""

    def __init__(self, assay: Assay) -> None:
        self._assay = assay
        self._limiter = anyio.CapacityLimiter(_THREADS)

    async def health(self) -> Health:
        """How the parts are, within two seconds."""
        with anyio.move_on_after(_PATIENCE_SECONDS):
            health = await run_sync(self._assay.searches.health, abandon_on_cancel=True, limiter=self._limiter)
            for problem in health.problems:
                logger.debug("health: %s", problem)
            return health
        logger.error("The health of the stores is not known after %s s; they count as down.", _PATIENCE_SECONDS)
        return Health(vector_store=False, catalog=False, generation=None, problems=("no answer in time",))
