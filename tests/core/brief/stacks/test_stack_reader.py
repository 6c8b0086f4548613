from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.stacks.stack_reader import StackReader

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
