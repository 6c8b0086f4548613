import pytest

from ctxkit.core.brief.logs.timestamps import drop_timestamp, find_timestamp


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
