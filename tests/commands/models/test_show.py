import json
from pathlib import Path

from tests.conftest import Run

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
