import re
from functools import cache

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import Briefing, brief_document
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.frame import BriefingFrame
from ctxkit.core.store.hint import PRESETS, Hint
from ctxkit.core.text import lines
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines import tokens

count = cache(tokens.load_tokenizer)(find_vocabulary("qwen3"))
HINT = Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "~/.cache/ctxkit/blobs/3f/3f9a2c81d0b4*", "log")
END = re.compile(r"^## Lines? (\d+)(?:-(\d+))?, verbatim$", re.MULTILINE)
RANGE = re.compile(r"^ *- (?:Lines? )?(\d+)(?:-(\d+))?: ", re.MULTILINE)
WORDS = [
    "error",
    "0 errors",
    "compiling",
    "warning:",
    "at",
    "src/main.rs:12",
    "漢字",
    "é",
    "{",
    "}",
    "\t",
    "passed",
    "x" * 30,
    "",
]
ROWS = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=150)


def mapped(data: bytes, target: int) -> Briefing | None:
    found = lines.lines_from_bytes(data)
    frame = BriefingFrame("stdin", found.total, len(data), count(data.decode("utf-8", "replace")), True, HINT)
    return brief_document(InputDocument(found, found.read, count, target, content_type="text"), frame)


def end_of(text: str) -> tuple[int, list[str]]:
    """Return the first line that is quoted at the end, and what is quoted."""
    heading = END.search(text)
    quoted = text[heading.end() + 1 :].partition("\n\nTo read a part: ")[0].split("\n")
    start, end = int(heading[1]), int(heading[2] or heading[1])
    assert len(quoted) == end - start + 1
    return start, quoted


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(200, 700), st.booleans())
@example(["\t\tif error {", "\t\t\treturn"] * 100, 400, True)
def test_the_last_lines_that_fit_the_target_less_150_are_all_in_the_map(rows, target, newline):
    text = mapped(("\n".join(rows) + ("\n" if newline else "")).encode(), target).text
    assert count(text) <= target
    total = lines.lines_from_bytes(("\n".join(rows) + ("\n" if newline else "")).encode()).total
    assume(total)
    rows = rows[:total]
    if not END.search(text):
        assert count(rows[-1]) > target - 150
        return
    start, quoted = end_of(text)
    assert [row.replace("\t", "    ").split() for row in rows[start - 1 :]] == [row.split() for row in quoted]
    fitting = next(index for index in range(len(rows) + 1) if count("\n".join(rows[index:])) <= target - 150)
    assert start <= fitting + 1


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(80, 500))
def test_every_line_is_quoted_or_within_a_range_that_is_named(rows, target):
    data = "".join(f"{row}\n" for row in rows).encode()
    found = mapped(data, target)
    if found is None or not found.text.startswith("# "):
        return
    named: set[int] = set()
    for start, end in [*RANGE.findall(found.text), *END.findall(found.text)]:
        named.update(range(int(start), int(end or start) + 1))
    assert named == set(range(1, len(rows) + 1))


@settings(max_examples=40, deadline=None)
@given(st.integers(20, 300), st.integers(80, 260))
def test_a_gap_counts_the_lines_that_are_in_it(total, target):
    found = mapped(b"".join(b"line %d is here\n" % number for number in range(1, total + 1)), target)
    for start, end, more in re.findall(r"Lines (\d+)-(\d+): (\d+) more lines", found.text if found else ""):
        assert int(more) == int(end) - int(start) + 1


def test_trouble_before_the_end_is_told_at_its_line():
    rows = [f"step {number} fine" for number in range(1, 1001)]
    rows[499] = "error[E0308]: mismatched types"
    text = mapped("\n".join(rows).encode(), 800).text
    assert "signs of trouble at 500\n" in text


def test_nothing_is_said_of_trouble_where_there_is_none():
    text = mapped(b"all is well, 0 errors\n" * 1000, 400).text
    assert not re.search(r"trouble|failed", text)


def test_a_line_of_one_megabyte_shows_its_end():
    data = b"a " * (1 << 19) + b"the very end"
    text = mapped(data, 600).text
    assert "the very end" in text
    assert "begins earlier" in text
    assert "(1 line, 1.0 MB, " in text


def test_a_line_of_one_megabyte_among_others_hides_none_of_them():
    text = mapped(b"first\n" + b"x" * (1 << 20) + b"\nlast\n", 500).text
    assert end_of(text) == (3, ["last"])
    assert "- 1: first\n" in text
    assert "- Lines 1-2: not shown in full" in text


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n\n", b"x"])
def test_next_to_nothing_has_a_map_too(data):
    found = mapped(data, 400)
    assert found.kind == "text"
    assert found.text.startswith(f"# stdin ({lines.lines_from_bytes(data).total} line")


def test_a_last_line_without_a_newline_is_a_line():
    text = mapped(b"row\n" * 2000 + b"the last", 400).text
    assert end_of(text)[1][-1] == "the last"
    assert "-2001, verbatim" in text


def test_carriage_returns_and_colours_are_gone_and_words_stay():
    text = mapped(b"\x1b[32mok\x1b[0m passed\r\n" * 1000 + b"10%\r100% \x1b[1mdone\x1b[0m\r\n", 400).text
    assert "\r" not in text
    assert "\x1b" not in text
    assert "\nok passed\n" in text
    assert "\n100% done\n" in text


def test_a_coloured_last_line_that_is_short_without_its_colours_does_not_begin_earlier():
    line = b"".join(b"\x1b[38;5;%dm\x1b[48;5;%dm%d\x1b[0m" % (number, number, number % 10) for number in range(60))
    text = mapped(line, 350).text
    assert "".join(str(number % 10) for number in range(60)) in text
    assert "begins earlier" not in text


@pytest.mark.parametrize("cut", range(1, 9))
def test_a_line_is_not_cut_inside_an_escape_sequence(cut):
    line = b"start " + b"\x1b[31m\x1b[1;4m" * 700 + b"end of it".ljust(cut, b".")
    text = mapped(line + b"x" * cut, 350).text
    quoted = re.search(r"begins earlier\] (.*)", text)
    assert quoted is None or set(quoted[1]) <= set("end of itx.")


def test_what_is_no_text_is_mapped_without_raising():
    for data in (b"\xff\x00" * 5000, bytes(range(256)) * 40, b"\xe4\xb8" * 5000):
        found = mapped(data, 400)
        assert count(found.text) <= 400
        assert "\x00" not in found.text


def test_the_one_error_of_a_build_is_quoted_before_the_end_takes_all_the_room():
    rows = [f"  CC      src/module{n}.o" for n in range(300)]
    rows[217] = "src/module217.c:12:5: error: expected ';' before 'return'"
    assert f"- 218: {rows[217]}\n" in mapped("\n".join(rows).encode(), 800).text


def test_lines_left_out_between_signs_of_trouble_go_without_saying():
    rows = [f"step {number} goes on and on with many words" for number in range(1, 1001)]
    rows[499] = "error[E0308]: mismatched types"
    text = mapped("\n".join(rows).encode(), 500).text
    assert "not shown here" not in text
    assert "- 500: error[E0308]" in text


def test_tests_that_passed_are_no_signs_of_trouble():
    rows = [f"\x1b[32m\u2714\x1b[0m testError{number} (0.001 seconds)" for number in range(500)]
    assert "trouble" not in mapped("\n".join(rows).encode(), 500).text
