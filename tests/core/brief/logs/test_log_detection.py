import pytest

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.logs.log_detection import drop_timestamp, find_timestamp, read_sample, score_log
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


@pytest.mark.parametrize(
    ("line", "stamp"),
    [
        ("2024-01-02T03:04:05.123Z INFO x", "2024-01-02T03:04:05"),
        ("<34>Oct 11 22:14:15 machine su: x", "Oct 11 22:14:15"),
        ("1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] x", "10/Oct/2000:13:55:36"),
        ("[   12.345678] usb", "[   12.345678]"),
        ("- 1131566461 2005.11.09 dn228 x", "1131566461"),
    ],
)
def test_a_stamp_is_found_where_a_line_begins(line: str, stamp: str) -> None:
    assert find_timestamp(line)["stamp"] == stamp


@pytest.mark.parametrize("line", ["", "x", "total 12", "-rw-r--r-- 1 a b 10 Jan  2 03:04 name", "version 1.2.3"])
def test_other_lines_have_none(line: str) -> None:
    assert find_timestamp(line) is None


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("2024-01-02T03:04:05.123Z INFO ready", "INFO ready"),
        ("2024-01-02 03:04:05,123 : INFO : ready", "INFO : ready"),
        ("2024-01-02 03:04:05 +0100 ready", "ready"),
        ("[2024-01-02 03:04:05] local.ERROR: no", "local.ERROR: no"),
        ("Jan  2 03:04:05 host kernel: up", "host kernel: up"),
        ("[Wed Nov 25 23:17:22.547236 2026] [proxy:error] no", "[proxy:error] no"),
        ("[    0.000000] Linux version 6", "Linux version 6"),
        ("2024-01-02 03:04:05 | a", "a"),
        ("2024-01-02 03:04:05", "2024-01-02 03:04:05"),
        ("\x1b[2m2024-01-02T03:04:05Z\x1b[0m ready", "\x1b[0m ready"),
        ("1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] GET /", "1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] GET /"),
        ("api-1 | 2024-01-02 03:04:05 ready", "api-1 | 2024-01-02 03:04:05 ready"),
        ("no time here", "no time here"),
        ("host 2024-01-02 03:04:05 late", "host 2024-01-02 03:04:05 late"),
    ],
)
def test_what_follows_the_time_is_left(line: str, rest: str) -> None:
    assert drop_timestamp(line) == rest
    assert rest in line
