"""ctxkit init --mcp: the list of MCP servers of a host, changed and changed back."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Run

FILES = {
    "claude-code": ".claude.json",
    "codex": ".codex/config.toml",
    "copilot": ".copilot/mcp-config.json",
    "gemini": ".gemini/settings.json",
    "qwen": ".qwen/settings.json",
    "opencode": "../config/opencode/opencode.json",
}
TEXTS = {
    "json": [b"", b'{"a": [1, 2]}', b'{\n\t"a": 1, // mine\n}', b'\xef\xbb\xbf{\r\n  "mcpServers": {"b": {}}\r\n}\r\n'],
    "toml": [b"", b"a = 1", b"# mine\r\n[mcp_servers.b]\r\ncommand = 'c'\r\n", b'a = """\n[b]\n"""\n'],
}


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("host", FILES)
@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("at_once", [True, False])
def test_each_byte_comes_back(run: Run, home: dict[str, str], host: str, number: int, at_once: bool) -> None:
    path = Path(home["HOME"]) / FILES[host]
    path.parent.mkdir(parents=True, exist_ok=True)
    data = TEXTS[path.suffix[1:]][number]
    path.write_bytes(data)
    for args in (("--mcp",),) if at_once else ((), ("--mcp",)):
        done = run("init", host, "--yes", *args)
        assert done.status == 0, done.err
    assert b"hosts/" + host.encode() + b"/mcp" in path.read_bytes()
    assert "already set up" in run("init", host, "--yes", "--mcp").err
    assert run("init", host, "--remove", "--yes").status == 0
    assert path.read_bytes() == data
    assert not (Path(home["XDG_DATA_HOME"]) / "ctxkit" / "hosts").exists()
    assert not list(path.parent.glob("*.before-ctxkit"))


def test_the_settings_name_a_program_that_serves(run: Run, home: dict[str, str]) -> None:
    assert run("init", "gemini", "--mcp", "--yes").status == 0
    value = json.loads((Path(home["HOME"]) / FILES["gemini"]).read_bytes())
    request = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    done = subprocess.run([value["mcpServers"]["ctxkit"]["command"]], input=request, env=home, capture_output=True)
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    rows = [json.loads(line) for line in run("init", "--list", "--json").out.splitlines()]
    assert {row["host"] for row in rows if row["mcp"]} == {"gemini"}


def test_a_broken_list_of_servers_stops_a_setup_and_no_removal(run: Run, home: dict[str, str]) -> None:
    path = Path(home["HOME"]) / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text("[a")
    done = run("init", "codex", "--mcp", "--yes")
    assert (done.status, done.err.startswith(f"ctxkit: {path}: is not TOML")) == (65, True)
    assert [entry.name for entry in path.parent.iterdir()] == ["config.toml"]
    assert run("init", "codex", "--yes").status == 0
    assert run("init", "codex", "--remove", "--yes").status == 0
    assert [entry.name for entry in path.parent.iterdir()] == ["config.toml"]
    assert path.read_text() == "[a"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("pi", "--mcp"), "pi does not start MCP servers"),
        (("codex", "--mcp", "--project"), "has no private MCP servers for a project"),
        (("--list", "--mcp"), "--list cannot be combined"),
    ],
)
def test_a_host_without_servers_is_an_error(run: Run, args: tuple[str, ...], message: str) -> None:
    done = run("init", *args, "--yes")
    assert (done.status, message in done.err) == (2, True)


def test_qwen_gets_a_server_and_the_text_for_its_instructions(run: Run, home: dict[str, str]) -> None:
    done = run("init", "qwen", "--yes")
    assert done.status == 0
    assert b"ctxkit run -- COMMAND" in done.out
    assert "runs its commands without ctxkit" in done.err
    assert "QWEN.md" in done.err
    path = Path(home["HOME"]) / ".qwen" / "settings.json"
    assert "ctxkit" in json.loads(path.read_bytes())["mcpServers"]
    assert run("init", "qwen", "--remove", "--yes").status == 0
    assert not path.exists()
