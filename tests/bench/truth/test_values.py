"""Tests of values and totals: each map below holds one statement, true or not."""

import pytest

from tests.bench.truth.test_check import complain

RECORDS = "\n".join(f"Name: n{at}\nSize: {at * 3} kB\nState: {'off' if at == 4 else 'on'}\nArch: amd64" for at in range(10))
TRACE = "INFO open(1) = 3\nINFO read(3) = -1 EIO (Error)\nWARN read(4) = -1 EBADF (Error)\nplain"
COMMITS = "\n".join(["c", "a", "d", "", "", "", " late words", "", "c", " new words", *([""] * 6), "c", " last"])
DIFF = "diff --git a/a b/a\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/b b/b\n@@ -1 +1 @@\n-c\n+d"


@pytest.mark.parametrize(
    ("body", "source"),
    [
        ("## Values\n- State: on 9, State: off 1 (at 19)", RECORDS),
        ("## Values\n- Size: 0 kB (line 2, n0) to 27 kB (line 38, n9)", RECORDS),
        ("- the same wherever it stands: Arch amd64", RECORDS),
        ("- keys in all records: Name, Size", RECORDS),
        ("- `Arch: amd64` 10 times", RECORDS),
        ("- lines by the level they state: INFO 2, WARN 1, none 1", TRACE),
        ("- Lines 1-4: 3 calls, 2 failed", TRACE),
        ("- 2 files changed, +2 -2, 2 hunks", DIFF),
        ("- 1 a, 5 b, 8 d", DIFF),
        ("- 1/2 a,5 b,6/7/8 d", "\n".join("aabbbdddd") + "\n" * 9 + "q"),
        ("## First events, each after its line\n- 1 late words, 9 new words, 17 last", COMMITS),
        ("## Records, each after its first line\n- 1 late words, 9 new words, 17 last", COMMITS),
        ("- by extension: .py 2, (none) 1", "a.py\nb.py\nc"),
    ],
)
def test_true_values(body: str, source: str) -> None:
    assert complain(body, source) == []


@pytest.mark.parametrize(
    ("body", "source", "reason"),
    [
        ("## Values\n- State: on 4, State: off 1 (at 19)", RECORDS, "on 9 times"),
        ("## Values\n- State: on 9, State: off 1 (at 23)", RECORDS, "not off at 23"),
        ("## Values\n- Size: 0 kB (line 2, n0) to 27 kB (line 34, n8)", RECORDS, "line 34 does not hold"),
        ("- the same wherever it stands: State on", RECORDS, "off and on"),
        ("- keys in all records: Name, Colour", RECORDS, "no line has the key"),
        ("- `Arch: amd64` 9 times", RECORDS, "begins 10 lines"),
        ("- lines by the level they state: INFO 3, WARN 1", TRACE, "only 2 hold it"),
        ("- Lines 1-4: 3 calls, 1 failed", TRACE, "2 calls failed"),
        ("- 3 files changed, +2 -2, 2 hunks", DIFF, "2 files"),
        ("- 2 files changed, +2 -2, 3 hunks", DIFF, "2 hunks"),
        ("- 1 a, 4 zebra, 8 d", DIFF, "does not hold zebra"),
        ("## First events, each after its line\n- 1 early words, 9 new words, 17 last", COMMITS, "line 1 does not hold early"),
        ("- 1/16 a,5 b,8 d", "\n".join("aabbbdddd") + "\n" * 9 + "q", "line 16 does not hold a"),
        ("- by extension: .py 3", "a.py\nb.py\nc", "fewer lines"),
    ],
)
def test_false_values(body: str, source: str, reason: str) -> None:
    assert any(reason in complaint for complaint in complain(body, source)), complain(body, source)
