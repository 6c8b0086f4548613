import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.brief.streams.stream_parts import (
    StreamPart,
    make_part_document,
    move_outline,
    quote_part,
    select_lines,
)
from tests.core.brief.kinds.test_table import document


@given(st.lists(st.text("ab \u00e9", max_size=9), min_size=1, max_size=40), st.data())
def test_a_part_has_the_lines_of_its_range(rows: list[str], data: st.DataObject) -> None:
    whole = document("".join(f"{row}\n" for row in rows))
    start = data.draw(st.integers(1, len(rows)))
    end = data.draw(st.integers(start, len(rows)))
    part = make_part_document(whole, StreamPart(start, end, ""), 500)
    assert part.lines.texts() == rows[start - 1 : end]
    assert (part.target, part.is_part, part.lines.total) == (500, True, end - start + 1)
    assert part.read(0, 1 << 20).decode() == "".join(f"{row}\n" for row in rows[start - 1 : end])


def test_selected_lines_keep_their_numbers() -> None:
    part = select_lines([(3, "a"), (7, "b"), (9, "c")], "api")
    assert make_part_document(document("x\n"), part, 9).lines.texts() == ["a", "b", "c"]
    assert [part.find_number(number) for number in (1, 2, 3, 4)] == [3, 7, 9, 9]
    assert part.line_count == 3


def test_entries_move_to_the_lines_of_the_stream() -> None:
    inner = Entry("inner", 2, 2, 5)
    outline = Outline("log", (Section("", (Entry("all", 1, 3, children=(inner,)), Entry("note"))),), example=(1, 2))
    moved = move_outline(outline, StreamPart(11, 13, ""), {id(inner): 70}, 1_000)
    entry, note = moved.sections[0].entries
    assert (entry.start, entry.end, entry.children[0].start, entry.children[0].rank) == (11, 13, 12, 70)
    assert (note.start, note.end, moved.example) == (0, 0, None)


def test_lines_that_are_quoted_together_have_their_own_numbers_where_others_stand_between() -> None:
    entry = Entry("b\n    c", 2, 3, 5, verbatim=True)
    outline = Outline("text", (Section("", (entry,)),))
    part = select_lines([(3, "a"), (7, "b"), (9, "  c")], "api")
    moved = move_outline(outline, part, {id(entry): 70}, 1_000).sections[0].entries
    assert [(row.start, row.end, row.label, row.rank) for row in moved] == [(7, 7, "b", 70), (9, 9, "  c", 70)]
    together = move_outline(outline, StreamPart(11, 13, ""), {}, 1_000).sections[0].entries
    assert [(row.start, row.end, row.label) for row in together] == [(12, 13, "b\n    c")]


def test_sections_that_do_not_fit_are_left_out() -> None:
    entry = Entry("late", 1, 1)
    outline = Outline("log", (Section("rows", (entry,)),))
    assert move_outline(outline, StreamPart(5, 6, ""), {id(entry): 2_000}, 1_000).sections == ()


def test_a_short_part_is_quoted() -> None:
    assert [(entry.start, entry.label) for entry in quote_part([(4, "a"), (5, "")]).entries] == [(4, "a"), (5, "")]


def test_a_separator_is_no_content_and_names_the_file() -> None:
    whole = document("== a\n==> conf/a.yaml <==\nkey: 1\n")
    part = StreamPart(2, 3, "conf/a.yaml", title_line=2, is_titled=True)
    inner = make_part_document(whole, part, 9)
    assert (inner.name, inner.lines.texts(), part.find_number(1)) == ("conf/a.yaml", ["key: 1"], 3)
    assert make_part_document(whole, StreamPart(2, 3, "cat a.toml", is_titled=True), 9).name == "a.toml"
    assert make_part_document(whole, StreamPart(2, 3, "git status -s", is_titled=True), 9).name == ""
    assert StreamPart(2, 2, "alone", is_titled=True).body == 2


def test_line_numbers_inside_labels_move_too_but_quotations_stay() -> None:
    entries = (Entry("size: 1 (line 3, bash)", 2, 9), Entry("at (line 3)", 3, 3, verbatim=True))
    moved = move_outline(Outline("x", (Section("", entries),)), StreamPart(70, 90, ""), {}, 9)
    assert [entry.label for entry in moved.sections[0].entries] == ["size: 1 (line 72, bash)", "at (line 3)"]


@pytest.mark.parametrize(
    ("label", "moved"),
    [
        ("6 more of this form at lines 5, 6, 17", "6 more of this form at lines 25, 26, 37"),
        ("9 more of this form, such as at lines 5, 6", "9 more of this form, such as at lines 25, 26"),
        ("A is text in 3 of 9; also lines 7, 8 and 5 more", "A is text in 3 of 9; also lines 27, 28 and 5 more"),
        ("9x, the others alike, at 4-9, 12-17 and later", "9x, the others alike, at 24-29, 32-37 and later"),
        ("3 blocks; the last block is lines 4 to 8", "3 blocks; the last block is lines 24 to 28"),
        ("the header comes again 2 times, at 4, 8", "the header comes again 2 times, at 24, 28"),
        ("2x E1, such as line 3 above", "2x E1, such as line 23 above"),
        ("4 times on line 5", "4 times on line 5"),
        ("BROKEN at byte 818 inside .a: it ends too early", "BROKEN inside .a: it ends too early"),
    ],
)
def test_line_numbers_behind_words_of_maps_move(label: str, moved: str) -> None:
    outline = Outline("x", (Section("", (Entry(label),)),))
    assert move_outline(outline, StreamPart(21, 90, ""), {}, 9).sections[0].entries[0].label == moved


def test_line_numbers_in_titles_move() -> None:
    outline = Outline("x", (Section("Table at lines 1-14", (Entry("a"),)),))
    assert move_outline(outline, StreamPart(21, 90, ""), {}, 9).sections[0].title == "Table at lines 21-34"
