"""Reads risky pages one at a time in a separate process.

These are large pages when there are no workers, and pages whose worker ended or refused them. A page that fails in a
fresh process is reported as failed, and the build goes on.
"""

import logging

from assay.ingest.cuts import Cut
from assay.ingest.workers.limits import OVER_MEMORY
from assay.ingest.workers.messages import UNPICKLABLE, Refused, Setup, pickle_message
from assay.ingest.workers.process import WorkerProcess
from assay.model.documents import PageFailed, RawPage

logger = logging.getLogger(__name__)

LARGE = 200_000
"""Largest page, with its included files, that the build reads itself, in characters."""


def is_large(page: RawPage) -> bool:
    """Whether a page should be read in another process."""
    return len(page.content) + sum(map(len, page.includes.values())) > LARGE


class Guard:
    """At most one process, started when needed. setup: as for workers; None if no process can be started."""

    def __init__(self, setup: Setup | None) -> None:
        self._setup = setup
        self._process: WorkerProcess | None = None
        self._has_read = False

    def read(self, page: RawPage) -> Cut | PageFailed | None:
        """Read and chunk a page. None if the build has to read it: no process can be started or take the page."""
        while (process := self._running_process()) is not None:
            is_fresh, self._has_read = not self._has_read, True
            ticket = process.give([page])
            if ticket is None and not process.ended:
                return None  # the page cannot be pickled
            answers = None if ticket is None else process.take(ticket)
            answer: Cut | Refused | None = self._refusal(process) if answers is None else answers[0]
            if not isinstance(answer, Refused):
                return answer
            if answer.is_final:
                return PageFailed(page.key, answer.reason)
            self.stop()
            if is_fresh:
                return PageFailed(page.key, answer.reason)
        return None

    def stop(self) -> None:
        """End the process, if any."""
        process, self._process = self._process, None
        if process is not None:
            process.stop()

    def _refusal(self, process: WorkerProcess) -> Refused:
        """The refusal of a page whose process has ended."""
        assert self._setup
        limits = self._setup.limits
        exit_reason = process.exit_reason()
        if process.timed_out:
            return Refused(limits.too_slow, is_final=False)
        if process.exit_code == OVER_MEMORY or exit_reason.endswith("MemoryError"):
            return Refused(limits.too_large, is_final=False)
        return Refused(f"the process that read it has ended ({exit_reason})", is_final=False)

    def _running_process(self) -> WorkerProcess | None:
        if self._process is None and self._setup is not None:
            try:
                self._process = WorkerProcess(pickle_message(self._setup), self._setup.limits.answer_timeout)
            except (*UNPICKLABLE, OSError) as error:
                self._setup = None
                logger.warning("No process can be started to read large pages, so the build reads them: %s", error)
                return None
            self._has_read = False
            if not self._process.wait_until_ready():
                logger.warning("A process to read large pages has ended (%s).", self._process.exit_reason())
                self.stop()
                self._setup = None
        return self._process
