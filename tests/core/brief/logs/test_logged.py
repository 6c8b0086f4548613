from ctxkit.core import lines
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.logs.logged import how_sure, sample_of


def document(text):
    data = text.encode()
    return Document(lines.of(data), lambda offset, length: data[offset : offset + length], len, 1_000)


def test_the_sample_is_of_lines_that_begin_at_the_margin():
    assert sample_of(document("one\n\n  two\n\tthree\nfour\n")) == ["one", "four"]


def test_rows_of_json_are_no_log_and_lines_in_brackets_are():
    rows = [f'["2026-03-01 03:04:{number:02}", "text"],' for number in range(60)]
    assert how_sure(document("\n".join(rows))) == 0.0
    rows = [f"[2026-03-01 03:04:{number:02}] starts {{" for number in range(60)]
    assert how_sure(document("\n".join(rows))) >= 0.8
