"""Hosts that start ctxkit mcp, headless against a scripted model: a part of a stored result is read by a tool."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from ctxkit.core.hosts.model_apis import Call
from tests.harness.cases import CASES, PROGRAMS, HostCase, StartedHost, configure_claude, configure_qwen

pytestmark = pytest.mark.harness
CLAUDE = HostCase(
    *("claude-code", "claude", "Bash", "command", configure_claude), ("-p", "run it", "--allowedTools", "mcp__ctxkit")
)
QWEN = HostCase(*("qwen", "qwen", "run_shell_command", "command", configure_qwen), ("-p", "run it", "--yolo"))
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
    done = subprocess.run([host.ctxkit, "cache", "put"], input=lines.encode(), env=host.env, capture_output=True, check=True)
    ref, name = done.stdout.decode().strip(), NAMES[host.case.name].format
    args = ["--dangerously-bypass-approvals-and-sandbox"] if host.case.name == "codex" else []
    calls: list[Call] = [(name("read_result"), {"ref_id": ref, "lines": "4000:4001"}), (name("search"), {"query": "4321"})]
    if host.case.name == "qwen":
        calls = [("tool_call", {"name": tool, "arguments": arguments}) for tool, arguments in calls]
    part, hits = host.call([*FIRST.get(host.case.name, []), *calls], *args)[-2:]
    assert "line 4000 of a log" in part
    assert "line 4001 of a log" in part
    assert "line 3999" not in part + hits
    assert ref in hits
    assert "4321: line 4321 of a log" in hits
    host.init("--remove")
    settings = [path for path in host.home.rglob("*.*") if path.suffix in (".json", ".toml") and "node_modules" not in path.parts]
    assert settings
    assert not [path for path in settings if f"hosts/{host.case.name}/mcp" in path.read_text()]
