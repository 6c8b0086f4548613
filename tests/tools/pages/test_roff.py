"""Text comes out of a formatter as it went into roff."""

import pytest

from tools.pages import roff
from tools.pages.markdown import Code, Item, Paragraph


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a-b", r"a\-b"),
        (r"\b", r"\eb"),
        ("sed -n '1,5p'", r"sed \-n \(aq1,5p\(aq"),
        ("`~^", r"\(ga\(ti\(ha"),
        ("né…", r"n\[u00E9]\[u2026]"),
    ],
)
def test_what_is_typed_comes_out_as_it_is_typed(text: str, escaped: str) -> None:
    assert roff.escape(text) == escaped


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a read-only file", "a read-only file"),
        ("as --max-age does", r"as \fB\-\-max\-age\fR does"),
        ("in -20: or 2026-11-21", r"in \-20: or 2026\-11\-21"),
        ("set CTXKIT_MODEL, then", r"set \fBCTXKIT_MODEL\fR, then"),
        ("see `a -b` and `it's`", r"see \fBa \-b\fR and \fBit\(aqs\fR"),
        ("see ctxkit-gate(1) too", r"see \fBctxkit\-gate\fR(1) too"),
        ("One. Two? Three. ctxkit four", "One.\nTwo?\nThree.\nctxkit four"),
        (".profile", r"\&.profile"),
        ("Ends here. .profile", "Ends here. .profile"),
    ],
)
def test_prose_is_a_sentence_a_line_with_what_is_typed_in_bold(text: str, escaped: str) -> None:
    assert roff.render_prose(text) == escaped


@pytest.mark.parametrize(
    ("block", "lines"),
    [
        (Paragraph("Some text."), [".PP", "Some text."]),
        (Code(("$ .hidden -x",)), [".PP", ".RS 4", ".EX", r"$ .hidden \-x", ".EE", ".RE"]),
        (Item("a, -b", "Its meaning."), [".TP", r"\fBa, \-b\fR", "Its meaning."]),
        (Item("", "A point."), [r".IP \(bu 2", "A point."]),
    ],
)
def test_a_block_is_a_paragraph_an_item_or_literal(block, lines) -> None:
    assert roff.render_block(block) == lines


def test_a_section_is_a_heading_with_blocks_below_it() -> None:
    blocks = [Paragraph("Some text."), Item("", "More.")]
    assert list(roff.section("SEE-ALSO", blocks)) == [r".SH SEE\-ALSO", ".PP", "Some text.", r".IP \(bu 2", "More."]


@pytest.mark.parametrize("line", [".SH", "'quoted"])
def test_a_line_that_begins_like_a_request_is_text(line: str) -> None:
    assert roff.guard_line(line) == rf"\&{line}"
    assert roff.guard_line(f"a {line}") == f"a {line}"


def test_a_literal_line_is_no_request() -> None:
    assert roff.literal([".SH no", "'quoted'"])[3:5] == [r"\&.SH no", r"\(aqquoted\(aq"]
