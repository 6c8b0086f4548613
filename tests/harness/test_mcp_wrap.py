"""The official SDK of the Model Context Protocol as the client of ctxkit mcp wrap, and as the server behind it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SERVER = """
from mcp.server.mcpserver import Context, Image, MCPServer
from pydantic import BaseModel

server = MCPServer("tables")

class Table(BaseModel):
    rows: list[str]

def make_rows(rows: int) -> list[str]:
    return [f"row {number} of a long table" for number in range(rows)]

@server.tool()
def dump(rows: int) -> str:
    return "\\n".join(make_rows(rows))

@server.tool()
def table(rows: int) -> Table:
    return Table(rows=make_rows(rows))

@server.tool(structured_output=False)
def plain(rows: int) -> str:
    return "\\n".join(make_rows(rows))

@server.tool(structured_output=False)
def picture() -> Image:
    return Image(data=b"x" * 200_000, format="png")

@server.tool()
def fail() -> str:
    raise ValueError("\\n".join(make_rows(20_000)))

@server.tool()
async def work(context: Context) -> str:
    for number in range(3):
        await context.report_progress(number, 3)
    return "done"

@server.resource("table://rows")
def rows() -> str:
    return "\\n".join(make_rows(20_000))

server.run()
"""
CLIENT = """
import json, os, re, sys
import anyio
from mcp import Client, StdioServerParameters, stdio_client

async def main(mode, command, *args):
    server = StdioServerParameters(command=command, args=list(args), env=dict(os.environ))
    answer, progress = {}, []

    async def note(done, total, message):
        progress.append(done)

    async with Client(stdio_client(server), mode=mode) as client:
        answer["tools"] = {tool.name: tool.output_schema is not None for tool in (await client.list_tools()).tools}
        for name, arguments in (("dump", {"rows": 20_000}), ("dump", {"rows": 2}), ("table", {"rows": 20_000}), ("plain", {"rows": 20_000}), ("picture", {}), ("fail", {})):
            result = await client.call_tool(name, arguments)
            answer[f"{name} {arguments.get('rows', '')}".strip()] = result.model_dump(mode="json", by_alias=True)
        text = answer["dump 20000"]["content"][0]["text"]
        match = re.search('ref_id="([0-9a-f]+)"', text)
        if match:
            part = await client.call_tool("read_result", {"ref_id": match[1], "lines": "8:9"})
            answer["part"] = part.content[0].text
        await client.call_tool("work", {}, progress_callback=note)
        answer["resource"] = len((await client.read_resource("table://rows")).contents[0].text)
        answer["progress"] = progress
    print(json.dumps(answer))

anyio.run(main, *sys.argv[1:])
"""
pytestmark = pytest.mark.harness


@pytest.fixture
def ask(ctxkit: str, home: dict[str, str], tmp_path: Path) -> Any:
    (tmp_path / "server.py").write_text(SERVER)

    def run_client(mode: str, *args: str) -> dict[str, Any]:
        wrap = [ctxkit, "mcp", "wrap", *args, "--", sys.executable, str(tmp_path / "server.py")] if args else [sys.executable, str(tmp_path / "server.py")]
        done = subprocess.run([sys.executable, "-c", CLIENT, mode, *wrap], env=home, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr.decode()
        return dict(json.loads(done.stdout))

    return run_client


@pytest.mark.parametrize("mode", ["auto", "2026-07-28", "legacy"])
def test_the_official_client_sees_maps_and_all_else_as_it_is(ask: Any, mode: str) -> None:
    alone, through = ask(mode), ask(mode, "--window", "200k")
    assert through["tools"] == {**alone["tools"], "read_result": False}
    assert through["tools"]["table"]
    for name in ("dump 2", "picture", "fail", "progress", "resource"):
        assert through[name] == alone[name], name
    assert through["progress"] == [0, 1, 2]
    for name in ("dump 20000", "plain 20000", "table 20000"):
        (block,) = through[name]["content"]
        assert ": a map, not the content" in block["text"], name
        assert len(block["text"]) < 5_000
    assert through["part"].splitlines() == ["row 7 of a long table", "row 8 of a long table"]
    # The client has checked each against the schema of its tool: a text that stands alone is the map there too.
    assert through["dump 20000"]["structuredContent"] == {"result": through["dump 20000"]["content"][0]["text"]}
    assert through["table 20000"]["structuredContent"] == alone["table 20000"]["structuredContent"]


def test_a_map_stands_for_a_structured_result_without_its_schema(ask: Any) -> None:
    through = ask("auto", "--window", "200k", "--text-only")
    assert not any(through["tools"].values())
    assert through["table 20000"].get("structuredContent") is None
    assert through["dump 2"]["structuredContent"] == {"result": "row 0 of a long table\nrow 1 of a long table"}
