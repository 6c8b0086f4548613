"""Send answers of HTTP in ASGI."""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import orjson

from ctxkit.core.errors import Exit
from ctxkit.core.serve.endpoints import JSON_TYPE, Endpoint, describe_failure, make_answer
from ctxkit.engines.server.call_files import CallFiles
from ctxkit.engines.server.exchange import Send
from ctxkit.engines.server.request import RequestError


class EndedCommand(NamedTuple):
    """The command of an endpoint that has ended: its status, its messages, and whether JSON was asked for."""

    endpoint: Endpoint
    status: int
    messages: bytes
    as_json: bool


async def send_output(ended: EndedCommand, files: CallFiles, send: Send) -> None:
    """Send what a command printed, or how it failed if it printed nothing."""
    (endpoint, status, messages, as_json), size = ended, files.measure_output()
    has_output = size > 0 or status == Exit.DONE
    answer = make_answer(endpoint, status, messages, has_output=has_output, as_json=as_json)
    if has_output:
        await send_pieces(answer.status, answer.headers, files.read_output(), send, size)
        return
    body = orjson.dumps(describe_failure(status, messages)) + b"\n"
    await send_pieces(answer.status, answer.headers, [body], send)


async def send_refusal(refusal: RequestError, send: Send) -> None:
    """Send why a request is not answered; ignore a connection that is gone."""
    text = f"ctxkit: {refusal}\n" + (f"  hint: {refusal.hint}\n" if refusal.hint else "")
    status = Exit.USAGE if refusal.status < 500 else Exit.BUG
    body = orjson.dumps(describe_failure(status, text.encode("utf-8", "replace"))) + b"\n"
    with suppress(OSError):
        await send_pieces(refusal.status, describe_type(JSON_TYPE), [body], send)


def describe_type(content_type: str) -> tuple[tuple[str, str], ...]:
    """Return the headers of an answer of a type."""
    return (("content-type", content_type),)


async def send_pieces(
    status: int, headers: tuple[tuple[str, str], ...], pieces: list[bytes] | Iterator[bytes], send: Send, size: int = -1
) -> None:
    """Send an answer; ``size`` is the bytes of the pieces if they are not a list."""
    length = size if size >= 0 else sum(map(len, pieces))
    fields = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    fields.append((b"content-length", b"%d" % length))
    await send({"type": "http.response.start", "status": status, "headers": fields})
    for piece in pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})
