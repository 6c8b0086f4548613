"""Hosts that start ctxkit mcp, headless against a scripted model: a part of a stored result is read by a tool."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from ctxkit.core.hosts.trials import Call
from tests.harness.cases import CASES, CLAUDE, PROGRAMS, QWEN, ROOT, SERVER, HostCase, StartedHost
from tests.mcp_http import HttpServer

pytestmark = pytest.mark.harness
NAMES = {
    "claude-code": "mcp__ctxkit__{}",
    "codex": "mcp__ctxkit.{}",
    "copilot": "ctxkit-{}",
    "gemini": "mcp_ctxkit_{}",
    "opencode": "ctxkit_{}",
    "qwen": "mcp__ctxkit__{}",
}
"""How each host names a tool of a server."""
SELECT = {"query": "select:mcp__ctxkit__read_result,mcp__ctxkit__search"}
FIRST = {"claude-code": [("ToolSearch", SELECT)], "qwen": [("tool_search", SELECT)]}
"""What a model has to call first: these hosts defer the tools of servers."""
SERVED = [case for case in [CLAUDE, QWEN, *CASES] if case.name in NAMES]


@pytest.fixture(params=SERVED, ids=lambda case: case.name)
def host(request: Any, ctxkit: str) -> Iterator[StartedHost]:
    case: HostCase = request.param
    if not shutil.which(case.program, path=PROGRAMS):
        pytest.skip(f"{case.program} is not installed: make test-harness installs it")
    with TemporaryDirectory(dir="/var/tmp", ignore_cleanup_errors=True) as folder:
        yield StartedHost(case, Path(folder), ctxkit)


def test_a_part_of_a_stored_result_is_read(host: StartedHost) -> None:
    host.init("--mcp")
    lines = "".join(f"line {number} of a log\n" for number in range(1, 5001))
    put = [host.ctxkit, "cache", "put"]
    done = subprocess.run(put, input=lines.encode(), env=host.env, cwd=host.project, capture_output=True, check=True)
    ref, name = done.stdout.decode().strip(), NAMES[host.case.name].format
    args = {"codex": ["--dangerously-bypass-approvals-and-sandbox"], "claude-code": ["--allowedTools", "mcp__ctxkit"]}
    calls: list[Call] = [(name("read_result"), {"ref_id": ref, "lines": "4000:4001"}), (name("search"), {"query": "4321"})]
    if host.case.name == "qwen":
        calls = [("tool_call", {"name": tool, "arguments": arguments}) for tool, arguments in calls]
    part, hits = host.call([*FIRST.get(host.case.name, []), *calls], *args.get(host.case.name, []))[-2:]
    assert "line 4000 of a log" in part
    assert "line 4001 of a log" in part
    assert "line 3999" not in part + hits
    assert ref in hits
    assert "4321: line 4321 of a log" in hits
    host.init("--remove")
    settings = [path for path in host.home.rglob("*.*") if path.suffix in (".json", ".toml") and "node_modules" not in path.parts]
    assert settings
    assert not [path for path in settings if f"hosts/{host.case.name}/mcp" in path.read_text()]


WRAPPED = {
    "claude-code": "mcp__db__{}",
    "codex": "mcp__db.{}",
    "copilot": "db-{}",
    "gemini": "mcp_db_{}",
    "opencode": "db_{}",
    "qwen": "mcp__db__{}",
}
"""How each host names a tool of the server db."""
ALLOWED = {"claude-code": ["--allowedTools", "mcp__db"], "codex": ["--dangerously-bypass-approvals-and-sandbox"]}

BY_URL = ("claude-code", "qwen")
"""Hosts that are tried with a server at a URL; what they start is the same program."""


def add_server(host: StartedHost, argv: Sequence[str]) -> None:
    """Name a server in the settings of a host, as its documentation says."""
    command, *args = argv
    server = {"command": command, "args": args}
    files = {
        "claude-code": (".claude.json", {"mcpServers": {"db": server}}),
        "copilot": (".copilot/mcp-config.json", {"mcpServers": {"db": {"type": "local", **server, "tools": ["*"]}}}),
        "gemini": (".gemini/settings.json", {"mcpServers": {"db": server}}),
        "opencode": (".config/opencode/opencode.json", {"mcp": {"db": {"type": "local", "command": list(argv)}}}),
        "qwen": (".qwen/settings.json", {"mcpServers": {"db": server}}),
    }
    name, value = files.get(host.case.name, (".codex/config.toml", {}))
    path = host.home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    table = f"[mcp_servers.db]\ncommand = {json.dumps(command)}\nargs = {json.dumps(args)}\n"
    path.write_text(json.dumps(value) if value else table)


def call_wrapped(host: StartedHost, *calls: Call) -> list[str]:
    """Let the host call tools of the server."""
    case = host.case.name
    named = [(WRAPPED[case].format(tool), arguments) for tool, arguments in calls]
    select = {"query": "select:" + ",".join(tool for tool, _ in named)}
    first: dict[str, list[Call]] = {"claude-code": [("ToolSearch", select)], "qwen": [("tool_search", select)]}
    if case == "qwen":
        named = [("tool_call", {"name": tool, "arguments": arguments}) for tool, arguments in named]
    return host.call([*first.get(case, []), *named], *ALLOWED.get(case, []))[-len(calls) :]


def test_long_results_of_a_wrapped_server_are_maps_whose_parts_are_read(host: StartedHost) -> None:
    program = host.home / "server.py"
    program.write_text(SERVER)
    check_wrapped(host, "--", sys.executable, str(program))


@pytest.mark.parametrize("path", ["/mcp", "/json"])
@pytest.mark.parametrize("host", [case for case in SERVED if case.name in BY_URL], ids=lambda case: case.name, indirect=True)
def test_long_results_of_a_server_with_a_url_are_maps_whose_parts_are_read(host: StartedHost, http_server: HttpServer, path: str) -> None:
    check_wrapped(host, "--url", http_server.url + path)


def check_wrapped(host: StartedHost, *server: str) -> None:
    """Check what the model sees of short and long results of a wrapped server."""
    add_server(host, [host.ctxkit, "mcp", "wrap", "--host", host.case.name, *server])
    short, long = call_wrapped(host, ("dump", {"rows": 3}), ("dump", {"rows": 2_500}))
    assert re.search(r"row 0 of a long table\\+nrow 1", json.dumps(short))  # escaped again in structured content
    assert "# dump (2,500 lines" in long
    assert len(long) < 10_000
    ref = long.partition("ref_id=")[2].strip('\\"')[:16]
    (part,) = call_wrapped(host, ("read_result", {"ref_id": ref, "lines": "2001:2002"}))
    assert "row 2000 of a long table" in part
    assert "row 2001 of a long table" in part
    assert "row 2002" not in part


def test_deferred_tools_of_a_wrapped_server_are_found_and_called_by_their_names(host: StartedHost) -> None:
    server = [sys.executable, str(ROOT / "tests" / "mcp_server.py"), "40"]
    add_server(host, [host.ctxkit, "mcp", "wrap", "--window", "20k", "--tokenizer", "bytes/3", "--", *server])
    matches, rows = call_wrapped(host, ("tool_search", {"query": "paint a picture"}), ("tool_39", {"rows": 2}))
    assert "Paint picture" in matches
    assert "How many rows." in matches
    assert "row 1 of a long table" in rows
