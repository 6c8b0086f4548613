import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import log as kind
from ctxkit.core.brief.logs.timestamps import drop_timestamp
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


def test_the_first_error_is_verbatim_with_its_number_and_what_continues_it() -> None:
    text = mapped(SERVICE, 600).text
    assert "\n- 500: 2024-01-02T03:20:00.500Z ERROR the disk is full\n" in text
    assert "- Line 501: indented, continues the line above\n" in text


@pytest.mark.slow
def test_levels_are_counted() -> None:
    said = "lines by the level they state: ERROR 1, WARN 10, INFO 988; 1 line indented or blank"
    assert f"- {said}\n" in mapped(SERVICE).text


@pytest.mark.slow
def test_the_time_span_and_the_longest_silence_are_told() -> None:
    text = mapped(SERVICE).text
    assert "- Lines 1-1000: 2024-01-02T03:01:00 to 2024-01-02T05:40:00\n" in text
    assert "the longest silence" in text


@pytest.mark.slow
def test_a_rare_line_is_shown_as_it_stands() -> None:
    assert "- 700: 2024-01-02T03:40:00.700Z INFO configuration read again\n" in mapped(SERVICE).text


@pytest.mark.slow
def test_a_frequent_line_is_shown_once_with_its_count() -> None:
    text = mapped(SERVICE).text
    assert "- Lines 1-1000: 987x, such as\n  - 1: 2024-01-02T03:01:00.001Z INFO request 1 handled\n" in text
    assert "- Lines 50-950: 10x, such as\n  - 50: 2024-01-02T03:50:00.050Z WARN slow request, 50 ms\n" in text


def test_a_small_map_quotes_lines_without_their_times_and_says_so() -> None:
    rows = [f"2024-01-02 03:04:{n % 60:02} INFO {a} took {b}" for n, (a, b) in enumerate(product(WORDS, WORDS))]
    text = mapped("\n".join(rows), 600).text
    assert "\n## Lines without the times before them\n" in text
    assert re.search(rf"^(?:- (?:Lines \d+-)?\d+: |  ){re.escape(drop_timestamp(rows[-1]))}$", text, re.MULTILINE)
    assert "without the times" not in mapped("\n".join(rows), 2_000).text


def test_trouble_in_lines_that_state_a_level_is_not_called_trouble_without_one() -> None:
    rows = [f"2024-01-02 03:04:{n % 60:02} INFO {a} took {b}" for n, (a, b) in enumerate(product(WORDS, WORDS))]
    rows[30] = "2024-01-02 03:04:30 INFO PROCESS-CRASH | the clock"
    text = mapped("\n".join(rows), 600).text
    assert "## Trouble without an error level: 1 form, 1 line\n- 31: " in text


def test_a_map_of_few_forms_shows_each_instead_of_lines() -> None:
    text = mapped(SERVICE, 600).text
    assert "without the times" not in text
    assert "x, such as" in text


def test_a_map_that_shows_not_every_form_begins_with_the_first_errors() -> None:
    rows = [f"2024-01-02 03:04:{n % 60:02} INFO {a} took {b}" for n, (a, b) in enumerate(product(WORDS, WORDS))]
    rows[30:30] = ["2024-01-02 03:04:30 ERROR no room", "2024-01-02 03:04:30 ERROR no key", "2024-01-02 03:04:31 ERROR no"]
    text = mapped("\n".join(rows), 600).text
    head = "## Errors and worse: 3 forms, 3 lines\n- 31: 2024-01-02 03:04:30 ERROR no room\n"
    assert f"{head}- 32: 2024-01-02 03:04:30 ERROR no key\n- Line 33: 1 more form\n" in text


def test_more_forms_than_are_told_apart_are_merged_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxkit.core.brief.logs.templates.MOST", 10)
    names = ("".join(pair) for pair in zip("abcdefghijklmnopqrst" * 2, "u" * 20 + "v" * 20, strict=True))
    text = "\n".join(f"2024-01-02 03:04:05 INFO {name} came" for name in names)
    assert "merged" in mapped(text).text
    check(text)


def test_requests_are_told_apart_by_the_class_of_their_status() -> None:
    row = '10.0.0.{0} - - [10/Oct/2000:13:55:{1:02} -0700] "GET /a HTTP/1.0" {2} 2326'
    statuses = [200] * 50 + [503] + [404] * 3
    text = "\n".join(row.format(at, at, status) for at, status in enumerate(statuses))
    said = mapped(text).text
    assert "status 5xx 1, status 4xx 3, status 2xx 50" in said
    assert "\n- 51: " + row.format(50, 50, 503) + "\n" in said


def test_the_level_of_a_kubernetes_line_is_its_letter() -> None:
    rows = [f"I0102 03:04:{second:02}.123456       1 main.go:12] synced" for second in range(50)]
    rows[30] = "E0102 03:04:30.123456       1 main.go:14] synced"
    text = mapped("\n".join(rows)).text
    assert "ERROR 1, INFO 49" in text
    assert f"\n- 31: {rows[30]}\n" in text


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


def test_a_level_in_colours_counts_as_one_without() -> None:
    rows = "".join(f"2026-11-21 10:00:{n:02} [\x1b[1mINFO\x1b[0m] worker {n}\n" for n in range(50))
    assert "lines by the level they state: INFO 50\n" in mapped(rows).text


def test_a_log_without_levels_does_not_count_them() -> None:
    rows = "\n".join(f"2024-01-02 03:{n // 60:02}:{n % 60:02} took {n} ms to answer {'a' * (n % 9)}" for n in range(90))
    text = mapped(rows).text
    assert "forms of lines" in text
    assert "by the level" not in text


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


def test_of_many_rare_lines_of_a_large_log_there_is_an_index_with_their_lines(monkeypatch) -> None:
    monkeypatch.setattr(kind, "RATED_BYTES", 0)
    text = mapped("\n".join(rarely()) + "\n", 2_000).text
    assert "- 501: 2024-01-02 03:08:20 ERROR" in text
    named = [
        (int(found[1]), int(found[2])) for found in re.finditer(r"- Lines (\d+)-(\d+): (?:\d+ |[\d,]+ forms)", text)
    ]
    for number in range(1, 900, 10):
        assert any(start <= number <= end < start + 120 for start, end in named), number


@pytest.mark.slow
def test_the_hint_shows_what_is_around_the_first_error() -> None:
    assert mapped("\n".join(service()) + "\n").text.rstrip().endswith("495:515")


def test_months_do_not_tell_lines_apart() -> None:
    rows = [
        f"{month}  {at % 9 + 1} 03:00:0{at % 10} host gate: item done" for month in ("Jun", "Jul") for at in range(40)
    ]
    assert "80x, such as" in mapped("\n".join(rows) + "\n").text


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


def test_codes_in_brackets_tell_forms_apart() -> None:
    lines = [f"2026-03-01 03:04:{n:02} Error [IMPDB000{n % 3}] Any description" for n in range(60)]
    told = mapped("\n".join(lines)).text
    assert "3 forms of lines" in told
    requests = [f"2026-03-01 03:04:{n:02} Error [REQ00{n + 10}] Any description" for n in range(60)]
    assert "1 form of lines" in mapped("\n".join(requests)).text


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


def test_a_failure_that_a_runner_prints_counts_where_every_line_is_called_information() -> None:
    rows = [f"[task 2025-02-13T22:02:{n:02}.000Z] INFO - TEST-PASS | test_{n}.js" for n in range(60)]
    rows[40] = "[task 2025-02-13T22:02:40.000Z] INFO - PROCESS-CRASH | test_40.js"
    text = mapped("\n".join(rows)).text
    assert "## Trouble without an error level: 1 form, 1 line\n- 41: [task" in text
    assert "lines by the level they state: INFO 60\n" in text


def test_a_level_behind_the_name_of_a_channel_is_one() -> None:
    rows = [f"[2021-06-09 10:11:{n:02}] local.{'ERROR' if n == 7 else 'INFO'}: saved" for n in range(60)]
    assert "lines by the level they state: ERROR 1, INFO 59\n" in mapped("\n".join(rows)).text


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


def test_a_line_that_is_only_a_level_follows_those_that_say_something() -> None:
    rows = ["[ERROR]", "[ERROR] cannot resolve a", *(f"[INFO] step {n}" for n in range(40)), "[ERROR]", "[ERROR] stopped"]
    text = mapped("\n".join(rows), 1_500).text
    assert text.index("- 2: [ERROR] cannot resolve a") < text.index("- 44: [ERROR] stopped") < text.index("  - 1: [ERROR]\n")


def test_the_only_time_of_a_log_is_no_span() -> None:
    rows = [*(f"[INFO] step {n}" for n in range(40)), "[INFO] finished at 2026-11-30T00:46:49Z"]
    assert "- Line 41: 2026-11-30T00:46:49, the only time\n" in mapped("\n".join(rows)).text


def test_statements_of_many_lines_below_stamped_ones_belong_to_a_log() -> None:
    rows = [row for n in range(60) for row in (f"2026-11-30 00:46:{n:02} UTC [7] LOG:  select a{n}", "\tfrom b", "\twhere c")]
    assert mapped("\n".join(rows)).kind == "log"
