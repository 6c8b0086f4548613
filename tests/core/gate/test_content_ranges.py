import re
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.errors import NotStoredError
from ctxkit.core.gate.content_ranges import (
    WHOLE_RANGE,
    add_line_numbers,
    grep_lines,
    read_bytes,
    read_rows,
    resolve_range,
)
from ctxkit.core.text import lines
from ctxkit.core.text.spans import PositionRange
from tests.example_counts import count_examples

CONTENT = st.lists(st.sampled_from([b"x", b"y", b"xy", b"", b"zz\r", b"a\rb", b"\x00z"]), max_size=25).map(b"\n".join)


def grep(data: bytes, pattern: str, *options: str) -> bytes:
    """Return what GNU grep writes: the oracle."""
    command = ["grep", "-a", *options, "-e", pattern]
    return subprocess.run(command, input=data, capture_output=True, env={"LC_ALL": "C"}).stdout


def found(data: bytes, pattern: str, context: int, *, numbers: bool) -> bytes:
    content = lines.lines_from_bytes(data)
    return b"".join(grep_lines(content, (1, content.total), re.compile(pattern), context, numbers=numbers))


@settings(max_examples=count_examples(60), deadline=None)
@given(st.lists(st.sampled_from(["x", "y", "xy", "", "zz"]), min_size=1, max_size=30), st.integers(1, 4))
def test_matches_and_their_context_are_laid_out_as_grep_does(texts: list[str], context: int) -> None:
    data = ("\n".join(texts) + "\n").encode()
    assert found(data, "x", context, numbers=True) == grep(data, "x", "-n", "-C", str(context))
    assert found(data, "x", context, numbers=False) == grep(data, "x", "-C", str(context))


@settings(max_examples=count_examples(20), deadline=None)
@given(
    st.lists(st.sampled_from(["x", "y", "xy", ""]), min_size=1, max_size=20),
    st.sampled_from(["x", "^$", "^x", "y$", "."]),
)
def test_matches_without_context_are_what_grep_finds(texts: list[str], pattern: str) -> None:
    data = ("\n".join(texts) + "\n").encode()
    assert found(data, pattern, 0, numbers=True) == grep(data, pattern, "-n")


def test_a_match_sees_the_line_without_its_ending() -> None:
    assert found(b"one\r\ntwo\r\n", "one$", 0, numbers=True) == b"1:one\r\n"
    assert found(b"a\rb\n", "b", 0, numbers=True) == b"1:a\rb\n"


def test_a_last_line_without_a_newline_is_found_as_it_is() -> None:
    assert found(b"a\nx", "x", 1, numbers=True) == b"1-a\n2:x"


def test_only_the_range_that_was_asked_for_is_searched() -> None:
    content = lines.lines_from_bytes(b"x1\nx2\nx3\nx4\n")
    assert b"".join(grep_lines(content, (2, 3), re.compile("x"), 2, numbers=True)) == b"2:x2\n3:x3\n"


@given(CONTENT, st.integers(1, 20), st.integers(0, 20))
def test_rows_are_the_lines_of_a_range_with_their_numbers_and_bytes(data, start: int, more: int) -> None:
    content = lines.lines_from_bytes(data)
    whole = [row + b"\n" for row in data.split(b"\n")[:-1]] + [row for row in data.split(b"\n")[-1:] if row]
    if start <= content.total:
        expected = list(enumerate(whole, 1))[start - 1 : start + more]
        assert list(read_rows(content, start, min(start + more, content.total))) == expected


def test_rows_come_whole_over_the_edges_of_pieces() -> None:
    data = b"".join(b"%d" % number + b"r" * 300_000 + b"\r\n" for number in range(12))
    found = list(read_rows(lines.lines_from_bytes(data), 1, 12))
    assert [number for number, _ in found] == list(range(1, 13))
    assert b"".join(row for _, row in found) == data


@settings(max_examples=count_examples(20), deadline=None)
@given(CONTENT)
def test_numbered_lines_are_what_grep_numbers(data) -> None:
    content = lines.lines_from_bytes(data)
    ours = b"".join(add_line_numbers(read_rows(content, 1, content.total)))
    expected = grep(data, "", "-n")
    assert ours == (expected if data.endswith(b"\n") or not data else expected.removesuffix(b"\n"))


@given(st.binary(max_size=50), st.integers(1, 60), st.integers(0, 60))
def test_a_range_of_bytes_is_a_slice(data: bytes, start: int, more: int) -> None:
    content = lines.lines_from_bytes(data)
    span = PositionRange(start, start + more)
    if start <= len(data):
        assert b"".join(read_bytes(content.read, content.size, span)) == data[start - 1 : start + more]
    else:
        with pytest.raises(NotStoredError):
            read_bytes(content.read, content.size, span)
    assert b"".join(read_bytes(content.read, content.size, WHOLE_RANGE)) == data


def test_a_large_range_of_bytes_comes_in_pieces() -> None:
    content = lines.lines_from_bytes(bytes(3 << 20))
    assert max(map(len, read_bytes(content.read, content.size))) <= 1 << 20
    assert sum(map(len, read_bytes(content.read, content.size, PositionRange(2, None)))) == (3 << 20) - 1


def test_a_range_beyond_the_end_says_how_much_there_is() -> None:
    with pytest.raises(NotStoredError, match=r"lines from 1,200: there are 847 lines"):
        resolve_range(PositionRange(1200, 1300), 847, "lines")
    with pytest.raises(NotStoredError, match=r"lines from 2: there is 1 line$"):
        resolve_range(PositionRange(2, None), 1, "lines")
    with pytest.raises(NotStoredError):
        resolve_range(PositionRange(-5, None), 0, "bytes")


def test_a_range_that_begins_inside_is_cut_to_the_end() -> None:
    assert resolve_range(PositionRange(800, 9000), 847, "lines") == (800, 847)
    assert resolve_range(PositionRange(-20, None), 847, "lines") == (828, 847)
