"""The official SDK of the Model Context Protocol as the client of ctxkit mcp."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.conftest import Run

CLIENT = """
import json, os, sys
import anyio
from mcp import Client, MCPError, StdioServerParameters, stdio_client

async def main(ctxkit, mode, ref):
    server = StdioServerParameters(command=ctxkit, args=["mcp", "--host", "codex"], env=dict(os.environ))
    async with Client(stdio_client(server), mode=mode) as client:
        tools = (await client.list_tools()).tools
        part = await client.call_tool("read_result", {"ref_id": ref, "lines": "2:3"})
        hits = await client.call_tool("search", {"query": "third"})
        missing = await client.call_tool("read_result", {"ref_id": "abcdef"})
        try:
            await client.list_resources()
            code = 0
        except MCPError as error:
            code = error.code
        answer = {"version": client.protocol_version, "instructions": client.instructions, "code": code}
        answer["tools"] = [tool.name for tool in tools]
        answer["texts"] = [result.content[0].text for result in (part, hits, missing)]
        answer["errors"] = [result.is_error for result in (part, hits, missing)]
        print(json.dumps(answer))

anyio.run(main, *sys.argv[1:])
"""
pytestmark = pytest.mark.harness


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("2026-07-28", "2026-07-28"), ("legacy", "2025-11-25")])
def test_the_official_client_calls_the_tools(run: Run, ctxkit: str, home: dict[str, str], mode: str, version: str) -> None:
    ref = run("cache", "put", stdin="first\nsecond\nthird\n").out.decode().strip()
    argv = [sys.executable, "-c", CLIENT, ctxkit, mode, ref]
    done = subprocess.run(argv, env=home, cwd=home["HOME"], capture_output=True, timeout=60)  # a search covers one project
    assert done.returncode == 0, done.stderr.decode()
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["version"] == version
    assert answer["tools"] == ["read_result", "search"]
    assert answer["texts"][:2] == ["second\nthird\n", f"{ref}\n  3: third\n"]
    assert answer["errors"] == [False, False, True]
    assert answer["code"] == -32601
    if mode != version:  # a client that names the revision itself does not ask for instructions
        assert "read_result" in answer["instructions"]
