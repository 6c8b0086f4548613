"""A client of the Model Context Protocol over stdio, for tests."""

import json
import re
import subprocess
from collections.abc import Mapping
from typing import Any


class Session:
    """A client: writes requests, and reads lines."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process, self._id = process, 0

    def send(self, value: object) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(value).encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def make(self, method: str, params: Mapping[str, object]) -> dict[str, object]:
        self._id += 1
        return {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}

    def ask(self, method: str, **params: object) -> Any:
        self.send(self.make(method, params))
        reply = self.read()
        assert reply["id"] == self._id
        return reply.get("result", reply.get("error"))

    def call(self, tool: str, **arguments: object) -> Any:
        return self.ask("tools/call", name=tool, arguments=arguments)

    def close(self) -> int:
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(20)


def read_text(result: Any) -> str:
    (block,) = result["content"]
    return str(block["text"])


def find_ref(text: str) -> str:
    match = re.search(r'ref_id="([0-9a-f]{16})"', text)
    assert match, text
    return match[1]
