"""Lines that were drawn over keep the numbers of the content's lines."""

from ctxkit.core.text.lines import lines_from_bytes
from ctxkit.core.text.screen_lines import LONGEST, read_drawn_lines


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
