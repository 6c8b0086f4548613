import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.stacks.frame_parser import CallFrame, parse_call_frame

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
