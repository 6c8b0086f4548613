import re
import subprocess

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ctxkit.core.errors import NotStoredError
from ctxkit.core.gate.content_ranges import (
    WHOLE_RANGE,
    PageTerms,
    add_line_numbers,
    grep_lines,
    make_bytes_page,
    make_lines_page,
    read_bytes,
    read_rows,
    resolve_range,
)
from ctxkit.core.text import lines
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.quantity import PositionRange
from ctxkit.core.tokens.budget import Budget
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


WAY = re.compile(rb"\[(lines|bytes) (\d+)-(\d+) follow: --(lines|bytes) (\d+):(\d+)\]\n\Z")
ROWS = st.lists(
    st.one_of(st.text(alphabet="ab é漢", max_size=20), st.integers(100, 900).map("x".__mul__)), min_size=1, max_size=25
)


def octets(text: str) -> int:
    return len(text.encode())


def way(range_: str) -> str:
    return range_


def page_of(content: IndexedLines, noun: bytes, start: int, end: int, budget: Budget) -> bytes | None:
    if noun == b"lines":
        return make_lines_page(content, start, end, PageTerms(octets, budget, way))
    return make_bytes_page(content.read, start, end, PageTerms(octets, budget, way))


def read_through(content: IndexedLines, budget: Budget, noun: bytes, start: int, end: int) -> bytes:
    """Follow the ways as a reader would; return what each page showed of the content."""
    shown: list[bytes] = []
    while True:
        page = page_of(content, noun, start, end, budget)
        assert page is not None
        on = WAY.search(page)
        if on is None:
            assert len(page) <= budget.available
            return b"".join([*shown, page])
        assert len(page) <= budget.briefing_target()
        assert on[1] == on[4]
        assert (on[2], on[3]) == (on[5], on[6])
        shown.append(page[: on.start()])
        following = (on[1], int(on[2]), int(on[3]))
        assert following[0] != noun or following[1] > start
        noun, start, end = following
        assert len(shown) < 1000


def squeezed(data: bytes) -> bytes:
    """Return bytes without newlines: a page may end in one that the content has not."""
    return data.replace(b"\n", b"")


@settings(max_examples=count_examples(100), deadline=None)
@given(ROWS, st.booleans(), st.integers(300, 1500))
@example(["x" * 900, "second", "third"], True, 300)
@example(["first", "x" * 900, "third"], False, 300)
def test_following_the_ways_gives_every_line_once_and_in_order(rows, newline: bool, available: int) -> None:
    data = ("\n".join(rows) + ("\n" if newline else "")).encode()
    content = lines.lines_from_bytes(data)
    assume(content.total)
    shown = read_through(content, Budget(available, 0), b"lines", 1, content.total)
    assert squeezed(shown) == squeezed(data)


@settings(max_examples=count_examples(60), deadline=None)
@given(st.text(alphabet="a é漢🙂\n", min_size=1, max_size=800), st.integers(160, 600))
def test_following_the_ways_through_bytes_gives_every_character_once(text: str, available: int) -> None:
    content = lines.lines_from_bytes(text.encode())
    shown = read_through(content, Budget(available, 0), b"bytes", 1, content.size)
    assert squeezed(shown) == squeezed(text.encode())


@settings(max_examples=count_examples(60), deadline=None)
@given(
    st.lists(
        st.sampled_from([b"a", b"\xff", b"\xe4\xb8", "漢".encode(), b"\x00", b"\xed\xa0\x80"]), min_size=1, max_size=400
    ),
    st.integers(160, 600),
)
@example([b"\xff"] * 900 + [b"a"], 200)
@example([b"\xff"] * 900, 200)
def test_a_page_of_bytes_shows_exactly_those_before_its_way_on(parts, available: int) -> None:
    data, budget = b"".join(parts), Budget(available, 0)
    start = 1
    while start <= len(data):
        page = make_bytes_page(lines.lines_from_bytes(data).read, start, len(data), PageTerms(octets, budget, way))
        assert page is not None
        on = WAY.search(page)
        following = int(on[2]) if on else len(data) + 1
        assert following > start
        shown = page[: on.start()].removesuffix(b"\n") if on else page
        assert shown == data[start - 1 : following - 1]
        start = following


def test_what_fits_comes_whole_without_a_way_on() -> None:
    content = lines.lines_from_bytes(b"one\r\ntwo\r\nthree")
    assert make_lines_page(content, 1, 3, PageTerms(octets, Budget(100, 0), way)) == b"one\r\ntwo\r\nthree"
    assert make_lines_page(content, 2, 2, PageTerms(octets, Budget(100, 0), way)) == b"two\r\n"


def test_the_way_on_keeps_the_numbers_of_the_original() -> None:
    content = lines.lines_from_bytes(b"line\n" * 1000)
    page = make_lines_page(content, 101, 900, PageTerms(octets, Budget(400, 0), way))
    assert WAY.search(page)[6] == b"900"
    assert int(WAY.search(page)[5]) == 101 + page.count(b"line\n")


@pytest.mark.parametrize("window", [0, 1, 20, 60])
def test_no_page_at_all_where_not_even_the_way_on_fits(window: int) -> None:
    assert make_lines_page(lines.lines_from_bytes(b"x" * 500 + b"\n" + b"y\n" * 400), 1, 401, PageTerms(octets, Budget(window, 0), way)) is None


def test_a_character_is_never_cut_in_two() -> None:
    content = lines.lines_from_bytes("漢".encode() * 500)
    page = make_bytes_page(content.read, 1, content.size, PageTerms(octets, Budget(400, 0), way))
    assert "\ufffd" not in page.decode("utf-8", "replace")
    assert (int(WAY.search(page)[2]) - 1) % 3 == 0
