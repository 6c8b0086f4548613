import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.store.label import (
    ClashingRef,
    Label,
    _may_contain_key,
    make_held_ref,
    mask_title,
    parse_prefix,
    shorten_ref,
    title_of,
)

names = st.text() | st.binary().map(lambda name: name.decode("utf-8", "surrogateescape"))


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("src/main.py", "src/main.py"),
        ("", ""),
        ("two\nlines", r"two\nlines"),
        ("  tabs\tand\r\nwide\u3000  blanks ", r"tabs\tand\r\nwide blanks"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("right\u202eleft", r"right\u202eleft"),
        ("next\x85line\u2028and\u2029on", r"next\x85line\u2028and\u2029on"),
        ("naïve 漢字 🙂", "naïve 漢字 🙂"),
    ],
)
def test_a_name_is_one_printable_line(name: str, title: str) -> None:
    assert title_of(name) == title


def test_bytes_of_a_name_that_are_no_utf8_are_shown_as_such() -> None:
    assert title_of(b"caf\xe9.txt".decode("utf-8", "surrogateescape")) == r"caf\xe9.txt"


def test_a_long_name_is_cut_and_the_cut_is_marked() -> None:
    assert title_of("x" * 100) == "x" * 100
    assert title_of("x" * 101) == "x" * 97 + "..."
    assert title_of("abcdefghij", 8) == "abcde..."


@given(names, st.integers(3, 120))
def test_any_name_at_all_becomes_a_line_that_can_be_written_and_keeps_its_width(name, width: int) -> None:
    title = title_of(name, width)
    assert title.isprintable()
    assert len(title) <= width
    assert title == title.strip()
    title.encode()


@given(names, st.integers(3, 120))
def test_a_title_is_its_own_title(name, width: int) -> None:
    title = title_of(name, width)
    assert title_of(title, width) == title


def test_what_is_not_known_of_content_is_empty() -> None:
    assert Label() == ("", "", "", "", "")


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("build.log", "build.log"),
        ("https://ana:pw@host/x", "https://ana:***@host/x"),
        ("x-ghp_Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaE", "x-***"),
        ("API_KEY=abc\n", "API_KEY=***\\n"),
    ],
)
def test_lists_show_a_name_without_its_keys(name: str, listed: str) -> None:
    assert mask_title(name) == listed


@given(st.text("aA1_- /", max_size=40))
def test_a_name_is_searched_for_keys_if_a_word_of_thirteen_has_a_capital_or_a_digit(name: str) -> None:
    words = re.split("[ /]", name)
    assert _may_contain_key(name) == any(len(word) >= 13 and re.search("[A-Z0-9]", word) is not None for word in words)


@pytest.mark.parametrize("letters", ["a", "-", "aA1", "a:", "x="])
def test_a_long_name_takes_linear_time(letters: str) -> None:
    began = time.process_time()
    assert len(mask_title(letters * (100_000 // len(letters)))) <= 100
    assert time.process_time() - began < 2  # 0.05 s; in quadratic time, minutes


REF = "3f9a2c81d0b4" + "0" * 52


def test_a_ref_is_shown_as_sixteen_digits_or_in_full_if_they_name_other_content() -> None:
    assert shorten_ref(REF) == "3f9a2c81d0b40000"
    assert shorten_ref(ClashingRef(REF)) == REF
    assert make_held_ref(REF) == make_held_ref(shorten_ref(REF)) == make_held_ref("3f9a2c81d0b4")


@pytest.mark.parametrize("text", ["3f9a2c", "3F9A2C", REF, REF.upper(), shorten_ref(REF)])
def test_a_prefix_of_at_least_six_digits_is_taken_in_any_letter_case(text) -> None:
    assert parse_prefix(text) == text.lower()


@pytest.mark.parametrize(
    "text", ["", "3f9a2", REF + "0", "../../etc/passwd", "3f9a2g", "3f/9a2c", "3f9a2c\n", " 3f9a2c", "３f９a２c１"]
)
def test_what_cannot_be_a_ref_is_none(text: str) -> None:
    assert parse_prefix(text) is None


@given(st.text(max_size=70))
def test_a_prefix_never_names_a_path(text: str) -> None:
    prefix = parse_prefix(text)
    assert prefix is None or (set(prefix) <= set("0123456789abcdef") and 6 <= len(prefix) <= 64)
