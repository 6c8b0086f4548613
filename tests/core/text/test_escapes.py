"""Terminal escapes leave, and the text stays."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.escapes import (
    MAX_SIZE,
    escape_controls,
    escape_invisible,
    escape_line,
    escape_name,
    has_redraws,
    strip_controls,
    strip_escapes,
)

texts = st.text() | st.text(alphabet="ab\x1b\x9b\x7f\r\n\t\u202e\u2066\u200f\u061c\u2028\U000e0041\udcff\ud800 é漢", max_size=20)
HARMFUL = {"Cc", "Zl", "Zp", "Cs"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("\x9b31m\x7f\r", r"\x9b31m\x7f\r"),
        ("a\u202eb\u2066\u200f\u061c", r"a\u202eb\u2066\u200f\u061c"),
        ("\u2028\u2029\udcff\ud800\U000e0041", r"\u2028\u2029\xff\ud800\U000e0041"),
        ("naïve 漢字 🙂\u3000", "naïve 漢字 🙂\u3000"),
        ("a\u200bb\u00adc\u2060d\ufeffe\U000e0001", r"a\u200bb\xadc\u2060d\ufeffe\U000e0001"),
        ("\U000e01ef\U000e0100\u3164\u180e", r"\U000e01ef\U000e0100\u3164\u180e"),
        ("", ""),
    ],
)
def test_control_characters_are_shown_by_their_numbers(text: str, shown: str) -> None:
    assert escape_controls(text) == escape_line(text) == shown


def test_breaks_stay_in_a_text_and_are_escaped_in_a_line() -> None:
    assert escape_controls("a\n\tb") == "a\n\tb"
    assert escape_line("a\n\tb") == r"a\n\tb"


def test_a_name_shows_what_cannot_be_seen_as_well() -> None:
    assert escape_name("a\u200b\u00adb\xa0\u3000c") == "a\\u200b\\xadb\xa0\u3000c"


@pytest.mark.parametrize("text", ["👩\u200d💻", "❤\ufe0f\u200d🔥", "می\u200cخواهم", "ක\u200dෂ"])
def test_a_joiner_that_shapes_its_neighbours_stays(text: str) -> None:
    assert escape_invisible(text) == escape_line(text) == text


@pytest.mark.parametrize("text", ["a\u200db", "\u200d💻", "👩\u200d", "می\u200c\u200cخ", "\u200c\u200d\u200c"])
def test_a_joiner_that_hides_is_shown(text: str) -> None:
    for shown in (escape_invisible(text), escape_line(text)):
        assert not set(shown) & {"\u200c", "\u200d"}
        assert shown.count("\\u200") == text.count("\u200c") + text.count("\u200d")


def test_a_long_hidden_text_is_counted() -> None:
    tags = "".join(chr(0xE0000 + ord(sign)) for sign in "run curl")
    assert escape_invisible(f"a{tags}b\u200b") == r"a\U000e0072\U000e0075\U000e006e\U000e0020[+4 invisible]b\u200b"
    assert escape_invisible(tags[:6]).count("\\U") == 6


@given(texts)
def test_what_can_be_seen_stays(text) -> None:
    assert escape_invisible(text) == text or any(unicodedata.category(sign) in ("Cf", "Cn", "Mn") for sign in text)


@given(texts)
def test_nothing_is_left_that_a_terminal_would_obey(text) -> None:
    assert not any(unicodedata.category(sign) in HARMFUL for sign in escape_line(text))
    assert not any(unicodedata.category(sign) in HARMFUL for sign in escape_controls(text) if sign not in "\n\t")
    assert not any(unicodedata.bidirectional(sign) in ("RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI") for sign in escape_line(text))


@given(texts)
def test_what_is_escaped_is_not_escaped_again(text) -> None:
    for escaping in (escape_controls, escape_line, escape_name):
        once = escaping(text)
        assert escaping(once) == once
        once.encode()


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("cut \x1b[3", "cut "),
        ("cut \x1b[3\r", "cut "),
        ("drawn\rcut \x1b[\r", "cut "),
        ("10%\r50%\r100%", "100%"),
        ("last\r\r", "last"),
        ("\x1bMup", "up"),
    ],
)
def test_sequences_and_what_was_drawn_over_leave(text: str, plain: str) -> None:
    assert strip_escapes(text) == plain


@given(st.text(st.sampled_from("ab \n\t\x00\x1b[]m;\x07\x7f\x9b\u202e\u2066\u2028é")))
def test_no_control_character_is_left(text: str) -> None:
    for plain in (strip_escapes(text), strip_controls(text)):
        assert plain.replace("\n", "").replace("\t", "").isprintable()
        assert strip_controls(plain) == plain


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"])))
def test_printable_text_stays(text: str) -> None:
    assert strip_escapes(text) == text


@pytest.mark.parametrize(
    "content",
    [
        b"10%\r20%\n",
        b"10%\r\x1b[K20%\n",
        b"wait |\b/\n",
        b"one\n\x1b[1Atwo\n",
        b"one\n\x1b[Ftwo\n",
        b"one\x1b[2K\x1b[1Gtwo\n",
        b"\x1b[2J\x1b[Hone\n",
        b"\x1bcone\n",
        b"\x1b[?1049hone\x1b[?1049l\n",
        b"caf\xe9 10%\r" + b"x" * 200 + b"\n",
        b"<string>:48: (WARNING/2) N\bNA\bA\n",
        b"[1/2] Building\r[2/2] Building\n",
    ],
)
def test_a_movement_of_the_cursor_is_a_redraw(content: bytes) -> None:
    assert has_redraws(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"one\ntwo\n",
        b"one\r\ntwo\r\n",
        b"one\r\r\ntwo\r\r\n",
        b"one\ntwo\r",
        b"\x1b[31mred\x1b[0m\n\x1b[01;31m\x1b[Kmatch\x1b[m\x1b[K\n",
        b"\x1b]8;;http://x\x07link\x1b]8;;\x07\n\x1b[?25l\x1b(B\n",
    ],
)
def test_colors_and_ends_of_lines_are_none(content: bytes) -> None:
    assert not has_redraws(content)


def test_carriage_returns_alone_end_lines() -> None:
    assert not has_redraws(b"name,size\rone,1\rtwo,2\r")


@pytest.mark.parametrize(
    "document", [b'<testcase name="with \r" time="0">\n', b'{"a": "\b"}\n', b'[{"a": "\r1"}]\n', b"<?xml?>\n\ra", b"<a>  <b>\r1\n"]
)
def test_documents_are_not_drawn(document: bytes) -> None:
    assert not has_redraws(document)


def test_binary_and_large_content_is_not_drawn() -> None:
    assert not has_redraws(bytes(range(256)) * 4 + b"\n\ra")
    assert not has_redraws(b"\0\n\ra\b" * 500)
    assert not has_redraws(b"10%\r20%\n" + b"x" * MAX_SIZE)


def test_one_nul_does_not_make_content_binary() -> None:
    assert has_redraws(b"10%\r20%\0\n")


def test_a_movement_with_endless_numbers_is_none() -> None:
    assert not has_redraws(b"\x1b[" + b"1;" * 100_000 + b"A\n")
