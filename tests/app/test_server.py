"""What a process of the server answers, in this process and without a socket."""

import json
import os
from pathlib import Path

import pytest

from ctxkit.app.server import answer_call, load_for_calls
from ctxkit.main import cli
from tests.edge.test_call_process import run_forked


@pytest.fixture(scope="module", autouse=True)
def _load() -> None:
    load_for_calls(("qwen3",))


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path / name))


def answer(stdin: bytes = b"", **call) -> tuple[int, bytes, bytes]:
    whole = {"directory": "", "variables": "", **call}
    return run_forked(lambda: answer_call(cli, whole, lambda: None), stdin)


def test_a_command_is_run() -> None:
    status, out, err = answer(b"one two\n", arguments=["count", "--tokenizer=qwen3", "--json"])
    assert (status, err) == (0, b"")
    assert json.loads(out)["tokens"] == 3


@pytest.mark.slow
def test_variables_and_the_directory_choose_the_settings(tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text('model = "qwen3-30b"\n')
    (tmp_path / ".git").mkdir()
    arguments = ["gate", "--json"]
    assert json.loads(answer(b"x", arguments=arguments, directory=str(tmp_path))[1])["tokenizer"] == "qwen3"
    assert json.loads(answer(b"x", arguments=arguments, variables="CTXKIT_MODEL=gpt-5")[1])["tokenizer"] == "o200k"


def test_an_error_is_a_status_and_a_line() -> None:
    status, out, err = answer(arguments=["gate", "--window=0"])
    assert (status, out) == (2, b"")
    assert err.startswith(b"ctxkit: ")
    assert b"ctxkit gate --help\n" in err


def test_a_text_is_counted() -> None:
    assert answer("one two ö".encode(), work="count", parameters={"vocabulary": "qwen3"}) == (0, b'{"tokens":3}\n', b"")


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    ("work", "vocabulary", "message"),
    [("run", "qwen3", b"unknown work"), ("count", "claude", b"is not a vocabulary"), ("count", "bytes/3", b"is not a vocabulary"), ("count", "xyzzy", b"is not a vocabulary")],
)
def test_other_work_is_refused(work: str, vocabulary: str, message: bytes) -> None:
    status, out, err = answer(b"x", work=work, parameters={"vocabulary": vocabulary})
    assert (status, out) == (2, b"")
    assert message in err


def test_what_is_loaded_is_not_loaded_again() -> None:
    def load_again() -> int:
        import sys

        before = set(sys.modules)
        answer_call(cli, {"directory": "", "variables": "", "arguments": ["gate", "--tokenizer=qwen3", "--window=9000", "--json"]}, lambda: None)
        os.write(2, json.dumps(sorted(name for name in set(sys.modules) - before if name.startswith("ctxkit.core.brief"))).encode())
        return 0

    assert run_forked(load_again, b"short")[2] == b"[]"


def test_a_call_reports_the_session_that_it_uses_before_it_does(tmp_path: Path) -> None:
    mark = tmp_path / "reported"

    def report() -> None:
        mark.write_text("late" if list(tmp_path.glob("XDG_DATA_HOME/*")) else "in time")

    def run(*arguments: str, variables: str = "") -> bool:
        mark.unlink(missing_ok=True)
        call = {"directory": "", "variables": variables, "arguments": [*arguments, "--tokenizer=qwen3", "--json"]}
        assert run_forked(lambda: answer_call(cli, call, report), b"text")[0] == 0
        return mark.exists()

    assert run("gate", "--window=9000", variables="CTXKIT_SESSION=s1")
    assert mark.read_text() == "in time"
    assert not any(run(*arguments) for arguments in (["gate", "--window=9000"], ["count"], ["brief"]))
