"""Calls in a process of the pool; tests/commands/test_proxy.py has the same through the proxy."""

import asyncio
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import pytest

from ctxkit.app.proxy.calls import ProxyCalls
from ctxkit.edge.prompt_options import TurnOptions
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import load
from ctxkit.engines.server.call_files import CallFiles
from ctxkit.engines.server.worker_pool import WorkerPool

REWRITE = {"work": "rewrite", "path": "/v1/chat/completions", "harder": False, "window": 0, "weights": "", "limits": {}}
BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]}).encode()


def run_call(tmp_path: Path, call: dict[str, Any], body: bytes, **members: Any) -> tuple[int, bytes, bytes]:
    """Return the status, stdout and stderr of a call."""
    settings = load({"CTXKIT_CACHE_DIR": str(tmp_path / "cache"), "CTXKIT_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))
    request = CliRequest(window=4_096, tokenizer="qwen3", **members)
    pool = WorkerPool(ProxyCalls(click.Group(), request, settings, TurnOptions()).answer, 1, 60.0)
    try:
        with closing(CallFiles(is_small=True)) as files:
            files.write_body(body)
            status = asyncio.run(pool.answer(call, files))
            return status, b"".join(files.read_output()), files.read_messages(1_000)
    finally:
        pool.end()


def test_a_request_that_needs_nothing_has_a_report_alone(tmp_path: Path) -> None:
    status, output, messages = run_call(tmp_path, REWRITE, BODY)
    report, _, content = output.partition(b"\n")
    assert (status, content, messages) == (0, b"", b"")
    assert json.loads(report)["window"] == 4_096


def test_a_warm_process_has_written_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    settings = load({"CTXKIT_CACHE_DIR": str(tmp_path / "cache"), "CTXKIT_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))
    for request in (CliRequest(), CliRequest(window=4_096, tokenizer="qwen3")):
        ProxyCalls(click.Group(), request, settings, TurnOptions()).warm_up()
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


def test_a_masked_request_is_always_written(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for call, body in ((REWRITE, BODY), ({"work": "mask"}, secret.encode())):
        status, output, _ = run_call(tmp_path, call, body, redact=True)
        content = output.partition(b"\n")[2]
        assert status == 0
        assert content
        assert secret.encode() not in content


@pytest.mark.parametrize(
    ("answer", "used"),
    [
        (b'{"choices": [{"message": {}}], "usage": {"prompt_tokens": 100, "completion_tokens": 5}}', 105),
        (b'data: {"choices": [{"delta": {"content": "x"}}]}\n\ndata: {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}\n\ndata: [DONE]\n\n', 8),
        (b'{"model": "m", "message": {"role": "assistant", "content": "x"}, "done": true, "prompt_eval_count": 30, "eval_count": 2}', 32),
        (b"\x00not an answer", None),
        (b'{"choices": []}', None),
    ],
)  # fmt: skip
def test_the_usage_of_an_answer_is_found(tmp_path: Path, answer: bytes, used: int | None) -> None:
    status, output, _ = run_call(tmp_path, {"work": "record", "session": "proxy-1", "model": "m", "window": 4_096}, answer)
    assert status == 0
    assert json.loads(output)["used"] == used


def test_a_request_that_is_nested_too_deep_is_an_error(tmp_path: Path) -> None:
    body = b'{"messages": [{"role": "user", "content": ' + b"[" * 90_000 + b"]" * 90_000 + b"}]}"
    status, output, messages = run_call(tmp_path, REWRITE, body)
    assert (status, output.partition(b"\n")[2]) == (0, b"") or (status != 0 and messages)
