from ctxkit.core.brief.runs.pytest_markers import find_markers
from ctxkit.core.brief.runs.pytest_ranges import list_surroundings
from ctxkit.core.brief.runs.sessions import build_run
from ctxkit.core.text import lines

LOG = """preparing
error: odd
====== test session starts ======
platform linux
collected 1 item

a.py F
=========== FAILURES ============
____________ test_a _____________
E   assert 0
======== tests coverage =========
a.py  10  5
TOTAL  10  5  50%
======= 1 failed in 0.10s =======
Process completed
"""


def test_every_line_outside_the_blocks_is_in_a_stretch() -> None:
    held = lines.lines_from_bytes(LOG.encode())
    found = list(list_surroundings(build_run(find_markers(held)[0], held.total), held))
    assert [(stretch.title, stretch.start, stretch.end) for stretch in found] == [
        ("progress and other output", 1, 2),
        ("session header", 3, 5),
        ("progress, a character or a line for each test", 6, 7),
        ("tests coverage", 11, 13),
        ("after the closing line", 15, 15),
    ]
    quoted = [detail.entry.label for stretch in found for detail in stretch.details]
    assert {"error: odd", "collected 1 item", "TOTAL  10  5  50%", "Process completed"} <= set(quoted)


def test_a_crash_is_no_progress() -> None:
    crash = "".join(f'  File "/p/a{n}.py", line {n} in f\n' for n in range(40))
    progress = "====== test session starts ======\ncollected 3 items\n\ntests/a.py ..\n"
    held = lines.lines_from_bytes(f"{progress}Fatal Python error: Segmentation fault\n\n{crash}".encode())
    found = list(list_surroundings(build_run(find_markers(held)[0], held.total), held))
    assert [(stretch.title, stretch.start, stretch.end) for stretch in found] == [
        ("session header", 1, 2),
        ("progress, a character or a line for each test", 3, 4),
        ("other output", 5, 46),
    ]
