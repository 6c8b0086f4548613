"""Under settings that are wrong a filter passes content on, and what answers a question does not guess."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.core.compact.sizes import working, written

FAULTS = {
    "unknown": "windwo = 10",
    "wrong": 'window = "many"',
    "no TOML": "window = = 3",
    "unknown in agent": "[agent]\ncontext_budgte = 4",
    "of a model": "[models.a]\nwindow = 1.5",
}
OF_USER = {
    **FAULTS,
    "tokenizer": 'tokenizer = "nope"',
    "tokenizer file": 'tokenizer = "/none/t.json"',
    "hint": 'hint = "{nope}"',
    "reserve": 'reserve = "much"',
    "reserve too large": "reserve = 5000",
    "session": 'session = "a/b"',
    "store": 'store = "http://user:secret@host"',
    "trusted": 'trusted = ["src"]',
}
SIZE = {"CTXKIT_WINDOW": "4000"}


@pytest.fixture
def config(home: dict[str, str]) -> Path:
    file = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    file.parent.mkdir()
    return file


@pytest.mark.parametrize("fault", FAULTS)
def test_content_passes_with_one_warning_an_hour(run: Run, tmp_path: Path, fault: str) -> None:
    (tmp_path / ".ctxkit.toml").write_text(FAULTS[fault] + "\n")
    done = run("gate", stdin="x", cwd=tmp_path, env=SIZE)
    assert (done.status, done.out) == (0, b"x")
    assert [line.startswith(f"ctxkit: warning: {tmp_path}/.ctxkit.toml:") for line in done.err.splitlines()] == [True]
    assert "default is used" in done.err
    again = run("run", "--", "echo", "x", cwd=tmp_path, env=SIZE)
    assert (again.status, again.out, again.err) == (0, b"x\n", "")


@pytest.mark.quick_cases(7)
@pytest.mark.parametrize("fault", OF_USER)
def test_so_it_does_under_the_user_s_own_file(run: Run, config: Path, fault: str) -> None:
    config.write_text(OF_USER[fault] + "\n")
    done = run("gate", stdin="x", env=SIZE)
    assert (done.status, done.out, len(done.err.splitlines())) == (0, b"x", 1)
    assert "secret" not in done.err
    strict = run("gate", "--strict", stdin="x", env=SIZE)
    assert (strict.status, strict.out) == (78, b"")
    assert "secret" not in strict.err


def test_it_is_said_once_in_a_session_and_never_if_quiet(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text("windwo = 10\n")
    assert run("gate", "-q", stdin="x", cwd=tmp_path, env=SIZE).err == ""
    assert [bool(run("gate", "--session", name, stdin="x", cwd=tmp_path, env=SIZE).err) for name in "aabab"] == [
        True, False, True, False, False,
    ]  # fmt: skip


def test_several_faults_are_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text("windwo = 10\nreserv = 1\nkeep = 3\n")
    done = run("gate", stdin="x", cwd=tmp_path, env=SIZE)
    assert done.err.count("\n") == 1
    assert "and 2 more" in done.err


def test_a_conversation_passes_the_compaction(run: Run, tmp_path: Path) -> None:
    chat = written("openai", *working(4, 5))
    for text, lines in (("windwo = 10\n", 1), ("low_water = 0.9\ncompact_trigger = 0.5\n", 2)):  # a limit, and a conflict
        (tmp_path / ".ctxkit.toml").write_text(text)
        done = run("compact", "--window", "200000", stdin=chat, cwd=tmp_path)
        assert (done.status, done.out, len(done.err.splitlines())) == (0, chat, lines)
        assert run("compact", "--window", "200000", "--strict", stdin=chat, cwd=tmp_path).status == 78


def test_an_unknown_summarizer_is_the_default_one(run: Run, config: Path) -> None:
    config.write_text('summarizer = "magic"\n')
    chat = written("openai", *working(24, 25))
    sized = ("--window", "2048", "--tokenizer", "o200k", "--force")
    done = run("compact", *sized, stdin=chat)
    assert done.status == 0
    assert done.err.startswith(f"ctxkit: warning: {config}:1: unknown summarizer: magic; the default is used\n")
    assert done.out == run("compact", *sized, "--summarizer", "extract", stdin=chat).out
    assert run("compact", *sized, "--summarizer", "magic", stdin=chat).status == 2


def test_stored_content_is_read_back(run: Run, tmp_path: Path) -> None:
    ref = run("cache", "put", stdin="x").out.decode().strip()
    (tmp_path / ".ctxkit.toml").write_text("windwo = 10\n")
    assert run("cache", "get", ref, cwd=tmp_path).out == b"x"
    done = run("cache", "get", ref, "--gate", "--window", "900", cwd=tmp_path)
    assert (done.status, done.out) == (0, b"x")


@pytest.mark.parametrize(
    "args",
    [("gate", "--check"), ("count", "--max", "5"), ("session", "new"), ("compact", "--check"), ("dedupe", "."), ("brief",)],
)
def test_what_answers_a_question_does_not_guess(run: Run, tmp_path: Path, args: tuple[str, ...]) -> None:
    (tmp_path / ".ctxkit.toml").write_text('window = "many"\n')
    done = run(*args, stdin="x", cwd=tmp_path, env={"CTXKIT_MODEL": "qwen3-8b"})
    assert (done.status, done.out) == (78, b"")
    assert done.err.startswith(f"ctxkit: {tmp_path}/.ctxkit.toml:1: window = 'many' is not a whole number")


@pytest.mark.slow
def test_nothing_that_a_file_says_reaches_the_terminal(run: Run, tmp_path: Path) -> None:
    text = '"a\\u001b[2Jb" = 1\nmodel = ["\\u001b[31m\\u202e"]\n[models."\\u001b[5m"]\nx = 1\n'
    (tmp_path / ".ctxkit.toml").write_text(text + '[lint]\n"\\u001b]0;" = 3\n')
    (tmp_path / "good").mkdir()
    (tmp_path / "good" / ".ctxkit.toml").write_text('model = "\\u001b[7m"\n[models."\\u001b[5m"]\nwindow = 4\n')
    done = run("doctor", cwd=tmp_path / "good")
    assert all(name in done.out.decode() for name in ("\\x1b[7m", "\\x1b[5m"))
    assert b"\x1b" not in done.out
    for args in (("gate",), ("gate", "--strict"), ("count",), ("trust",)):
        done = run(*args, stdin="x", cwd=tmp_path, env=SIZE)
        assert not {"\x1b", "\u202e", "\x07"} & {*done.err, *done.out.decode()}, args


NOBODY = "import sys; sys.modules['pwd'] = None; from ctxkit.main import main; main(sys.argv[1:])"
"""ctxkit for a user whom no database knows, as in a container that is started under any number."""


@pytest.mark.slow
@pytest.mark.parametrize("home_of", ["relative", None])
def test_without_a_home_content_passes_and_nothing_of_the_project_is_taken_for_the_user_s(
    home: dict[str, str], tmp_path: Path, home_of: str | None
) -> None:
    environ = {name: value for name, value in home.items() if not name.startswith("XDG_") and name != "HOME"}
    environ |= {} if home_of is None else {"HOME": home_of}
    project = tmp_path / "project"
    for folder in ("~/.config/ctxkit", "relative/.config/ctxkit", ".config/ctxkit"):
        (project / folder).mkdir(parents=True)
        (project / folder / "config.toml").write_text(f'events = "{project}/log"\ntrusted = ["{project}"]\n')
    content = b"a line of a long output\n" * 900
    for args in (("--window", "900000"), ("--window", "900"), ("--window", "9000", "--session", "s")):
        command = [sys.executable, "-c", NOBODY, "gate", *args]
        done = subprocess.run(command, input=content, capture_output=True, env=environ, cwd=project)
        assert done.returncode == 0, done.stderr
        assert done.stdout
    assert sorted(os.listdir(project)) == [".config", "relative", "~"]
    assert os.listdir(project / "relative") == os.listdir(project / "~") == [".config"]


KEY = b"ghp_Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaE"


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        ("redact = true\nwindow = = 3", {}), ('redact = "ture"', {}), ("never_store = 3", {}), ("store = 1.5", {}), ("redcat = true", {}),
        ("", {"CTXKIT_REDACT": "ja"}), ("", {"CTXKIT_STORE": "maybe"}),
    ],
)  # fmt: skip
def test_protection_that_cannot_be_read_is_the_strictest_in_each_call(
    run: Run, home: dict[str, str], config: Path, text: str, variables: dict[str, str]
) -> None:
    config.write_text(f"{text}\n")
    env = {**home, **variables}
    for _ in range(2):
        done = run("gate", "--window", "4000", stdin=KEY + b" end\n", env=env)
        assert (done.status, done.out) == (0, b"[redacted: github token] end\n")
        assert done.err.count("until this is corrected, content is redacted and not stored") == 1
    run("gate", "--window", "600", stdin=b"line of words\n" * 2000, env=env)
    assert [path for path in Path(home["XDG_CACHE_HOME"]).rglob("*") if path.is_file() and "blobs" in path.parts] == []
    assert run("gate", "--window", "4000", "--strict", stdin=KEY, env=env).status == 78


def test_a_fault_of_a_project_does_not_change_protection(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text('redact = "ture"\n')
    done = run("gate", stdin=KEY, cwd=tmp_path, env=SIZE)
    assert done.out == KEY
