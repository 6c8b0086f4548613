"""ctxkit models update: a registry or a server fills the user's table."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.conftest import Run

LIST = b'{"object": "list", "data": [{"id": "my-model", "max_model_len": 24576}, {"id": "no-window"}]}'


@pytest.fixture
def table(home: dict[str, str]) -> Path:
    return Path(home["XDG_CONFIG_HOME"], "ctxkit", "models.jsonl")


@pytest.fixture
def server() -> Iterator[tuple[str, dict[str, bytes]]]:
    """Yield the address of a server, and its answers by path."""
    answers: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = answers.get(self.path)
            self.send_response(404 if body is None else 200)
            self.end_headers()
            self.wfile.write(body or b"no")

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}", answers
        http.shutdown()


def test_the_window_of_an_updated_model_holds_for_other_commands(run: Run, table: Path) -> None:
    result = run("models", "update", "-", stdin=LIST)
    assert (result.status, result.out) == (0, b"")
    assert result.err == "ctxkit: stdin: 1 model added, 0 changed, 0 unchanged, 1 without a window\n"
    shown = json.loads(run("models", "show", "vllm/My-Model", "--json").out)
    assert (shown["name"], shown["window"]["value"]) == ("my-model", 24576)
    assert shown["window"]["source"].startswith(f"{table}, from stdin (")
    assert json.loads(run("budget", "--model", "my-model", "--used", "10", "--json").out)["total"] == 24576


def test_a_second_update_keeps_the_other_models(run: Run, table: Path) -> None:
    run("models", "update", "-", stdin=LIST)
    run("models", "update", "-", stdin=b'[{"id": "other", "context_length": 1}, {"id": "my-model", "context_length": 8}]')
    models = [json.loads(line) for line in table.read_bytes().splitlines()]
    assert [(model["name"], model["window"]) for model in models] == [("my-model", 8), ("other", 1)]


def test_a_dry_run_prints_the_changes_and_writes_nothing(run: Run, table: Path) -> None:
    assert run("models", "update", "-", "--dry-run", stdin=LIST).out == b"+ my-model  24,576\n"
    assert not table.exists()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is not JSON"),
        (b"not json", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b'"text"', "is not a list of models"),
        (b'{"data": [{"id": "m"}]}', "no model states its window"),
    ],
)
def test_what_is_no_list_of_models_is_refused(data: bytes, message: str, run: Run, table: Path) -> None:
    result = run("models", "update", "-", stdin=data)
    assert (result.status, result.out) == (65, b"")
    assert message in result.err
    assert "hint: models.dev, litellm, OpenRouter" in result.err
    assert not table.exists()


def test_a_server_of_llama_cpp_is_asked_for_its_running_window(
    run: Run, table: Path, server: tuple[str, dict[str, bytes]]
) -> None:
    address, answers = server
    answers["/v1/models"] = b'{"data": [{"id": "tiny", "meta": {"n_ctx_train": 32768}}]}'
    answers["/props"] = b'{"default_generation_settings": {"n_ctx": 4096}, "model_path": "/m/tiny.gguf"}'
    assert run("models", "update", f"{address}/v1", "--dry-run").out == b"+ tiny  4,096\n"


def test_a_server_of_ollama_is_asked_for_its_loaded_models(
    run: Run, table: Path, server: tuple[str, dict[str, bytes]]
) -> None:
    address, answers = server
    answers["/v1/models"] = b'{"data": [{"id": "qwen3:8b", "owned_by": "library"}, {"id": "b", "owned_by": "library"}]}'
    answers["/api/ps"] = b'{"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "context_length": 8192}]}'
    assert run("models", "update", address, "--dry-run").out == b"+ qwen3:8b  8,192\n"


def test_an_address_with_a_path_is_asked_as_it_is(run: Run, table: Path, server: tuple[str, dict[str, bytes]]) -> None:
    address, answers = server
    answers["/api/v1/models"] = LIST
    answers["/api.json"] = b'{"p": {"models": {"m": {"limit": {"context": 5}}}}}'
    assert run("models", "update", f"{address}/api/v1/models", "--dry-run").out == b"+ my-model  24,576\n"
    assert run("models", "update", f"{address}/api.json", "--dry-run").out == b"+ m  5\n+ p/m  5\n"


def test_a_server_that_does_not_answer_changes_nothing(
    run: Run, table: Path, server: tuple[str, dict[str, bytes]]
) -> None:
    result = run("models", "update", server[0])
    assert (result.status, result.out) == (74, b"")
    assert "/v1/models: status 404" in result.err
    assert run("models", "update", "http://[").status == 2
