from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.focus import FIRST_MATCHES, MAX_MATCHES, apply_focus
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.text import lines

PLAIN = [Outline("text", (Section("", (Entry("the rest", 1, 1),)),))]


def document(rows, focus):
    content = lines.lines_from_bytes("".join(f"{row}\n" for row in rows).encode())
    return InputDocument(content, content.read, len, 1000, focus=focus)


def found(rows, focus):
    """The lines of the section that the focus adds."""
    outline = apply_focus(PLAIN, document(rows, focus))[0]
    return outline.sections[0]


def test_lines_that_hold_the_focus_as_it_stands_match_best() -> None:
    rows = ["exit status 1", "the status of an exit", "status", "Exit Status 2"]
    section = found(rows, "exit status")
    assert section.title == "Focus: exit status: 2 lines"
    assert [(entry.start, entry.label, entry.rank) for entry in section.entries] == [
        (1, "exit status 1", -1),
        (4, "Exit Status 2", -1),
    ]


def test_then_those_with_most_of_its_words() -> None:
    rows = ["status", "the status of an exit", "exit"]
    assert [entry.start for entry in found(rows, "exit status").entries] == [2]


def test_short_words_count_only_where_there_are_no_others() -> None:
    rows = ["in", "timeout"]
    assert [entry.start for entry in found(rows, "timeout in").entries] == [2]
    assert [entry.start for entry in found(rows, "in").entries] == [1]
    assert [entry.start for entry in found(["a -> b", "c"], "->").entries] == [1]


def test_that_nothing_matches_is_said() -> None:
    section = found(["a", "b"], "zebra")
    assert [entry.label for entry in section.entries] == ["no line holds a word of the focus: zebra"]


def test_more_lines_than_are_kept_are_told_as_a_range() -> None:
    section = found(["hit"] * (MAX_MATCHES + 20), "hit")
    last = section.entries[-1]
    assert (last.label, last.start, last.end) == ("20 more matching lines", MAX_MATCHES + 1, MAX_MATCHES + 20)
    assert [entry.rank for entry in section.entries[:FIRST_MATCHES]] == [-1] * FIRST_MATCHES


def test_entries_that_match_rise_with_what_they_stand_below() -> None:
    inner, other = Entry("parse_config()", 5, 9, 3), Entry("reset()", 10, 12, 3)
    outline = Outline("source", (Section("", (Entry("class Parser", 1, 20, 2, children=(inner, other)),)),))
    rows = ["x"] * 4 + ["def parse_config():"] + ["x"] * 20
    top = apply_focus([outline], document(rows, "parse_config"))[0]
    parser = top.sections[1].entries[0]
    assert (parser.rank, [child.rank for child in parser.children]) == (-1, [-1, 3])
    assert top.example == (5, 9)


def test_the_hint_shows_what_is_around_the_first_match_where_no_entry_covers_it() -> None:
    rows = ["x"] * 50 + ["needle"] + ["x"] * 100
    assert apply_focus(PLAIN, document(rows, "needle"))[0].example == (41, 81)


def test_a_focus_of_nothing_changes_nothing() -> None:
    assert apply_focus(PLAIN, document(["a"], "  ")) is PLAIN


@given(st.lists(st.sampled_from(["alpha beta", "Beta", "ALPHA", "x", "", "İ alpha"]), max_size=30))
def test_every_line_that_is_quoted_is_one_that_matches(rows: list[str]) -> None:
    section = found(rows, "alpha beta")
    for entry in section.entries:
        assert entry.start == 0 or rows[entry.start - 1].strip() == entry.label


def test_lines_that_are_quoted_in_a_row_stay_in_a_row() -> None:
    """A bare section says that every line from its first to its last is there."""
    rows = ["r(x", "", "din(:", "", "x"]
    bare = Section("", tuple(Entry(row, number, number) for number, row in enumerate(rows, 1)), noun="lines", bare=True)
    assert bare in apply_focus([Outline("text", (bare,))], document(rows, "("))[0].sections
