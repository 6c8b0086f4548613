import pytest

from ctxkit.core.brief import kind_detection
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import stacks as kind
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
