"""The base of Assay's own middleware."""

from starlette.types import ASGIApp, Receive, Scope, Send


class HttpMiddleware:
    """Plain ASGI middleware for HTTP requests; everything else is passed on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await (self.answer if scope["type"] == "http" else self._app)(scope, receive, send)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        raise NotImplementedError
