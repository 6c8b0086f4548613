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


def test_lines_that_begin_with_a_level_are_a_log() -> None:
    rows = [f"{level:8}-  Reading: p{number}.md" for number in range(20) for level in ("DEBUG", "INFO", "WARNING")]
    assert score_log(document("\n".join(rows))) > 0.8
    assert score_log(document("\n".join(f"INFORMED  of {number}" for number in range(60)))) == 0.0
