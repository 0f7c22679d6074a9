"""The log and the further endpoints of a process of `assay serve`, and the entry point of one that is a worker.

A module of its own, so that a worker loads no command.
"""

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING

from assay.adapters.telemetry.log_lines import TextLines
from assay.app import Assay

if TYPE_CHECKING:
    from assay.web.application import Endpoint


def configure_server_log() -> None:
    """Write lines with times to standard error, unlike a command."""
    logging.basicConfig(level=logging.INFO, force=True)
    for writer in logging.getLogger().handlers:
        writer.setFormatter(TextLines())
    for library in ("httpx", "httpx2", "mcp"):
        logging.getLogger(library).setLevel(logging.WARNING)  # each logs every request


def further_endpoints(assay: Assay) -> "list[Endpoint]":
    """The endpoints of a web server besides its routes: MCP, if it is installed and not turned off."""
    if not assay.settings.server.mcp or find_spec("mcp") is None:
        return []
    from assay.mcp.endpoint import HttpEndpoint

    return [HttpEndpoint(assay, assay.settings.server.max_body_bytes)]


def main(descriptor: int) -> None:
    """Serve the task that the parent sends. descriptor: of the connection to it."""
    from assay.web.serving.workers.worker import run_worker

    configure_server_log()
    run_worker(descriptor, further_endpoints)
