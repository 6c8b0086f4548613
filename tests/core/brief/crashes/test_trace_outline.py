"""Tracebacks that differ only in numbers are one group."""

from ctxkit.core.brief.crashes.trace_outline import build_trace_outline, read_traces
from tests.core.brief.kinds.test_table import document


def trace(number, name="f"):
    return f'Traceback (most recent call last):\n  File "/app/a.py", line 7, in {name}\n    x()\nValueError: bad {number}\n'


def test_equal_traces_are_counted_in_a_group() -> None:
    traces = read_traces(document("start\n" + trace(1) + "between\n" + trace(2) + trace(3, "g")))
    assert traces.count == 3
    assert sorted(group.count for group in traces.groups.values()) == [1, 2]
    assert traces.spans == [(2, 5), (7, 10), (11, 14)]
    assert traces.last.start == 11


def test_the_last_trace_is_quoted_first() -> None:
    held = document("start\n" + trace(1) + "between\n" + trace(2, "g"))
    outline = build_trace_outline("traceback", held, read_traces(held))
    entries = [entry for section in outline.sections for entry in section.entries]
    assert entries[0].label == "ValueError: bad 2"
    assert all(entry.label in held.lines.at(entry.start) for entry in entries if entry.verbatim)


def test_the_end_begins_a_few_lines_before_the_last_traceback() -> None:
    held = document("".join(f"row {number}\n" for number in range(300)) + trace(1))
    end = build_trace_outline("traceback", held, read_traces(held)).sections[-1]
    assert (end.entries[0].start, end.entries[-1].start) == (285, 304)


def test_words_in_paths_are_no_errors_of_other_output() -> None:
    held = document("require es-errors/eval\nerror: it broke\n" + trace(1))
    outline = build_trace_outline("traceback", held, read_traces(held))
    other = next(section for section in outline.sections if section.title == "Other output")
    assert [entry.label for part in other.entries for entry in part.children] == ["error: it broke"]


def test_a_sentence_about_an_abort_is_no_crash() -> None:
    assert not read_traces(document("building\nAborted with 5 warnings in strict mode!\n")).count
    assert read_traces(document("running\nAborted (core dumped)\n")).count == 1


def test_traces_of_other_lengths_are_not_called_alike() -> None:
    shorter = trace(2).replace("    x()\n", "")
    for second, words in ((trace(2), "2x, the others alike, at 7-10"), (shorter, "2x with the same key frames, also at 7-9")):
        held = document("start\n" + trace(1) + "between\n" + second + "end\n")
        sections = build_trace_outline("traceback", held, read_traces(held)).sections
        labels = [entry.label for section in sections for entry in section.entries]
        assert any(words in label for label in labels), labels
