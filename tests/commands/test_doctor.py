import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ctxkit.edge.settings import KEYS
from tests.conftest import Run
from tests.redis_servers import run_server

TOPICS = ["program", "engines", "store", "directories", "settings", "extras", "summaries"]


QUICK = """
import sys
from ctxkit.app import checkup
from ctxkit.main import main
checkup.VOCABULARIES = {"bytes/3": checkup.VOCABULARIES["bytes/3"]}
main(["doctor", *sys.argv[1:]])
"""
"""A doctor that loads the smallest vocabulary alone, which takes a third of the time."""


@pytest.fixture
def quick(home: dict[str, str]):
    """Run doctor with a single vocabulary."""

    def ran(*args, cwd=home["HOME"], env=None):
        command = [sys.executable, "-c", QUICK, *args]
        return subprocess.run(command, env={**home, **(env or {})}, cwd=cwd, capture_output=True)

    return ran


@pytest.fixture
def asked(quick):
    """Run doctor and return its status and its checks by name."""

    def ask(**options):
        ran = quick("--json", **options)
        assert ran.stderr == b""
        answer = json.loads(ran.stdout)
        assert answer["well"] is (ran.returncode == 0)
        return ran.returncode, {check["name"]: check for check in answer["checks"]}

    return ask


def bad(checks):
    return {name for name, check in checks.items() if check["state"] == "bad"}


@pytest.mark.slow
def test_a_user_who_has_never_run_it_is_well_and_nothing_is_made(run: Run, home: dict[str, str]) -> None:
    ran = run("doctor")
    lines = ran.out.decode().splitlines()
    assert (ran.status, ran.err) == (0, "")
    assert [line for line in lines if line in TOPICS] == TOPICS
    assert lines[-1] == "no problems found"
    assert "\x1b" not in ran.out.decode()
    assert [name for _, _, names in os.walk(os.path.dirname(home["HOME"])) for name in names] == []


def test_every_setting_is_shown_with_its_source(asked, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text('model = "qwen3-8b"\n[models.mine]\nwindow = 9000\n')
    status, checks = asked(cwd=tmp_path, env={"CTXKIT_RESERVE": "10%"})
    assert status == 0
    assert set(KEYS) <= set(checks)
    assert checks["model"]["value"] == f"qwen3-8b  ({tmp_path / '.ctxkit.toml'}:1)"
    assert checks["reserve"]["value"] == "10%  (CTXKIT_RESERVE)"
    assert checks["hint"]["value"] == "ctxkit  (default)"
    assert checks["models.mine.window"]["value"] == f"9000  ({tmp_path / '.ctxkit.toml'}:3)"
    assert checks["in use"]["value"] == "model qwen3-8b, window 40,960, reserve 4,096, tokenizer qwen3 (exact)"


@pytest.mark.slow
def test_settings_that_cannot_be_understood_are_shown_and_the_rest_goes_on(asked, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text('modle = "opus"\nwindow = 8192\n')
    status, checks = asked(cwd=tmp_path, env={"CTXKIT_WINDW": "1"})
    assert status == 1
    assert bad(checks) == {"wrong", "CTXKIT_WINDW"}
    assert checks["wrong"]["value"] == f"{tmp_path / '.ctxkit.toml'}:1: unknown setting 'modle'"
    assert checks["wrong"]["hint"] == "did you mean model?"
    assert checks["CTXKIT_WINDW"]["hint"] == "did you mean CTXKIT_WINDOW?"
    assert checks["window"]["value"].startswith("8192 ")


@pytest.mark.slow
def test_broken_toml_is_a_line_of_its_own_and_one_thing_to_see_to(quick, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text("window = = 1\n")
    ran = quick(cwd=tmp_path)
    lines = ran.stdout.decode().splitlines()
    (wrong,) = (line for line in lines if line.startswith("!"))
    assert wrong.split(maxsplit=2)[:2] == ["!", "wrong"]
    assert f"{tmp_path / '.ctxkit.toml'}:1: " in wrong
    assert (ran.returncode, lines[-1]) == (1, "1 problem found")


@pytest.mark.slow
def test_a_directory_that_cannot_be_used_and_a_model_that_nobody_knows_need_the_user(asked, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = str(tmp_path / "file" / "below")
    status, checks = asked(env={"CTXKIT_CACHE_DIR": place, "CTXKIT_MODEL": "qwen3-31b"})
    assert (status, bad(checks)) == (1, {"cache", "in use"})
    assert checks["in use"]["hint"].startswith("did you mean qwen3-")
    assert checks["cache"]["value"].endswith(f"{tmp_path / 'file'} is not a directory")


@pytest.mark.slow
def test_what_is_stored_is_counted_and_a_damaged_database_is_told_and_left_alone(run: Run, asked, home: dict[str, str]) -> None:
    run("cache", "put", stdin=b"x" * 2048)
    status, checks = asked()
    assert (status, checks["content"]["value"]) == (0, "1 blob, 2.0 KB; ctxkit cache verify hashes each")
    assert checks["database"]["value"].endswith(", sound")
    database = os.path.join(home["XDG_DATA_HOME"], "ctxkit", "ctxkit.db")
    for name in os.listdir(os.path.dirname(database)):
        os.unlink(os.path.join(os.path.dirname(database), name))
    with open(database, "wb") as file:
        file.write(b"no database at all " * 99)
    status, checks = asked()
    assert (status, bad(checks)) == (1, {"database"})
    assert "not a database" in checks["database"]["value"]
    with open(database, "rb") as file:
        assert file.read() == b"no database at all " * 99


@pytest.mark.slow
def test_without_splintr_it_still_runs_and_says_what_to_install(home: dict[str, str]) -> None:
    code = "import sys; sys.modules['splintr'] = None; from ctxkit.main import main; main(['doctor', '--json'])"
    done = subprocess.run([sys.executable, "-c", code], env=home, capture_output=True)
    checks = json.loads(done.stdout)["checks"]
    wrong = [check for check in checks if check["state"] == "bad"]
    assert done.returncode == 1
    assert {check["name"] for check in wrong} == {"splintr-rs", "vocabularies"}
    assert all("splintr" in check["hint"] for check in wrong)


@pytest.mark.slow
def test_it_runs_without_a_home(quick) -> None:
    ran = quick(env={"HOME": "", "XDG_CACHE_HOME": "", "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": ""}, cwd="/")
    assert ran.returncode in (0, 1)
    assert ran.stderr == b""


WRONG_VALUES = [
    ("CTXKIT_TOKENIZER", "o20k", "tokenizer: unknown tokenizer: o20k"),
    ("CTXKIT_TOKENIZER", "/nowhere/tokenizer.json", "/nowhere/tokenizer.json"),
    ("CTXKIT_RESERVE", "120%", "reserve: '120%'"),
    ("CTXKIT_HINT", "{nothing}", "hint: {nothing}"),
    ("CTXKIT_SESSION", "a/b", "session: 'a/b' is not the name of a session"),
    ("CTXKIT_SUMMARIZER", "extrakt", "summarizer: unknown summarizer: extrakt"),
    ("CTXKIT_EVENTS", "/nowhere/events.jsonl", "events: /nowhere is not a directory"),
    ("CTXKIT_WINDOW", "wide", "CTXKIT_WINDOW: window = 'wide' is not a whole number"),
    ("CTXKIT_STORE", "radis://x", "CTXKIT_STORE: store = 'radis://x'"),
    ("CTXKIT_STRICT", "perhaps", "CTXKIT_STRICT: strict = 'perhaps'"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("variable", "value", "message"), WRONG_VALUES)
def test_a_variable_with_a_value_that_nothing_can_use_is_a_problem(asked, variable: str, value: str, message: str) -> None:
    status, checks = asked(env={variable: value})
    assert (status, bad(checks)) == (1, {"wrong"})
    assert message in checks["wrong"]["value"]
    assert variable in checks["wrong"]["value"]
    assert checks["wrong"]["hint"]


@pytest.mark.slow
def test_a_store_that_does_not_answer_is_a_problem_and_nothing_is_made(asked, home: dict[str, str]) -> None:
    pytest.importorskip("redis")
    with socket.create_server(("127.0.0.1", 0)) as mute:
        silent = f"redis://me:secret@127.0.0.1:{mute.getsockname()[1]}"
        for url in ("redis://127.0.0.1:1", silent):
            started = time.monotonic()
            status, checks = asked(env={"CTXKIT_STORE": url})
            assert time.monotonic() - started < 20
            assert (status, bad(checks)) == (1, {"shared store"})
            assert checks["shared store"]["value"].startswith("redis://127.0.0.1:")
            assert "secret" not in checks["shared store"]["value"]
    assert [name for _, _, names in os.walk(os.path.dirname(home["HOME"])) for name in names] == []


@pytest.mark.slow
def test_a_store_that_answers_is_well(asked) -> None:
    with run_server() as server:
        status, checks = asked(env={"CTXKIT_STORE": server.url})
    assert (status, checks["shared store"]["state"]) == (0, "ok")
    assert checks["shared store"]["value"].startswith(f"redis://127.0.0.1:{server.port}/0: answers in ")


@pytest.mark.slow
def test_a_socket_without_a_server_is_a_problem(asked, home: dict[str, str], tmp_path: Path) -> None:
    dead, missing, file = (str(tmp_path / name) for name in ("dead.sock", "missing.sock", "file.sock"))
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(dead)
    Path(file).write_text("")
    for path, why in ((dead, "no server answers"), (missing, "does not exist"), (file, "no server answers")):
        status, checks = asked(env={"CTXKIT_SERVER": path})
        assert (status, bad(checks)) == (1, {"socket"})
        assert why in checks["socket"]["value"]
    status, checks = asked()
    assert (status, "socket" in checks) == (0, False)


@pytest.mark.slow
def test_a_socket_left_at_the_default_place_is_a_problem(asked, home: dict[str, str], tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "ctxkit.sock"))
    status, checks = asked(env={"XDG_RUNTIME_DIR": str(tmp_path)})
    assert (status, bad(checks)) == (1, {"socket"})
    assert asked(env={"XDG_RUNTIME_DIR": str(tmp_path), "CTXKIT_SERVER": "off"})[0] == 0


@pytest.mark.slow
def test_a_database_of_a_newer_version_is_a_problem(run: Run, asked, home: dict[str, str]) -> None:
    run("cache", "put", stdin=b"x")
    with sqlite3.connect(os.path.join(home["XDG_DATA_HOME"], "ctxkit", "ctxkit.db")) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    status, checks = asked()
    assert (status, bad(checks)) == (1, {"database"})
    assert "made by a newer ctxkit (version 99, this one knows" in checks["database"]["value"]


def test_a_host_that_is_not_installed_is_an_error_with_a_hint(run: Run) -> None:
    done = run("doctor", "codex", env={"PATH": "/nowhere"})
    assert (done.status, done.out) == (69, b"")
    assert done.err == "ctxkit: codex is not on PATH\n  hint: npm install -g @openai/codex\n"


def test_a_host_without_a_trial_is_an_error(run: Run) -> None:
    assert run("doctor", "qwen").status == 2
