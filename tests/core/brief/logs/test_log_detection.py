from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.logs.log_detection import read_sample, score_log
from ctxkit.core.text import lines


def document(text):
    data = text.encode()
    return InputDocument(lines.lines_from_bytes(data), lambda offset, length: data[offset : offset + length], len, 1_000)


def test_the_sample_is_of_lines_that_begin_at_the_margin() -> None:
    assert read_sample(document("one\n\n  two\n\tthree\nfour\n")) == ["one", "four"]


def test_rows_of_json_are_no_log_and_lines_in_brackets_are() -> None:
    rows = [f'["2026-03-01 03:04:{number:02}", "text"],' for number in range(60)]
    assert score_log(document("\n".join(rows))) == 0.0
    rows = [f"[2026-03-01 03:04:{number:02}] starts {{" for number in range(60)]
    assert score_log(document("\n".join(rows))) >= 0.8
