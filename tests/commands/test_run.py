"""A command's output is gated, and its status is what it was."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.token_counters import load_qwen

Run = Callable[..., Any]
Home = dict[str, str]

WIDE = ("--model", "qwen3-30b")
SMALL = (*WIDE, "--window", "4096")
CHEAP = ("--window", "4096", "--tokenizer", "bytes/3")
"""The same room, for tests in which nobody counts: no vocabulary is loaded."""
MANY = "seq 5000 | sed 's/^/this is row /'"


def many() -> bytes:
    return b"".join(b"this is row %d\n" % row for row in range(1, 5001))


def start(ctxkit: str, home: Home, *args: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [ctxkit, "run", *WIDE, "--", *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=home,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def wait_for(path: Path) -> str:
    until = time.monotonic() + 15
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < until, f"{path} never came"
        time.sleep(0.02)
    return path.read_text()


def alive(pid: int) -> bool:
    """A zombie that nobody waits for is dead."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ended(pid: int) -> bool:
    """A killed process is gone soon, though not at once."""
    deadline = time.monotonic() + 20
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not alive(pid)


# ---------------------------------------------------------------- statuses


@pytest.mark.parametrize("status", [0, 1, 7, 124, 143, 255])
def test_the_status_is_the_commands(run: Run, status: int) -> None:
    done = run("run", *WIDE, "--", "sh", "-c", f"echo out; exit {status}")
    assert (done.status, done.out, done.err) == (status, b"out\n", "")


@pytest.mark.slow
@pytest.mark.parametrize("status", [0, 1, 255])
def test_the_status_is_the_commands_when_its_output_is_mapped(run: Run, status: int) -> None:
    done = run("run", *CHEAP, "--", "sh", "-c", f"{MANY}; exit {status}")
    assert (done.status, done.err) == (status, "")
    first = done.out.decode().splitlines()[0]
    assert first == f"Exit status {status}" if status else first.startswith("# sh -c ")


def test_a_command_that_is_not_there_is_127(run: Run) -> None:
    done = run("run", *WIDE, "--", "no-such-command")
    assert (done.status, done.out, done.err) == (127, b"", "ctxkit: no-such-command: command not found\n")


def test_an_empty_word_is_127_as_the_shell_has_it(run: Run) -> None:
    done = run("run", *WIDE, "--", "")
    assert (done.status, done.out, done.err) == (127, b"", "ctxkit: '': command not found\n")


def test_a_file_that_is_no_program_is_126(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("not a program")
    done = run("run", *WIDE, "--", str(tmp_path / "notes"))
    assert (done.status, done.out) == (126, b"")
    assert done.err == f"ctxkit: {tmp_path}/notes: Permission denied\n"


def test_a_directory_is_126(run: Run, tmp_path: Path) -> None:
    assert run("run", *WIDE, "--", str(tmp_path)).status == 126


def test_a_program_whose_interpreter_is_missing_does_not_say_that_the_command_is(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    assert run("run", *WIDE, "--", str(script)).status in (126, 127)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["TERM", "KILL", "SEGV", "PIPE"])
def test_a_signal_is_128_more_and_named_in_the_first_line(run: Run, name: str) -> None:
    number = getattr(signal, f"SIG{name}")
    short = run("run", *WIDE, "--", "sh", "-c", f"echo before; ulimit -c 0; kill -{name} $$")
    assert (short.status, short.out) == (128 + number, b"before\n")
    if name in ("TERM", "KILL"):
        long = run("run", *CHEAP, "--", "sh", "-c", f"{MANY}; kill -{name} $$")
        assert long.status == 128 + number
        assert long.out.decode().splitlines()[0] == f"Exit status {128 + number}: killed by SIG{name}"


@pytest.mark.slow
def test_a_signal_without_a_name_is_no_trouble(run: Run) -> None:
    done = run("run", *CHEAP, "--", "bash", "-c", f"{MANY}; kill -35 $$")
    assert done.status == 163
    assert done.out.startswith(b"Exit status 163: killed by ")
    assert b"35" in done.out.splitlines()[0] or b"RTMIN" in done.out.splitlines()[0]


def test_nothing_to_run_is_a_question_back(run: Run) -> None:
    for args in ((), ("--",)):
        done = run("run", *WIDE, *args)
        assert (done.status, done.out) == (2, b"")
        assert "CMD" in done.err


@pytest.mark.parametrize(
    "wrong",
    [
        ("--window", "abc"),
        ("--used", "-1"),
        ("--reserve", "x"),
        ("--strict",),
        ("--strict", "--model", "nope"),
        ("--window", "9", "--type", "nope"),
        ("--window", "9", "--hint", "nope"),
        ("--window", "9", "--reserve", "x"),
        ("--window", "9", "--tokenizer", "x"),
    ],
    ids=" ".join,
)
def test_nothing_is_run_when_the_options_are_wrong(run: Run, tmp_path: Path, wrong: tuple[str, ...]) -> None:
    done = run("run", *wrong, "--", "touch", str(tmp_path / "touched"))
    time.sleep(0.1)
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith("ctxkit: ")
    assert not (tmp_path / "touched").exists()


def test_under_broken_settings_nothing_is_run_only_if_it_is_strict(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text("window = x\n")
    done = run("run", "--strict", "--window", "900", "--", "touch", "touched", cwd=tmp_path)
    assert done.status == 78
    assert not (tmp_path / "touched").exists()
    done = run("run", "--window", "900", "--", "touch", "touched", cwd=tmp_path)
    assert (done.status, len(done.err.splitlines())) == (0, 1)
    assert (tmp_path / "touched").exists()


# ---------------------------------------------------------------- what passes


def test_output_that_fits_is_byte_identical(run: Run, tmp_path: Path) -> None:
    content = bytes(range(256)) * 3 + b"\r\n\xff no newline at the end"
    (tmp_path / "bytes").write_bytes(content)
    done = run("run", *WIDE, "--", "cat", str(tmp_path / "bytes"))
    assert (done.status, done.out, done.err) == (0, content, "")


def test_a_failed_command_whose_output_fits_is_raw_all_the_same(run: Run) -> None:
    done = run("run", *WIDE, "--", "sh", "-c", "echo no >&2; exit 3")
    assert (done.status, done.out, done.err) == (3, b"no\n", "")


def test_stdout_and_stderr_come_in_the_order_in_which_they_were_written(run: Run) -> None:
    script = "for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done"
    done = run("run", *WIDE, "--", "sh", "-c", script)
    assert done.out == b"".join(b"out %d\nerr %d\n" % (i, i) for i in range(1, 10))
    assert done.err == ""


def test_the_command_reads_our_stdin(run: Run) -> None:
    done = run("run", *WIDE, "--", "tr", "a-z", "A-Z", stdin="shout\n")
    assert (done.status, done.out) == (0, b"SHOUT\n")


def test_a_command_that_says_nothing_says_nothing(run: Run) -> None:
    done = run("run", *WIDE, "--", "true")
    assert (done.status, done.out, done.err) == (0, b"", "")


def test_the_two_dashes_may_be_left_out(run: Run) -> None:
    assert run("run", *WIDE, "echo", "hello").out == b"hello\n"


def test_the_commands_own_options_are_its_own(run: Run) -> None:
    for args in (("echo", "--json", "-n", "--model", "x"), ("--", "echo", "--json", "-n", "--model", "x")):
        assert run("run", *WIDE, *args).out == b"--json -n --model x\n"
    assert run("run", *WIDE, "echo", "a", "--", "b").out == b"a -- b\n"
    assert run("run", *WIDE, "--", "sh", "-c", "echo $*", "sh", "--help", "-h").out == b"--help -h\n"


def test_arguments_arrive_as_they_were_given(run: Run) -> None:
    odd = ["a b", "", "'\"$HOME", "*", "ü", "line\nbreak", "-", "{ref}"]
    done = run("run", *WIDE, "--", sys.executable, "-c", "import sys, json; print(json.dumps(sys.argv[1:]))", *odd)
    assert json.loads(done.out) == odd


def test_the_command_has_our_directory_and_environment(run: Run, tmp_path: Path) -> None:
    done = run("run", *WIDE, "--", "sh", "-c", "pwd; echo $MARK", cwd=tmp_path, env={"MARK": "here"})
    assert done.out == f"{tmp_path}\nhere\n".encode()


def test_the_command_dies_of_a_closed_pipe_as_it_would_without_us(run: Run) -> None:
    done = run("run", *WIDE, "--", "bash", "-c", "yes | head -1; echo ${PIPESTATUS[0]}")
    assert done.out == b"y\n141\n"


# ---------------------------------------------------------------- what is mapped


@pytest.mark.slow
def test_a_map_leads_back_to_all_that_the_command_said(run: Run) -> None:
    done = run("run", *SMALL, "--", "sh", "-c", f"{MANY}; echo last words >&2; exit 1")
    assert done.status == 1
    assert load_qwen()(done.out.decode()) <= 1638
    first, header, *_, hint = done.out.decode().splitlines()
    assert first == "Exit status 1"
    assert header.startswith("# sh -c ")
    assert "a map, not the content" in header
    found = re.search(r"ctxkit cache get ([0-9a-f]{16}) --lines ", hint)
    assert found
    assert run("cache", "get", found[1]).out == many() + b"last words\n"


@pytest.mark.slow
def test_the_name_of_the_command_is_on_one_line_whatever_it_holds(run: Run) -> None:
    done = run("run", *CHEAP, "--", "sh", "-c", f"# first\n{MANY}\n")
    header = done.out.decode().splitlines()[0]
    assert header.startswith("# sh -c ")
    assert "a map, not the content" in header


@pytest.mark.slow
def test_json_says_what_was_run_and_how_it_ended(run: Run) -> None:
    short = run("run", *WIDE, "--json", "--", "sh", "-c", "echo hi; exit 3")
    answer = json.loads(short.out)
    assert short.status == 3
    assert (answer["result"], answer["content"], answer["exit"]) == ("raw", "hi\n", 3)
    assert answer["command"] == ["sh", "-c", "echo hi; exit 3"]
    long = run("run", *SMALL, "--json", "--", "sh", "-c", f"{MANY}; kill -9 $$")
    answer = json.loads(long.out)
    assert (long.status, answer["result"], answer["exit"]) == (137, "briefing", 137)
    assert answer["tokens"] == load_qwen()(answer["content"])


@pytest.mark.slow
def test_arguments_that_are_not_utf8_are_no_trouble(ctxkit: str, home: Home) -> None:
    for as_json in ((), ("--json",)):
        command = [ctxkit, "run", *WIDE, *as_json, "--", "printf", b"%s", b"\xff"]
        done = subprocess.run(command, capture_output=True, env=home)
        assert (done.returncode, done.stderr) == (0, b"")


def test_events_say_it_too(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "events"
    run("run", *WIDE, "--events", str(log), "--", "sh", "-c", "echo hi; exit 3")
    event = json.loads(log.read_text())
    assert (event["event"], event["command"], event["name"], event["exit"]) == ("gate", "sh", "sh", 3)


@pytest.mark.slow
def test_a_refusal_leaves_the_status_as_it_is(run: Run) -> None:
    for status in (0, 9):
        done = run("run", *WIDE, "--window", "20", "--", "sh", "-c", f"{MANY}; exit {status}")
        assert (done.status, done.out) == (status, b"")
        found = re.search(r"ctxkit cache get ([0-9a-f]{16})\n$", done.err)
        assert found, done.err
        assert run("cache", "get", found[1]).out == many()


def test_a_store_that_fails_leaves_output_and_status_as_they_are(run: Run, no_store: Home) -> None:
    done = run("run", *CHEAP, "--", "sh", "-c", f"{MANY}; exit 5", env=no_store)
    assert (done.status, done.out) == (5, many())
    assert done.err.startswith("ctxkit: warning: content passes unchanged: ")
    assert done.err.count("\n") == 1


@pytest.mark.slow
def test_a_disk_that_fills_while_the_command_speaks_loses_no_byte(ctxkit: str, home: Home) -> None:
    done = subprocess.run(
        [ctxkit, "run", *CHEAP, "--", "sh", "-c", "seq 300000; exit 6"],
        capture_output=True,
        env=home,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000)),
    )
    assert done.returncode == 6
    assert done.stdout == b"".join(b"%d\n" % n for n in range(1, 300_001))
    assert done.stderr == b"ctxkit: warning: content passes unchanged: File too large\n"


def test_without_a_store_the_ends_remain_under_the_status(run: Run) -> None:
    done = run("run", *CHEAP, "--no-store", "--", "sh", "-c", f"{MANY}; exit 4")
    assert done.status == 4
    assert done.out.startswith(b"Exit status 4\n# sh -c ")
    assert b"this is row 1\n" in done.out
    assert done.out.endswith(b"this is row 5000\n")


@pytest.mark.slow
def test_thirty_megabytes_pass_through_in_no_memory_to_speak_of(ctxkit: str, home: Home) -> None:
    script = "yes 'a line of output like any other' | head -c 30000000; exit 2"
    done = subprocess.run([ctxkit, "run", *CHEAP, "--", "sh", "-c", script], capture_output=True, env=home, timeout=60)
    assert (done.returncode, done.stderr) == (2, b"")
    assert done.stdout.startswith(b"Exit status 2\n")
    found = re.search(rb"ctxkit cache get ([0-9a-f]{16})", done.stdout.splitlines()[-1])
    assert found
    stored = json.loads(subprocess.run([ctxkit, "cache", "stat", "--json"], capture_output=True, env=home).stdout)
    assert (stored["blobs"], stored["bytes"]) == (1, 30_000_000)


# ---------------------------------------------------------------- time and signals


def test_a_command_that_takes_too_long_is_124(run: Run) -> None:
    began = time.monotonic()
    done = run("run", *WIDE, "--timeout", "0.5", "--", "sh", "-c", "echo before; sleep 60")
    assert (done.status, done.out) == (124, b"before\n")
    assert time.monotonic() - began < 30


@pytest.mark.slow
def test_the_first_line_says_that_time_was_up(run: Run) -> None:
    done = run("run", *CHEAP, "--timeout", "1", "--", "sh", "-c", f"{MANY}; sleep 60")
    assert done.status == 124
    assert done.out.splitlines()[0] == b"Exit status 124: stopped after 1 s"


def test_a_child_that_ignores_term_is_killed_with_all_its_group(run: Run, tmp_path: Path) -> None:
    script = f"trap '' TERM; sleep 61 & echo $! $$ > {tmp_path}/pids; while :; do sleep 0.2; done"
    began = time.monotonic()
    done = run("run", *WIDE, "--timeout", "0.5", "--kill-after", "1", "--", "bash", "-c", script)
    assert done.status == 124
    assert time.monotonic() - began < 30
    assert [pid for pid in (tmp_path / "pids").read_text().split() if not ended(int(pid))] == []


def test_a_grandchild_that_ignores_term_is_killed_too_when_time_is_up(run: Run, tmp_path: Path) -> None:
    stubborn = f"trap '' TERM; echo $BASHPID > {tmp_path}/pid; for i in $(seq 60); do sleep 0.2; done"
    done = run("run", *WIDE, "--timeout", "0.7", "--", "bash", "-c", f"( {stubborn} ) & sleep 60")
    assert done.status == 124
    assert ended(int((tmp_path / "pid").read_text()))


@pytest.mark.slow
def test_time_is_up_for_a_command_that_never_stops_talking(ctxkit: str, home: Home) -> None:
    began = time.monotonic()
    done = subprocess.run(
        [ctxkit, "run", *CHEAP, "--no-store", "--timeout", "0.5", "--", "yes"],
        capture_output=True,
        env=home,
        timeout=60,
    )
    assert done.returncode == 124
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("seconds", ["-1", "nan", "x"])
def test_a_timeout_that_is_none_is_refused(run: Run, seconds: str) -> None:
    done = run("run", *WIDE, f"--timeout={seconds}", "--", "sleep", "0.3")
    assert (done.status, done.out) == (2, b"")
    assert "--timeout" in done.err


def test_a_grandchild_that_keeps_the_pipe_open_does_not_keep_us(run: Run) -> None:
    began = time.monotonic()
    done = run("run", *WIDE, "--", "sh", "-c", "sleep 60 & echo started; exit 4")
    assert (done.status, done.out) == (4, b"started\n")
    assert time.monotonic() - began < 30


def test_a_grandchild_that_goes_on_talking_does_not_keep_us_either(run: Run) -> None:
    script = "(for i in $(seq 600); do echo tick; sleep 0.1; done) & echo started; exit 4"
    began = time.monotonic()
    done = run("run", *WIDE, "--", "bash", "-c", script)
    assert done.status == 4
    assert b"started\n" in done.out
    assert time.monotonic() - began < 30


def test_what_a_grandchild_says_right_after_the_command_has_ended_still_counts(run: Run) -> None:
    done = run("run", *WIDE, "--", "bash", "-c", "(sleep 0.1; echo late) & exit 0")
    assert (done.status, done.out) == (0, b"late\n")


@pytest.mark.parametrize("name", ["INT", "TERM"])
def test_a_signal_goes_to_the_command_and_its_answer_arrives(
    ctxkit: str, home: Home, tmp_path: Path, name: str
) -> None:
    ready = tmp_path / "ready"
    script = f"""if True:
        import signal, sys, time
        def caught(*_):
            print("caught {name}", flush=True)
            sys.exit(3)
        signal.signal(signal.SIG{name}, caught)
        print("up", flush=True)
        open({str(ready)!r}, "w").write("1")
        time.sleep(60)
    """
    run = start(ctxkit, home, sys.executable, "-c", script)
    wait_for(ready)
    run.send_signal(getattr(signal, f"SIG{name}"))
    out, err = run.communicate(timeout=20)
    assert (run.returncode, out, err) == (3, b"up\ncaught %s\n" % name.encode(), b"")


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("name", ["INT", "TERM", "HUP", "QUIT"])
def test_a_command_that_dies_of_the_relayed_signal_has_that_status(
    ctxkit: str, home: Home, tmp_path: Path, name: str
) -> None:
    ready = tmp_path / "ready"
    run = start(ctxkit, home, "bash", "-c", f"ulimit -c 0; echo up; echo 1 > {ready}; exec sleep 60")
    wait_for(ready)
    time.sleep(0.1)
    number = getattr(signal, f"SIG{name}")
    run.send_signal(number)
    out, err = run.communicate(timeout=20)
    assert (run.returncode, out, err) == (128 + number, b"up\n", b"")


@pytest.mark.slow
def test_what_came_before_the_signal_is_stored(ctxkit: str, home: Home, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    command = [ctxkit, "run", *CHEAP, "--", "bash", "-c", f"{MANY}; echo 1 > {ready}; exec sleep 60"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=home, stdin=subprocess.DEVNULL)
    wait_for(ready)
    time.sleep(0.1)
    run.send_signal(signal.SIGTERM)
    out, err = run.communicate(timeout=20)
    assert (run.returncode, err) == (143, b"")
    assert out.startswith(b"Exit status 143: killed by SIGTERM\n")
    found = re.search(rb"ctxkit cache get ([0-9a-f]{16})", out.splitlines()[-1])
    assert found
    got = subprocess.run([ctxkit, "cache", "get", found[1].decode()], capture_output=True, env=home)
    assert got.stdout == many()


def test_closed_stdin_is_no_trouble(ctxkit: str, home: Home) -> None:
    script = f"{ctxkit} run --window 4096 -- echo fine <&-"
    done = subprocess.run(["bash", "-c", script], capture_output=True, env=home, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"fine\n", b"")


def test_a_closed_stderr_leaves_the_status_as_it_is(ctxkit: str, home: Home) -> None:
    script = f"{ctxkit} run --window 4096 -- sh -c 'echo fine; exit 7' 2>&-"
    done = subprocess.run(["bash", "-c", script], capture_output=True, env=home, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (7, b"fine\n", b"")


def test_no_file_of_ours_is_open_in_the_command(run: Run) -> None:
    done = run("run", *WIDE, "--", sys.executable, "-c", "import os; print(sorted(map(int, os.listdir('/dev/fd'))))")
    assert len(json.loads(done.out)) == 4, "0, 1, 2 and the directory itself"


def test_run_may_run_run(run: Run) -> None:
    inner = ["ctxkit", "run", *WIDE, "--", "sh", "-c", "echo deep; exit 9"]
    beside = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    done = run("run", *WIDE, "--", *inner, env={"PATH": beside})
    assert (done.status, done.out, done.err) == (9, b"deep\n", "")
