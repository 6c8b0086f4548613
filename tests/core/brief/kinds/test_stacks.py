import pytest

from ctxkit.core.brief import kind_detection
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import stacks as kind
from ctxkit.core.brief.kinds.stacks import build_stack_outline
from ctxkit.core.brief.stacks.stack_reader import read_stacks
from ctxkit.core.text import lines

JAVA = '"pool-{0}" #{0} prio=5 tid=0x0{0} nid=0x1 runnable\n   java.lang.Thread.State: WAITING (parking)\n\tat a.B.c(B.java:{0})\n\n'
GO = "goroutine {0} [chan receive]:\nmain.work(0x{0})\n\t/src/a.go:3 +0x4\n\n"
ASAN = "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x60\n    #0 0x55 in sum /src/a.c:8\n"
SPY = 'Thread {0} (idle): "Thread-{0}"\n    wait (threading.py:320)\n    run (spy.py:5)\n'


def document(text, name=""):
    content = lines.lines_from_bytes(text.encode())
    return InputDocument(content, content.read, len, 2_000, name)


@pytest.mark.parametrize("text", ["".join(form.format(n) for n in range(1, 9)) for form in (JAVA, GO, SPY)] + [ASAN])
def test_stacks_are_recognized(text) -> None:
    assert kind_detection.rank_kinds(document(text))[0][0] is kind
    assert kind.outline(document(text))[0].sections


@pytest.mark.parametrize(
    "text",
    [
        "=== RUN TestA\n" + "".join(GO.format(n) for n in range(9)),
        "# Notes\n\nThread 1 is idle.\n" * 9,
        "words\n" * 50,
        'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: x\n',
    ],
)
def test_other_text_is_left_to_other_kinds(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0


def test_source_code_is_not_stacks() -> None:
    assert kind.sniff(document(ASAN, "a.c")) == 0.0


GDB = """\
Thread 1 "app" received signal SIGSEGV, Segmentation fault.
Thread 3 (Thread 0x03 (LWP 3) "app"):
#0  0x01 in wait (x=1) at pool.c:9

Thread 2 (Thread 0x02 (LWP 2) "app"):
#0  0x01 in wait (x=2) at pool.c:9

Thread 1 (Thread 0x01 (LWP 1) "app"):
#0  0x02 in deep (n=1) at thr.c:8
#1  0x02 in main () at thr.c:9
rax            0x0                 0
"""


def make(text):
    content = lines.lines_from_bytes(text.encode())
    document = InputDocument(content, content.read, len, 2_000)
    return build_stack_outline("stacks", document, read_stacks(document))


def test_the_thread_that_crashed_comes_first() -> None:
    outline = make(GDB)
    notes, groups, other = outline.sections[:3]
    assert notes.entries[0].label == GDB.splitlines()[0]
    assert groups.title == "3 threads, 2 different"
    assert [(entry.start, entry.end) for entry in groups.entries] == [(8, 10), (2, 3)]
    assert "2x, the others alike, at 5-6" in groups.entries[1].label
    assert other.entries[-1].label == "from 'rax            0x0                 0'"


def test_quotations_stand_on_their_lines() -> None:
    rows = GDB.splitlines()
    waiting = [entry for section in make(GDB).sections for entry in section.entries]
    while waiting:
        entry = waiting.pop()
        waiting.extend(entry.children)
        assert not entry.verbatim or entry.label.strip() in rows[entry.start - 1]


def test_stacks_of_unequal_length_are_not_called_alike() -> None:
    text = GDB.replace("#0  0x01 in wait (x=2) at pool.c:9\n", "#0  0x01 in wait (x=2) at pool.c:9\n#1  0x05 in start () from x.so\n")
    labels = [entry.label for entry in make(text).sections[1].entries]
    assert not any("alike" in label for label in labels)


def test_a_report_that_valgrind_states_again_at_its_end_counts_once() -> None:
    read, jump = (
        f"==9== {title}\n==9==    at 0x10: use (vg.c:6)\n==9== \n" for title in ("Invalid read of size 4", "Jump to x")
    )
    again = "==9== ERROR SUMMARY: 4 errors from 2 contexts\n==9== \n==9== 3 errors in context 1 of 2:\n" + read
    again += "==9== \n==9== 1 errors in context 2 of 2:\n" + jump
    stacks = read_stacks(document("==9== Memcheck, a memory error detector\n" + read + read + jump + again))
    assert (stacks.counts, [group.count for group in stacks.groups.values()]) == ({"report": 3}, [2, 1])
    assert read_stacks(document(again)).counts == {"report": 2}  # the end alone states each for the first time
