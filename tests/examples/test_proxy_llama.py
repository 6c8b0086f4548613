"""Conversations through the proxy that grow beyond the window of a real llama.cpp server, which counts its requests."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.examples.completion import ANSWER
from tests.examples.conftest import WINDOW
from tests.harness.cases import PROGRAMS, ROOT, HostCase, StartedHost
from tests.proxies import Handler, RunningProxy, SentRequest, run_model, run_proxy

TURNS = 12
OPENING: list[dict[str, Any]] = [
    {"role": "system", "content": "Work in small steps."},
    {"role": "user", "content": "Mend the parser in a.py."},
]
PATH = f"{PROGRAMS}:{ROOT}/.venv/hosts/mini/bin:{ROOT}/.venv/hosts/aider/bin"
LOCAL = {"OPENAI_API_KEY": "none", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def make_turn(number: int) -> list[dict[str, Any]]:
    """Return a call and its result."""
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "sh", "arguments": '{"command": "make"}'}}
    lines = "\n".join(f"{number}: line {line} of the output" for line in range(40 * (number % 4)))
    return [{"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "tool", "tool_call_id": call["id"], "content": lines}]


class Passed(NamedTuple):
    """What the server of a model answered to a request, beside the request."""

    request: dict[str, Any]
    status: int
    body: bytes

    @property
    def prompt_tokens(self) -> int:
        """Return the tokens of the request as the server counts them."""
        return int(json.loads(self.body)["usage"]["prompt_tokens"])

    @property
    def total_tokens(self) -> int:
        """Return the tokens of the request and its answer as the server counts them, 0 for a stream, which says none."""
        assert b'"error"' not in self.body
        return 0 if self.request.get("stream") else int(json.loads(self.body)["usage"]["total_tokens"])


@contextmanager
def watch(server: str, *, props: dict[str, Any] | None = None) -> Iterator[tuple[str, list[Passed]]]:
    """Yield the address of what passes requests to a server unchanged, and what it has passed.

    ``props`` is what the server of llama.cpp itself says of its window, which that of llama-cpp-python does not.
    """
    from http.client import HTTPConnection
    from urllib.parse import urlsplit

    passed: list[Passed] = []

    def answer(handler: Handler, request: SentRequest) -> None:
        if props is not None and request.path == "/props":
            handler.send(200, props)
            return
        connection = HTTPConnection(urlsplit(server).netloc, timeout=120)
        connection.request(request.method, request.path, request.body, {"content-type": "application/json"})
        response = connection.getresponse()
        body = response.read()
        kind = response.headers["content-type"]
        connection.close()
        if request.method == "POST":
            passed.append(Passed(request.value, response.status, body))
        handler.send(response.status, body, {"content-type": kind})

    with run_model(answer) as model:
        yield model.url, passed


def configure_mini(_home: Path, _project: Path, _address: str) -> dict[str, str]:
    """Return the environment of mini-swe-agent."""
    return {"MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors", **LOCAL}


def configure_aider(_home: Path, _project: Path, address: str) -> dict[str, str]:
    """Return the environment of aider."""
    return {"OPENAI_API_BASE": f"{address}/v1", **LOCAL}


def grow(proxy: RunningProxy, **members: Any) -> list[int]:
    """Let a conversation grow, and return the statuses of its requests."""
    messages, statuses = list(OPENING), []
    for number in range(TURNS):
        messages += make_turn(number)
        reply = proxy.chat({"model": "tiny", "messages": messages, "max_tokens": ANSWER, **members})
        statuses.append(reply.status)
    return statuses


@pytest.mark.slow
def test_requests_of_a_growing_conversation_fit_by_the_count_of_the_server(
    server: str, model: Path, home: dict[str, str], ctxkit: str
) -> None:
    with (
        watch(server) as (url, passed),
        run_proxy(ctxkit, home, url, "--window", str(WINDOW), "--tokenizer", str(model)) as proxy,
    ):
        assert grow(proxy) == [200] * TURNS
        assert proxy.end() == (0, "")
    sizes = [answer.prompt_tokens for answer in passed]
    assert len(sizes) == TURNS
    assert max(sizes) + ANSWER <= WINDOW
    assert min(sizes[4:]) < max(sizes) * 0.8


@pytest.mark.slow
def test_streams_fit_too(server: str, model: Path, home: dict[str, str], ctxkit: str) -> None:
    with run_proxy(ctxkit, home, server, "--window", str(WINDOW), "--tokenizer", str(model)) as proxy:
        messages = list(OPENING)
        for number in range(TURNS):
            messages += make_turn(number)
            request = {"model": "tiny", "messages": messages, "max_tokens": ANSWER, "stream": True}
            reply = proxy.chat(request)
            assert (reply.status, reply.headers["content-type"].split(";")[0]) == (200, "text/event-stream")
            pieces = [line.removeprefix(b"data: ") for line in reply.body.splitlines() if line.startswith(b"data: ")]
            assert pieces[-1] == b"[DONE]"
            assert not any("error" in json.loads(piece) for piece in pieces[:-1])
        assert proxy.end() == (0, "")


@pytest.mark.slow
def test_the_window_and_the_vocabulary_come_from_the_server(
    server: str, model: Path, home: dict[str, str], ctxkit: str
) -> None:
    props = {"default_generation_settings": {"n_ctx": WINDOW}, "model_path": str(model)}
    with watch(server, props=props) as (url, passed), run_proxy(ctxkit, home, url) as proxy:
        assert grow(proxy) == [200] * TURNS
        assert proxy.end() == (0, "")
    sizes = [answer.prompt_tokens for answer in passed]
    assert [answer.status for answer in passed] == [200] * TURNS
    assert WINDOW * 0.6 < max(sizes) <= WINDOW - ANSWER


@pytest.mark.slow
def test_a_server_that_does_not_tell_its_window_is_refused_by_once(
    server: str, home: dict[str, str], ctxkit: str
) -> None:
    """The server of llama-cpp-python tells its window only in the error for a request that is too long."""
    with watch(server) as (url, passed), run_proxy(ctxkit, home, url) as proxy:
        assert grow(proxy) == [200] * TURNS
        status, said = proxy.end()
    assert status == 0
    assert said.count("the window of tiny is unknown") == 1
    assert [answer.status for answer in passed].count(400) == 1
    assert all(answer.prompt_tokens + ANSWER <= WINDOW for answer in passed if answer.status == 200)


MINI = HostCase(
    *("mini-swe-agent", "mini", "bash", "command", configure_mini),
    (
        *("-y", "--exit-immediately", "-t", "run it", "-m", "openai/tiny", "-c", "mini.yaml", "-o", "trajectory.json"),
        *("-c", "model.model_kwargs.api_base=ADDRESS/v1", "-c", "model.model_kwargs.max_tokens=300"),
    ),
)
AIDER = HostCase(
    *("aider", "aider", "", "", configure_aider),
    (
        *("--model", "openai/tiny", "--message", "run it", "--yes-always", "--no-check-update", "--analytics-disable"),
        *("--no-show-model-warnings", "--no-gitignore", "--no-auto-commits", "--map-tokens", "0"),
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("case", [MINI, AIDER], ids=lambda case: case.name)
def test_a_host_sends_nothing_that_the_server_refuses(
    server: str, model: Path, home: dict[str, str], ctxkit: str, tmp_path: Path, case: HostCase
) -> None:
    """Random weights call nothing, so that the task ends with the first answer, or with a limit of the host."""
    program = shutil.which(case.program, path=PATH)
    if program is None:
        pytest.skip(f"{case.program} is not installed: make test-harness installs it")
    host = StartedHost(case, tmp_path / "host", ctxkit)
    with (
        watch(server) as (url, passed),
        run_proxy(ctxkit, home, url, "--window", str(WINDOW), "--tokenizer", str(model)) as proxy,
    ):
        address = f"http://127.0.0.1:{proxy.port}"
        env = {**host.env, **case.configure(host.home, host.project, address), "PATH": f"{PATH}:{host.env['PATH']}"}
        argv = [program, *(argument.replace("ADDRESS", address) for argument in case.args)]
        done = subprocess.run(argv, env=env, cwd=host.project, stdin=subprocess.DEVNULL, capture_output=True, timeout=240)
        assert proxy.end() == (0, "")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [answer.status for answer in passed] == [200] * len(passed) != [], done.stdout + done.stderr
    assert all(answer.total_tokens <= WINDOW for answer in passed)
