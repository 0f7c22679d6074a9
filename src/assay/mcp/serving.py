"""The transports: standard input and output, and HTTP."""

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from assay.app import Assay
from assay.mcp.server import build_server
from assay.mcp.stdio import serve_lines


def serve_stdio(assay: Assay) -> None:
    """Answer on standard input and output until the client closes either. The log goes to standard error."""
    serve_lines(build_server(assay))


def http_requests(assay: Assay, max_body_bytes: int) -> StreamableHTTPSessionManager:
    """Answers requests over HTTP: stateless, so that any replica can answer any request."""
    return StreamableHTTPSessionManager(
        build_server(assay), json_response=True, stateless=True, max_request_body_size=max_body_bytes
    )
