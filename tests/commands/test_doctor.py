import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ctxkit.edge.settings import KEYS
from tests.conftest import Run

TOPICS = ["program", "engines", "store", "directories", "settings", "extras", "summaries"]


QUICK = """
import sys
from ctxkit.engines.checkup import vocabularies
from ctxkit.main import main
vocabularies.VOCABULARIES = {"bytes/3": vocabularies.VOCABULARIES["bytes/3"]}
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


def test_a_host_that_is_not_installed_is_an_error_with_a_hint(run: Run) -> None:
    done = run("doctor", "codex", env={"PATH": "/nowhere"})
    assert (done.status, done.out) == (69, b"")
    assert done.err == "ctxkit: codex is not on PATH\n  hint: npm install -g @openai/codex\n"


def test_a_host_without_a_trial_is_an_error(run: Run) -> None:
    assert run("doctor", "qwen").status == 2
