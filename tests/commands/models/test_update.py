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


KEY = "Zq9vTuniq77"


def test_a_key_in_an_address_is_written_nowhere(
    run: Run, table: Path, home: dict[str, str], tmp_path: Path, server: tuple[str, dict[str, bytes]]
) -> None:
    address, answers = server
    answers[f"/v1beta/models?key={KEY}"] = LIST
    answers[f"/v1beta/bad?key={KEY}"] = b"no json"
    host = address.removeprefix("http://")
    env = {"CTXKIT_EVENTS": str(tmp_path / "events.jsonl")}
    asked = [
        (f"{address}/v1beta/models?key={KEY}", 0),
        (f"{address}/v1beta/bad?key={KEY}", 74),
        (f"{address}/v1beta/other?key={KEY}#{KEY}", 74),
        (f"{address}/v1beta/a b?key={KEY}", 74),
        (f"http://ana:{KEY}@{host}", 2),
        (f"http://{KEY}@{host}/v1", 2),
        (f"http://ana:{KEY}@[", 2),
        (f"ftp://ana:{KEY}@{host}", 66),
        (f"http://127.0.0.1:1/v1?key={KEY}", 74),
    ]
    for shown, status in asked:
        for options in ((), ("--json",), ("--dry-run", "-v")):
            result = run("models", "update", shown, *options, env=env)
            assert result.status == status, (shown, result)
            if status != 66:  # the user's own name of a file that does not exist
                assert KEY not in result.err + result.out.decode(), (shown, options)
    assert b'"source":"' + f"{address}/v1beta/models".encode() + b'"' in table.read_bytes()
    texts = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in text for text in texts)


def test_a_key_that_version_0_1_wrote_is_neither_shown_nor_kept(run: Run, table: Path) -> None:
    run("models", "update", "-", stdin=LIST)
    table.write_bytes(table.read_bytes().replace(b'"stdin"', f'"http://host/v1?key={KEY}"'.encode()))
    shown = run("models", "show", "my-model", "--json").out
    assert b"from http://host/v1 (" in shown
    run("models", "update", "-", stdin=b'[{"id": "other", "context_length": 9}]')
    assert KEY.encode() not in table.read_bytes()
    assert b"my-model" in table.read_bytes()


def test_a_link_in_place_of_the_table_is_replaced(run: Run, table: Path, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine\n")
    table.parent.mkdir(parents=True, exist_ok=True)
    table.symlink_to(tmp_path / "notes")
    assert run("models", "update", "-", stdin=LIST).status == 0
    assert (tmp_path / "notes").read_text() == "mine\n"
    assert json.loads(table.read_bytes())["name"] == "my-model"
