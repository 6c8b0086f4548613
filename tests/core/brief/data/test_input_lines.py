import pytest

from ctxkit.core.brief.data import input_lines
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines


def document(text):
    data = text.encode()
    return InputDocument(lines.lines_from_bytes(data), lambda at, n: data[at : at + n], len, 1_000)


def test_lines_are_read_without_a_byte_order_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    assert input_lines.read_lines(document("\ufeffa\nb\n")) == (["a", "b"], [])
    monkeypatch.setattr(input_lines, "MAX_LINES", 3)
    texts, notes = input_lines.read_lines(document("a\n" * 9))
    assert (len(texts), [(one.start, one.end) for one in notes]) == (3, [(4, 9)])


def test_names_that_come_again_are_told() -> None:
    found = list(input_lines.report_repeated_names([(at, "k", 1) for at in range(2, 12)]))
    assert found[0].label == "k stands here again, first on line 1"
    assert found[-1].label == "names that stand again: 4 more, lines 8, 9, 10, 11"
