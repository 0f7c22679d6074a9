"""The transports: standard input and output, and HTTP under a path of the web server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from assay.app import Assay
from assay.mcp.late import MCP_PATH
from assay.mcp.server import build_server
from assay.mcp.stdio import serve_lines


def serve_stdio(assay: Assay) -> None:
    """Answer on standard input and output until the client closes either. The log goes to standard error."""
    serve_lines(build_server(assay))


_NOT_POST = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {"code": -32_600, "message": "Send each message with POST; there are no sessions or streams."},
}


class HttpEndpoint:
    """MCP over HTTP as an ASGI application: stateless, so that any replica can answer any request.

    The web server in front checks host names, origins, keys and limits.

    max_body_bytes: length of the largest request.
    """

    path = MCP_PATH

    def __init__(self, assay: Assay, max_body_bytes: int) -> None:
        self._requests = StreamableHTTPSessionManager(
            build_server(assay), json_response=True, stateless=True, max_request_body_size=max_body_bytes
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; only POST, because without a session there are no messages that a GET could wait for.

        The SDK would keep its connection open, and that is a request in progress until the client leaves.
        """
        if scope["method"] != "POST":
            await JSONResponse(_NOT_POST, 405, {"Allow": "POST"})(scope, receive, send)
            return
        await self._requests.handle_request(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Run the endpoint; only once."""
        async with self._requests.run():
            yield
