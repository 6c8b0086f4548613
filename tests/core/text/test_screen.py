"""What a terminal shows in the end: each screen was compared with that of tmux 3.3."""

import time
from contextlib import suppress

import pytest

from ctxkit.core.text.lines import lines_from_bytes
from ctxkit.core.text.screen import (
    HEIGHT,
    LONGEST,
    ScreenRows,
    ScreenTooLargeError,
    blank_divided,
    draw_screen,
    read_drawn_lines,
    split_cells,
)

SCREENS = {
    "plain": ("one\ntwo\n", "one\ntwo\n"),
    "crlf": ("one\r\ntwo\r\n", "one\ntwo\n"),
    "carriage return": ("10%\r50%\r100%\n", "100%\n"),
    "shorter text leaves the rest": ("downloading\rdone\n", "doneloading\n"),
    "erased to the end": ("downloading\r\x1b[Kdone\n", "done\n"),
    "erased row": ("downloading\x1b[2K\x1b[1Gdone\n", "done\n"),
    "erased to the cursor": ("abcdef\x1b[3D\x1b[1Kx\n", "   xef\n"),
    "backspace": ("wait -\b\\\b|\bdone\n", "wait done\n"),
    "backspace stops in the first column": ("a\b\b\bxy\n", "xy\n"),
    "overstruck bold and underlined": ("N\bNA\bAM\bME\bE _\bw_\bo\n", "NAME wo\n"),
    "cursor up": ("a: 10%\nb: 10%\n\x1b[2Aa: 99%\nb: done\n", "a: 99%\nb: done\n"),
    "cursor up and down within a line": ("a: 1\nb: 1\nc: 1\n\x1b[3A\x1b[2K\ra: done\x1b[3B\r\x1b[2A\rb: done\x1b[2B\n", "a: done\nb: done\nc: 1\n"),
    "previous and next line": ("one\ntwo\x1b[Fx\x1b[Ey\n", "xne\nywo\n"),
    "cursor up past the top": ("one\n\x1b[99Atop\n", "top\n"),
    "erased below": ("one\ntwo\nthree\n\x1b[3A\x1b[Jnew\n", "new\n"),
    "erased above": ("one\ntwo\nthree\x1b[1Jx\n", "\n\n     x\n"),
    "columns": ("ab\x1b[10Gcd\x1b[3De\n", "ab      ecd\n"),
    "cleared screen": ("old\nold\n\x1b[H\x1b[2Jnew\n", "new\n"),
    "reset": ("old\nold\n\x1bcnew\n", "new\n"),
    "place": ("\x1b[3;5Hx\x1b[1;1Hy\n", "y\n\n    x\n"),
    "row": ("a\nb\nc\x1b[1dx\n", "ax\nb\nc\n"),
    "saved cursor": ("ab\x1b7cd\x1b8X\n", "abXd\n"),
    "saved cursor of SCO": ("ab\x1b[scd\x1b[uX\n", "abXd\n"),
    "reverse index": ("one\ntwo\x1bM\rx\n", "xne\ntwo\n"),
    "deleted cells": ("abcdef\x1b[4D\x1b[2P\n", "abef\n"),
    "blanked cells": ("abcdef\x1b[4D\x1b[2X\n", "ab  ef\n"),
    "inserted cells": ("abcdef\x1b[4D\x1b[2@X\n", "abX cdef\n"),
    "alternate screen": ("before\n\x1b[?1049hinside\ninside\x1b[?1049lafter\n", "before\nafter\n"),
    "colors": ("\x1b[32mok\x1b[0m\r\x1b[31mno\x1b(B\x1b[m\n", "no\n"),
    "title and link": ("\x1b]0;title\aa\x1b]8;;http://x\x1b\\b\x1b]8;;\a\rc\n", "cb\n"),
    "wide characters": ("日本語\r日x\n", "日x 語\n"),
    "half of a wide character": ("日本\rx\n", "x 本\n"),
    "backspace over a wide character": ("日本\b\b  \b\b語\n", "日語\n"),
    "emoji": ("🚀 go\r🎉 ok\n", "🎉 ok\n"),
    "combining marks": ("cafe\u0301s\rC\n", "Cafe\u0301s\n"),
    "tab moves only": ("abcdefghij\r\tX\n", "abcdefghXj\n"),
    "bars": ("[██░░] 50%\r[████] 99%\n", "[████] 99%\n"),
    "nul and bell": ("a\x00b\a\rc\n", "cb\n"),
}
HOSTILE = {
    "cursor up": "\x1b[A",
    "cursor up and write": "\x1b[Ax",
    "erase the screen": "\x1b[2J",
    "erase above": "\x1b[1J",
    "erase to the cursor": "\x1b[1K",
    "up and erase below": "\x1b[200A\x1b[J",
    "home": "\x1b[H",
    "far right": "\x1b[512Cx",
    "tabs": "\t\b",
    "marks": "e\u0301\u0301\b",
    "pages": "\x1b[24H\n",
    "alternate screens": "\x1b[?1049h\x1b[?1049l",
    "shift": "abc\b\b\x1b[P\x1b[@",
    "open sequences": "\x1b[\x1b]\x1bP\r",
}


def draw(text: str) -> str:
    return draw_screen(text.encode("utf-8", "surrogateescape")).text()


@pytest.mark.parametrize(("content", "screen"), SCREENS.values(), ids=SCREENS)
def test_the_screen_is_that_of_a_terminal(content: str, screen: str) -> None:
    assert draw(content) == screen


def test_lines_without_movements_stay_between_those_with() -> None:
    plain = [f"\x1b[1mline\x1b[m {number}\tof\x0c many\r\n" for number in range(500)]
    text = "".join(plain) + "10%\r20%\n" + "".join(plain)
    shown = [f"line {number}\tof many" for number in range(500)]
    assert draw(text).split("\n")[:-1] == [*shown, "20%", *shown]


def test_the_cursor_reaches_the_rows_of_a_terminal_only() -> None:
    rows = draw("".join(f"row {number}\n" for number in range(1_000)) + "\x1b[9999Ax\n").split("\n")
    assert rows[1_000 - HEIGHT + 1] == f"xow {1_000 - HEIGHT + 1}"
    assert rows[:3] == ["row 0", "row 1", "row 2"]


def test_a_cleared_screen_loses_no_row_that_has_left_it() -> None:
    log = "".join(f"row {number}\n" for number in range(100))
    frames = "".join(f"\x1b[H\x1b[2Jframe {number}\nbody\n" for number in range(9))
    assert draw(log + frames) == f"{log}\nframe 8\nbody\n"


def test_bytes_that_are_no_utf_8_stay() -> None:
    assert draw_screen(b"10%\r\xe9t\xe9\n").text().encode("utf-8", "surrogateescape") == b"\xe9t\xe9\n"


def test_movements_cannot_make_the_screen_larger_than_the_content() -> None:
    with pytest.raises(ScreenTooLargeError):
        draw("\x1b[512Cx\n" * 10_000)


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_the_time_is_linear_in_hostile_content(unit: str) -> None:
    """Four times the content takes far less than sixteen times as long."""
    times = []
    for size in (50_000, 200_000):
        start = time.process_time()
        with suppress(ScreenTooLargeError):
            draw(unit * (size // len(unit)) + "\n")
        times.append(time.process_time() - start)
    assert times[1] < 8 * times[0] + 0.05


def read(content: str) -> list[str]:
    lines = lines_from_bytes(content.encode())
    return read_drawn_lines(lines.read, lines).texts()


def test_content_that_is_not_drawn_over_is_not_copied() -> None:
    lines = lines_from_bytes(b"one\r\ntwo\n")
    assert read_drawn_lines(lines.read, lines) is lines


def test_what_is_drawn_over_within_a_line_stays_in_its_line() -> None:
    assert read("start\n10%\r50%\r100%\nwait |\b/\bdone\nend\n") == ["start", "100%", "wait done", "end"]


def test_earlier_lines_of_a_redraw_are_blank() -> None:
    frames = "".join(f"\x1b[2Aa: {number}%\nb: {number}%\n" for number in (50, 100))
    assert read(f"start\na: 0%\nb: 0%\n{frames}end\n") == ["start", "", "", "", "", "a: 100%", "b: 100%", "end"]


def test_rows_that_one_line_wrote_stand_where_they_began() -> None:
    update = "\x1b[3A\x1b[2K\ra: done\x1b[3B\r\x1b[2A\x1b[2K\rb: done\x1b[2B\r"
    assert read(f"a: pulling\nb: pulling\nc: pulling\n{update}all\n") == ["a: done", "b: done", "c: pulling", "all"]


def test_rows_without_a_line_of_their_own_share_one() -> None:
    assert read("\x1b[1;1Hone\x1b[2;1Htwo\x1b[1;1HOne\nend\n") == ["One", "end"]
    assert read("log\n\x1b[3;1Hone\x1b[4;1Htwo\n") == ["log", "one  two"]


def test_an_erased_line_is_blank() -> None:
    assert read("keep\nold\n\x1b[1A\x1b[2Know\n") == ["keep", "", "now"]
    assert not any(read("keep\nold\n\x1b[1A\x1b[2K\n")[1:])


def test_a_line_too_long_to_quote_keeps_its_bytes() -> None:
    long = "x" * (LONGEST + 1)
    assert read(f"10%\r20%\n{long}\n") == ["10%\r20%", long]


def test_a_screen_that_is_larger_than_the_content_is_not_drawn() -> None:
    content = "\x1b[512Cx\n" * 10_000
    assert read(content)[0] == "\x1b[512Cx"


def test_rows_know_the_line_that_wrote_them_last() -> None:
    rows = ScreenRows()
    rows.add_lines(["one", "two", ""])
    rows.open_row(0, writes=True)[:] = "ONE"
    assert (rows.text(), rows.lines()) == ("ONE\ntwo\n", ["", "two", "ONE"])


def test_reading_the_cells_of_a_row_writes_nothing() -> None:
    rows = ScreenRows()
    rows.add_lines(["one", "two", ""])
    rows.open_row(0)
    assert rows.lines() == ["one", "two", ""]


def test_erased_rows_stay_and_removed_ones_do_not() -> None:
    rows = ScreenRows()
    rows.add_lines(["one", "two", "three"])
    rows.erase_rows(0, 2)
    assert (rows.text(), len(rows), rows.ends_blank) == ("\n\nthree\n", 3, False)
    rows.remove_rows(1)
    assert (len(rows), rows.ends_blank) == (1, True)


def test_blanks_at_the_end_of_a_drawn_row_are_left_out() -> None:
    rows = ScreenRows()
    rows.add_lines(["done      ", "kept  "])
    rows.open_row(0)
    assert rows.text() == "done\nkept  \n"


def test_the_cursor_reaches_the_last_rows_only() -> None:
    rows = ScreenRows()
    rows.add_lines([""] * (HEIGHT + 5))
    assert rows.first_reachable == 5
    rows.open_row(5)[:] = "x"
    rows.add_row()
    assert rows.first_reachable == 6
    assert rows.text() == "\n" * 5 + "x\n"


def test_a_character_takes_the_cells_of_its_width() -> None:
    assert split_cells("ab") == ["a", "b"]
    assert split_cells("日x") == ["日", "", "x"]
    assert split_cells("e\u0301x") == ["e\u0301", "x"]


def test_a_tab_ends_at_the_next_stop() -> None:
    assert split_cells("a\tb", 4) == ["a", "\t", "", "", "b"]


def test_many_marks_take_cells_of_their_own() -> None:
    assert max(map(len, split_cells("e" + "\u0301" * 1_000))) < 20


def test_both_halves_of_a_divided_character_become_blanks() -> None:
    cells = split_cells("a日b")
    blank_divided(cells, 2)
    assert cells == ["a", " ", " ", "b"]
    blank_divided(cells, 0)
    blank_divided(cells, 4)
    assert cells == ["a", " ", " ", "b"]
