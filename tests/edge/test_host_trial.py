"""The trial of a host, with a small program in the place of pi."""

import http.client
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxkit.core.errors import MissingDependencyError
from ctxkit.core.hosts.profiles import load_host
from ctxkit.core.hosts.trials import COMMANDS, TRIALS, check_results
from ctxkit.edge import host_trial
from ctxkit.edge.host_trial import ScriptedModel, try_host

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


CALLS = [("bash", {"command": "ls"}), ("bash", {"command": "pwd"})]
TOOLS = [{"function": {"name": "bash"}}]


def ask(model: ScriptedModel, *results: str, chunked: bool = False, path: str = "/v1/chat/completions") -> Any:
    connection = http.client.HTTPConnection(model.address.removeprefix("http://"), timeout=10)
    body = json.dumps({"model": "m", "tools": TOOLS, "messages": [{"role": "tool", "content": text} for text in results]})
    pieces = iter([body[:9].encode(), body[9:].encode()])
    connection.request("POST", path, pieces if chunked else body, encode_chunked=chunked)
    return json.loads(connection.getresponse().read())


def read_command(answer: Any) -> str:
    (call,) = answer["choices"][0]["message"]["tool_calls"]
    return json.loads(call["function"]["arguments"])["command"]


def test_each_request_gets_the_call_behind_its_results() -> None:
    with ScriptedModel(CALLS) as model:
        assert read_command(ask(model)) == "ls"
        assert read_command(ask(model, "a.txt", chunked=True)) == "pwd"
        assert ask(model, "a.txt", "/home")["choices"][0]["message"]["content"] == "done"
        assert (model.results, model.tools, len(model.requests)) == (["a.txt", "/home"], ["bash"], 3)
        model.restart(CALLS[1:])
        assert read_command(ask(model)) == "pwd"
        assert model.results == []


def test_a_host_that_forgets_gets_each_call_once() -> None:
    with ScriptedModel(CALLS, forgets=True) as model:
        assert [read_command(ask(model)), read_command(ask(model))] == ["ls", "pwd"]


def test_a_request_without_the_tool_gets_a_text() -> None:
    with ScriptedModel([("other", {})]) as model:
        assert ask(model)["choices"][0]["finish_reason"] == "stop"


def test_a_count_and_the_list_of_models_are_answered() -> None:
    with ScriptedModel([]) as model:
        assert ask(model, path="/v1/messages/count_tokens")["input_tokens"] == 100
        connection = http.client.HTTPConnection(model.address.removeprefix("http://"), timeout=10)
        connection.request("GET", "/v1/models")
        assert json.loads(connection.getresponse().read())["data"][0]["id"] == "scripted"
        assert model.requests == []
