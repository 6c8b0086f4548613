"""Models are listed and shown with the sources of their numbers; the own table is changed."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from ctxkit.commands.models import ModelFact, explain_source, find_model_facts, list_model_facts
from ctxkit.core.errors import UnknownNameError
from ctxkit.core.models.lookup import MODELS
from ctxkit.edge.settings import Setting, Settings
from tests.conftest import Run


def test_the_table_has_a_head_and_a_line_for_each_model(run: Run) -> None:
    ran = run("models", "list")
    lines = ran.out.decode().splitlines()
    assert (ran.status, ran.err) == (0, "")
    assert lines[0].split() == ["name", "window", "max", "output", "tokenizer", "as", "of"]
    assert [line.split()[0] for line in lines[1:]] == list(MODELS)


def test_a_pattern_is_a_part_of_the_name_or_a_glob_in_any_case(run: Run) -> None:
    part = run("models", "list", "Qwen3-30B").out.decode().splitlines()[1:]
    assert part[0].split() == ["qwen3-30b-a3b", "32,768", "-", "qwen3", "-"]
    assert len(part) == 3
    glob = run("models", "list", "claude-opus-4-?").out.decode().splitlines()[1:]
    assert all(line.startswith("claude-opus-4-") for line in glob)
    assert len(glob) >= 5


def test_no_model_like_that_is_a_no(run: Run) -> None:
    for flags in ((), ("--json",)):
        ran = run("models", "list", "unheard-of", *flags)
        assert (ran.status, ran.out, ran.err) == (1, b"", "")


def test_json_is_one_object_a_line(run: Run) -> None:
    (line,) = run("models", "list", "gpt-4o-mini", "--json").out.splitlines()
    assert json.loads(line) == {
        "name": "gpt-4o-mini",
        "window": 128_000,
        "max_output": 16_384,
        "tokenizer": "o200k",
        "as_of": "2026-11-12",
        "source": "openai, by models.dev (2026-05-21) and litellm (2026-11-12)",
    }


def test_models_of_the_settings_are_listed_with_their_place(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text('[models."my-qwen"]\nwindow = 40960\ntokenizer = "qwen3"\n')
    ran = run("models", "list", "my-q", cwd=tmp_path)
    assert ran.out.decode().splitlines()[1].split() == [
        *("my-qwen", "40,960", "-", "qwen3"),
        f"{tmp_path / '.ctxkit.toml'}:2",
    ]


def test_a_bad_setting_is_told_with_its_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text("[models.a]\nwindow = 0.5\n")
    ran = run("models", "list", cwd=tmp_path)
    assert (ran.status, ran.out) == (78, b"")
    assert f"{tmp_path / '.ctxkit.toml'}:2: window = 0.5 is not a whole number" in ran.err


MINE = '[models."my-qwen"]\nwindow = 40960\ntokenizer = "qwen3"\nmax_output = 8192\n'


def test_every_number_has_its_source_and_the_range_of_hosts_is_said(run: Run) -> None:
    """Seed 002: "ContextWindow int // total context tokens", "MaxOutput int // max completion tokens"."""
    ran = run("models", "show", "qwen3-30b")
    lines = ran.out.decode().splitlines()
    assert ran.status == 0
    assert lines[:4] == [
        "name        qwen3-30b-a3b",
        "window          32,768  ctxkit's own table",
        "max output           -  not known",
        "tokenizer        qwen3  exact, by the model's family",
    ]
    assert lines[4].endswith(" 131,072 tokens are offered")


def test_an_estimate_is_called_one(run: Run) -> None:
    assert b"claude  estimate, by the model's family" in run("models", "show", "claude-opus-4.5").out


def test_a_model_of_the_settings_is_shown_with_file_and_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / ".ctxkit.toml"
    path.write_text(MINE)
    assert run("models", "show", "ollama/My-Qwen", cwd=tmp_path).out.decode().splitlines() == [
        "name        my-qwen",
        f"window          40,960  {path}:2",
        f"max output       8,192  {path}:4",
        f"tokenizer        qwen3  exact, {path}:3",
    ]


def test_a_setting_for_all_models_is_shown_as_what_is_in_force(run: Run) -> None:
    ran = run("models", "show", "qwen3-8b", env={"CTXKIT_CONTEXT_BUDGET": "5000"})
    assert "used             5,000  CTXKIT_CONTEXT_BUDGET" in ran.out.decode().splitlines()
    shown = json.loads(run("models", "show", "qwen3-8b", "--json", env={"CTXKIT_WINDOW": "5000"}).out)
    assert shown["window"]["value"] == 40_960
    assert shown["in_force"] == {"value": 5000, "source": "CTXKIT_WINDOW"}


def test_json_gives_hosts_with_their_registries(run: Run) -> None:
    shown = json.loads(run("models", "show", "gpt-4o", "--json").out)
    assert (shown["name"], shown["exact"], shown["window"]["value"]) == ("gpt-4o", True, 128_000)
    assert shown["in_force"] == shown["window"]
    assert {"host": "openai", "registry": "litellm"} in [pair for one in shown["hosts"] for pair in one["hosts"]]


def test_an_unknown_model_is_1_and_the_nearest_is_named(run: Run) -> None:
    ran = run("models", "show", "qwen3-31b")
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err.startswith("ctxkit: unknown model: qwen3-31b\n  hint: did you mean qwen3-")


def test_an_unknown_tokenizer_in_the_settings_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text('[models.a]\nwindow = 4096\ntokenizer = "nothing"\n')
    ran = run("models", "show", "a", cwd=tmp_path)
    assert ran.status == 78
    assert ran.err.startswith(f"ctxkit: {tmp_path / '.ctxkit.toml'}:3: unknown tokenizer: nothing\n")


def test_gate_uses_what_the_settings_say_of_a_model(run: Run, tmp_path: Path) -> None:
    """Seed 002: "callers can inject constants"."""
    (tmp_path / ".ctxkit.toml").write_text(MINE)
    said = json.loads(run("gate", "--model", "my-qwen", "--json", stdin="a\n", cwd=tmp_path).out)
    assert (said["budget"]["window"], said["tokenizer"]) == (40_960, "qwen3")
    over = json.loads(
        run("gate", "--model", "my-qwen", "--json", stdin="a\n", cwd=tmp_path, env={"CTXKIT_CONTEXT_BUDGET": "5000"}).out
    )
    assert over["budget"]["window"] == 5_000


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


REGISTRY = '[{"id": "house-7b", "context_length": 24576}, {"id": "house-8b", "context_length": 8192}]'


@pytest.fixture
def own_table(run: Run, home: dict[str, str]) -> Path:
    assert run("models", "update", "-", stdin=REGISTRY).status == 0
    return Path(home["XDG_CONFIG_HOME"], "ctxkit", "models.jsonl")


def test_a_model_is_removed_and_the_others_stay(run: Run, own_table: Path) -> None:
    ran = run("models", "rm", "House-7B")
    assert (ran.status, ran.out, ran.err) == (0, b"", "ctxkit: 1 model removed: house-7b\n")
    assert [json.loads(line)["name"] for line in own_table.read_bytes().splitlines()] == ["house-8b"]
    assert run("models", "show", "house-7b").status == 1
    assert run("models", "show", "house-8b").status == 0


def test_an_unknown_model_is_1_and_removes_nothing(run: Run, own_table: Path) -> None:
    before = own_table.read_bytes()
    ran = run("models", "rm", "house-7b", "qwen3-30b")
    assert (ran.status, ran.out) == (1, b"")
    assert ran.err == "ctxkit: your table has no model qwen3-30b\n  hint: ctxkit models update adds models to it\n"
    assert own_table.read_bytes() == before


def test_a_dry_run_writes_nothing(run: Run, own_table: Path) -> None:
    before = own_table.read_bytes()
    ran = run("models", "rm", "house-7b", "--dry-run", "--json")
    assert json.loads(ran.out) == {"table": str(own_table), "dry_run": True, "removed": ["house-7b"]}
    assert own_table.read_bytes() == before


NOTHING = Settings([])
OURS = Settings(
    [
        {
            "models.my-qwen.window": Setting(40_960, "a.toml:2"),
            "models.my-qwen.tokenizer": Setting("qwen3", "a.toml:3"),
            "models.qwen3-8b.window": Setting(8_192, "a.toml:5"),
        }
    ]
)


def test_the_table_gives_the_figures_of_a_model_that_no_setting_names() -> None:
    found = find_model_facts("Qwen/Qwen3-30B-A3B", NOTHING)
    assert found.name == "qwen3-30b-a3b"
    assert found.window == ModelFact(32_768, "ctxkit's own table")
    assert found.max_output == ModelFact(0, "not known")
    assert found.tokenizer == ModelFact("qwen3", "by the model's family")


def test_settings_come_before_the_table_figure_by_figure() -> None:
    found = find_model_facts("qwen3-8b", OURS)
    assert found.window == ModelFact(8_192, "a.toml:5")
    assert found.max_output.value == 32_768
    assert find_model_facts("my-qwen", OURS).tokenizer == ModelFact("qwen3", "a.toml:3")
    assert find_model_facts("my-qwen", OURS).max_output == ModelFact(0, "not known")


def test_everything_is_the_table_and_what_the_settings_describe_each_once() -> None:
    names = [one.name for one in list_model_facts(OURS)]
    assert names == sorted(names, key=str.lower)
    assert names.count("qwen3-8b") == names.count("my-qwen") == 1


def test_an_unknown_model_is_told_with_the_nearest_of_the_settings_and_the_table() -> None:
    with pytest.raises(UnknownNameError) as raised:
        find_model_facts("my-qwen2", OURS)
    assert str(raised.value) == "unknown model: my-qwen2"
    assert raised.value.hint.startswith("did you mean my-qwen")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("models.dev+litellm:openai", "openai, by models.dev (2026-05-21) and litellm (2026-11-12)"),
        ("litellm:xai", "xai, by litellm (2026-11-12)"),
        ("hosts:5/7", "5 of 7 hosts, by models.dev (2026-05-21) and litellm (2026-11-12)"),
        ("https://huggingface.co/Qwen/Qwen3-8B", "https://huggingface.co/Qwen/Qwen3-8B"),
        ("seed", "ctxkit's own table"),
        ("", "not known"),
    ],
)
def test_a_source_is_said_in_words(source: str, words: str) -> None:
    assert explain_source(source) == words
