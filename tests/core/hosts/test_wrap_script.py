"""The scripts in front of a command, read by real shells; a small program stands for ctxkit."""

import hashlib
import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.app.services.engines import parse_script
from ctxkit.core.hosts.wrap_script import (
    find_command,
    is_disabled,
    is_interactive,
    make_hook_command,
    make_hook_script,
    make_reader_script,
    make_source_command,
    make_wrap_script,
    remove_switch,
    replace_command,
)

SHELLS = [name for name in ("dash", "bash", "zsh") if shutil.which(name)]
Shell = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """Return the program that stands for ctxkit: it prints what it reads, until all writers have ended."""
    path = tmp_path / "ctxkit"
    path.write_text(
        '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.args"\ncp "$6/command" "$0.command"\ncat "$6/first"\nrm "$6/first"\n'
        'cat\ntries=0\nuntil [ -s "$6/status" ] || [ $((tries += 1)) -gt 100 ]; do sleep 0.02; done\n'
        'cat "$6/status" > "$0.status"\n'
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def source(tmp_path: Path, gate: Path) -> str:
    wrap, reader = tmp_path / "it's" / "wrap.sh", tmp_path / "it's" / "reader.sh"
    wrap.parent.mkdir()
    wrap.write_text(make_wrap_script("codex", str(gate), "/bin/sh", str(reader)))
    reader.write_text(make_reader_script("codex", str(gate)))
    return make_source_command(str(wrap))


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    temporary = tmp_path / "temporary"
    temporary.mkdir()

    def run_shell(name: str, script: str, stdin: bytes = b"", **env: str) -> "subprocess.CompletedProcess[bytes]":
        environment = {**os.environ, "TMPDIR": str(temporary), **env}
        argv = [name, "-c", script]
        return subprocess.run(argv, input=stdin, stdout=-1, stderr=subprocess.STDOUT, env=environment, timeout=30)

    yield run_shell
    assert list(temporary.iterdir()) == []


BASH_SCRIPTS = (
    *("true", "set -u; echo $nope", "(exit 5)", "seq 3000 | tail -n 2", "sh -c 'sh -c \"seq 3\"; exit 9'"),
    *("kill -9 $$", "exec > /dev/null; echo no", "exec 2>&-; echo yes", "set -C; echo a", "echo 'a\nb'", "nosuch"),
    *("# a comment\necho a", "cat <<'EOF'\n$x `y`\nEOF", "readonly x=1; wait; jobs; echo $x", "exec 3>&1; echo a >&3"),
    *("shopt -s lastpipe; seq 2 | read x; echo $x", "f() { return 4; }; f", "cd / && pwd"),
)
SCRIPTS = (
    *("echo out; echo err >&2; exit 3", "set -e; echo a; false; echo b", "exec seq 3", "cat; exit 7"),
    *("trap 'echo mine' EXIT; echo a; exit 4", r"printf '\033[31mred\033[0m\r\n\n\000x'", "kill $$"),
)


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_prints_and_returns_the_same(shell: Shell, source: str, name: str) -> None:
    def compare(script: str) -> None:
        plain, done = shell(name, script, b"in\n"), shell(name, source + script, b"in\n")
        status = 128 - plain.returncode if plain.returncode < 0 else plain.returncode
        assert (done.stdout, done.returncode) == (plain.stdout, status), script

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(compare, (*SCRIPTS, *(BASH_SCRIPTS if name == "bash" else ()))))


@pytest.mark.parametrize("name", SHELLS)
def test_nothing_of_the_scripts_is_seen(shell: Shell, source: str, name: str) -> None:
    done = shell(name, f"{source}echo \"$__CTXKIT_CHILD\"; sh -c 'kill -9 $$'; kill -9 $$")
    assert done.returncode == 137
    assert b"__CTXKIT" not in done.stdout
    assert b"wrap.sh" not in done.stdout
    assert shell(name, f"{source}true").stdout == b""


def test_ctxkit_is_not_started_for_a_command_that_prints_nothing(shell: Shell, source: str, gate: Path) -> None:
    assert shell("bash", f"{source}true; exit 3").returncode == 3
    assert not Path(f"{gate}.args").exists()


@pytest.mark.skipif("bash" not in SHELLS, reason="functions of other shells are not passed on")
def test_functions_of_the_shell_are_those_of_the_command(shell: Shell, source: str) -> None:
    assert shell("bash", f"f() {{ echo mine; }}; {source}f").stdout == b"mine\n"


def test_a_shell_without_a_known_script_runs_the_command_itself(source: str, gate: Path) -> None:
    done = subprocess.run(["bash"], input=f"{source}echo a\n".encode(), stdout=-1, stderr=subprocess.STDOUT, timeout=30)
    assert (done.stdout, done.returncode) == (b"a\n", 0)
    assert Path(f"{gate}.status").read_text() == "0\n"


def test_a_script_below_the_home_is_named_by_it() -> None:
    assert make_source_command("/home/u/d/wrap.sh", "/home/u/") == "test -r ~/d/wrap.sh && . ~/d/wrap.sh; "
    assert make_source_command("/home/u/a b/wrap.sh", "/home/u") == "test -r ~/'a b/wrap.sh' && . ~/'a b/wrap.sh'; "
    assert make_source_command("/home/u2/wrap.sh", "/home/u") == "test -r /home/u2/wrap.sh && . /home/u2/wrap.sh; "


@pytest.mark.parametrize("name", SHELLS)
def test_a_trap_of_the_host_runs_once(shell: Shell, source: str, name: str) -> None:
    script = "(\ntrap 'echo before' EXIT\n@echo a; exit 4\n)\nexit $?"
    done, plain = shell(name, script.replace("@", source)), shell(name, script.replace("@", ""))
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout) == (4, b"a\nbefore\n")


@pytest.mark.parametrize("name", SHELLS)
def test_the_gate_gets_the_status_the_host_and_the_script(shell: Shell, source: str, gate: Path, name: str) -> None:
    shell(name, f"{source}echo 'a  b'\nexit 3")
    words = Path(f"{gate}.args").read_text().split("\n")
    assert words[:5] == ["shell", "--quiet", "--host", "codex", "--reads"]
    assert Path(f"{gate}.status").read_text() == "3\n"
    assert find_command(Path(f"{gate}.command").read_text()) == "echo 'a  b'\nexit 3"


def test_output_is_raw_if_the_gate_fails(shell: Shell, source: str, gate: Path) -> None:
    gate.write_text("#!/bin/sh\nexit 1\n")
    done = shell("sh", f"{source}seq 3; exit 2")
    assert (done.returncode, done.stdout) == (2, b"1\n2\n3\n")


def test_without_ctxkit_or_with_the_variable_nothing_happens(shell: Shell, source: str, gate: Path, tmp_path: Path) -> None:
    script = f"{source}seq 3; exit 2"
    for value in ("1", "true", "yes"):
        assert shell("sh", script, CTXKIT_DISABLE=value).stdout == b"1\n2\n3\n"
    assert shell("sh", script, TMPDIR="/no/such/directory").stdout == b"1\n2\n3\n"
    assert not Path(f"{gate}.args").exists()
    for value in ("0", "no", "False", ""):
        shell("sh", script, CTXKIT_DISABLE=value)
        Path(f"{gate}.args").unlink()
    gate.unlink()
    assert shell("sh", script).stdout == b"1\n2\n3\n"
    shutil.rmtree(tmp_path / "it's")
    done = shell("sh", script)
    assert (done.stdout, done.returncode) == (b"1\n2\n3\n", 2)


@pytest.mark.parametrize("megabytes", [20, pytest.param(200, marks=pytest.mark.slow)])  # 200 MB take seconds
def test_large_output_arrives_whole_where_it_passes(shell: Shell, source: str, megabytes: int) -> None:
    done = shell("sh", f"{source}head -c {megabytes}000000 /dev/zero | tr '\\0' x")
    assert hashlib.sha256(done.stdout).digest() == hashlib.sha256(b"x" * megabytes * 10**6).digest()


@pytest.mark.skipif(not shutil.which("setsid"), reason="the reader dies with the group of its shell without setsid")
def test_output_of_a_killed_group_is_not_lost(source: str, tmp_path: Path) -> None:
    argv = ["sh", "-c", f"{source}echo begin; echo x > {tmp_path}/ready; sleep 60"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, start_new_session=True) as process:
        while not (tmp_path / "ready").exists():
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        assert process.stdout is not None
        assert process.stdout.read() == b"begin\n"


def test_a_hook_is_shell_and_does_nothing_if_its_programs_are_gone() -> None:
    hook = make_hook_script("codex", "/a b/ctxkit", "/a/python")
    assert '    "$ctxkit" hook codex\n' in hook
    done = subprocess.run(["sh"], input=hook.encode(), capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert subprocess.run(["sh", "-c", make_hook_command("/no such")]).returncode == 0


BEFORE = r"source /home/u/.claude/shell-snapshots/snapshot-bash-1-x.sh 2>/dev/null || true && { \builtin shopt -u extglob; } && "


@given(st.text(max_size=40), st.booleans())
def test_the_command_in_a_script_of_claude_code_is_what_the_model_typed(text: str, has_stdin: bool) -> None:
    quoted = "'" + text.replace("'", "'\"'\"'") + "'"
    assert shlex.split(quoted) == [text]
    script = f"{BEFORE}eval {quoted}{' < /dev/null' if has_stdin else ''} && pwd -P >| /tmp/claude-95a0-cwd"
    assert find_command(script) == text


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))), st.text(max_size=40))
def test_the_command_behind_a_sourced_script_is_what_the_model_typed(path: str, text: str) -> None:
    source = make_source_command(f"/{path}")
    assert find_command(f"{source}{text}") == text
    gemini = f"shopt -u x\n(\n  trap 'jobs -p' EXIT\n{source}{text}\n)\n__code=$?\nexit $__code"
    assert find_command(gemini) == text


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_command_of_a_host_is_replaced_where_it_stands(text: str, other: str) -> None:
    gemini = "\n)\n__code=$?\nexit $__code"
    for begin, end, quotes in (
        (f"{BEFORE}eval '", "' < /dev/null && pwd -P >| /tmp/claude-95a0-cwd", True),
        (make_source_command("/a b/wrap.sh"), "", False),
        (f"(\n{make_source_command('/wrap.sh')}", gemini, False),
        ("", "", False),
    ):
        before, after = (word.replace("'", "'\"'\"'") if quotes else word for word in (text, other))
        if quotes or begin or find_command(text) == text:
            assert replace_command(f"{begin}{before}{end}", lambda typed: other if typed == text else "") == (
                f"{begin}{after}{end}"
            )


@pytest.mark.parametrize("script", ["make test", "eval 'x'", "pwd -P >| /tmp/x", "eval 'a' && pwd -P >| /tmp/x; rm y", ""])
def test_another_script_is_its_own_command(script: str) -> None:
    assert find_command(script) == script


@pytest.mark.parametrize(
    ("command", "is_off"),
    [
        ("CTXKIT_DISABLE=1 git log", True),
        (" LC_ALL=C CTXKIT_DISABLE=true git log", True),
        ("export CTXKIT_DISABLE=1; git log", True),
        ("CTXKIT_DISABLE=0 git log", False),
        ("CTXKIT_DISABLE= git log", False),
        ("CTXKIT_DISABLE=false git log", False),
        ("CTXKIT_DISABLE='No' git log", False),
        ("export CTXKIT_DISABLE=0; git log", False),
        ("CTXKIT_DISABLE=", False),
        ('CTXKIT_DISABLE="1" git log', True),
        ("git log # CTXKIT_DISABLE=1", False),
        ("", False),
    ],
)
def test_an_assignment_before_a_command_turns_ctxkit_off(command: str, is_off: bool) -> None:
    assert is_disabled(command) is is_off


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("CTXKIT_DISABLE=1 make -k", "make -k"),
        ("A=1 CTXKIT_DISABLE='yes' make", "make"),
        ("export CTXKIT_DISABLE=1; make", "make"),
        ("export CTXKIT_DISABLE=1 && make", "make"),
        ("make CTXKIT_DISABLE=1", "make CTXKIT_DISABLE=1"),
    ],
)
def test_the_switch_is_removed_from_the_beginning(command: str, rest: str) -> None:
    assert remove_switch(command) == rest


INTERACTIVE = [
    "git rebase -i; vim x",
    "less README.md",
    "watch -n1 date",
    "top",
    "sudo top",
    "gdb ./a.out core",
    "bash -c 'nano x'",
    "python3",
    "cd x && node",
    "ssh host",
    "ssh -p 22 -i key user@host",
    "screen",
]
PLAIN = [
    "",
    "npm run dev",
    "npx vite build",
    "tail -f log",
    "server > log 2>&1 & echo $!",
    "top -b -n 1",
    "top -bn1",
    "gdb -batch -ex bt app core",
    "lldb --batch -o bt app",
    "emacs --batch -f x",
    "vim -es -c 's/a/b/' -c x f",
    "cat > x <<'EOF'\nvim\nless a\nEOF\nseq 3",
    "cat <<EOF >/dev/null\nvim\nEOF",
    "echo 'vim x; less y'",
    "git commit -m 'top'",
    "grep -rn vim .",
    "python3 app.py",
    "python3 <<'EOF'\nprint(1)\nEOF",
    "echo 'print(1)' | python3",
    "bash script.sh",
    "curl -s x | bash",
    "ssh host uptime",
    "ssh -p 22 host uptime",
    "ssh -N -L 1:x:2 host",
    "ssh host <<EOF\nuptime\nEOF",
    "tmux new-session -d 'make'",
    "$EDITOR top",
]


@pytest.mark.parametrize("script", INTERACTIVE)
def test_a_program_that_needs_a_terminal_is_interactive(script: str) -> None:
    assert is_interactive(script, parse_script)


@pytest.mark.parametrize("script", PLAIN)
def test_other_programs_and_data_are_not_interactive(script: str) -> None:
    assert not is_interactive(script, parse_script)


@given(st.text(alphabet="ab vitop-f&|;'\"$()<\n", max_size=30))
def test_any_script_has_an_answer(script: str) -> None:
    assert is_interactive(script, parse_script) in (True, False)
