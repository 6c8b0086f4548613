"""The plugins of opencode and pi, run by Node as the hosts load them."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from ctxkit.core.hosts.host_table import load_host
from ctxkit.core.hosts.plugin import make_plugin, read_event

CALLS = {
    "opencode": """
import { Ctxkit } from "./plugin.mjs"
const output = { args: { command: "ls" } }
await (await Ctxkit())["tool.execute.before"]({ tool: "bash" }, output)
console.log(output.args.command)
""",
    "pi": """
import extend from "./plugin.mjs"
const event = { toolName: "bash", input: { command: "ls" } }
let call
extend({ on: (name, handler) => { call = handler } })
await call(event)
console.log(event.input.command)
""",
}


def test_a_plugin_names_its_hook_as_a_string() -> None:
    assert 'const hook = "/it\'s \\"d/hook"\n' in make_plugin("pi", "/it's \"d", "body")


def test_only_the_shell_is_an_event() -> None:
    assert read_event({"tool": "read", "input": {"command": "x"}}) is None
    assert read_event({"tool": "bash", "input": {"file": "x"}}) is None


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
@pytest.mark.parametrize("name", CALLS)
def test_a_command_is_the_one_of_the_hook_or_stays(name: str, tmp_path: Path) -> None:
    directory = tmp_path / "d"
    directory.mkdir()
    (tmp_path / "plugin.mjs").write_text(load_host(name).install("", str(directory)))
    (tmp_path / "call.mjs").write_text(CALLS[name])
    hook, answer = directory / "hook", json.dumps({"command": "x; ls"})
    for script, command in (
        (None, "ls"),
        (f"#!/bin/sh\ncat > {directory}/stdin\necho '{answer}'\n", "x; ls"),
        ("#!/bin/sh\nexit 1\n", "ls"),
        ("#!/bin/sh\necho '{}'\n", "ls"),
    ):
        if script:
            hook.write_text(script)
            hook.chmod(0o755)
        done = subprocess.run(["node", tmp_path / "call.mjs"], capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout == f"{command}\n"
    event = read_event(json.loads((directory / "stdin").read_text()))
    assert event is not None
    assert event.tool_input == {"command": "ls"}
