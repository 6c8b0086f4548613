"""The trial of a host, with a small program in the place of pi."""

import sys
from pathlib import Path

import pytest

from ctxkit.core.errors import MissingDependencyError
from ctxkit.core.hosts.profiles import load_host
from ctxkit.core.hosts.trials import COMMANDS, TRIALS, check_results
from ctxkit.edge import host_trial
from ctxkit.edge.host_trial import try_host

TRIAL = TRIALS["pi"]
PI = f"""#!{sys.executable}
import json, os, re, subprocess, sys, urllib.request
home = os.environ["HOME"] + "/.pi/agent/"
provider = json.load(open(home + "models.json"))["providers"]["local"]
plugin = home + "extensions/ctxkit.js"
hook = json.loads(re.search(r"const hook = (.*)", open(plugin).read())[1]) if os.path.exists(plugin) else ""
messages, tools = [{{"role": "user", "content": sys.argv[-1]}}], [{{"function": {{"name": "bash"}}}}]
for _ in range(9):
    body = json.dumps({{"model": "scripted", "messages": messages, "tools": tools}}).encode()
    answer = json.load(urllib.request.urlopen(provider["baseUrl"] + "/chat/completions", body))
    message = answer["choices"][0]["message"]
    if not message.get("tool_calls"):
        break
    command = json.loads(message["tool_calls"][0]["function"]["arguments"])["command"]
    if hook:
        event = json.dumps({{"tool": "bash", "input": {{"command": command}}}})
        command = json.loads(subprocess.run([hook], input=event, capture_output=True, text=True).stdout or "{{}}").get("command", command)
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    messages += [message, {{"role": "tool", "content": f"{{done.stdout}}status {{done.returncode}}"}}]
print("the end")
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def put(programs: Path, text: str) -> None:
    (programs / "pi").write_text(text)
    (programs / "pi").chmod(0o755)


@pytest.mark.slow  # the host starts twice, and ctxkit for each of its commands
def test_a_host_is_started_without_ctxkit_and_with_it(programs: Path, ctxkit: str) -> None:
    put(programs, PI)
    results = try_host(load_host("pi"), TRIAL, ctxkit)
    assert [len(results.plain), len(results.gated)] == [len(COMMANDS)] * 2
    assert results.plain[0].count("\n") == 5_000
    assert results.gated[1:] == results.plain[1:]
    checks = {check.name: check.state for check in check_results(results, TRIAL, "pi")}
    assert [checks["hook"], checks["status"], checks["directory"]] == ["ok"] * 3


def test_a_setup_that_does_nothing_is_seen(programs: Path) -> None:
    put(programs, PI)
    checks = {check.name: check.state for check in check_results(try_host(load_host("pi"), TRIAL, "/usr/bin/true"), TRIAL, "pi")}
    assert checks["hook"] == "bad"


@pytest.mark.parametrize(
    ("text", "message"),
    [("#!/bin/sh\necho starting; echo 'no key' >&2; exit 1\n", "calls no tool of the model: no key"), ("#!/bin/sh\nsleep 60\n", "more than")],
)
def test_a_host_that_does_not_work_is_an_error(programs: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str) -> None:
    monkeypatch.setattr(host_trial, "DEADLINE", 0.5)
    put(programs, text)
    with pytest.raises(MissingDependencyError, match=message):
        try_host(load_host("pi"), TRIAL, "ctxkit")


def test_a_host_that_is_not_installed_is_an_error_with_a_hint(programs: Path) -> None:
    with pytest.raises(MissingDependencyError, match="pi is not on PATH") as error:
        try_host(load_host("pi"), TRIAL, "ctxkit")
    assert error.value.hint == f"npm install -g {TRIAL.package}"
    assert not list(programs.iterdir())
