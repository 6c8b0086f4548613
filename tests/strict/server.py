"""A server that refuses what OpenAI and Anthropic refuse, and plays an assistant that calls tools by a script."""

import hmac
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.strict import anthropic, openai
from tests.strict.refusal import Refused
from tests.strict.rendering import rendered

Count = Callable[[str], int]
Call = tuple[str, dict[str, Any]]
"""The name of a tool, and what it is given."""
Script = Callable[[int], "tuple[str, Sequence[Call]]"]
"""What the assistant says and calls in its answer of a number, counted from 0."""
ANSWER = 256
"""Tokens that are kept for an answer where a request does not say."""


@dataclass
class Strict:
    """Judge and answer requests, and remember them; what is over the window is refused."""

    script: Script
    count: Count = len
    window: int = 1 << 30
    thinks: bool = False
    alternates: bool = False
    refusals: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    issued: dict[str, list[Any]] = field(default_factory=dict)

    def chat(self, request: Any) -> dict[str, Any]:
        """Answer a request to /v1/chat/completions; raises Refused."""
        openai.check(request)
        answer = request.get("max_completion_tokens", request.get("max_tokens", ANSWER))
        size = self.measured(request, answer, openai.check_length)
        words, calls = self.script(len(self.requests) - 1)
        message: dict[str, Any] = {"role": "assistant", "content": words or None}
        if calls:
            message["tool_calls"] = [
                {"id": id_, "type": "function", "function": {"name": name, "arguments": json.dumps(given)}}
                for id_, (name, given) in self.named("call", calls)
            ]
        usage = {"prompt_tokens": size, "completion_tokens": 20, "total_tokens": size + 20}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        return {"id": "chatcmpl-1", "object": "chat.completion", "model": request["model"], "choices": [choice], "usage": usage}

    def messages(self, request: Any) -> dict[str, Any]:
        """Answer a request to /v1/messages; raises Refused."""
        anthropic.check(request, self.signed, self.issued.get, alternates=self.alternates)
        size = self.measured(request, request["max_tokens"], anthropic.check_length)
        words, calls = self.script(len(self.requests) - 1)
        thoughts = [self.thought(f"Step {len(self.requests)}.")] if self.thinks else []
        content = [*thoughts, *([{"type": "text", "text": words}] if words else [])]
        for id_, (name, given) in self.named("toolu", calls):
            content.append({"type": "tool_use", "id": id_, "name": name, "input": given})
            self.issued[id_] = thoughts
        usage = {"input_tokens": size, "output_tokens": 20}
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": request["model"]}
        return {**head, "content": content, "stop_reason": "tool_use" if calls else "end_turn", "usage": usage}

    def measured(self, request: dict[str, Any], answer: int, check: Callable[[int, int, int], None]) -> int:
        """Return the tokens of a request, and remember it; raises Refused when there are too many."""
        size = self.count(rendered(request))
        check(size, answer, self.window)
        self.requests.append(request)
        self.sizes.append(size)
        return size

    def named(self, prefix: str, calls: Sequence[Call]) -> Iterator[tuple[str, Call]]:
        """Yield calls with their ids."""
        yield from ((f"{prefix}_{len(self.requests)}_{number}", call) for number, call in enumerate(calls))

    def thought(self, text: str) -> dict[str, str]:
        """Return reasoning with its signature."""
        return {"type": "thinking", "thinking": text, "signature": _sign(text)}

    def signed(self, text: str, signature: str) -> bool:
        """Tell whether a signature is that of a thought."""
        return isinstance(signature, str) and hmac.compare_digest(_sign(str(text)), signature)


def _sign(text: str) -> str:
    return hmac.new(b"strict", text.encode(), "sha256").hexdigest()


@contextmanager
def serving(strict: Strict) -> Iterator[str]:
    """Serve on a free port of this machine, and yield the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            kinds = {"/v1/chat/completions": (strict.chat, openai.body), "/v1/messages": (strict.messages, anthropic.body)}
            data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.path not in kinds:
                self.answer(404, {"error": {"message": f"Unknown request URL: POST {self.path}."}})
                return
            answer, body = kinds[self.path]
            try:
                self.answer(200, answer(_parsed(data)))
            except Refused as refused:
                strict.refusals.append(refused.message)
                self.answer(refused.status, body(refused))

        def answer(self, status: int, value: Any) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return None
