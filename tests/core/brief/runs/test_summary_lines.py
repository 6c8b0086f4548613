import pytest

from ctxkit.core.brief.runs.pytest_markers import Marker
from ctxkit.core.brief.runs.summary_lines import quote_ending, quote_notes, quote_summaries
from ctxkit.core.text import lines


def test_of_many_verdicts_the_first_and_the_last_are_quoted() -> None:
    marks = [Marker(at, "verdict", f"v{at}") for at in range(1, 21)]
    assert [(entry.start, entry.end) for entry in quote_summaries(marks, closed=True)] == [
        *((at, at) for at in (1, 2, 3)),
        (4, 16),
        *((at, at) for at in (17, 18, 19, 20)),
    ]
    assert [entry.start for entry in quote_notes(marks)] == [1, 2, 3, 18, 19, 20]


@pytest.mark.parametrize(("text", "rows"), [("a\nb\n\n\n", ["a", "b"]), ("\n\na\n", ["a"]), ("", [])])
def test_the_end_is_told_without_blank_lines_around(text: str, rows) -> None:
    assert [entry.label for entry in quote_ending(lines.lines_from_bytes(text.encode()), 3)] == rows
