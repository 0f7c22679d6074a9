"""Read a request's body as it arrives, up to a limit."""

from starlette.requests import ClientDisconnect, Request

from assay.contracts.fields import quoted
from assay.contracts.json_object import read_json_object
from assay.errors import InputError
from assay.web.errors import BodyRefused


class JsonBody:
    """A FastAPI dependency that gives a route the JSON object of its request.

    limit: the most bytes of a body; also checked as it arrives, because Content-Length may be wrong.
    writes: whether the route changes something. Content-Type is then required: a cross-site page cannot make a browser
        send JSON without a preflight request.
    any_type: accept any Content-Type: DocSearch clients send JSON as `text/plain` or as a form, without a preflight.
    """

    def __init__(self, limit: int, *, writes: bool = False, any_type: bool = False) -> None:
        self._limit = limit
        self._writes = writes
        self._any_type = any_type

    async def __call__(self, request: Request) -> dict[str, object]:
        """Read the body. Raises BodyRefused, or InputError for a body that is not a JSON object."""
        if self._writes and "content-type" not in request.headers:
            raise InputError("Content-Type: it must be application/json; none was sent.")
        if not self._any_type:
            _check_content_type(request)
        _check_encoding(request)
        declared = request.headers.get("content-length", "")
        if declared.isascii() and declared.isdigit() and int(declared[:20]) > self._limit:
            raise BodyRefused.too_large(self._limit)
        return read_json_object(await self._read(request))

    async def _read(self, request: Request) -> bytes:
        body = bytearray()
        try:
            async for part in request.stream():
                body += part
                if len(body) > self._limit:
                    raise BodyRefused.too_large(self._limit)
        except ClientDisconnect:
            raise InputError("body: the connection closed before the whole body arrived.") from None
        return bytes(body)


def _check_content_type(request: Request) -> None:
    """Raise InputError unless the body is JSON in UTF-8, which is also the default."""
    declared = request.headers.get("content-type", "application/json")
    kind, *parameters = (part.strip().lower() for part in declared.split(";"))
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise InputError(f"Content-Type: it must be application/json; {quoted(declared)} was sent.")
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "charset" and value.strip().strip('"') not in {"utf-8", "utf8", "us-ascii"}:
            raise InputError(f"Content-Type: the charset must be utf-8; {quoted(declared)} was sent.")


def _check_encoding(request: Request) -> None:
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.strip().lower() != "identity":
        raise InputError(f"Content-Encoding: the body must not be compressed; {quoted(encoding)} was sent.")
