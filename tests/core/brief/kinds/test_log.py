import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.kinds import log as kind
from ctxkit.core.brief.logs.log_detection import drop_timestamp
from ctxkit.core.text import lines
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.retrieval_hint import Hint
from tests.example_counts import count_examples


def count(text):
    return (len(text.encode()) + 2) // 3


def document(text, target=3_000):
    data = text.encode("utf-8", "replace")
    return InputDocument(
        lines.lines_from_bytes(data), lambda offset, length: data[offset : offset + length], count, target
    )


def mapped(text, target=3_000):
    held = document(text, target)
    return brief_document(held, BriefingFrame("log", held.lines.total, held.lines.size, 0, True, Hint("{start}:{end}")))


def entries(outline):
    waiting = [entry for section in outline.sections for entry in section.entries]
    for entry in waiting:
        yield entry
        waiting.extend(entry.children)


def check(text, target=3_000):
    """Hold every entry against the lines it claims."""
    held = document(text, target)
    for outline in kind.outline(held) or []:
        for entry in entries(outline):
            last = held.lines.size if entry.in_bytes else held.lines.total
            assert entry.start == entry.end == 0 or 1 <= entry.start <= entry.end <= last
            if entry.verbatim:
                for number, row in enumerate(entry.label.split("\n  "), entry.start):
                    quotation, line = re.sub(r" \[\+\d+ chars\]$", "", row), held.lines.at(number)
                    assert quotation in strip_escapes(line.replace("\t", "    ")) or quotation in strip_escapes(line)


def service():
    """Return a log of 1,000 lines: line 500 an error, 700 a rare event, a silence before line 900."""
    for number in range(1, 1_001):
        hour = 3 if number < 900 else 5
        stamp = f"2024-01-02T{hour:02}:{number % 60:02}:00.{number:03}Z"
        if number == 500:
            yield f"{stamp} ERROR the disk is full"
        elif number == 501:
            yield "    at Disk.write(Disk.java:12)"
        elif number == 700:
            yield f"{stamp} INFO configuration read again"
        elif number % 100 == 50:
            yield f"{stamp} WARN slow request, {number} ms"
        else:
            yield f"{stamp} INFO request {number} handled"


SERVICE = "\n".join(service()) + "\n"


def test_the_first_error_stands_in_front_as_it_is() -> None:
    text = mapped(SERVICE, 600).text
    assert "\n## The first error\n- 500: 2024-01-02T03:20:00.500Z ERROR the disk is full\n" in text


def test_a_small_map_quotes_lines_without_their_times_and_says_so() -> None:
    rows = [f"2024-01-02 03:04:{n % 60:02} INFO {a} took {b}" for n, (a, b) in enumerate(product(WORDS, WORDS))]
    text = mapped("\n".join(rows), 600).text
    assert "\n## Lines without the times before them\n" in text
    assert re.search(rf"^(?:- (?:Lines \d+-)?\d+: |  ){re.escape(drop_timestamp(rows[-1]))}$", text, re.MULTILINE)
    assert "without the times" not in mapped("\n".join(rows), 2_000).text


def test_a_log_without_an_error_names_none() -> None:
    text = mapped("".join(f"2024-01-02 03:04:{n:02} INFO took {n} ms, 0 errors\n" for n in range(60))).text
    assert "The first error" not in text


@pytest.mark.parametrize(
    ("usual", "error"),
    [
        ("I0102 03:04:{:02}.123456       1 main.go:12] synced", "E0102 03:04:30.123456       1 main.go:14] synced"),
        ("03-17 16:13:{:02}.702  1702  2395 D Window: shown", "03-17 16:13:30.702  1702  2395 E Window: shown"),
    ],
)
def test_a_level_of_one_letter_is_one(usual: str, error: str) -> None:
    rows = [usual.format(second) for second in range(50)]
    rows[30] = error
    assert f"\n## The first error\n- 31: {error}\n" in mapped("\n".join(rows)).text


@pytest.mark.slow
def test_a_rare_line_is_shown_as_it_stands() -> None:
    assert "INFO configuration read again\n" in mapped(SERVICE, 600).text


@pytest.mark.parametrize(
    "row",
    [
        "2024-01-02T03:04:05Z started",
        "2024-01-02 03:04:05,678 - INFO - started",
        "[2024-01-02 03:04:05] started",
        "Jan  2 03:04:05 host sshd[12]: started",
        "<34>Jan  2 03:04:05 host su: started",
        '127.0.0.1 - - [02/Jan/2024:03:04:05 +0000] "GET / HTTP/1.1" 200 12',
        "2024/01/02 03:04:05 started",
        "2024/01/02 03:04:05 [error] 12#0: started",
        "I0102 03:04:05.123456       1 main.go:12] started",
        "[    0.123456] Linux version 6",
        "[Thu Jun 09 06:07:04 2005] [notice] started",
        "17/06/09 20:10:40 INFO started",
        "081109 203615 148 INFO dfs.DataNode: started",
        "03-17 16:13:38.702  1702  2395 D WindowManager: started",
        "INFO: started the machine",
        "web_1  | 2024-01-02 03:04:05 started",
    ],
)
def test_lines_that_begin_with_a_time_or_a_level_are_a_log(row: str) -> None:
    assert kind.sniff(document(f"{row}\n" * 20)) >= 0.5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Some prose about errors.\n" * 20,
        "time,a,b\n" + "2024-01-02 03:04:05,1,2\n" * 20,
        '{"time": "2024-01-02T03:04:05Z", "level": "info"}\n' * 20,
        "-rw-r--r-- 1 root root 10 Jan  2 03:04 name\n" * 20,
        "def f(x):\n    return x\n" * 20,
        "commit 1f48490\nAuthor: A <a@b.c>\nDate:   Mon Jan 1 10:00:00 2024\n\n    Message\n" * 20,
        "- [x] 2024-01-02 something done\n" * 20,
    ],
)
def test_what_is_not_a_log_is_left_alone(text: str) -> None:
    assert kind.sniff(document(text)) < 0.5


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("target", [150, 400, 1_000, 4_000])
def test_the_map_takes_no_more_than_its_target(target: int) -> None:
    made = mapped(SERVICE, target)
    assert count(made.text) == made.tokens <= target


@pytest.mark.slow
def test_the_same_log_makes_the_same_map() -> None:
    assert mapped(SERVICE).text == mapped(SERVICE).text


def test_every_entry_is_true_of_its_lines() -> None:
    check(SERVICE)


WORDS = [
    "2024-01-02T03:04:05Z ERROR x 1", "2024-01-02T03:05:05Z INFO y 22", "Jan 32 03:04:05 a", "  at x", "",
    "I0102 03:04:05.1 x",
    "\x1b[31m2024-01-02 03:04:05 WARN\x1b[0m z", "2024-99-99 99:99:99 q", "a\tb\t1", "[  1.000000] k", "x" * 900,
]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=count_examples(80), deadline=None)
@given(st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=30)), max_size=40), st.integers(60, 900))
def test_any_text_makes_a_map_that_is_true_or_none(rows, target: int) -> None:
    text = "\n".join(rows)
    kind.sniff(document(text))
    check(text, target)
    made = mapped(text, target)
    assert made is None or count(made.text) <= target


def test_a_level_is_no_word_of_a_sentence() -> None:
    rows = "".join(f"[    0.1137{n:02}] RCU Tasks Trace: shift {n}\n" for n in range(50))
    assert "TRACE" not in mapped(rows).text


@pytest.mark.parametrize(
    "row",
    [
        'time="2026-11-21T10:33:{:02}Z" level=info msg="request handled" id=1985',
        "nova-api.log.1 2017-05-16 00:00:{:02}.008 25746 INFO nova.osapi [req-38101a0b] GET",
        "134681 node-246 unix.hw state_change.unavailable 10778047{:02} 1 Component State Change",
    ],
)
def test_a_time_may_stand_behind_a_key_or_some_words(row: str) -> None:
    assert kind.sniff(document("".join(row.format(n) + "\n" for n in range(10, 60)))) >= 0.5


@pytest.mark.parametrize(
    "row",
    [
        "-rw-r--r-- 1 root root 4096 2026-11-21 10:00:{:02}.000000000 +0000 a file",
        "1ab2c3d4 (Ann Author 2026-11-21 10:00:{:02} +0000 12) def run():",
        '<UnitTestResult testId="1" startTime="2026-11-21T10:00:{:02}.1" outcome="Passed" />',
    ],
)
def test_times_in_listings_blame_and_markup_make_no_log(row: str) -> None:
    assert kind.sniff(document("".join(row.format(n) + "\n" for n in range(10, 60)))) < 0.5


@pytest.mark.slow
def test_no_gap_is_named_where_lines_are_quoted_elsewhere() -> None:
    rows = (
        "".join(f"2026-11-21 10:00:{n % 60:02} INFO step {n}\n" for n in range(900)) + "2026-11-21 11:00:00 ERROR x\n"
    )
    for target in range(150, 700, 50):
        assert "not shown" not in mapped(rows, target).text


def rarely():
    """Return a log of 900 lines, every tenth of which says something of its own."""
    letters = "abcdefghij"
    for at in range(900):
        said = f"item {at} done"
        if at % 10 == 0:
            said = f"the {letters[at // 100]}{letters[at // 10 % 10]} valve of the plant on the hill was opened by hand today"
        yield f"2024-01-02 03:{at // 60:02}:{at % 60:02} {'ERROR' if at == 500 else 'INFO'} {said}"


@pytest.mark.slow
def test_the_hint_shows_what_is_around_the_first_error() -> None:
    assert mapped("\n".join(service()) + "\n").text.rstrip().endswith("490:540")


@pytest.mark.parametrize(
    "line",
    [
        '[taskcluster 2025-02-13T22:02:18.{:03}Z]     "config": {{',
        "[task 2025-02-13T22:02:23.{:03}Z] 22:02:23     INFO - ['a', 'b',]",
        'caddy  | {{"level":"info","ts":17610198{:02}.3152757,"msg":"admin endpoint started"}}',
        "2024-06-27 00:00:{:03}.1 CEST [58315]: [1-1] user=,db=,host=,app= LOG:  automatic vacuum",
    ],
)
def test_stamps_behind_a_word_a_bracket_or_a_container_are_those_of_a_log(line: str) -> None:
    text = "\n".join(line.format(number % 60) for number in range(100))
    text = text.replace("00:00:0", "00:00:")
    assert kind.sniff(document(text)) >= 0.5


def test_events_of_many_lines_each_are_a_log() -> None:
    frames = "\n".join(f"#{number} /srv/app/Kernel.php(1{number}): handle()" for number in range(12))
    events = [f"[2021-06-09 10:11:{number:02}] local.ERROR: no such class {number}\n{frames}" for number in range(9)]
    assert kind.sniff(document("\n".join(events))) >= 0.5
    assert kind.sniff(document("a text that quotes one\n" + "\n".join(events))) < 0.5


def test_a_table_of_two_columns_the_first_of_which_is_a_time_is_no_log() -> None:
    rows = "\n".join(f"2015/01/01 01:00:{number:02},{number}" for number in range(60))
    assert kind.sniff(document(f"time,count\n{rows}")) == 0.0


WORDS = ("disk", "clock", "bus", "timer", "port", "cache", "bridge", "console", "module", "table", "queue", "socket")  # type: ignore[assignment]


def booting():
    """Return a log of routine lines, the last 144 of which are those of a boot and occur once."""
    for number in range(1_000):
        yield f"Jul 27 14:{number % 60:02}:00 combo ftpd[{number}]: connection from 10.0.0.{number % 250}"
    for one in WORDS:
        for other in WORDS:
            yield f"Jul 27 15:00:00 combo kernel: the {one} found a {other} and took it"


@pytest.mark.parametrize("target", [500, 2_000])
def test_a_map_of_an_end_full_of_lines_that_occur_once_quotes_beginning_and_end(target: int) -> None:
    rows = list(booting())
    text = mapped("\n".join(rows), target).text
    assert ", log): a map" in text
    for row in rows[0], rows[-1]:
        assert (row if target == 2_000 else drop_timestamp(row)) in text
    assert count(text) <= target


def test_measurements_with_times_are_no_log() -> None:
    text = "".join(f"09:16:{n % 60:02}          {n % 2}      0.{n:02}     12.00   99.00\n" for n in range(90))
    assert kind.sniff(document(text)) == 0.0


def test_tabs_stay_in_quoted_lines() -> None:
    rows = [f"2024-05-06 10:00:{number % 60:02} INFO step{chr(9) * (number % 3)}{number}" for number in range(400)]
    assert rows[-1] in mapped("\n".join(rows)).text


def test_lines_without_a_time_after_the_sample_are_no_log() -> None:
    rows = [f"12:00:{number % 60:02}.000 [0 127.0.0.1] set cart {number}" for number in range(200)]
    assert mapped("\n".join([*rows, *(["item", "name"] * 10)])).kind == "log"
    assert mapped("\n".join([*rows, *(["item", "name"] * 120)])).kind != "log"


def test_a_log_before_other_output_at_the_margin_is_not_all_a_log() -> None:
    stamped = [f"2026-11-26 06:01:2{n}.690 <TRACE> peer{n}: Starting" for n in range(9)]
    other = [f"bird> show {name}" for name in ("status", "protocols", "routes")] + [f"sym{n} routing" for n in range(30)]
    text = "\n".join([*stamped, *other])
    assert kind.outline(document(text)) is None
    traces = [row for line in stamped for row in (line, "java.lang.Error: x", "\tat a.b.C", "\tat a.b.D")]
    assert kind.outline(document("\n".join(traces))) is not None


def test_statements_of_many_lines_below_stamped_ones_belong_to_a_log() -> None:
    rows = [row for n in range(60) for row in (f"2026-11-30 00:46:{n:02} UTC [7] LOG:  select a{n}", "\tfrom b", "\twhere c")]
    assert mapped("\n".join(rows)).kind == "log"


@pytest.mark.parametrize(
    ("rows", "first"),
    [
        (["[INFO] a", "[WARNING] b", "org.a.BException: c", "    at org.a.B.d (B.java:1)", "Caused by: e.FError", "[ERROR] g"], 6),
        (["[DEBUG] a", "[DEBUG] b", "org.a.BException: c", "[INFO] BUILD FAILURE", "[ERROR] g"], 5),
        (["[WARNING] a", "[ERROR] b", "org.a.BException: c", "[INFO] d", "[INFO] e"], 2),
        (["[WARNING] a", 'Exception in thread "main" org.a.BException: c', "[INFO] d", "[INFO] e"], 2),
        (["[INFO] a", "Exception occurred during processing", "Traceback (most recent call last):", "[INFO] d"], 2),
        (["[WARNING] a", "org.a.BException: c", "[INFO] d", "[INFO] e"], 0),
    ],
)
def test_the_first_error_is_no_trace_below_a_warning(rows: list[str], first: int) -> None:
    assert LineForms(lines.lines_from_bytes("\n".join(rows).encode())).find_first_error() == first
