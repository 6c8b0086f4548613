import re

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ctxkit.core.gate.page import PageTerms, make_bytes_page, make_lines_page
from ctxkit.core.text import lines
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.tokens.budget import Budget
from tests.example_counts import count_examples

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
