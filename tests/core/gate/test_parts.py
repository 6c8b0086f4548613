"""Parts never split a character, and what follows can be read on without a loss."""

import re

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.gate.parts import BytePart, LinePart, align_offset, make_byte_part
from ctxkit.core.text.lines import lines_from_bytes
from ctxkit.core.tokens.budget import Budget

WIDE = Budget(1_000_000, 0, 0)


def reader(data: bytes):
    return lambda offset, length: data[offset : offset + length]


def octets(text: str) -> int:
    return len(text.encode())


def read_on(offset: int, end: int) -> str:
    return f"read({offset}, {end})"


@given(st.text(min_size=1), st.integers(1, 9))
def test_reading_on_by_the_limit_loses_and_repeats_nothing(text: str, limit: int) -> None:
    data = text.encode("utf-8", "replace")
    pieces, offset, ends = b"", 0, [0]
    while offset < len(data):
        part = make_byte_part(reader(data), len(data), offset, limit, read_on)
        piece = data[part.start : part.end]
        piece.decode()
        pieces += piece[max(ends[-1] - part.start, 0) :]
        ends.append(part.end)
        offset += limit
    assert pieces == data


@given(st.binary(max_size=40), st.integers(0, 50))
def test_an_offset_moves_back_by_less_than_a_character(data: bytes, offset: int) -> None:
    aligned = align_offset(reader(data), offset, len(data))
    assert min(offset, len(data)) - 3 <= aligned <= min(offset, len(data))


def test_a_part_has_at_least_one_character() -> None:
    part = make_byte_part(reader("漢字".encode()), 6, 3, 1, read_on)
    assert (part.start, part.end) == (3, 6)


def test_a_part_says_what_follows() -> None:
    part = make_byte_part(reader(b"abcdef"), 6, 0, 4, read_on)
    assert part.make_page(octets, WIDE) == b"abcd\n[bytes 4 to 6 follow: read(4, 6)]\n"
    assert make_byte_part(reader(b"abcdef"), 6, 4, 4, read_on).make_page(octets, WIDE) == b"ef"


@given(st.text(alphabet="aé漢", min_size=1, max_size=400), st.integers(0, 300))
def test_a_part_that_does_not_fit_is_shortened_and_read_on_from_its_end(text: str, window: int) -> None:
    data, budget = text.encode(), Budget(window, 0, 0)
    page = BytePart(reader(data), 0, len(data), len(data), read_on).make_page(octets, budget)
    if page is None:
        assert window < 100
        return
    assert octets(page.decode()) <= budget.available
    if match := re.search(rb"\n\[bytes (\d+) to \d+ follow: .*\]\n\Z", page):
        assert page[: match.start()] == data[: int(match[1])]
    else:
        assert page == data


def line_part(data: bytes, start: int, end: int) -> LinePart:
    return LinePart(reader(data), lines_from_bytes(data), start, end, lambda a, b: f"lines({a}, {b})", read_on)


def test_lines_are_as_sed_prints_them() -> None:
    assert line_part(b"a\nb\nc\nd", 2, 3).make_page(octets, WIDE) == b"b\nc\n"


def test_lines_that_do_not_fit_name_the_call_that_reads_on() -> None:
    page = line_part(b"line\n" * 100, 1, 100).make_page(octets, Budget(120, 0, 0))
    assert page is not None
    assert page.startswith(b"line\n")
    assert re.search(rb"\[lines (\d+)-100 follow: lines\(\1, 100\)\]\n\Z", page)


def test_a_line_that_is_too_long_is_read_by_bytes() -> None:
    page = line_part(b"x" * 5000, 1, 1).make_page(octets, Budget(400, 0, 0))
    assert page is not None
    assert re.search(rb"\n\[bytes (\d+) to 5000 follow: read\(\1, 5000\)\]\n\Z", page)
