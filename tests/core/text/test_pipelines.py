"""Scripts with notes on their pipelines, run by real shells beside the scripts as they are."""

import shutil
import subprocess
from pathlib import Path

import pytest

from ctxkit.app.services.engines import list_pipelines, parse_script
from ctxkit.core.text.pipelines import note_pipelines

SHELLS = [name for name in ("bash", "zsh") if shutil.which(name)]
PROGRAMS = {"pytest": 1, "make": 2, "npm": 1, "cargo": 101, "go": 1, "tsc": 2, "mypy": 1, "ok": 0, "crash": 139}
"""Programs that stand for those of agents, with their exit statuses."""
FAILING = (
    ("pytest | tail -3", "pytest exited 1 before | tail -3"),
    ("pytest -q tests/a.py 2>&1 | tail -20", "pytest -q tests/a.py exited 1 before | tail -20"),
    ("make test 2>&1 | tail -n 5", "make test exited 2 before | tail -n 5"),
    ("make | tail -n5", "make exited 2 before | tail -n5"),
    ("make | tail -c 100", "make exited 2 before | tail -c 100"),
    ("make | tail --lines=4", "make exited 2 before | tail --lines=4"),
    ("make | tail --lines 4", "make exited 2 before | tail --lines 4"),
    ("make | tail -n +2", "make exited 2 before | tail -n +2"),
    ("make | tail +2", "make exited 2 before | tail +2"),
    ("make | tail", "make exited 2 before | tail"),
    ("make |& tail -2", "make exited 2 before | tail -2"),
    ("npm test 2>&1 | head -50", "npm test exited 1 before | head -50"),
    ("npm run build | head -n 10", "npm run build exited 1 before | head -n 10"),
    ("npm ci | head", "npm ci exited 1 before | head"),
    ("cargo test 2>&1 | grep FAILED", "cargo test exited 101 before | grep FAILED"),
    ("cargo test | grep -E 'out|err'", "cargo test exited 101 before | grep -E 'out|err'"),
    ("cargo test | grep -v out", "cargo test exited 101 before | grep -v out"),
    ("cargo test | grep -e out -e err", "cargo test exited 101 before | grep -e out -e err"),
    ("cargo test | grep -eout", "cargo test exited 101 before | grep -eout"),
    ("cargo test | grep -A 3 -B2 out", "cargo test exited 101 before | grep -A 3 -B2 out"),
    ("cargo test | grep -iA3 out", "cargo test exited 101 before | grep -iA3 out"),
    ("cargo test | grep --max-count 1 out", "cargo test exited 101 before | grep --max-count 1 out"),
    ("cargo test | grep -- -out", "cargo test exited 101 before | grep -- -out"),
    ("cargo test | grep -q out", "cargo test exited 101 before | grep -q out"),
    ("cargo test | egrep 'out|x'", "cargo test exited 101 before | egrep 'out|x'"),
    ("cargo test | /usr/bin/grep out", "cargo test exited 101 before | /usr/bin/grep out"),
    ("go test ./... | grep -c out", "go test ./... exited 1 before | grep -c out"),
    ("tsc --noEmit | grep error | head -5", "tsc --noEmit exited 2 before | head -5"),
    ("tsc | sort | uniq -c | tail -4", "tsc exited 2 before | tail -4"),
    ("ok | mypy . | tail -1", "mypy . exited 1 before | tail -1"),
    ("pytest | make | tail -1", "pytest exited 1, make exited 2 before | tail -1"),
    ("crash | tail -1", "crash exited 139 before | tail -1"),
    ("cd / && make 2>&1 | tail -3", "make exited 2 before | tail -3"),
    ("cd / && make 2>&1 | tail -3 2>&1", "make exited 2 before | tail -3"),
    ("cd /; make | tail -3", "make exited 2 before | tail -3"),
    ("ok || make | tail -3; make | head -1", "make exited 2 before | head -1"),
    ("false || make | tail -3", "make exited 2 before | tail -3"),
    ("make | tail -3 && echo yes", "make exited 2 before | tail -3"),
    ("make | grep nothing || echo no", "make exited 2 before | grep nothing"),
    ("make | grep nothing && echo yes", "make exited 2 before | grep nothing"),
    ("make | grep nothing", "make exited 2 before | grep nothing"),
    ("make | tail -3; echo $?", "make exited 2 before | tail -3"),
    ("make | grep nothing; echo $?", "make exited 2 before | grep nothing"),
    ("make | tail -3\necho next\npytest | tail -1", "make exited 2 before | tail -3; pytest exited 1 before | tail -1"),
    ("make |\n  tail -3", "make exited 2 before | tail -3"),
    ("make \\\n  all | tail -3 # the end", "make \\ all exited 2 before | tail -3"),
    ("A=1 B='x y' make | tail -3", "A=1 B='x y' make exited 2 before | tail -3"),
    ("timeout 9 sh -c 'exit 4' | tail -1", "timeout 9 sh -c 'exit 4' exited 4 before | tail -1"),
    ("(ok && exit 6) | tail -1", "(ok && exit 6) exited 6 before | tail -1"),
    ("{ ok && make\n} 2>&1 | tail -1", "{ ok && make } exited 2 before | tail -1"),
    ("for i in 1 2\ndo make\ndone | tail -1", "for i in 1 2 do make done exited 2 before | tail -1"),
    ("if true\nthen make\nfi | tail -1", "if true then make fi exited 2 before | tail -1"),
    ("make | tail -3 > out.txt; cat out.txt", "make exited 2 before | tail -3"),
    ("make | grep out 2>/dev/null >&2", "make exited 2 before | grep out"),
    ("make | tee all.txt | tail -3", "make exited 2 before | tail -3"),
    ("set -e; make | tail -3; echo go on", "make exited 2 before | tail -3"),
    ("set -euo pipefail; ok | tail -1; make | tail -3; echo no", ""),
    ("set -o pipefail; make | tail -3; echo $?", "make exited 2 before | tail -3"),
    ("set -e; make | tail -3 || true; make | grep nothing; echo no", "make exited 2 before | tail -3"),
    ("nosuchprogram | tail -1", "nosuchprogram exited 127 before | tail -1"),
    ("diff /dev/null missing | head", "diff /dev/null missing exited 2 before | head"),
    ("printf '\\0\\377a' | make | head -c 3", "make exited 2 before | head -c 3"),
    ("echo '它们'; make '它们' | tail -1", "make '它们' exited 2 before | tail -1"),
    ("f() { return 9; }; f | tail -1", "f exited 9 before | tail -1"),
    ("set -- a b; make | tail -1; echo $1 $#", "make exited 2 before | tail -1"),
    ("trap 'echo end $?' EXIT; make | tail -1; exit 5", "make exited 2 before | tail -1"),
    ("IFS=,; make | tail -1; echo a,b", "make exited 2 before | tail -1"),
    ("exit() { echo mine; }; make | tail -1", "make exited 2 before | tail -1"),
    ("make 'it'\\''s' | tail -1", "make 'it'\\''s' exited 2 before | tail -1"),
)
"""Pipelines as agents write them, with the notes."""
SILENT = (
    *("ok | tail -3", "yes | head -1", "yes | head -c 20000 | tail -c 1", "seq 100000 | head -1", "ok | grep nothing"),
    *("ok | grep nothing | tail -1", "echo a | grep -v a | head", "diff /dev/null /etc/passwd | head -1"),
    *("make | cat", "make | wc -l", "make | tail -3 /dev/null", "make | grep out /dev/null", "make | tail < /dev/null"),
    *("! make | tail -1", "make | tail -1 & wait", "time make | tail -1", "x=$(make | tail -1); echo $x"),
    *("if make | tail -1; then echo a; fi", "while make | grep -q nothing; do :; done", "(make | tail -1)"),
    *("{ make | tail -1; }", "f() { make | tail -1; }; f", "echo `make | tail -1`", "cat <<E | tail -1\na\nE"),
    *("eval 'make | tail -1'", "sh -c 'make | tail -1'", "[[ -n $(make | tail -1) ]] && echo yes", "echo 'make | tail -1'"),
    *("make | tail -1; echo ${PIPESTATUS[0]}", "make | tail -1; echo $pipestatus[1]", "set -x; make | tail -1"),
    *("make | tail -1; echo $_", "trap 'echo err' ERR; make | tail -1; false", "trap 'echo d' DEBUG; make | tail -1"),
    *("exec 2>err.txt; make | tail -1; cat err.txt", "declare -F; make | tail -1", "set | wc -l; make | tail -1", "ps | tail -1 | wc -l"),
    *("make | tail -1 )", "make | tail -1 | grep", "cat <<E\nmake | tail -1\nE", "# make | tail -1", "printf() { :; }; make | tail -1"),
)  # fmt: skip
"""Scripts in which nothing is lost, or that are left alone."""


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Return a PATH with the programs: each prints three lines, and one on stderr."""
    for name, status in PROGRAMS.items():
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho err >&2\n[ ! -p /dev/stdin ] || cat >/dev/null\nprintf 'out 1\\nout 2\\n-out 3 FAILED error\\n'\nexit {status}\n")
        program.chmod(0o755)
    return f"{tmp_path}/bin:/usr/bin:/bin"


def run_script(shell: str, script: str, path: str, cwd: Path) -> "subprocess.CompletedProcess[bytes]":
    folder = cwd / "work"
    folder.mkdir()
    env = {"PATH": path, "HOME": str(cwd), "LC_ALL": "C.UTF-8"}
    done = subprocess.run([shell, "-c", script, "zero", "one"], cwd=folder, env=env, stdin=-3, capture_output=True, timeout=30)
    shutil.rmtree(folder)
    return done


@pytest.mark.parametrize("shell", SHELLS)
def test_a_member_that_failed_is_told_and_nothing_else_changes(path: str, tmp_path: Path, shell: str) -> None:
    for script, notes in FAILING:
        noted = note_pipelines(script, shell, list_pipelines, parse_script)
        plain, done = (run_script(shell, text, path, tmp_path) for text in (script, noted))
        assert (done.stdout, done.returncode) == (plain.stdout, plain.returncode), script
        rows = done.stderr.decode().splitlines()
        assert [row for row in rows if row.startswith("[ctxkit: ")] == [f"[ctxkit: {note}]" for note in notes.split("; ") if note], script
        assert sorted(row for row in rows if not row.startswith("[ctxkit: ")) == sorted(plain.stderr.decode().splitlines())


@pytest.mark.parametrize("shell", SHELLS)
def test_nothing_is_told_where_nothing_is_lost(path: str, tmp_path: Path, shell: str) -> None:
    for script in SILENT:
        noted = note_pipelines(script, shell, list_pipelines, parse_script)
        plain, done = (run_script(shell, text, path, tmp_path) for text in (script, noted))
        assert (done.stdout, done.returncode) == (plain.stdout, plain.returncode), script
        assert b"[ctxkit: " not in done.stderr, script


@pytest.mark.parametrize("shell", ["sh", "dash", "ksh", "fish"])
def test_other_shells_get_their_script_as_it_is(shell: str) -> None:
    assert note_pipelines("make | tail -3", shell, list_pipelines, parse_script) == "make | tail -3"


def test_a_long_member_is_shortened_and_control_characters_are_blanks(path: str, tmp_path: Path) -> None:
    script = f"make $'\\x1b' '\x1b[31m{'a' * 900}' | tail -1"
    done = run_script("bash", note_pipelines(script, "bash", list_pipelines, parse_script), path, tmp_path)
    assert f"[ctxkit: make $'\\x1b' ' [31m{'a' * 18}... exited 2 before | tail -1]" in done.stderr.decode()


@pytest.mark.parametrize("script", ["a | tail -1; " * 9000, "(" * 40_000 + "| tail -1", "a && " * 20_000 + "b | tail -1"])
def test_hostile_scripts_are_left_alone(script: str) -> None:
    assert note_pipelines(script, "bash", list_pipelines, parse_script) == script
