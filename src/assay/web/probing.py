"""Health checks in threads of their own, so that they do not wait for searches."""

import logging

import anyio
from anyio.to_thread import run_sync

from assay.app import Assay, Health

logger = logging.getLogger("assay.web")

_TIMEOUT_SECONDS = 2.0
_THREADS = 2


class Probe:
    """Checks the health of an Assay; a check that exceeds its timeout counts as down."""

    def __init__(self, assay: Assay) -> None:
        self._assay = assay
        self._limiter = anyio.CapacityLimiter(_THREADS)

    async def health(self) -> Health:
        """The health of the stores, within two seconds."""
        with anyio.move_on_after(_TIMEOUT_SECONDS):
            health = await run_sync(self._assay.searches.health, abandon_on_cancel=True, limiter=self._limiter)
            for problem in health.problems:
                logger.debug("health: %s", problem)
            return health
        logger.error("The stores did not answer a health check within %s s; they count as down.", _TIMEOUT_SECONDS)
        return Health(vector_store=False, catalog=False, generation=None, problems=("no answer in time",))
