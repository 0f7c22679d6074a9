"""Standard input and output: every line gets its answer, also a damaged one and those just before the end."""

import json
import logging
from typing import Any

import anyio
import mcp_types as types
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

logger = logging.getLogger("assay.mcp")

_LAST_SECONDS = 60.0
"""Seconds for which the end of the input waits for the last answers."""


def serve_lines(server: Server[Any]) -> None:
    """Answer on standard input and output until the client closes either. The log goes to standard error."""

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            accept, accepted = anyio.create_memory_object_stream[SessionMessage | Exception]()
            answer, answered = anyio.create_memory_object_stream[SessionMessage]()
            relay = _Relay(outgoing)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(relay.read, incoming, accept)
                tasks.start_soon(relay.write, answered)
                await server.run(accepted, answer, server.create_initialization_options())

    try:
        anyio.run(run)
    except* (BrokenPipeError, anyio.BrokenResourceError, anyio.ClosedResourceError):  # also what waited to be written
        logger.info("The client closed standard output.")


class _Relay:
    """Passes messages between the SDK's transport and its server.

    The SDK drops lines that are no messages, whose sender would wait forever, and cancels at the end of the input the
    requests that it has not answered.
    """

    def __init__(self, outgoing: ObjectSendStream[SessionMessage]) -> None:
        self._outgoing = outgoing
        self._waiting: set[types.RequestId] = set()
        self._none_waits = anyio.Event()

    async def read(
        self,
        incoming: ObjectReceiveStream[SessionMessage | Exception],
        accept: ObjectSendStream[SessionMessage | Exception],
    ) -> None:
        """Pass the client's messages on; at their end, wait for the answers."""
        async with incoming, accept:
            async for item in incoming:
                message = _reread(item) if isinstance(item, Exception) else item.message
                if isinstance(message, types.JSONRPCError):
                    await self._outgoing.send(SessionMessage(message))
                elif message is not None:
                    self._note(message)
                    await accept.send(SessionMessage(message))
            with anyio.move_on_after(_LAST_SECONDS):
                while self._waiting:
                    self._none_waits = anyio.Event()
                    await self._none_waits.wait()

    async def write(self, answered: ObjectReceiveStream[SessionMessage]) -> None:
        """Pass the server's messages on."""
        async with self._outgoing:
            async for item in answered:
                await self._outgoing.send(item)
                if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                    self._settle(item.message.id)

    def _note(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._waiting.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle((message.params or {}).get("requestId"))

    def _settle(self, request: object) -> None:
        self._waiting = {one for one in self._waiting if one != request}
        if not self._waiting:
            self._none_waits.set()


def _reread(fault: Exception) -> types.JSONRPCMessage | None:
    """The message in a line that the SDK could not read, else the error that answers it; None for an empty line.

    A model may cut a character in two. JSON permits escaped halves, which become question marks.
    """
    faults = fault.errors(include_url=False) if isinstance(fault, ValidationError) else []
    if not faults or faults[0]["type"] == "json_invalid":
        line = str(faults[0]["input"]) if faults else "?"
        try:
            whole = json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "replace")
            return types.jsonrpc_message_adapter.validate_json(whole, by_name=False)
        except (ValueError, RecursionError):
            return _refusal(types.PARSE_ERROR, "The line is not JSON.") if line.strip() else None
    sent = next((one["input"] for one in faults if isinstance(one["input"], dict)), {})
    message = "A line has to be one JSON-RPC 2.0 request or notification; batches are not supported."
    return _refusal(types.INVALID_REQUEST, message, sent.get("id"))


def _refusal(code: int, message: str, request: object = None) -> types.JSONRPCError:
    named = request if isinstance(request, str | int) and not isinstance(request, bool) else None
    return types.JSONRPCError(jsonrpc="2.0", id=named, error=types.ErrorData(code=code, message=message))
