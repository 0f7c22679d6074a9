"""Reads pages that may be dangerous, one at a time, in a process that can be lost.

Large pages come here where no worker reads them, and pages whose worker ended or gave up on them. One that fails in a
process that has read nothing else has itself to blame: it fails by name, and the build goes on.
"""

import logging

from assay.ingest.intake import Cut
from assay.ingest.workers.limits import OVER_MEMORY
from assay.ingest.workers.messages import UNPICKLABLE, Refused, Setup, packed
from assay.ingest.workers.process import WorkerProcess
from assay.model.documents import PageFailed, RawPage

logger = logging.getLogger(__name__)

LARGE = 200_000
"""Characters of a page, with the files that it includes, that the build itself reads at most."""


def is_large(page: RawPage) -> bool:
    """Whether a page is better read in another process."""
    return len(page.content) + sum(map(len, page.includes.values())) > LARGE


class Guard:
    """One process at most, started when it is needed. setup: as for workers; None where none can be started."""

    def __init__(self, setup: Setup | None) -> None:
        self._setup = setup
        self._process: WorkerProcess | None = None
        self._has_read = False

    def read(self, page: RawPage) -> Cut | PageFailed | None:
        """Read and cut a page. None when it is left to the build, for no process can be started or given the page."""
        while (process := self._started()) is not None:
            is_fresh, self._has_read = not self._has_read, True
            if not process.give([page]):
                if not process.ended:
                    return None  # it cannot be pickled
                answers = None
            else:
                answers = process.take()
            answer = self._refused(process) if answers is None else answers[0]
            if not isinstance(answer, Refused):
                return answer
            if answer.is_final:
                return PageFailed(page.key, answer.reason)
            self.stop()
            if is_fresh:
                return PageFailed(page.key, answer.reason)
        return None

    def stop(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.stop()

    def _refused(self, process: WorkerProcess) -> Refused:
        """What a process that has ended says of its page."""
        assert self._setup
        limits = self._setup.limits
        ending = process.ending()
        if process.was_too_slow:
            return Refused(limits.too_slow, is_final=False)
        if process.exit_code == OVER_MEMORY or ending.endswith("MemoryError"):
            return Refused(limits.too_large, is_final=False)
        return Refused(f"the process that read it has ended ({ending})", is_final=False)

    def _started(self) -> WorkerProcess | None:
        if self._process is None and self._setup is not None:
            try:
                self._process = WorkerProcess(packed(self._setup), self._setup.limits.patience)
            except (*UNPICKLABLE, OSError) as error:
                self._setup = None
                logger.warning("No process can be started to read large pages, and the build reads them: %s", error)
                return None
            self._has_read = False
            if not self._process.wait_until_ready():
                logger.warning("A process to read large pages has ended (%s).", self._process.ending())
                self.stop()
                self._setup = None
        return self._process
