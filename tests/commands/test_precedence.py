"""What is typed wins over what a project says, and not over what the user says elsewhere."""

import json
from pathlib import Path

import pytest

from tests.conftest import Run

TYPED = ("--model", "qwen3-30b")
OWN = 32_768
"""The window of that model."""


@pytest.fixture
def window(run: Run, tmp_path: Path, home: dict[str, str]):
    """Return the window with which gate works, under a project's and a user's file."""

    def found(*args: str, project: str = "", user: str = "", **environ: str) -> int:
        (tmp_path / ".ctxkit.toml").write_text(project)
        file = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(user)
        done = run("gate", *args, "--json", stdin="x", cwd=tmp_path, env=environ)
        assert (done.status, done.err) == (0, "")
        return json.loads(done.out)["budget"]["window"]

    return found


@pytest.mark.parametrize("key", ["window", "context_budget"])
def test_a_model_that_is_typed_wins_over_a_project_s_window_alone(window, key: str) -> None:
    said = f"{key} = 5000\n"
    assert window(*TYPED, project=said) == OWN
    assert window(*TYPED, user=said) == 5000
    assert window(*TYPED, project=f"{key} = 6000\n", user=said) == 5000
    assert window(*TYPED, project=f"{key} = 6000\n", **{f"CTXKIT_{key.upper()}": "5000"}) == 5000


def test_a_model_that_is_not_typed_does_not(window) -> None:
    assert window(project="window = 15000\n", CTXKIT_MODEL="qwen3-30b") == 15_000
    assert window(project='window = 15000\nmodel = "qwen3-30b"\n') == 15_000


def test_what_a_project_says_of_that_model_holds(window) -> None:
    project = 'window = 15000\n[models."qwen3-30b"]\nwindow = 16000\n[models.other]\nwindow = 17000\n'
    assert window(*TYPED, project=project) == 16_000
    assert window(*TYPED, project=project, user="window = 18000\n") == 16_000
    assert window(*TYPED, project=project, CTXKIT_WINDOW="18000") == 18_000
    assert window(*TYPED, project='window = 15000\n[models."qwen3-30b"]\ntokenizer = "qwen3"\n') == OWN


def test_a_window_that_is_typed_wins_over_all(window) -> None:
    said = 'window = 5000\n[models."qwen3-30b"]\nwindow = 6000\n'
    assert window("--window", "900", *TYPED, project=said, user=said, CTXKIT_WINDOW="8000") == 900


def test_a_project_s_window_is_better_than_none(window) -> None:
    assert window("--model", "nobody-knows-it", project="window = 15000\n") == 15_000


@pytest.mark.parametrize(
    ("opened", "typed", "said"),
    [
        (("--window", "9000"), TYPED, True),
        (("--window", "9000", "--model", "qwen3-8b"), ("--model", "nobody-knows-it"), True),
        (("--window", "9000"), (*TYPED, "--window", "9000"), False),
        (("--window", "9000", *TYPED), TYPED, False),
        (("--window", "9000", *TYPED), ("--model", "qwen/qwen3-30b"), False),
        (("--window", "9000", "--model", "qwen3-8b"), TYPED, False),
        (("--window", "9000"), (), False),
    ],
)
def test_a_session_that_ignores_a_model_says_so(run: Run, opened, typed, said: bool) -> None:
    assert run("session", "new", "s", *opened).status == 0
    done = run("gate", "--session", "s", *typed, stdin="x")
    assert (done.status, done.out) == (0, b"x")
    line = f"ctxkit: warning: session s keeps its window of 9,000 tokens: --model {(*typed, '', '')[1]} does not change it\n"
    assert done.err == (line if said else "")


def test_the_keys_of_the_seed_are_understood_and_the_top_level_wins(window) -> None:
    assert window(project="[agent]\ncontext_budget = 15000\n") == 15_000
    assert window(project="context_budget = 16000\n[agent]\ncontext_budget = 15000\n") == 16_000
    assert window(project="window = 16000\n[agent]\ncontext_budget = 15000\n") == 16_000
    assert window(project="[agent]\ncontext_budget = 15000\n", user="window = 16000\n") == 15_000
    assert window(user="[agent]\ncontext_budget = 15000\n") == 15_000


@pytest.mark.slow
def test_all_six_keys_of_the_seed_hold_in_the_user_s_file(run: Run, home: dict[str, str]) -> None:
    """Seed 001: "All new fields have sensible defaults"."""
    seed = {
        "context_budget": 100_000,
        "max_output_tokens": 4097,
        "compact_trigger": 0.94,
        "hard_block": 0.97,
        "result_offload_threshold": 4095,
        "tool_deferral_threshold": 0.11,
    }
    file = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    file.parent.mkdir()
    file.write_text("[agent]\n" + "".join(f"{key} = {value}\n" for key, value in seed.items()))
    done = run("doctor", "--json")
    checks = {check["name"]: check["value"] for check in json.loads(done.out)["checks"]}
    for line, (key, value) in enumerate(seed.items(), 2):
        assert checks[key] == f"{value}  ({file}:{line})"
