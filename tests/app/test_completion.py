"""The values that completion scripts ask for: quick, printable, safe in a shell, and without errors."""

import json
import os
import statistics
from pathlib import Path

import pytest

KINDS = ("models", "refs", "sessions")
MOST_SECONDS = 0.05
"""What the answer may take beyond the start of the program."""


def values_of(done) -> list[str]:
    assert (done.status, done.err) == (0, "")
    return [line.partition("\t")[0] for line in done.out.decode().splitlines()]


def test_models_are_those_of_the_settings_and_those_that_are_known(run, home) -> None:
    folder = Path(home["XDG_CONFIG_HOME"]) / "ctxkit"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text('[models."house-7b"]\nwindow = 24576\n')
    done = run("_complete", "models", "")
    assert {"house-7b", "qwen3-30b-a3b"} <= set(values_of(done))
    assert b"house-7b\t24,576 tokens\n" in done.out


def test_models_of_the_own_table_are_listed(run) -> None:
    assert run("models", "update", "-", stdin=b'[{"id": "acme/own-3b", "context_length": 24576}]').status == 0
    assert any("own-3b" in name for name in values_of(run("_complete", "models", "")))


def test_refs_have_the_names_of_their_content(run) -> None:
    ref = run("cache", "put", "--name", "the\x1b[31m log", "--tool", "shell", stdin=b"a\n").out.decode().strip()
    done = run("_complete", "refs", ref[:4])
    assert values_of(done) == [ref]
    assert b"\x1b" not in done.out
    assert b"shell the\\x1b[31m log" in done.out
    assert values_of(run("_complete", "refs", "x")) == []


def test_a_longer_prefix_of_a_ref_gets_all_its_digits(run) -> None:
    ref = run("cache", "put", "--json", stdin=b"a\n").out
    whole = json.loads(ref)["sha256"]
    assert values_of(run("_complete", "refs", whole[:20])) == [whole]


def test_sessions_come_newest_first(run) -> None:
    for name in ("first", "second", "nightly:3"):
        assert run("session", "new", name, "--window", "8192").status == 0
    assert values_of(run("_complete", "sessions", "")) == ["nightly:3", "second", "first"]
    assert values_of(run("_complete", "sessions", "se")) == ["second"]


@pytest.mark.parametrize("kind", [*KINDS, "unheard-of"])
def test_nothing_is_printed_and_nothing_written_where_there_is_nothing(run, home, kind: str) -> None:
    done = run("_complete", kind, "zzz")
    assert (done.out, done.err) == (b"", "")
    assert not (Path(home["XDG_DATA_HOME"]) / "ctxkit").exists()


@pytest.mark.parametrize("words", [(), ("refs",), ("sessions", "", "more")])
def test_any_words_are_answered_in_silence(run, words) -> None:
    done = run("_complete", *words)
    assert (done.out, done.err) == (b"", "")


def test_a_damaged_database_and_wrong_settings_are_answered_in_silence(run, home) -> None:
    folder = Path(home["XDG_DATA_HOME"]) / "ctxkit"
    folder.mkdir(parents=True)
    (folder / "ctxkit.db").write_bytes(b"not a database" * 100)
    for kind in KINDS:
        done = run("_complete", kind, "zzz", env={"CTXKIT_WINDOW": "wide"})
        assert (done.out, done.err) == (b"", "")
    assert os.listdir(folder) == ["ctxkit.db"]


def test_a_project_cannot_put_commands_into_a_line(run, tmp_path: Path) -> None:
    names = ("$(touch evil)", "`touch evil`", "a b", "x;y", "-x", "red\x1b[31m", "new\nline", "fine-1")
    tables = "".join(f"[models.{name!r}]\nwindow = 4096\n" for name in names if "\n" not in name and "\x1b" not in name)
    (tmp_path / ".ctxkit.toml").write_text(tables)
    listed = values_of(run("_complete", "models", "", cwd=tmp_path))
    assert "fine-1" in listed
    assert not set(listed) & set(names[:-1])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_takes_fifty_milliseconds_beyond_the_start(run_installed, kind: str) -> None:
    for number in range(3):
        run_installed("session", "new", f"s{number}", "--window", "8192")
        run_installed("cache", "put", stdin=f"{number}\n".encode())

    def measure(*words: str) -> float:
        """Return seconds of processor time, which others on this machine change little."""
        before = os.times()
        run_installed(*words)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    differences = [measure("_complete", kind, "") - measure("--version") for _ in range(9)]
    assert statistics.median(differences) < MOST_SECONDS
