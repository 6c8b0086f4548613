"""Read requests and make answers in the four APIs that hosts speak, as far as a scripted model needs them."""

import json
from collections.abc import Iterator
from typing import Any, ClassVar

Call = tuple[str, dict[str, Any]]
Body = dict[str, Any]


def read_text(content: str | list[Body] | None) -> str:
    """Return the text of a tool result."""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or ())


class Anthropic:
    """The Messages API."""

    usage: ClassVar = {"input_tokens": 1000, "output_tokens": 10}

    def list_results(self, body: Body) -> list[str]:
        """Return the tool results in a request."""
        messages = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
        parts = [part for content in messages for part in content if part["type"] == "tool_result"]
        return [read_text(part.get("content", "")) for part in parts]

    def list_tools(self, body: Body) -> list[str]:
        """Return the names of the tools in a request."""
        return [str(tool.get("name")) for tool in body.get("tools") or ()]

    def make_events(self, body: Body, call: Call | None, number: int) -> Iterator[Body]:
        """Yield the events of an answer: a tool call, or a text."""
        head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body["model"], "content": []}
        start = {**head, "stop_reason": None, "stop_sequence": None, "usage": self.usage}
        yield {"type": "message_start", "message": start}
        block: Body = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": "done"}
        if call:
            block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": call[0], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        yield {"type": "message_delta", "delta": stop, "usage": self.usage}
        yield {"type": "message_stop"}


class Responses:
    """The Responses API of OpenAI."""

    usage: ClassVar = {"input_tokens": 1000, "output_tokens": 10, "total_tokens": 1010}

    def list_results(self, body: Body) -> list[str]:
        """Return the tool results in a request."""
        items = body["input"] if isinstance(body["input"], list) else []
        return [read_text(item["output"]) for item in items if item.get("type") == "function_call_output"]

    def list_tools(self, body: Body) -> list[str]:
        """Return the names of the tools in a request; those in a namespace follow it and a point."""
        tools = body.get("tools") or ()
        inner = [f"{tool['name']}.{item['name']}" for tool in tools for item in tool.get("tools") or ()]
        return [str(tool.get("name")) for tool in tools] + inner

    def make_events(self, body: Body, call: Call | None, number: int) -> Iterator[Body]:
        """Yield the events of an answer: a tool call, or a text."""
        item: Body = {"id": f"i_{number}", "status": "completed"}
        if call:
            namespace, _, name = call[0].rpartition(".")
            item |= {"type": "function_call", "call_id": f"call_{number}", "name": name}
            item |= {"arguments": json.dumps(call[1])}
            item |= {"namespace": namespace} if namespace else {}
        else:
            text = {"type": "output_text", "text": "done", "annotations": []}
            item |= {"type": "message", "role": "assistant", "content": [text]}
        response = {"id": f"resp_{number}", "object": "response", "status": "completed", "model": body["model"]}
        response |= {"output": [item], "usage": self.usage, "error": None}
        yield {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
        yield {"type": "response.completed", "response": response}


class Chat:
    """The Chat Completions API."""

    usage: ClassVar = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}

    def list_results(self, body: Body) -> list[str]:
        """Return the tool results in a request."""
        return [read_text(message["content"]) for message in body["messages"] if message["role"] == "tool"]

    def list_tools(self, body: Body) -> list[str]:
        """Return the names of the tools in a request."""
        return [tool["function"]["name"] for tool in body.get("tools") or () if "function" in tool]

    def make_events(self, body: Body, call: Call | None, number: int) -> Iterator[Body]:
        """Yield the chunks of an answer: a tool call, or a text."""
        message: Body = {"role": "assistant", "content": None if call else "done"}
        if call:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            message["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
        head = {"id": f"c{number}", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}
            yield {**head, "object": "chat.completion", "choices": [choice], "usage": self.usage}
            return
        yield {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
        yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if call else "stop"}]}
        yield {**head, "choices": [], "usage": self.usage}


class Gemini:
    """The API of Gemini; ``streams`` is whether the address asks for a stream."""

    answer: ClassVar = "done"

    def __init__(self, *, streams: bool = True) -> None:
        self.streams = streams

    def list_results(self, body: Body) -> list[str]:
        """Return the tool results in a request."""
        parts = [part for content in body["contents"] for part in content.get("parts", ())]
        answers = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
        return ["\n".join(map(str, answer.values())) for answer in answers]

    def list_tools(self, body: Body) -> list[str]:
        """Return the names of the tools in a request."""
        tools = body.get("tools") or ()
        return [function["name"] for tool in tools for function in tool.get("functionDeclarations", ())]

    def make_events(self, _body: Body, call: Call | None, number: int) -> Iterator[Body]:
        """Yield the only part of an answer: a tool call, or a text."""
        part: Body = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": self.answer}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1000, "candidatesTokenCount": 10, "totalTokenCount": 1010}
        yield {"candidates": [candidate], "usageMetadata": usage, "responseId": f"r{number}"}


Dialect = Anthropic | Responses | Chat | Gemini


def make_answer(dialect: Dialect, body: Body, call: Call | None, number: int) -> tuple[str, bytes]:
    """Return the content type and the bytes of an answer."""
    events = list(dialect.make_events(body, call, number))
    if not _streams(dialect, body):
        return "application/json", json.dumps(events[0]).encode()
    names = [f"event: {event['type']}\n" if "type" in event else "" for event in events]
    lines = [f"{name}data: {json.dumps(event)}\n\n" for name, event in zip(names, events, strict=True)]
    return "text/event-stream", "".join(lines).encode()


def _streams(dialect: Dialect, body: Body) -> bool:
    """Return whether a request asks for a stream."""
    if isinstance(dialect, Gemini):
        return dialect.streams
    return not isinstance(dialect, Chat) or bool(body.get("stream"))


def find_dialect(path: str) -> Dialect | None:
    """Return the API of an address, None for a request that does not go to a model."""
    if "count" in path:
        return None
    if "enerateContent" in path:
        return Gemini(streams="streamGenerateContent" in path)
    endings: dict[str, Dialect] = {"/messages": Anthropic(), "/responses": Responses(), "/chat/completions": Chat()}
    return next((dialect for ending, dialect in endings.items() if path.partition("?")[0].endswith(ending)), None)
