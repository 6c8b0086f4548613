import asyncio
import json
import os
from contextlib import closing

import pytest

from ctxkit.core.serve.endpoints import ENDPOINTS
from ctxkit.engines.server.call_files import CallFiles
from ctxkit.engines.server.request import RequestError
from ctxkit.engines.server.response import EndedCommand, send_output, send_refusal


class Client:
    """Keeps the messages of an answer."""

    def __init__(self) -> None:
        self.messages: list = []

    async def send(self, message) -> None:
        """Keep a message."""
        self.messages.append(message)

    def read(self) -> tuple[int, dict[str, str], bytes]:
        """Return the status, the headers and the body."""
        start, *rest = self.messages
        return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, b"".join(message["body"] for message in rest)


@pytest.mark.parametrize(("output", "exit_status", "status"), [(b"{}\n", 0, 200), (b"", 0, 200), (b"", 65, 422), (b"{}\n", 65, 422)])
def test_the_output_of_a_command_is_the_body_and_its_failure_if_it_has_none(output: bytes, exit_status: int, status: int) -> None:
    client = Client()
    with closing(CallFiles(is_small=True)) as files:
        os.write(files.finish_body()[1], output)
        asyncio.run(send_output(EndedCommand(ENDPOINTS["gate"], exit_status, b"why\n", as_json=True), files, client.send))
    answered, headers, body = client.read()
    assert (answered, headers["ctxkit-status"], int(headers["content-length"])) == (status, str(exit_status), len(body))
    assert body == output or json.loads(body) == {"status": 65, "messages": ["why"]}


def test_a_refusal_says_why_also_to_a_client_that_is_gone() -> None:
    client = Client()
    asyncio.run(send_refusal(RequestError(503, "no", "later"), client.send))
    status, _, body = client.read()
    assert (status, json.loads(body)) == (503, {"status": 70, "messages": ["ctxkit: no", "  hint: later"]})

    async def fail(_message) -> None:
        raise ConnectionResetError

    asyncio.run(send_refusal(RequestError(400, "no"), fail))
