"""MCP over HTTP whose SDK is loaded with the first request."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup, TaskStatus
from starlette.types import Receive, Scope, Send

from assay.app import Assay

if TYPE_CHECKING:
    from assay.mcp.serving import HttpEndpoint

MCP_PATH = "/mcp"


class LateEndpoint:
    """An HttpEndpoint that is made by its first request: a server that nobody asks by MCP starts sooner and is smaller.

    max_body_bytes: as in HttpEndpoint.
    """

    path = MCP_PATH

    def __init__(self, assay: Assay, max_body_bytes: int) -> None:
        self._assay = assay
        self._max_body_bytes = max_body_bytes
        self._endpoint: HttpEndpoint | None = None
        self._making = anyio.Lock()
        self._running: TaskGroup | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        async with self._making:
            if self._endpoint is None:
                assert self._running, "the lifespan has begun"
                made = await anyio.to_thread.run_sync(self._make)
                await self._running.start(_run, made)
                self._endpoint = made
        await self._endpoint(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Run the endpoint once it is made."""
        async with anyio.create_task_group() as running:
            self._running = running
            yield
            running.cancel_scope.cancel()

    def _make(self) -> "HttpEndpoint":
        from assay.mcp.serving import HttpEndpoint

        return HttpEndpoint(self._assay, self._max_body_bytes)


async def _run(endpoint: "HttpEndpoint", *, task_status: TaskStatus[None]) -> None:
    """Run an endpoint until this task is cancelled."""
    async with endpoint.lifespan():
        task_status.started()
        await anyio.sleep_forever()
