"""Hosts that know nothing of ctxkit, headless behind ``ctxkit proxy``: only their base URL is changed."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from ctxkit.core.hosts.trials import Body, Call
from ctxkit.edge.host_trial import ScriptedModel
from tests.harness import cases
from tests.harness.cases import ROOT, SEARCHED, HostCase, StartedHost
from tests.proxies import Handler, run_model, run_proxy

pytestmark = pytest.mark.harness
MODEL = "qwen3-30b"
LARGE, READ, SMALL = "seq 1000000 1003000", "ctxkit cache get REF | grep -o '100299[0]'", "seq {} {}"
"""Commands that print more than a map may replace, a line of that, and a part of the window."""
OUTPUT_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


class ProxyCase(NamedTuple):
    """A host behind a proxy: the format of its requests, and the window into which its own prompt fits."""

    host: HostCase
    format: str
    window: int = 16_384


class AskingModel(ScriptedModel):
    """Makes each call once, and reads what a map names: ``REF`` in a command is what the newest result refers to.

    ``seen`` are the results after each call, in order.
    """

    def __init__(self, calls: list[Call]) -> None:
        super().__init__(calls, forgets=True)
        self.seen: list[str] = []

    def choose_call(self, body: Body, results: list[str], tools: list[str]) -> Call | None:
        """Return the next call."""
        call = super().choose_call(body, results, tools)
        if self.tools and tools and len(self.seen) < self.call_count - (call is not None):
            self.seen.append(results[-1] if results else "")
        if call is None or "REF" not in json.dumps(call):
            return call
        ref = re.search(r"ctxkit cache get (\w+)", results[-1] if results else "")
        return call[0], json.loads(json.dumps(call[1]).replace("REF", ref[1] if ref else "none"))


def configure_codex(_home: Path, _project: Path, _address: str) -> dict[str, str]:
    return {"CODEX_API_KEY": "none"}


CODEX = HostCase(
    *("codex", "codex", "exec_command", "cmd", configure_codex),
    ("exec", "-m", MODEL, "-c", 'openai_base_url="ADDRESS/v1"', "--skip-git-repo-check", "--sandbox", "workspace-write", "run it"),
)
KNOWN = {case.name: case for case in cases.CASES}
CASES = [
    ProxyCase(CODEX, "responses"),
    ProxyCase(cases.CLAUDE, "anthropic"),
    ProxyCase(KNOWN["opencode"], "openai"),
    ProxyCase(KNOWN["pi"], "openai"),
    ProxyCase(cases.QWEN, "openai"),
    ProxyCase(cases.MINI, "openai"),
    ProxyCase(KNOWN["cline"], "openai"),
    ProxyCase(KNOWN["gemini"], "gemini"),
]
PATH = f"{SEARCHED}:{ROOT}/.venv/hosts/aider/bin"
EDIT = "a.py\n```\nx = 2\n```\n"
"""How a model tells aider to write a file."""


@pytest.fixture(params=CASES, ids=lambda case: case.host.name)
def case(request: Any) -> ProxyCase:
    found: ProxyCase = request.param
    if not shutil.which(found.host.program, path=PATH):
        pytest.skip(f"{found.host.program} is not installed: make test-harness installs it")
    return found


@pytest.fixture
def host(case: ProxyCase, ctxkit: str) -> Iterator[StartedHost]:
    """Yield a host outside /tmp, which sandboxes of hosts treat in their own way; its shell finds ctxkit."""
    with TemporaryDirectory(dir="/var/tmp", ignore_cleanup_errors=True) as folder:
        started = StartedHost(case.host, Path(folder), ctxkit)
        started.env["PATH"] = f"{PATH}:{Path(ctxkit).parent}:{started.env['PATH']}"
        (started.home / ".profile").write_text(f"PATH={Path(ctxkit).parent}:$PATH\n")
        yield started
        started.end()


def make_call(case: HostCase, command: str) -> Call:
    arguments: dict[str, Any] = {case.key: [command] if case.key == "commands" else command}
    return case.tool, arguments if case.tool in ("exec_command", "run_commands") else {**arguments, "description": "x"}


def test_a_task_with_large_results_ends_within_the_window(case: ProxyCase, host: StartedHost, tmp_path: Path) -> None:
    small = [SMALL.format(start, start + 300) for start in range(100_000, 1_000_000, 150_000)]
    commands = [LARGE, READ, *small, "echo the last one"]
    commands += [arguments["command"] for _, arguments in case.host.last]
    arguments = ("--model", MODEL, "--window", str(case.window))
    with (
        AskingModel([make_call(case.host, command) for command in commands]) as model,
        run_proxy(host.ctxkit, host.env, model.address, *arguments) as proxy,
    ):
        address = f"http://127.0.0.1:{proxy.port}"
        env = {**host.env, **case.host.configure(host.home, host.project, address)}
        argv = [str(shutil.which(case.host.program, path=PATH))]
        argv += [argument.replace("ADDRESS", address) for argument in case.host.args]
        done = subprocess.run(argv, env=env, cwd=host.project, stdin=subprocess.DEVNULL, capture_output=True, timeout=240)
        said = proxy.end()
    assert done.returncode == 0, done.stdout + done.stderr
    assert said == (0, "")
    assert model.call_count == len(commands), (done.stdout + done.stderr, model.tools)
    large, part = model.seen[:2]
    assert "To read a part: ctxkit cache get " in large
    assert "1002990" not in large
    assert "1002990" in part
    assert len(model.seen) >= len(small) + 3
    assert all(model.seen)
    assert all("ctxkit cache get " in text for text in model.seen if "left out here" in text), model.seen
    assert any("the last one" in text for text in model.seen[-2:])
    files = [tmp_path / f"{number}.json" for number in range(len(model.requests))]
    for file, request in zip(files, model.requests, strict=True):
        file.write_text(json.dumps(request))
        asked = max(request.get(name) or 0 for name in OUTPUT_LIMITS)
        assert count(host, file, case.format) + asked <= case.window
        assert list_breaches(host, file, case.format) <= list_breaches(host, files[0], case.format)


def stream_text(handler: Handler, text: str) -> None:
    """Answer with a text in the pieces of Chat Completions."""
    handler.begin_stream()
    for delta, reason in (({"role": "assistant", "content": text}, None), ({}, "stop")):
        piece = {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        handler.send_piece(f"data: {json.dumps(piece)}\n\n".encode())
    handler.send_piece(b"data: [DONE]\n\n")
    handler.send_piece(b"")


@pytest.mark.skipif(not shutil.which("aider", path=PATH), reason="aider is not installed: make test-harness installs it")
def test_aider_which_calls_no_functions_sends_output_that_fits(ctxkit: str, tmp_path: Path) -> None:
    """Aider runs the tests after an edit, and sends their output as a message of the user."""
    host = StartedHost(HostCase(*("aider", "aider", "", "", cases.configure_cline), ()), tmp_path, ctxkit)
    (host.project / "a.py").write_text("x = 1\n")
    window = 16_384
    with (
        run_model(lambda handler, request: stream_text(handler, EDIT if len(model.posts) < 2 else "I see.")) as model,
        run_proxy(ctxkit, host.env, model.url, "--model", MODEL, "--window", str(window)) as proxy,
    ):
        env = {**host.env, "OPENAI_API_KEY": "none", "OPENAI_API_BASE": f"http://127.0.0.1:{proxy.port}/v1"}
        argv = [str(shutil.which("aider", path=PATH)), "--model", "openai/scripted", "--message", "run it", "--yes-always"]
        argv += ["--no-check-update", "--no-show-model-warnings", "--analytics-disable", "--no-gitignore", "--no-auto-commits"]
        argv += ["--auto-test", "--test-cmd", "seq 100000 105000; echo the last line; exit 3", "a.py"]
        env |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        done = subprocess.run(argv, env=env, cwd=host.project, stdin=subprocess.DEVNULL, capture_output=True, timeout=240)
        assert proxy.end() == (0, "")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (host.project / "a.py").read_text() == "x = 2\n"
    assert len(model.posts) == 2
    output = model.posts[1].value["messages"][-1]["content"]
    assert "the last line" in output
    assert "102500" not in output
    assert "ctxkit cache get " in output
    files = [tmp_path / f"{number}.json" for number in range(2)]
    for file, request in zip(files, model.posts, strict=True):
        file.write_bytes(request.body)
        assert count(host, file, "openai") <= window
        assert list_breaches(host, file, "openai") == set()


def count(host: StartedHost, file: Path, name: str) -> int:
    """Return the most tokens of a request."""
    argv = [host.ctxkit, "count", "--model", MODEL, "--format", name, "--json", str(file)]
    done = subprocess.run(argv, env=host.env, capture_output=True, text=True, check=True)
    return int(json.loads(done.stdout)["high"])


def list_breaches(host: StartedHost, file: Path, name: str) -> set[str]:
    """Return the rules of the API that a request breaks; the first one is as its host has made it."""
    argv = [host.ctxkit, "compact", "--check", "--format", name, str(file)]
    done = subprocess.run(argv, env=host.env, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return {line.partition(": ")[2] for line in done.stdout.splitlines()}
