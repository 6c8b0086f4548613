import pytest

from ctxkit.core.brief.logs.timestamps import (
    TimestampTracker,
    drop_timestamp,
    find_timestamp,
    format_duration,
    to_seconds,
)


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


def test_stamps_of_one_form_are_as_far_apart_as_their_times() -> None:
    early, late = find_timestamp("2024-02-28 23:59:59 a"), find_timestamp("2024-03-01 00:00:01 b")
    assert to_seconds(late) - to_seconds(early) == 86_402


def test_a_date_that_is_none_has_no_seconds() -> None:
    assert to_seconds(find_timestamp("2024-13-45 03:04:05 x")) is None


def test_the_clock_tells_the_longest_silence() -> None:
    rows = ["10:00:00 a", "10:00:30 b", "  more", "10:05:00 c", "10:06:00 d"]
    clock = TimestampTracker(rows[0])
    clock.add_lines(rows[:2], 1)
    clock.add_lines(rows[2:], 3)
    assert (clock.gap, clock.gap_lines) == (270.0, (2, 4))
    assert (clock.first, clock.last) == ((1, "10:00:00 a"), (5, "10:06:00 d"))


@pytest.mark.parametrize(
    "rows",
    [
        ["2026/11/25 23:17:26 a", "== access.log", "1795648650.782 15 127.0.0.1 b"],
        ["Nov 25 23:17:26 host a", "[25/Nov/2026:23:17:27 +0000] b"],
        ["2026-11-25 23:17:26 a", "[ 12.000000] b", "03:04:05 c"],
    ],
)
def test_times_that_state_other_units_are_no_silence(rows: list[str]) -> None:
    clock = TimestampTracker(rows[0])
    clock.add_lines(rows, 1)
    assert (clock.gap, clock.gap_lines) == (0.0, (0, 0))


def test_a_silence_between_forms_with_the_same_units_counts() -> None:
    rows = ["2026-11-25 23:17:26 a", "[25/Nov/2026:23:27:26 +0000] b"]
    clock = TimestampTracker(rows[0])
    clock.add_lines(rows, 1)
    assert (clock.gap, clock.gap_lines) == (600.0, (1, 2))


@pytest.mark.parametrize(("span", "said"), [(5, "0m 05s"), (3_900, "1h 05m"), (100_000, "1d 03h")])
def test_durations_are_said_as_people_say_them(span: int, said: str) -> None:
    assert format_duration(span) == said


def test_seconds_since_the_start_of_a_program() -> None:
    match = find_timestamp("[12.345s][info][gc] Using G1")
    assert match is not None
    assert (match["stamp"], to_seconds(match) - to_seconds(find_timestamp("[10.001s][info] x"))) == ("[12.345s]", 2)


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
