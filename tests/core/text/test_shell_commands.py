"""Commands are found wherever a script runs them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from ctxkit.app.services.engines import list_pipelines, parse_script
from ctxkit.core.text.shell_commands import MAX_DEPTH, WRAPPERS, ShellCommand, may_run, may_script_run, note_pipelines

EVADING = [
    "cat s",
    "if cat s; then :; fi",
    "while cat s; do break; done",
    "until cat s; do :; done",
    "if false; then :; elif cat s; then :; fi",
    "nice -n 5 cat s",
    "env -u A cat s",
    "echo s | xargs cat",
    'eval "cat s"',
    "find . -name s -exec cat {} \\;",
    'echo "$(cat $(echo s))"',
    'echo "$(cat s; (true))"',
    "A=1 cat s",
    'c"a"t s',
    "'cat' s",
    "\\cat s",
    "/bin/cat s",
    "cat<s",
    "{ cat s; }",
    "( cat s )",
    "! cat s",
    "time cat s",
    "case x in x) cat s;; esac",
    'for f in s; do cat "$f"; done',
    "select f in s; do cat $f; break; done",
    "f() { cat s; }; f",
    "function f { cat s; }; f",
    "true && cat s",
    "false || cat s",
    "cat s &",
    "coproc cat s",
    "diff <(cat s) x",
    "x=$(cat s)",
    "x=`cat s`",
    "declare x=$(cat s)",
    "a=($(cat s))",
    'echo "${x:-$(cat s)}"',
    "[[ $(cat s) ]]",
    "echo $(( $(cat s) + 1 ))",
    "trap 'cat s' EXIT",
    "bash -c 'cat s'",
    'bash -lc "cat s"',
    "bash -euo pipefail -c 'cat s'",
    "bash -c -- 'cat s'",
    "sh <<< 'cat s'",
    "bash <<EOF\ncat s\nEOF",
    "echo 'cat s' | sh",
    "sudo -u me cat s",
    "sudo -- cat s",
    "timeout -k 1 5 cat s",
    "stdbuf -o L cat s",
    "exec cat s",
    "command cat s",
    "builtin command cat s",
    "nohup setsid cat s",
    "watch -n 1 cat s",
    "script -c 'cat s' /dev/null",
    "su - me -c 'cat s'",
    "flock /tmp/l cat s",
    "flock /tmp/l -c 'cat s'",
    "env -S 'cat s'",
    "busybox cat s",
    "$CMD s",
    "$(echo cat) s",
    '"$x" s',
    'eval "$x"',
    'source "$f"',
    "xargs $CMD",
    "find . -exec sh -c 'cat \"$1\"' _ {} \\;",
    "fd . -x cat",
    "ctxkit run -- cat s",
    "ctxkit run --limit 90 -- sh -c 'cat s'",
    "echo x | while read l; do cat s; done",
    "$'cat' s",
    "$'\\143at' s",
    "cat s > /dev/null 2>&1",
    "time -p nice cat s",
    "parallel cat ::: s",
    "xargs -I {} cat {}",
    "eval cat s",
    "ionice -c 3 cat s",
    "taskset 1 cat s",
    "unshare -r cat s",
]
"""Scripts that run cat, or may run it."""
HARMLESS = [
    "echo cat s",
    "printf 'cat s\\n'",
    'git commit -m "cat s"',
    "sed -n p s",
    "grep cat s",
    "make cat",
    "./cat.sh",
    'echo "the cat sat"',
    "ls cat",
    "for cat in a b; do echo $cat; done",
    "cat=1; echo $cat",
    "head -c 10 s",
    "tee f <<EOF\ncat s\nEOF",
    "git log --oneline | head",
    "python -c 'cat(s)'",
    'python3 x.py "$ARG"',
    "npm run cat",
    "docker run -p 8080:80 app",
    'cd "$DIR" && make test',
    'echo "$x"',
    "test -f s && echo yes",
    '[ -n "$x" ] && ls',
    "[[ $x == cat* ]] && ls",
    "find . -name 'cat*'",
    "find . -name cat -print",
    "find . -exec grep cat {} \\;",
    "xargs grep cat",
    "xargs",
    "echo s | xargs -n 1 echo cat",
    "nice -n 5 make",
    "env A=cat make",
    "sudo apt-get install cat-tools",
    "timeout 5 make cat",
    "source ./env.sh",
    ". ./env.sh",
    "source env.sh cat",
    "bash script.sh cat",
    "bash ./x.sh",
    "sh -c 'echo cat'",
    "bash -lc 'make cat'",
    'eval "echo cat"',
    "trap - EXIT",
    "trap 'rm -f tmp' EXIT",
    "function cats { ls; }; cats",
    "case $x in cat) ls;; esac",
    'if [ "$x" = cat ]; then ls; fi',
    'while read -r line; do echo "$line"; done < s',
    "ls | wc -l",
    "awk '{print $1}' s",
    "echo $(ls cat)",
    'x=$(date); echo "$x"',
    "concat s",
    "cats s",
    "catalog s",
    "curl https://x/cat",
    "git diff -- cat",
    "kubectl get pods -o yaml",
    "kubectl get pods | grep cat",
    'export PATH="$HOME/bin:$PATH"; make',
    'rg -n "cat " src',
    "pytest -k cat",
    "cargo test cat",
    "go test ./... -run cat",
    "jq '.cat' s",
    'test "$(ls)" = cat',
]
"""Scripts that do not run cat."""


@pytest.mark.parametrize("script", EVADING)
def test_a_script_that_may_run_the_command_matches(script: str) -> None:
    assert may_script_run(script, ["cat"], parse_script)
    assert may_script_run(f"make; {script}\necho", ["cat"], parse_script)


@pytest.mark.parametrize("script", HARMLESS)
def test_a_script_that_only_names_the_word_does_not(script: str) -> None:
    assert not may_script_run(script, ["cat"], parse_script)


@pytest.mark.parametrize(
    ("words", "patterns", "is_match"),
    [
        (["cat", "s"], ["cat"], True), (["cat", "s"], [], False), ([], ["cat"], False), (["git", "log"], ["git diff"], False),
        (["sh", "-c", "git $X"], ["git diff"], True), (["sh", "-c", "git log $X"], ["git diff"], False),
        (["sh", "-c", "aws $X"], ["aws secrets *"], True), (["sh", "-c", "aws s3 ls"], ["aws secrets *"], False),
    ],
)  # fmt: skip
def test_an_unknown_argument_may_be_any(words: list[str], patterns: list[str], is_match: bool) -> None:
    assert may_run(words, patterns, parse_script) is is_match


def test_a_script_that_cannot_be_parsed_or_is_too_deep_matches() -> None:
    assert may_script_run("make", ["cat"], lambda script: None)
    assert may_run(["nohup"] * (MAX_DEPTH + 2), ["cat"], parse_script)
    assert not may_run(["nohup"] * MAX_DEPTH, ["cat"], lambda script: [ShellCommand(("ls",))])


def test_each_wrapper_runs_what_stands_behind_it() -> None:
    assert {"sudo", "env", "xargs", "sh"} <= WRAPPERS.keys()


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
