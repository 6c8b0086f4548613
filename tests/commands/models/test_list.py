import json
from pathlib import Path

from ctxkit.core.models.lookup import MODELS
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
