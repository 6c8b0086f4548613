"""Frames of a stack are read in the notations of many languages."""

import pytest

from ctxkit.core.brief.crashes.stack_frames import parse_frame


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ('  File "/app/src/main.py", line 12, in run', False),
        ('  File "/usr/lib/python3.11/json/decoder.py", line 3, in decode', True),
        ("    at com.example.App.main(App.java:12)", False),
        ("    at java.base/java.lang.Thread.run(Thread.java:833)", True),
        ("    at run (/app/src/index.js:10:5)", False),
        ("    at run (/app/node_modules/x/index.js:10:5)", True),
        ("\t/app/main.go:12 +0x1d", False),
        ("   3: app::run", True),
        ("#1 0x00005555 in main () at src/main.c:12", False),
        ("    at 0x401136: main (main.c:12)", False),
    ],
)
def test_a_frame_is_told_from_that_of_a_library(text: str, foreign: bool) -> None:
    frame = parse_frame(text, 7)
    assert frame is not None
    assert (frame.number, frame.foreign) == (7, foreign)


@pytest.mark.parametrize("text", ["a sentence at home", "x = 1", "2026-01-01 INFO started"])
def test_other_lines_are_no_frames(text: str) -> None:
    assert parse_frame(text, 1) is None
