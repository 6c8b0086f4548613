import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import brief_document, kind_detection
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import traceback as kind
from ctxkit.core.store.retrieval_hint import Hint
from ctxkit.core.text import lines
from ctxkit.core.text.ansi import strip_escapes
from tests.example_counts import count_examples

PROGRAM = """
import json
for number in range(400):
    print("processing item", number, flush=True)
def inner(text):
    return json.loads(text)
try:
    inner("{bad")
except ValueError as error:
    raise RuntimeError("cannot read settings") from error
"""
JAVA = """\
Exception in thread "main" java.lang.IllegalStateException: bad config
\tat com.acme.App.load(App.java:12)
\tat com.acme.App.main(App.java:5)
\tSuppressed: java.io.IOException: close failed
\t\tat com.acme.Box.close(Box.java:9)
Caused by: java.lang.NumberFormatException: For input string: "x"
\tat java.base/java.lang.Integer.parseInt(Integer.java:668)
\tat com.acme.App.load(App.java:10)
\t... 1 more
"""
NODE = """\
/p/b.js:3
throw new Error('load failed')
      ^

Error: load failed
    at Object.<anonymous> (/p/b.js:3:32)
    at Module._compile (node:internal/modules/cjs/loader:1521:14) {
  [cause]: SyntaxError: Unexpected token
      at f (/p/b.js:2:20)
}

Node.js v20.20.2
"""
GO = """\
panic: runtime error: index out of range [5] with length 1

goroutine 1 [running]:
main.idx(...)
\t/p/m.go:3
main.main()
\t/p/m.go:4 +0xa6

goroutine 7 [select]:
main.wait()
\t/p/m.go:9 +0x1
exit status 2
"""
RUST = """\
thread 'main' panicked at src/main.rs:1:30:
index out of bounds: the len is 1 but the index is 7
stack backtrace:
   0: rust_begin_unwind
             at /rustc/5980/library/std/src/panicking.rs:689:5
   1: m::f
             at ./src/main.rs:1:30
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.
"""
RUBY = "x.rb:8:in `rescue in <main>': outer (RuntimeError)\n\tfrom x.rb:5:in `<main>'\nx.rb:2:in `f': no 1 (ArgumentError)\n\tfrom x.rb:6:in `<main>'\n"
PHP = "PHP Fatal error:  Uncaught InvalidArgumentException: no 3 in /p/x.php:1\nStack trace:\n#0 /p/x.php(2): f()\n#1 {main}\n\nNext RuntimeException: outer in /p/x.php:2\nStack trace:\n#0 {main}\n  thrown in /p/x.php on line 2\n"
CSHARP = "Unhandled exception. System.InvalidOperationException: outer\n ---> System.FormatException: bad\n   at System.Number.Parse(String s)\n   at App.Load() in /p/App.cs:line 12\n   --- End of inner exception stack trace ---\n   at App.Main() in /p/App.cs:line 5\n"
ASAN = "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60 at pc 0x55\nREAD of size 4 at 0x60 thread T0\n    #0 0x55 in f /p/x.c:3\n    #1 0x56 in main /p/x.c:4\n\nSUMMARY: AddressSanitizer: heap-buffer-overflow /p/x.c:3 in f\n"
VALGRIND = "==7== Invalid read of size 4\n==7==    at 0x109175: f (x.c:3)\n==7==    by 0x1091D9: main (x.c:4)\n==7== \n==7== ERROR SUMMARY: 1 errors from 1 contexts (suppressed: 0 from 0)\n"
GDB = "Program received signal SIGSEGV, Segmentation fault.\n0x0000555 in f (p=0x0) at y.c:2\n2\tint f(int*p){return *p;}\n#0  0x0000555 in f (p=0x0) at y.c:2\n#1  0x0000556 in main () at y.c:3\n"
CRASHES = {
    "java": (JAVA, ["java.lang.IllegalStateException: bad config", "Caused by: java.lang.NumberFormatException", "App.load(App.java:10)"]),
    "node": (NODE, ["Error: load failed", "[cause]: SyntaxError: Unexpected token", "/p/b.js:2:20"]),
    "go": (GO, ["panic: runtime error: index out of range [5]", "/p/m.go:3"]),
    "rust": (RUST, ["index out of bounds: the len is 1", "panicked at src/main.rs:1:30"]),
    "ruby": (RUBY, ["outer (RuntimeError)", "no 1 (ArgumentError)"]),
    "php": (PHP, ["Uncaught InvalidArgumentException: no 3", "Next RuntimeException: outer"]),
    "csharp": (CSHARP, ["System.InvalidOperationException: outer", "---> System.FormatException: bad", "/p/App.cs:line 12"]),
    "asan": (ASAN, ["AddressSanitizer: heap-buffer-overflow", "in f /p/x.c:3"]),
    "valgrind": (VALGRIND, ["Invalid read of size 4", "f (x.c:3)"]),
    "gdb": (GDB, ["Program received signal SIGSEGV", "in f (p=0x0) at y.c:2"]),
}


def count(text):
    return (len(text.encode()) + 2) // 3


def document(text, target=700, name=""):
    held = lines.lines_from_bytes(text.encode())
    return InputDocument(held, held.read, count, target, name)


def mapped(text, target=700):
    held = document(text, target)
    return brief_document(held, BriefingFrame("log", held.lines.total, held.lines.size, 0, True, Hint("{start}:{end}")))


def check(text, target=700):
    held = document(text, target)
    for outline in kind.outline(held) or []:
        waiting = [entry for section in outline.sections for entry in section.entries]
        for entry in waiting:
            waiting.extend(entry.children)
            assert 1 <= entry.start <= entry.end <= held.lines.total or entry.start == entry.end == 0
            if entry.verbatim:
                told = re.sub(r" \[\+\d+ chars\]$", "", entry.label).strip()
                line = held.lines.at(entry.start)
                assert told in strip_escapes(line) or told in strip_escapes(line.replace("\t", "    "))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory):
    """Run a program that prints and then breaks."""
    here = tmp_path_factory.mktemp("program")
    (here / "main.py").write_text(PROGRAM)
    command = [sys.executable, "main.py"]
    return subprocess.run(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True).stdout


def test_a_program_that_breaks_says_first_what_it_ended_with(log) -> None:
    made = mapped(log)
    rows = log.rstrip("\n").split("\n")
    assert made.kind == "traceback"
    body = made.text.split("\n\n")[1]
    assert body.startswith(f"- {len(rows)}: RuntimeError: cannot read settings")
    cause = next(number for number, row in enumerate(rows, 1) if "JSONDecodeError" in row)
    assert f"- {cause}: {rows[cause - 1]}" in made.text
    begin = rows.index("Traceback (most recent call last):") + 1
    assert re.search(rf"- Lines {begin}-{len(rows)}: \d+ frames, 2 exceptions", made.text)
    check(log)


def test_the_innermost_own_frame_is_told(log) -> None:
    text = mapped(log).text
    own = next(number for number, row in enumerate(log.split("\n"), 1) if row.endswith("in inner"))
    assert re.search(rf"^\s*- {own}: File .*main\.py\", line \d+, in inner$", text, re.MULTILINE)


def test_the_end_is_as_good_as_the_end_alone(log) -> None:
    made = mapped(log, 900)
    ranges = [(int(a), int(b)) for a, b in re.findall(r"- Lines (\d+)-(\d+):", made.text)]
    total = len(log.rstrip("\n").split("\n"))
    for number in range(total - 100, total + 1):
        assert any(start <= number <= end < start + 120 for start, end in ranges)


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("name", CRASHES)
def test_every_language_has_its_messages_and_its_own_frame(name: str) -> None:
    crash, told = CRASHES[name]
    text = "".join(f"row {n} done\n" for n in range(300)) + crash
    made = mapped(text)
    assert made.kind == "traceback"
    assert [one for one in told if one not in made.text] == []
    assert "- Lines 301-" in made.text or "- Lines 305-" in made.text
    check(text)


def test_the_same_traceback_again_is_counted() -> None:
    crash = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nValueError: item {n} is bad\n'
    text = "".join(f"item {n}\n{crash.format(n=n)}" for n in range(50))
    made = mapped(text)
    assert "50 tracebacks, 1 different" in made.text
    assert "1 frame; 50x" in made.text


def test_groups_of_exceptions_are_one_traceback() -> None:
    text = """\
  + Exception Group Traceback (most recent call last):
  |   File "a.py", line 9, in g
  |     raise ExceptionGroup("many", [ValueError(1)])
  | ExceptionGroup: many (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: 1
    +---------------- 2 ----------------
    | Traceback (most recent call last):
    |   File "a.py", line 3, in f
    | TypeError: t
    +------------------------------------
"""
    made = mapped(text)
    assert "1 traceback\n- Lines 1-11: 2 frames" in made.text


@pytest.mark.parametrize("target", [40, 80, 200, 3_000])
def test_the_target_is_kept(log, target: int) -> None:
    made = mapped(log, target)
    assert made is None or count(made.text) <= target


def test_a_log_that_holds_tracebacks_stays_a_log_and_names_the_exception() -> None:
    crash = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nValueError: no item\n'
    rows = [f"2026-01-02 10:20:{n % 60:02} INFO app: item {n}\n" for n in range(300)]
    text = "".join([*rows[:200], "2026-01-02 10:23:21 ERROR app: failed\n", crash, *rows[200:]])
    assert kind_detection.detect_kind(document(text))[0].NAME == "log"
    assert "ValueError: no item" in mapped(text).text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("def f():\n    raise ValueError\n" * 30, ""),
        ("# Title\n\nIt says:\n\n```\nTraceback (most recent call last):\n  File \"a.py\", line 1\nValueError: x\n```\n", ""),
        ('>>> f()\nTraceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: x\n>>> g()\n', ""),
        ('Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: x\n', "notes.md"),
        ("we meet at noon\n    at the station\n" * 20, ""),
        ("", ""),
    ],
)
def test_other_content_is_not_claimed(text: str, name: str) -> None:
    assert kind.sniff(document(text, name=name)) < 0.5


@settings(max_examples=count_examples(60), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["Traceback (most recent call last):", '  File "a.py", line 3, in f', "    g()", "ValueError: x", "", "The above exception was the direct cause of the following exception:", "\tat a.B.c(B.java:3)", "Caused by: a.E: y", "    at f (a.js:1:2)", "Error: z", "panic: q", "goroutine 1 [running]:", "\t/p/m.go:3", "words", "  | ValueError: 1", "  +-+---- 1 ----", "#0 0x1 in f a.c:3", "==7== Invalid read of size 4"]
        ),
        max_size=40,
    )
)
def test_every_entry_is_true_of_its_lines(rows: list[str]) -> None:
    check("\n".join(rows))


def test_a_late_trace_does_not_win_over_findings() -> None:
    findings = "".join(f"src/x.c:{n}:5: warning: unused variable 'v{n}' [-Wunused-variable]\n" for n in range(1, 400))
    trace = "java.lang.IllegalStateException: broken\n" + "".join(f"\tat a.B.c(B.java:{n})\n" for n in range(9))
    data = (findings + trace).encode()
    held = InputDocument(lines.lines_from_bytes(data), lambda offset, length: data[offset : offset + length], len, 2_000)
    assert kind_detection.detect_kind(held)[0].NAME == "diagnostics"
    assert kind.sniff(held) <= 0.5


def test_a_short_trace_below_a_long_text_leaves_it_to_other_kinds() -> None:
    settings_text = "".join(f"section.key{n} => value {n} => value {n}\n" for n in range(400))
    trace = "PHP Fatal error:  Uncaught ValueError: bad in a.php:1\nStack trace:\n#0 a.php(1): f()\n#1 {main}\n  thrown in a.php on line 1\n"
    assert kind.sniff(document(trace)) > 0.5
    assert kind.sniff(document(settings_text + trace)) < 0.5


def test_stacks_inside_a_report_are_no_crash() -> None:
    case = "  1) cart works\n\n    Error: expected 1\n        at /p/a.spec.ts:10:38\n        at /p/b.ts:1:2\n\n"
    assert kind.sniff(document("".join(f"  ok {n} works\n" for n in range(300)) + case + "  1 failed\n")) == 0.0
    early = "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\nOSError: no host\n"
    assert kind.sniff(document(early + "".join(f"check {n} passed\n" for n in range(900)))) == 0.0
