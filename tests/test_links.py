"""A symbolic link in place of a file or folder of ctxkit's own: no command reads, changes or removes what it leads to."""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Ran, Run

SESSION = "abc"
LONG_AGO = time.time() - 40 * 86_400
TEXT = b"".join(b"line %d of the report holds %d\n" % (row, row * 7919 % 1000) for row in range(4000))
CHAT = [{"role": ("user", "assistant")[n % 2], "content": f"Step {n} of src/a.py. " * 30} for n in range(40)]
MESSAGE = '{"role": "user", "content": "hello"}\n'
WINDOW = ("--window", "3000", "--tokenizer", "bytes/3")
PLACES = [
    *("cache/blobs", "cache/blobs/*", "cache/blobs/*/*", "cache/clashes", "cache/damaged", "cache/marks", "cache/marks/*", "cache/marks/*/*", "cache/tidied"),
    *("cache/notices", "cache/notices/*", "cache/search.db", "cache/taking", "cache/vocabularies", "cache/servers"),
    *("cache/search.db-wal", "cache/search.db-shm", "cache/search.db-journal"),
    *("data/ctxkit.db", "data/ctxkit.db-wal", "data/ctxkit.db-shm", "data/ctxkit.db-journal", "data/unshared"),
    *("data/histories", "data/histories/s.jsonl", "data/histories/s.times", "data/notices"),
    *("data/histories/s.removing", "data/histories/s.removed"),
    *("data/hosts", "data/hosts/directories.json", "data/hosts/codex", "data/hosts/codex/hook", "data/hosts/codex/setup.json"),
    *("data/hosts/pages", "data/hosts/pages/codex", f"data/hosts/pages/codex/{SESSION}.md", f"data/hosts/pages/{SESSION}.md"),
    *("data/hosts/claude-code", "data/hosts/claude-code/kept", f"data/hosts/claude-code/kept/{SESSION}"),
    "data/hosts/claude-code/setup.json",
    "config/models.jsonl",
]
"""What ctxkit keeps in its directories; a star is the first name there."""


@pytest.fixture
def places(home: dict[str, str]) -> dict[str, Path]:
    return {kind: Path(home[f"XDG_{kind.upper()}_HOME"], "ctxkit") for kind in ("cache", "data", "config")}


@pytest.fixture
def call(run: Run, home: dict[str, str]) -> Callable[..., Ran]:
    """Run a command in the session of a host; it may not crash, and needs no second."""
    Path(home["HOME"], "t.json").write_text(json.dumps(CHAT))

    def run_command(words: str, stdin: bytes | str = b"", statuses: tuple[int, ...] = (0,)) -> Ran:
        ran = run(*(word.replace("\t", " ") for word in words.split(" ")), stdin=stdin, env={"CLAUDE_CODE_SESSION_ID": SESSION, "SHELL": "/bin/sh"})
        assert "Traceback" not in ran.err
        assert ran.status in statuses, (words, ran)
        return ran

    return run_command


def make_event(home: dict[str, str], name: str) -> str:
    return json.dumps(
        {"hook_event_name": name, "session_id": SESSION, "transcript_path": f"{home['HOME']}/t.json", "cwd": "/", "source": "compact"}
    )


def use_all(call: Callable[..., Ran], home: dict[str, str]) -> None:
    """Run what stores, records and counts."""
    filters = (
        f"gate {' '.join(WINDOW)} --session s",
        f"run {' '.join(WINDOW)} -- seq 9000",
        "shell --host claude-code -c seq\t20000",
    )
    for words in filters:
        ran = call(words, stdin=TEXT)
        assert 0 < len(ran.out) < 30_000, words
    assert call("hook codex", stdin=make_event(home, "PreCompact")).out == b""
    call("hook codex", stdin=make_event(home, "SessionStart"))
    call("gate --model unheard-of", stdin=b"small\n")


def change_all(call: Callable[..., Ran]) -> None:
    """Run what writes to histories, snapshots, the index and the table of models; a link may be why one cannot."""
    for words in ("session append s", "snapshot save s", "cache put"):
        call(words, stdin=MESSAGE, statuses=(0, 74))
    call("cache search report", statuses=(0, 1, 74))
    call("models update -", stdin='[{"id": "mine", "context_length": 9000}]')
    call("snapshot rm s", statuses=(0, 1, 74))
    call("session rm s", statuses=(0, 1, 74))


def remove_all(call: Callable[..., Ran]) -> None:
    call("cache gc --max-age 0s", statuses=(0, 74))
    call("cache rm --all --yes", statuses=(0, 74))
    for host in ("claude-code", "codex"):
        call(f"init {host} --remove --yes")
    call("doctor --purge --yes", statuses=(0, 1))


def fill(call: Callable[..., Ran], home: dict[str, str]) -> None:
    for host in ("claude-code", "codex"):
        call(f"init {host} --yes")
    call(f"session new s {' '.join(WINDOW)}")
    use_all(call, home)
    for words in ("session append s", "snapshot save s"):
        call(words, stdin=MESSAGE)
    call("cache search report")
    call("models update -", stdin='[{"id": "other", "context_length": 9000}]')


def read_tree(path: Path) -> dict[str, tuple[bytes, int, float]]:
    """Return the content, the mode and the time of all files at a path."""
    files = [path, *path.rglob("*")] if path.is_dir() else [path]
    states = {str(file): file.lstat() for file in files}
    return {
        str(file): (file.read_bytes() if file.is_file() else b"", states[str(file)].st_mode, states[str(file)].st_mtime)
        for file in files
    }


def move_behind_link(place: str, places: dict[str, Path], victim: Path) -> None:
    """Put a link in place of what ctxkit keeps; what was there becomes the file or the directory of somebody else."""
    kind, _, inner = place.partition("/")
    path = next(iter(sorted(places[kind].glob(inner))), places[kind] / inner)
    if os.path.lexists(path):
        shutil.move(path, victim)
    elif path.suffix:
        victim.write_text("mine\n")
    else:
        victim.mkdir()
        (victim / "thesis.md").write_text("mine\n")
    for file in [*victim.rglob("*"), victim]:
        os.utime(file, (LONG_AGO, LONG_AGO))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(victim)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_nothing_behind_a_link_is_changed(
    place: str, call: Callable[..., Ran], home: dict[str, str], places: dict[str, Path], tmp_path: Path
) -> None:
    fill(call, home)
    move_behind_link(place, places, tmp_path / "victim")
    before = read_tree(tmp_path / "victim")
    for work in (lambda: use_all(call, home), lambda: change_all(call), lambda: remove_all(call)):
        work()
        assert read_tree(tmp_path / "victim") == before


def test_a_record_behind_a_link_is_one_warning_an_hour(call: Callable[..., Ran], places: dict[str, Path], tmp_path: Path) -> None:
    call("init claude-code --yes")
    (tmp_path / "theirs").mkdir()
    (places["data"] / "hosts/claude-code/kept").symlink_to(tmp_path / "theirs")
    for lines in (1, 0):
        ran = call("shell --host claude-code -c seq\t20000")
        assert 0 < len(ran.out) < 30_000
        assert ran.err.count("is not followed") == lines
    assert not list((tmp_path / "theirs").iterdir())


def test_a_setup_through_a_link_is_refused_before_settings_change(
    call: Callable[..., Ran], home: dict[str, str], places: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "theirs").mkdir()
    (places["data"] / "hosts").mkdir(parents=True)
    (places["data"] / "hosts/codex").symlink_to(tmp_path / "theirs")
    assert "is not followed" in call("init codex --yes", statuses=(74,)).err
    assert not list((tmp_path / "theirs").iterdir())
    assert not Path(home["HOME"], ".codex/hooks.json").exists()


def test_a_session_behind_a_link_can_be_removed(call: Callable[..., Ran], places: dict[str, Path], tmp_path: Path) -> None:
    call(f"session new s {' '.join(WINDOW)}")
    call("session append s", stdin=MESSAGE)
    shutil.move(places["data"] / "histories", tmp_path / "theirs")
    (places["data"] / "histories").symlink_to(tmp_path / "theirs")
    assert "is not followed" in call("session append s", stdin=MESSAGE, statuses=(74,)).err
    ran = call("session rm s")
    assert ran.err.count("\n") == 1
    assert call("session list").out == b""
    assert len(list((tmp_path / "theirs").iterdir())) == 2
