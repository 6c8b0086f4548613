import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxkit.core.gate.excerpt import EndsBuffer, make_excerpt
from ctxkit.core.text.ansi import strip_escapes

ROWS = st.lists(st.text(alphabet="ab é漢\t", max_size=30), max_size=60)
GAP = re.compile(r"\[lines (\d+)-(\d+) are not shown and not stored\]")
BYTES = re.compile(r"\[([\d,]+) bytes? are not shown and not stored\]")


def words(text: str) -> int:
    return len(text.split())


def length(text: str) -> int:
    return len(text)


def ends_of(data: bytes, target: int, size: int = 7) -> EndsBuffer:
    ends = EndsBuffer(target)
    for start in range(0, len(data), size):
        ends.add(data[start : start + size])
    return ends


@settings(max_examples=150, deadline=None)
@given(ROWS, st.booleans(), st.integers(0, 300), st.integers(1, 50), st.sampled_from([words, length]))
def test_the_clip_fits_shows_true_lines_and_names_the_gap_between_them(rows, newline: bool, target: int, size: int, count) -> None:
    data = "\n".join(rows).encode() + (b"\n" if newline and rows else b"")
    assume(data)
    text = make_excerpt(ends_of(data, target, size), len(data), "log", "", count, target)
    if text is None:
        return
    assert count(text) <= target
    header, *body = text.removesuffix("\n").split("\n")
    lines = [strip_escapes(row) for row in data.decode().removesuffix("\n").split("\n")]
    total = len(lines)
    assert header.startswith(f"# log ({total:,} line")
    if any(BYTES.fullmatch(row) for row in body):
        assert all(row in "\n".join(lines) for row in body if not BYTES.fullmatch(row))
        return
    gaps = [index for index, row in enumerate(body) if GAP.fullmatch(row)]
    if not gaps:
        assert body == lines
        return
    (gap,) = gaps
    start, end = map(int, GAP.fullmatch(body[gap]).groups())
    assert body[:gap] == lines[: start - 1]
    assert body[gap + 1 :] == lines[end:]
    assert (start - 1) == gap
    assert total - end == len(body) - gap - 1


def test_a_third_is_the_beginning_and_the_rest_the_end() -> None:
    data = b"".join(b"line %d\n" % number for number in range(1, 1001))
    text = make_excerpt(ends_of(data, 120), len(data), "log", "", words, 120)
    before, _, after = text.partition("[lines")
    first, last = before.count("\nline"), after.count("\nline")
    assert first == pytest.approx(last / 2, abs=2)
    assert "\nline 1000\n" in text


def test_a_preface_stands_first_and_is_counted() -> None:
    text = make_excerpt(ends_of(b"a\n" * 500, 60), 1000, "log", "exit status 3", words, 60)
    assert text.startswith("exit status 3\n# log (500 lines, 1,000 bytes)")
    assert words(text) <= 60


def test_nothing_fits_no_room() -> None:
    assert make_excerpt(ends_of(b"a\n" * 500, 0), 1000, "log", "", words, 0) is None
    assert make_excerpt(ends_of(b"a\n" * 500, 3), 1000, "log", "", words, 3) is None


def test_of_one_endless_line_both_ends_are_shown_and_the_bytes_between_them_counted() -> None:
    data = b"begin" + b"x" * 100_000 + b"end"
    text = make_excerpt(ends_of(data, 200, 4096), len(data), "log", "", length, 200)
    before, _, after = text.partition("\n[")
    assert before.startswith("# log (1 line, 98 KB): beginning and end; nothing is stored\nbegin")
    assert text.endswith("xend\n")
    hidden = int(BYTES.search(text)[1].replace(",", ""))
    shown = len(before.partition("\nbegin")[2]) + 5 + len(after.partition("]\n")[2]) - 1
    assert shown + hidden == len(data)
    assert len(text) <= 200


def test_terminal_sequences_do_not_reach_the_reader() -> None:
    data = b"\x1b[31mred\x1b[0m\n50%\r100%\r\n\x00\n" + b"z\n" * 200
    text = make_excerpt(ends_of(data, 60), len(data), "log", "", words, 60)
    assert "\x1b" not in text
    assert "\x00" not in text
    assert "\nred\n100%\n" in text


@given(st.binary(max_size=400), st.integers(1, 9), st.integers(1, 60))
def test_memory_is_bound_by_the_target_and_not_by_the_input(data: bytes, target: int, size: int) -> None:
    ends = ends_of(data * 20, target, size)
    assert sum(map(len, ends.last_lines())) <= 3 * 16 * target
    assert sum(map(len, ends.first_lines())) <= 3 * 16 * target
    assert ends.size == 20 * len(data)
