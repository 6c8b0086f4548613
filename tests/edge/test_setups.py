"""Setups of hosts that 0.1.0 wrote (setups/HOST.json: each file below the home) work with this version.

{HOME}, {CTXKIT} and {PYTHON} stand for the home and for the programs.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ctxkit.core.hosts.claude_code import EVENTS
from ctxkit.core.hosts.profiles import load_host
from ctxkit.core.hosts.wrap_script import make_source_command

SETUPS = {path.stem: json.loads(path.read_text()) for path in sorted(Path(__file__).with_name("setups").glob("*.json"))}
Start = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def place(home: dict[str, str], ctxkit: str) -> Callable[[str], Path]:
    """Write the files of a host into the home, and return the directory of its scripts."""

    def write_file(file: dict[str, Any], path: Path, digests: dict[str, str]) -> None:
        text = file["text"].replace("{CTXKIT}", ctxkit).replace("{PYTHON}", sys.executable)
        text = text.replace("{HOME}", home["HOME"])
        for old, new in digests.items():
            text = text.replace(old, new)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(file["mode"])

    def write_setup(host: str) -> Path:
        files = dict(SETUPS[host])
        folder = f".local/share/ctxkit/hosts/{host}"
        record = files.pop(f"{folder}/setup.json")
        for name, file in files.items():
            write_file(file, Path(home["HOME"], name), {})
        digests = {}  # the record has digests of files that were written in another home
        for path, (_, digest) in json.loads(record["text"].replace("{HOME}", home["HOME"])).items():
            digests[digest] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        write_file(record, Path(home["HOME"], folder, "setup.json"), digests)
        return Path(home["HOME"], folder)

    return write_setup


@pytest.fixture
def start(home: dict[str, str], tmp_path: Path) -> Start:
    """Run a program in the home, as a host does."""
    env = {name: value for name, value in home.items() if not name.startswith(("XDG_", "CTXKIT_"))}

    def run_program(*argv: object, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
        words = [str(word) for word in argv]
        return subprocess.run(words, input=stdin, capture_output=True, env=env, cwd=tmp_path, timeout=60)

    return run_program


def settings_of(host: str, home: dict[str, str]) -> dict[str, bytes]:
    names = [name for name in SETUPS[host] if not name.startswith(".local")]
    return {name: path.read_bytes() for name in names if (path := Path(home["HOME"], name)).exists()}


@pytest.mark.parametrize("host", SETUPS)
def test_the_settings_stay_as_they_are_and_a_removal_removes_all_of_them(place, start: Start, ctxkit, home, host) -> None:
    """Codex asks again for a hook whose text changes; Claude Code's prefix moves beside its settings, and
    its hook gets the tools of the host too. The plugins of opencode and pi are programs, which are written anew."""
    folder = place(host)
    before = settings_of(host, home)
    serves = ["--mcp"] if (folder / "mcp").exists() else []
    done = start(ctxkit, "init", host, "--yes", *serves)
    assert done.returncode == 0, done.stderr
    after = settings_of(host, home)
    if host == "claude-code":
        old, new = folder / "prefix", Path(home["HOME"], ".claude", "ctxkit-prefix")
        before = {name: data.replace(os.fsencode(old), os.fsencode(new)) for name, data in before.items()}
        matcher = json.dumps(EVENTS["PostToolUse"]).encode()
        before = {name: data.replace(b'"mcp__.*"', matcher) for name, data in before.items()}
    plugin = load_host(host).install("", str(folder)).encode() if host in ("opencode", "pi") else b""
    before = {name: plugin if name.endswith("/ctxkit.js") else data for name, data in before.items()}
    assert after == before != {}
    done = start(ctxkit, "init", host, "--remove", "--yes")
    assert done.returncode == 0, done.stderr
    assert settings_of(host, home) == {}
    assert not folder.exists()


@pytest.mark.parametrize("host", [host for host in SETUPS if f".local/share/ctxkit/hosts/{host}/hook" in SETUPS[host]])
def test_a_hook_prints_no_warning(place, start: Start, host: str) -> None:
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "seq 3"}}
    done = start(place(host) / "hook", stdin=json.dumps(event).encode())
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("host", [host for host in SETUPS if f".local/share/ctxkit/hosts/{host}/wrap.sh" in SETUPS[host]])
def test_a_wrapped_command_is_gated_without_a_warning(place, start: Start, host: str) -> None:
    wrap = place(host) / "wrap.sh"
    done = start("bash", "-c", f"{make_source_command(str(wrap))}seq 3; exit 4")
    assert (done.stdout, done.stderr, done.returncode) == (b"1\n2\n3\n", b"", 4)


@pytest.mark.slow
def test_long_output_of_a_wrapped_command_is_mapped_without_a_warning(place, start: Start) -> None:
    wrap = place("codex") / "wrap.sh"
    mapped = start("bash", "-c", f"{make_source_command(str(wrap))}seq 20000")
    assert b"seq 20000" in mapped.stdout
    assert b"ctxkit cache get " in mapped.stdout
    assert mapped.stderr == b""


def test_the_prefix_of_claude_code_runs_a_command_without_a_warning(place, start: Start, tmp_path: Path) -> None:
    script = f"source /dev/null && eval 'seq 3' && pwd -P >| {tmp_path}/where"
    done = start(place("claude-code") / "prefix", script)
    assert (done.stdout, done.stderr, done.returncode) == (b"1\n2\n3\n", b"", 0)
    assert (tmp_path / "where").read_text() == f"{os.path.realpath(tmp_path)}\n"


@pytest.mark.parametrize("host", [host for host in SETUPS if f".local/share/ctxkit/hosts/{host}/mcp" in SETUPS[host]])
def test_a_server_of_a_host_answers_without_a_warning(place, start: Start, host: str) -> None:
    version = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": host, "version": "1"}}
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": version},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    done = start(place(host) / "mcp", stdin="".join(json.dumps(request) + "\n" for request in requests).encode())
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert "read_result" in {tool["name"] for tool in answers[-1]["result"]["tools"]}
    assert done.stderr == b""
