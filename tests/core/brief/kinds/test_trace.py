import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.kinds import trace as kind
from ctxkit.core.brief.kinds.trace import CallReader, count_calls, find_call
from tests.example_counts import count_examples

TRACE = (
    'execve("/usr/bin/x", ["x"], 0x7ff /* 9 vars */) = 0\n'
    + "".join(f'openat(AT_FDCWD, "/usr/lib/mod{at}.so", O_RDONLY) = -1 ENOENT (No such file or directory)\n' for at in range(30))
    + 'openat(AT_FDCWD, "/etc/x.conf", O_RDONLY) = -1 ENOENT (No such file or directory)\n'
    + 'read(3, "abc", 3) = 3\n' * 9
    + 'connect(3, {sa_family=AF_INET, sin_port=htons(9)}, 16) = -1 ECONNREFUSED (Connection refused)\n'
    + 'write(2, "cannot connect", 14)         = 14\n'
    + "--- SIGTERM {si_signo=SIGTERM} ---\n+++ exited with 1 +++\n"
)


def test_calls_are_counted(trial) -> None:
    text = trial(kind).map(TRACE)
    assert "- Lines 1-45: 43 calls, 32 failed" in text
    assert "- openat 31 (31 failed), read 9, execve 1, connect 1 (1 failed), write 1" in text


def test_exits_signals_and_error_output_come_first(trial) -> None:
    text = trial(kind).map(TRACE, target=400)
    assert '- 43: write(2, "cannot connect", 14)         = 14\n- 44: --- SIGTERM' in text
    assert "- 45: +++ exited with 1 +++" in text


def test_the_last_calls_before_the_message_of_a_process_that_failed_are_quoted(trial) -> None:
    rows = [f'7 read(3, "{at}", 1) = 1' for at in range(300)]
    end = ['8 read(9, "", 1) = 0', '7 write(2, "cannot go on", 12) = 12', '7 write(2, " at all", 7) = 7', "7 exit_group(3) = ?"]
    stop = ['7 openat(AT_FDCWD, "/a.pem", O_RDONLY) = 3', "7 lseek(3, -5, SEEK_SET) = -1 EINVAL (Invalid argument)"]
    text = trial(kind).map("\n".join([*rows, *stop, *end, "7 +++ exited with 3 +++"]), target=400)
    assert '- 301: openat(AT_FDCWD, "/a.pem", O_RDONLY) = 3\n- 302: lseek(3, -5, SEEK_SET)' in text
    assert "read(9" not in text.partition("## Failures")[0]
    fine = trial(kind).map("\n".join([*rows, *stop, *end, "7 +++ exited with 0 +++"]), target=400)
    assert "- 301: openat" not in fine.partition("## Failures")[0]


def test_rare_failures_come_before_frequent_ones(trial) -> None:
    text = trial(kind).map(TRACE)
    assert text.index("- 42: connect(") < text.index("openat ENOENT: 31")
    assert "alone in their directory: /etc/x.conf (32)" in text
    assert "most paths: /usr/lib 30" in text


def test_a_call_that_resumes_is_one_call(trial) -> None:
    lines = ["[pid 7] wait4(-1, <unfinished ...>", "[pid 8] getpid() = 8", "[pid 7] <... wait4 resumed>NULL) = -1 ECHILD (No)"]
    text = trial(kind).map("\n".join([*lines, *(["[pid 8] read(3, 0x7f, 9) = 0"] * 9)]))
    assert "11 calls, 1 failed, 2 process numbers" in text
    assert "- 3: <... wait4 resumed>NULL) = -1 ECHILD (No)" in text


@pytest.mark.parametrize("prefix", ["", "[pid  12] ", "1234 ", "12:00:01.123456 ", "1700000000.123456 ", "12 12:00:01 "])
def test_processes_and_times_may_precede(trial, prefix: str) -> None:
    assert trial(kind).known(f"{prefix}close(3)                = 0 <0.000012>\n" * 20) == "trace"


@pytest.mark.parametrize("text", ["print(x) = 3 is code\n" + "x = f(y)\n" * 30, "f(x)\n" * 20, "2026-01-01 12:00:00 INFO a(b) done\n" * 20])
def test_other_content_is_left_alone(trial, text: str) -> None:
    assert trial(kind).known(text) != "trace"


@given(st.lists(st.sampled_from(["close(3) = 0", "x(", "<... y resumed>) = 0", "+++ killed by SIGKILL +++", "free", "a(1 <unfinished ...>", ""])))
@settings(max_examples=count_examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_breaks_it(trial, rows: list[str]) -> None:
    trial(kind).check("\n".join([TRACE, *rows]), 300)


LINES = [
    'openat(AT_FDCWD, "/a", O_RDONLY) = -1 ENOENT (No such file) <0.000010>',
    'openat(AT_FDCWD, "/b", O_RDONLY) = 3 <0.500000>',
    "malloc(24)                       = 0x55",
    "+++ exited with 0 +++",
    "free text",
]


def test_lines_are_told() -> None:
    assert count_calls(LINES) == 4
    assert find_call("[pid 9] 12:00:00 close(3) = 0") == 17
    assert find_call("free text") == 0


def test_calls_have_their_failures_and_times() -> None:
    reader = CallReader()
    reader.add_lines(enumerate(LINES, 1))
    call = reader.calls["openat"]
    assert (call.count, call.failures, round(call.seconds, 3)) == (2, 1, 0.5)
    assert reader.failures["openat", "ENOENT"].paths == {"/a": [1]}
    assert (reader.exits, reader.others, max(reader.slowest)) == ([4], [5], (0.5, 2))
