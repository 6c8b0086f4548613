from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.stacks.stack_reader import CallFrame, StackReader, parse_call_frame, read_stacks
from ctxkit.core.text import lines

TSAN = """\
WARNING: ThreadSanitizer: data race (pid=1)
  Read of size 4 at 0x5580a0 by thread T2:
    #0 w2 /src/thr.c:6 (thr+0x12)

  Previous write of size 4 at 0x5580a0 by thread T1:
    #0 w1 /src/thr.c:5 (thr+0x13)

SUMMARY: ThreadSanitizer: data race /src/thr.c:6 in w2
==================
""".splitlines()


def read(rows):
    stacks = []
    reader = StackReader(stacks.append)
    for number, text in enumerate(rows, 1):
        reader.read_line(number, text)
    reader.finish()
    return stacks


def test_a_report_of_a_sanitizer_ends_at_its_summary() -> None:
    [report] = read(TSAN)
    assert (report.kind, report.start, report.end, report.frames) == ("report", 1, 8, 2)
    assert report.own == (3, "    #0 w2 /src/thr.c:6 (thr+0x12)")
    assert report.summary == (8, TSAN[7])


def test_reports_that_differ_in_addresses_have_the_same_key() -> None:
    first, second = read([*TSAN, *(row.replace("0x5580a0", "0x99").replace("pid=1", "pid=77") for row in TSAN)])
    assert first.key == second.key


def test_threads_of_java_have_their_state() -> None:
    rows = [
        '"main" #1 prio=5 tid=0x01 nid=0x02 runnable',
        "   java.lang.Thread.State: RUNNABLE",
        "\tat a.B.c(B.java:1)",
    ]
    [thread] = read([*rows, "", "other"])
    assert (thread.state, thread.names, thread.end) == ("RUNNABLE", ["a.B.c"], 3)


def test_goroutines_have_their_state_without_the_time() -> None:
    [thread] = read(["goroutine 7 [chan receive, 2 minutes]:", "main.work(0x1)", "\t/src/a.go:3 +0x4"])
    assert (thread.state, thread.names) == ("chan receive", ["main.work"])


def test_a_deadlock_ends_at_its_count() -> None:
    rows = ["Found one Java-level deadlock:", "====", '"a":', "  waiting to lock monitor 0x1", "", "Found 1 deadlock."]
    assert [(stack.kind, stack.start, stack.end) for stack in read([*rows, "more"])] == [("deadlock", 1, 6)]


def test_frames_of_valgrind_follow_its_process_number() -> None:
    rows = ["==9== Invalid read of size 4", "==9==    at 0x10: use (vg.c:6)", "==9== ", "==9== HEAP SUMMARY:"]
    [report] = read(rows)
    assert (report.start, report.end, report.names) == (1, 2, ["use"])


def test_a_heading_without_frames_is_not_a_stack() -> None:
    assert read(["Thread 3 (idle):", "", "Thread safety matters"]) in ([], read(["Thread 3 (idle):"]))
    assert read(["Thread 12", "", "text"]) == []


@given(st.lists(st.sampled_from([*TSAN, "", "goroutine 1 [running]:", "\tat a.B(C.java:1)", "text", "#0 f (x.c:1)"])))
def test_stacks_do_not_overlap(rows) -> None:
    stacks = read(rows)
    assert all(stack.start <= stack.end <= len(rows) for stack in stacks)
    assert all(first.end < second.start for first, second in pairwise(stacks))


FRAMES = {
    "#0  0x00005555555552dc in deep (n=61) at thr.c:8": CallFrame("deep", own=True),
    "    #1 0x7f69 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58": CallFrame(
        "__libc_start_call_main", own=False
    ),
    "    #0 w2 /src/thr.c:6 (thr_t+0x1273)": CallFrame("w2", own=True),
    "\tat com.acme.Pool.run(Pool.java:31)": CallFrame("com.acme.Pool.run", own=True),
    "\tat java.lang.Object.wait(java.base@17.0.15/Native Method)": CallFrame("java.lang.Object.wait", own=False),
    "   by 0x109203: dupbad (vg.c:7)": CallFrame("dupbad", own=True),
    '  File "/src/fh.py", line 12 in inner': CallFrame("inner", own=True),
    "    cruncher (spy.py:5)": CallFrame("cruncher", own=True),
    "  * frame #0: 0x0000000100003f60 app`crash at main.c:5:8": CallFrame("app`crash", own=True),
    " ? do_syscall_64+0x38/0x90": CallFrame("do_syscall_64", own=False),
    " [<ffffffff8118e9f2>] vfs_read+0x92/0x150": CallFrame("vfs_read", own=False),
}


@pytest.mark.parametrize("text", FRAMES)
def test_a_frame_has_the_name_of_its_function(text: str) -> None:
    assert parse_call_frame(text) == FRAMES[text]


def test_a_frame_of_go_has_the_name_on_the_line_above() -> None:
    text = "\t/src/pool.go:22 +0x65"
    assert parse_call_frame(text, "main.worker(0x0, 0xc0)") == CallFrame("main.worker", own=True)
    assert parse_call_frame("\t/usr/local/go/src/sync/waitgroup.go:116 +0x48", "sync.Wait(0x0?)").own is False


@pytest.mark.parametrize(
    "text", ["", "  ", "main.go", "# pkg/a", "at the end of the day", "    x = 1", "\t- locked <0x06>"]
)
def test_other_lines_are_not_frames(text: str) -> None:
    assert parse_call_frame(text) is None


@given(st.text())
def test_any_line_can_be_read(text: str) -> None:
    frame = parse_call_frame(text, text)
    assert frame is None or frame.name in text


def read_stack_collection(text):
    content = lines.lines_from_bytes(text.encode())
    return read_stacks(InputDocument(content, content.read, len, 2_000))


THREAD = 'Thread 0x{} (most recent call first):\n  File "/src/a.py", line {} in {}\n\n'


def test_threads_with_the_same_functions_form_a_group() -> None:
    stacks = read_stack_collection("".join(THREAD.format(n, 3, "work" if n != 4 else "poll") for n in range(9)))
    assert sorted(group.count for group in stacks.groups.values()) == [1, 8]
    assert stacks.counts == {"thread": 9}


def test_notable_lines_that_differ_in_numbers_are_counted_together() -> None:
    stacks = read_stack_collection("==1==ABORTING\n" + "\n".join(f"SUMMARY: AddressSanitizer: {n} byte(s) leaked" for n in range(3)))
    [note] = stacks.notes.values()
    assert (note.number, note.last, note.count) == (2, 4, 3)
