"""Errors of the DocSearch routes, in the shape that their clients read."""

import json
import re

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Receive, Scope, Send

from assay.contracts.docsearch.requests import DocSearchError
from assay.contracts.formatting import to_json
from assay.web.middleware.asgi import HttpMiddleware

_PATH = re.compile(r"(?:/.*)?/1/(?:indexes/(?:\*/queries|[^/]+/query)|events)", re.DOTALL)


def is_docsearch_path(path: str) -> bool:
    """Whether a path is that of a DocSearch route.

    Clients make a host name of their application id, such as `{id}-dsn.algolia.net`. If that id is an address with a
    path, the rest of the name is in front of the path of the API.
    """
    return _PATH.fullmatch(path) is not None


class DocSearchErrors(HttpMiddleware):
    """Changes the body of each error on a DocSearch route to a DocSearchError, with the same message."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._app(scope, receive, _translated(send) if is_docsearch_path(scope["path"]) else send)


def _translated(send: Send) -> Send:
    """A `send` that holds an error back until its body is complete."""
    start: Message = {}
    body = bytearray()

    async def send_translated(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start" and message["status"] >= 400:
            start = message
        elif start and message["type"] == "http.response.body":
            body.extend(message.get("body", b""))
            if not message.get("more_body"):
                content = _docsearch_error(bytes(body), start["status"])
                MutableHeaders(scope=start)["Content-Length"] = str(len(content))
                await send(start)
                await send({"type": "http.response.body", "body": content})
        else:
            await send(message)

    return send_translated


def _docsearch_error(body: bytes, status: int) -> bytes:
    message = json.loads(body)["message"] if body else ""
    return to_json(DocSearchError(message=message, status=status).to_dict())
