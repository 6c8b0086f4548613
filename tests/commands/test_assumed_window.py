"""Content passes on where the window is not known or a ledger cannot be used; answers are not given on a guess."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import Run

CHAT = b'[{"role": "user", "content": "hello"}]'
UNKNOWN = "ctxkit: warning: no model is named: a window of 32,768 tokens is assumed (--model NAME, CTXKIT_MODEL or --window N says how large it is)\n"
ASKED = "ctxkit: the window is not known\n  hint: give --model NAME or --window N, or set CTXKIT_MODEL\n"


def lines(number: int) -> bytes:
    return b"".join(b"%d\n" % row for row in range(1, number + 1))


def later(home, seconds: float) -> None:
    """Make what was said so many seconds older."""
    for note in Path(home["XDG_CACHE_HOME"], "ctxkit", "notices").iterdir():
        os.utime(note, (time.time() - seconds,) * 2)


@pytest.mark.slow
def test_the_first_command_of_a_newcomer_prints_a_map_and_one_line(run: Run) -> None:
    done = run("gate", stdin=lines(100_000))
    assert (done.status, done.err) == (0, UNKNOWN)
    assert done.out.startswith(b"# stdin (100,000 lines, ")
    assert b"ctxkit cache get " in done.out.splitlines()[-1]


@pytest.mark.parametrize(("name", "window"), [("", 32_768), ("qwen3-30", 32_768), ("house:7b", 8_192), ("x.gguf", 8_192)])
def test_gate_and_run_assume_a_window_and_say_so_in_their_object(run: Run, name: str, window: int) -> None:
    env = {"CTXKIT_MODEL": name} if name else {}
    gated = run("gate", "--json", stdin=b"text\n", env=env)
    ran = run("run", "--json", "--", "sh", "-c", "echo text; exit 3", env=env)
    assert (gated.status, ran.status) == (0, 3)
    for done in (gated, ran):
        found = json.loads(done.out)
        budget = found["budget"]
        assert (budget["window"], budget["assumed"], found["content"]) == (window, True, "text\n")


def test_an_unknown_name_suggests_the_nearest_in_the_one_line(run: Run) -> None:
    done = run("gate", "--model", "qwen3-30\x1b[31m", stdin=b"text\n")
    assert (done.status, done.out) == (0, b"text\n")
    assert done.err.startswith("ctxkit: warning: unknown model: qwen3-30\\x1b[31m: a window of 32,768 tokens is assumed (did you mean qwen3-30b")
    assert done.err.count("\n") == 1


@pytest.mark.slow
def test_it_is_said_once_an_hour_and_once_in_a_session(run: Run, home: dict[str, str]) -> None:
    assert [run("gate", stdin=b"text\n").err for _ in range(2)] == [UNKNOWN, ""]
    assert run("run", "--", "true").err == ""
    assert run("gate", "--model", "unheard-of", stdin=b"text\n").err != ""
    later(home, 3500)
    assert run("gate", stdin=b"text\n").err == ""
    later(home, 3700)
    assert run("gate", stdin=b"text\n").err == UNKNOWN
    assert [run("gate", "--session", "s", stdin=b"text\n").err for _ in range(2)] == [UNKNOWN, ""]
    later(home, 9000)
    assert run("gate", "--session", "s", stdin=b"text\n").err == ""
    assert run("gate", "--session", "t", stdin=b"text\n").err == UNKNOWN


def test_it_is_not_said_to_the_quiet_nor_counted_as_said(run: Run) -> None:
    assert run("gate", "-q", stdin=b"text\n").err == ""
    assert run("gate", stdin=b"text\n").err == UNKNOWN


@pytest.mark.parametrize("kind", ["file", "link"])
def test_what_cannot_be_remembered_is_said_again(run: Run, home: dict[str, str], tmp_path: Path, kind: str) -> None:
    place = Path(home["XDG_CACHE_HOME"], "ctxkit")
    if kind == "file":
        place.write_text("in the way")
    else:
        place.mkdir(mode=0o700)
        (place / "notices").symlink_to(tmp_path / "nowhere")
    for _ in range(2):
        done = run("gate", stdin=b"text\n")
        assert (done.status, done.out, done.err) == (0, b"text\n", UNKNOWN)


@pytest.mark.parametrize("more", [(), ("--force",), ("--session", "s")])
def test_compact_passes_its_input_unchanged(run: Run, more) -> None:
    done = run("compact", *more, stdin=CHAT)
    assert (done.status, done.out) == (0, CHAT)
    assert done.err.startswith("ctxkit: warning: no model is named: content passes unchanged (")
    assert done.err.count("\n") == 1
    assert run("session", "list").out == b""


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize(
    "args",
    [
        ("gate", "--check"),
        ("gate", "--check", "--session", "s"),
        ("session", "new"),
        ("gate", "--strict"),
        ("gate", "--strict", "--session", "s"),
        ("run", "--strict", "--", "true"),
        ("compact", "--strict"),
    ],
    ids=" ".join,
)
def test_an_answer_is_not_given_on_a_guess_nor_anything_strict(run, args) -> None:
    done = run(*args, stdin=CHAT)
    assert (done.status, done.out, done.err) == (2, b"", ASKED)
    done = run(*args, stdin=CHAT, env={"CTXKIT_MODEL": "qwen3-30"})
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("ctxkit: unknown model: qwen3-30\n  hint: did you mean qwen3-30b")


def test_what_needs_no_window_asks_for_none(run: Run) -> None:
    assert run("compact", "--check", stdin=CHAT).status == 0
    assert run("count", "--max", "10", stdin=b"text\n").status == 0
    assert run("count", "--max", "1", stdin=lines(9)).status == 1


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    "args",
    [
        ("gate", "--check"),
        ("gate", "--strict"),
        ("compact", "--window", "abc"),
        ("compact", "--used", "-1"),
        ("compact", "--reserve", "abc"),
        ("compact", "--stages", "abc"),
        ("compact", "--summarizer", "abc"),
        ("compact", "--low-water", "0.99"),
        ("compact", "--strict"),
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_said_before_anything_is_read(ctxkit: str, home: dict[str, str], args) -> None:
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
        done = subprocess.run([ctxkit, *args], stdin=endless.stdout, capture_output=True, env=home, timeout=20)
        endless.kill()
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"ctxkit: ")


# ---------------------------------------------------------------- sessions


def test_a_session_begun_without_a_window_is_booked_on_and_takes_the_window_once_it_is_known(run: Run) -> None:
    gate = ("gate", "--session", "s", "--json")
    first = json.loads(run(*gate, stdin=b"text\n").out)
    second = json.loads(run(*gate, "--model", "qwen3-8b", stdin=b"text\n").out)
    assert (first["budget"]["assumed"], first["budget"]["used"]) == (True, first["tokens"])
    assert (second["budget"]["window"], second["budget"]["used"]) == (40_960, first["tokens"] + second["tokens"])
    assert "assumed" not in second["budget"]
    status = json.loads(run("session", "status", "s", "--json").out)
    assert (status["window"], status["assumed"], status["items"]) == (32_768, True, 2)
    assert run("session", "append", "s", stdin=b'{"role": "user", "content": "hi"}').status == 0
    assert run("gate", "--session", "s", "--check", stdin=b"text\n").status == 2


@pytest.fixture
def broken(tmp_path: Path):
    """A data directory that cannot be used."""
    (tmp_path / "file").write_text("")
    return {"CTXKIT_DATA_DIR": str(tmp_path / "file" / "data")}


def test_a_ledger_that_cannot_be_used_lets_content_pass_and_is_said_once_in_a_session(run: Run, broken) -> None:
    gate = ("gate", "--session", "s", "--window", "900")
    first, again = (run(*gate, stdin=b"text\n", env=broken) for _ in range(2))
    assert (first.status, first.out, again.status, again.out) == (0, b"text\n", 0, b"text\n")
    assert first.err.startswith("ctxkit: warning: session s cannot be used, and its ledger is not charged: ")
    assert (first.err.count("\n"), again.err) == (1, "")
    assert run("gate", "--session", "t", "--window", "900", stdin=b"text\n", env=broken).err.count("\n") == 1


def test_neither_a_ledger_nor_a_window_is_one_line(run: Run, broken) -> None:
    done = run("gate", "--session", "s", "--json", stdin=b"text\n", env=broken)
    assert (done.status, json.loads(done.out)["budget"]["assumed"]) == (0, True)
    assert done.err.startswith("ctxkit: warning: session s cannot be used, and its ledger is not charged: ")
    assert "; no model is named: a window of 32,768 tokens is assumed (" in done.err
    assert done.err.count("\n") == 1
    done = run("compact", "--session", "s", stdin=CHAT, env=broken)
    assert (done.status, done.out, done.err.count("\n")) == (0, CHAT, 1)
    done = run("cache", "get", __file__, "--lines", "1", "--gate", "--session", "t", env=broken)
    assert (done.status, done.err.count("\n")) == (0, 1)


@pytest.mark.parametrize("more", [("--check",), ("--strict",)])
def test_a_ledger_that_cannot_be_used_is_no_base_for_an_answer(run: Run, tmp_path: Path, more) -> None:
    (tmp_path / "data" / "ctxkit.db").mkdir(parents=True)
    unreadable = {"CTXKIT_DATA_DIR": str(tmp_path / "data")}
    done = run("gate", "--session", "s", "--window", "900", *more, stdin=b"text\n", env=unreadable)
    assert (done.status, done.out) == (74, b"")
    assert "ctxkit.db: unable to open database file" in done.err


@pytest.mark.slow
def test_a_python_without_sqlite_lets_content_pass(home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "sqlite3.py").write_text("raise ImportError('not built')")
    env = {**home, "PYTHONPATH": str(tmp_path)}
    for args, status in ((("gate",), 0), (("run",), 3)):
        command = [sys.executable, "-m", "ctxkit", *args, "--session", "s", "--window", "900"]
        command += ["--", "sh", "-c", "echo text; exit 3"] if args == ("run",) else []
        done = subprocess.run(command, input=b"text\n", capture_output=True, env=env)
        assert (done.returncode, done.stdout) == (status, b"text\n"), done.stderr
        assert b"Traceback" not in done.stderr


# ---------------------------------------------------------------- no home


@pytest.mark.parametrize("args", [("gate",), ("compact",), ("gate", "--window", "900"), ("gate", "--session", "s")])
def test_without_a_home_directory_content_passes(ctxkit: str, tmp_path: Path, args) -> None:
    (tmp_path / "file").write_text("")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "file" / "home")}
    done = subprocess.run([ctxkit, *args], input=CHAT, capture_output=True, env=env, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, CHAT), done.stderr
    assert os.listdir(tmp_path) == ["file"]


def test_without_a_home_directory_a_command_runs_and_its_status_stands(ctxkit: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "file" / "home")}
    command = [ctxkit, "run", "--session", "s", "--", "sh", "-c", "echo text; exit 3"]
    done = subprocess.run(command, capture_output=True, env=env, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, b"text\n"), done.stderr


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_fault_of_ours_does_not_keep_a_command_from_running(home: dict[str, str], tmp_path: Path, more) -> None:
    """A core module that cannot be imported stands in for whatever may be wrong with an installation."""
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['ctxkit.core.models.model_aliases'] = None\n")
    env = {**home, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "ctxkit", "run", "--model", "unheard of", *more, "--", "sh", "-c", "echo text; exit 3"]
    done = subprocess.run(command, capture_output=True, env=env)
    assert done.returncode == 3, done.stderr
    assert (json.loads(done.stdout)["content"] if more else done.stdout.decode()) == "text\n"
    assert done.stderr.startswith(b"ctxkit: warning: the output passes unchanged: ")
