from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.runs.python_crash import cut_ranges, find_crashes
from ctxkit.core.brief.runs.report import LogRange
from ctxkit.core.text import lines

CRASH = """\
tests/test_a.py::test_ok PASSED  [ 50%]
tests/test_a.py::test_native Fatal Python error: Segmentation fault

Current thread 0x00007f (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "/src/tests/test_a.py", line 4 in test_native
Segmentation fault (core dumped)
"""


def test_a_crash_is_a_failure_of_the_test_that_ran() -> None:
    [crash] = find_crashes(lines.lines_from_bytes(CRASH.encode()))
    assert (crash.name, crash.start, crash.end, crash.message) == ("tests/test_a.py::test_native", 2, 6, 2)
    quoted = {detail.entry.start: detail.rank for detail in crash.details}
    assert quoted[6] < quoted[5]


def test_without_names_the_file_crashed() -> None:
    text = CRASH.replace("::test_native Fatal", " ..F.Fatal")
    assert find_crashes(lines.lines_from_bytes(text.encode()))[0].name == "tests/test_a.py"


def test_ranges_do_not_overlap_a_crash() -> None:
    crashes = find_crashes(lines.lines_from_bytes(CRASH.encode()))
    ranges = cut_ranges([LogRange("progress", 1, 7), LogRange("other output", 3, 5)], crashes)
    assert [(part.title, part.start, part.end) for part in ranges] == [("progress", 1, 1), ("after the crash", 7, 7)]


@given(st.lists(st.sampled_from([*CRASH.splitlines(), "", "text"])))
def test_crashes_lie_within_the_log(rows) -> None:
    content = lines.lines_from_bytes("\n".join(rows).encode())
    assert all(1 <= crash.start <= crash.end <= content.total for crash in find_crashes(content))
