"""MCP over HTTP under a path of the web server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup, TaskStatus
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from assay.app import Assay

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

_NOT_POST = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {"code": -32_600, "message": "Send each message with POST; there are no sessions or streams."},
}


class HttpEndpoint:
    """MCP over HTTP as an ASGI application.

    The first message loads the SDK: a server that gets none starts sooner and is smaller. The web server
    in front checks host names, origins, keys and limits.

    max_body_bytes: length of the largest request.
    """

    path = "/mcp"

    def __init__(self, assay: Assay, max_body_bytes: int) -> None:
        self._assay = assay
        self._max_body_bytes = max_body_bytes
        self._requests: StreamableHTTPSessionManager | None = None
        self._making = anyio.Lock()
        self._running: TaskGroup | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; only POST, because without a session there are no messages that a GET could wait for.

        The SDK would keep its connection open, and that is a request in progress until the client leaves.
        """
        if scope["method"] != "POST":
            await JSONResponse(_NOT_POST, 405, {"Allow": "POST"})(scope, receive, send)
            return
        async with self._making:
            if self._requests is None:
                assert self._running, "the lifespan has begun"
                made = await anyio.to_thread.run_sync(self._make)
                await self._running.start(_run, made)
                self._requests = made
        await self._requests.handle_request(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Run the endpoint; only once."""
        async with anyio.create_task_group() as running:
            self._running = running
            yield
            running.cancel_scope.cancel()

    def _make(self) -> "StreamableHTTPSessionManager":
        from assay.mcp.serving import http_requests

        return http_requests(self._assay, self._max_body_bytes)


async def _run(requests: "StreamableHTTPSessionManager", *, task_status: TaskStatus[None]) -> None:
    """Run the SDK's tasks until this one is cancelled."""
    async with requests.run():
        task_status.started()
        await anyio.sleep_forever()
