"""The transports: standard input and output, and HTTP under a path of the web server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from assay.app import Assay
from assay.mcp.server import build_server


def serve_stdio(assay: Assay) -> None:
    """Answer on standard input and output until the client closes them. The log goes to standard error."""
    server = build_server(assay)

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)


class HttpEndpoint:
    """MCP over HTTP as an ASGI application: stateless, so that any replica can answer any request.

    The web server in front checks host names, origins, keys and limits.

    max_body_bytes: length of the largest request.
    """

    path = "/mcp"

    def __init__(self, assay: Assay, max_body_bytes: int) -> None:
        self._requests = StreamableHTTPSessionManager(
            build_server(assay), json_response=True, stateless=True, max_request_body_size=max_body_bytes
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._requests.handle_request(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Run the endpoint; only once."""
        async with self._requests.run():
            yield
