"""A peer that behaves as OpenAI's `POST /v1/chat/completions` does, with a model that uses tools to answer a question.

It calls search_docs with the question, reads the first link of the answer by read_page, and then answers with what it
read. A call fits the schema of its tool, or the peer refuses the request.
"""

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jsonschema_rs

_LINK = re.compile(r"https?://[^\s\\\"']+")
Message = Mapping[str, Any]


@dataclass
class ChatPeer:
    """A running peer. requests: the bodies that it was sent."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def tools(self) -> dict[str, Any]:
        """The schema of the arguments of each tool that the last request offered."""
        offered = self.requests[-1].get("tools", ())
        return {one["function"]["name"]: one["function"]["parameters"] for one in offered}

    def answer(self, messages: Sequence[Message]) -> dict[str, Any]:
        """The model's next message."""
        if not self.tools:
            return {"role": "assistant", "content": _by_prompt(str(messages[-1]["content"]))}
        answers = [str(message["content"]) for message in messages if message["role"] == "tool"]
        if not answers:
            question = next(message["content"] for message in messages if message["role"] == "user")
            return self._call("search_docs", {"query": question})
        if len(answers) == 1:
            return self._call("read_page", {"url": _LINK.findall(answers[0])[0]})
        return {"role": "assistant", "content": f"The documentation says: {answers[-1]}"}

    def _call(self, name: str, arguments: dict[str, object]) -> dict[str, Any]:
        jsonschema_rs.validate(self.tools[name], arguments)
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": f"call_{name}", "type": "function", "function": function}],
        }


def _by_prompt(prompt: str) -> str:
    """The same in DSPy's format, which describes tools in the prompt and names each field of prompt and answer."""
    fields = dict(re.findall(r"\[\[ ## (\w+) ## ]]\n(.*?)(?=\n\n(?:\[\[|Respond with))", prompt, re.DOTALL))
    observed = [text for name, text in fields.items() if name.startswith("observation")]
    if "next_tool_name" not in prompt:
        answer = {"reasoning": "The page says it.", "answer": observed[1]}
    else:
        name = ("search_docs", "read_page", "finish")[len(observed)]
        links = _LINK.findall(observed[0]) if observed else ()
        arguments = {"search_docs": {"query": fields["question"]}, "read_page": {"url": links and links[0]}}
        answer = {
            "next_thought": "The documentation knows.",
            "next_tool_name": name,
            "next_tool_args": json.dumps(arguments.get(name, {})),
        }
    return "\n\n".join(f"[[ ## {name} ## ]]\n{text}" for name, text in {**answer, "completed": ""}.items())


def _check(messages: Sequence[Message]) -> None:
    """Refuse an answer to no call, as the real API does."""
    called = {call["id"] for message in messages for call in message.get("tool_calls") or ()}
    for message in messages:
        if message["role"] == "tool" and message["tool_call_id"] not in called:
            raise ValueError(f"No call has the id {message['tool_call_id']}.")


@contextmanager
def chat_peer() -> Iterator[ChatPeer]:
    """A peer on a free port of loopback."""
    peer = ChatPeer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                if self.path != "/v1/chat/completions":
                    raise ValueError(f"There is no {self.path}.")
                peer.requests.append(body)
                _check(body["messages"])
                message = peer.answer(body["messages"])
                finish = "tool_calls" if message.get("tool_calls") else "stop"
                answer: dict[str, Any] = {
                    "id": "chatcmpl-1",
                    "object": "chat.completion",
                    "created": 1_700_000_000,
                    "model": body["model"],
                    "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                }
                self._send(200, answer)
            except (ValueError, KeyError, IndexError, jsonschema_rs.ValidationError) as error:
                self._send(400, {"error": {"message": repr(error), "type": "invalid_request_error"}})

        def _send(self, status: int, answer: dict[str, Any]) -> None:
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    peer.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield peer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
