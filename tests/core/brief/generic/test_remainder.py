import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.remainder import (
    RESERVES,
    TITLE,
    TRIES,
    WHOLE_KINDS,
    Replacement,
    fill_remainder,
    find_replacements,
    lay_out,
    pack_lines,
    reserve_tokens,
)
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.brief.render import render_within
from ctxkit.core.text.lines import lines_from_bytes


def words(text):
    return len(text.split())


def add_frame(outline, body, quoted):
    return f"{outline.kind}: {quoted} quoted\n{body}\n"


def fill(rows, target, kind="table", quoted=(), name=""):
    lines = lines_from_bytes("\n".join(rows).encode())
    document = InputDocument(lines, lines.read, words, target, name=name)
    entries = (Entry("all", 1, len(rows)), *(quote(number, rows[number - 1]) for number in quoted))
    before = render_within([Outline(kind, (Section("", entries),), is_run=kind == "pytest")], add_frame, words, target)
    return before, fill_remainder(document, before, add_frame)


ROWS = [f"plain {letter} row" for letter in "abcdefghijklmnopqrstuvwxyz"]


def test_lines_that_are_not_quoted_fill_what_is_left_of_the_target() -> None:
    before, filled = fill(ROWS, 200, quoted=(1, 2))
    assert f"## {TITLE}" in filled.text
    assert "  plain z row" in filled.text
    assert filled.text.count("plain a row") == 1
    assert before.find_quoted_lines() == {1, 2}


def test_lines_without_a_letter_are_not_added() -> None:
    _, filled = fill([*ROWS, "{", "  +36", "}"], 200)
    assert filled.find_quoted_lines() == set(range(1, 27))


def test_a_map_of_data_is_filled_too() -> None:
    _, filled = fill(ROWS, 200, kind="json")
    assert "  plain z row" in filled.text


@pytest.mark.parametrize("kind", sorted(WHOLE_KINDS))
def test_a_map_that_chooses_lines_itself_or_has_none_is_left_as_it_is(kind: str) -> None:
    before, filled = fill(ROWS, 200, kind=kind)
    assert filled is before
    assert reserve_tokens(kind, 2_000) == 0


def test_a_map_that_leaves_little_is_not_filled() -> None:
    before, filled = fill(ROWS, 36)
    assert filled is before


def test_kinds_that_say_more_of_the_form_leave_a_share_to_lines_which_shrinks_as_the_target_grows() -> None:
    assert reserve_tokens("table", 600) == 180
    assert reserve_tokens("table", 4_000) == 320
    assert (reserve_tokens("diagnostics", 600), reserve_tokens("diagnostics", 2_000)) == (240, 280)
    assert (reserve_tokens("json", 600), reserve_tokens("json", 2_000)) == (90, 300)
    assert reserve_tokens("table", 300) == reserve_tokens("json", 300) == 0


def test_lines_that_only_say_that_a_test_has_passed_are_not_added() -> None:
    rows = [*(f"test_{at} PASSED" for at in range(9)), "=== RUN TestA", "....F. [ 9%]", "  \u2713 adds", "ok 1 - a"]
    rows += ["test b ... ok", "not ok 2 - c", "GET /a 200 OK but slow", "a log line"]
    _, filled = fill(rows, 100, kind="pytest")
    assert filled.find_quoted_lines() == {15, 16, 17}
    _, filled = fill(rows, 100, kind="table")
    assert len(filled.find_quoted_lines()) > 9


def test_a_line_that_a_diff_replaces_is_not_added() -> None:
    rows = ["@@ -1 +1 @@", "-an old line", "+a new line", " same", "-a removed line", " same again"]
    assert fill(rows, 100, kind="diff")[1].find_quoted_lines() == {3, 4, 5, 6}


@given(
    st.lists(st.sampled_from(["a 1", "b two", "", "error: x", "  y", "----"]), min_size=1, max_size=60),
    st.integers(90, 400),
)
def test_the_target_holds_each_quoted_line_is_there_and_the_rest_stays(rows: list[str], target: int) -> None:
    before, filled = fill(rows, target)
    assert words(filled.text) <= target
    assert filled.text.split("\n")[1] == before.text.split("\n")[1]
    assert fill(rows, target)[1].text == filled.text
    for section in filled.outline.sections[1:]:
        for entry in section.entries:
            if entry.verbatim:
                quoted = [row.strip() for row in entry.label.split("\n")]
                assert quoted == [row.strip() for row in rows[entry.start - 1 : entry.end]]


def test_lines_that_a_complete_section_states_are_not_added() -> None:
    lines = lines_from_bytes("\n".join(ROWS).encode())
    document = InputDocument(lines, lines.read, words, 200)
    runs = (Entry("a to m", 1, 13), Entry("n to y", 14, 25, children=(Entry("n to x", 14, 24),)))
    for complete, expected in ((True, {25, 26}), (False, set(range(1, 27)))):
        outline = Outline("table", (Section("All rows", runs, complete=complete),))
        filled = fill_remainder(document, render_within([outline], add_frame, words, 200), add_frame)
        assert filled.find_quoted_lines() == expected


def test_a_line_that_the_entry_of_a_range_shows_is_not_added() -> None:
    rows = ["== the first part", *(f"row {chr(97 + at)}" for at in range(20))]
    document = InputDocument(lines_from_bytes("\n".join(rows).encode()), lambda _, __: b"", words, 60)
    outline = Outline("table", (Section("", (Entry("part 1: == the first part", 1, 21),)),))
    rendering = render_within([outline], add_frame, words, 60)
    assert rendering is not None
    text = fill_remainder(document, rendering, add_frame).text
    assert TITLE in text
    assert text.count("== the first part") == 1


def test_a_line_whose_text_the_map_has_elsewhere_is_not_added() -> None:
    rows = ["commit 1", "Choose lines by a model", *(f"row {chr(97 + at)}" for at in range(20))]
    document = InputDocument(lines_from_bytes("\n".join(rows).encode()), lambda _, __: b"", words, 60)
    outline = Outline("history", (Section("Events", (Entry("Choose lines by a model", 1, 22, dense=True),)),))
    rendering = render_within([outline], add_frame, words, 60)
    assert rendering is not None
    text = fill_remainder(document, rendering, add_frame).text
    assert TITLE in text
    assert text.count("Choose lines by a model") == 1


@pytest.mark.parametrize("kind", [*RESERVES, "json"])
def test_a_larger_target_never_leaves_fewer_tokens_to_lines(kind: str) -> None:
    reserves = [reserve_tokens(kind, target) for target in range(100, 9_000, 50)]
    assert reserves == sorted(reserves)


ROWS_LAYOUT = ["head", "second", *[f"row {number}" for number in range(50)], "other", "last"]


def entries_of(numbers, headings=()):
    forms = LineForms(lines_from_bytes("\n".join(ROWS_LAYOUT).encode()))
    return lay_out([(number, ROWS_LAYOUT[number - 1]) for number in numbers], forms, set(headings)).entries


def test_neighbours_share_a_line_number() -> None:
    entries = entries_of([1, 2, 53, 54])
    assert [(entry.start, entry.end, entry.label) for entry in entries] == [
        (1, 2, "head\n  second"),
        (53, 54, "other\n  last"),
    ]


def test_a_heading_begins_an_entry() -> None:
    assert [(entry.start, entry.end) for entry in entries_of([1, 2, 53, 54], [54])] == [(1, 2), (53, 53), (54, 54)]


def test_a_line_that_looks_like_an_entry_has_its_own_number() -> None:
    rows = ["moved:", "  - 12: left", "  right", "- Lines 3-4: old"]
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    section = lay_out(list(enumerate(rows, 1)), forms, set())
    assert [(entry.start, entry.end) for entry in section.entries] == [(1, 1), (2, 3), (4, 4)]


def test_lines_of_the_same_form_that_follow_are_counted() -> None:
    assert [(entry.start, entry.end, entry.label) for entry in entries_of([3])][1] == (
        4,
        52,
        "49 more lines of this form, column 2 rises from 1 to 49 by 1 each",
    )


def test_other_lines_of_a_form_that_states_trouble_are_named() -> None:
    rows = [f"batch {at} ... {'FAILED (no key)' if at in (3, 7, 8) else 'ok'}" for at in range(1, 11)]
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    section = lay_out([(3, rows[2]), (5, rows[4])], forms, set())
    assert [entry.label for entry in section.entries] == [rows[2], "2 more of this form at lines 7, 8", rows[4]]
    assert "more of this form" not in str(lay_out([(at, rows[at - 1]) for at in (3, 7, 8)], forms, set()).entries)


def test_of_many_lines_of_trouble_some_are_named() -> None:
    rows = ["error: disk 1", *[f"ok\nerror: disk {at}" for at in range(2, 22)]]
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    labels = [entry.label for entry in lay_out([(1, rows[0])], forms, set()).entries]
    assert labels == [rows[0], "20 more of this form, such as at lines 3, 5, 7, 9, 11, 13, 15, 17"]


def test_words_after_a_closing_bracket_begin_an_entry() -> None:
    forms = LineForms(lines_from_bytes(b"[ a\n  b\n]\ntool 1.2\nCompiled\n"))
    section = lay_out([(number, forms.lines.at(number)) for number in range(1, 6)], forms, set())
    assert [(entry.start, entry.end) for entry in section.entries] == [(1, 2), (3, 3), (4, 5)]


def test_a_line_that_is_less_indented_begins_an_entry_after_some_lines() -> None:
    rows = ["*-disk", "   size: 1", "   name: a", "   kind: b", "   bus: c", " *-network", "   size: 2"]
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    section = lay_out(list(enumerate(rows, 1)), forms, set())
    assert [(entry.start, entry.end) for entry in section.entries] == [(1, 5), (6, 7)]


def test_a_list_below_a_line_does_not_look_like_entries_of_the_map() -> None:
    rows = ["[+] Users", "- accounts", "- groups"]
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    section = lay_out(list(enumerate(rows, 1)), forms, set())
    assert [(entry.start, entry.end, entry.label) for entry in section.entries] == [
        (1, 1, "[+] Users"),
        (2, 3, "- accounts\n  - groups"),
    ]


def test_trouble_that_the_map_has_quoted_elsewhere_is_not_counted() -> None:
    rows = ["ERROR no room in 1", "all is well", "ERROR no room in 2", "ERROR no room in 3"]
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    assert "2 more of this form at lines 3, 4" in str(lay_out([(1, rows[0])], forms, set()).entries)
    assert "1 more of this form at line 4" in str(lay_out([(1, rows[0])], forms, set(), {3}).entries)


def test_a_line_above_indented_ones_begins_an_entry_after_some_lines() -> None:
    rows = ["Folders: 24", "Files: 133", "Size: 410335", "Packed: 117041", "Archive: s.7z", "  no signature found"]
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    section = lay_out(list(enumerate(rows, 1)), forms, set())
    assert [(entry.start, entry.end) for entry in section.entries] == [(1, 4), (5, 6)]


def test_lines_of_trouble_that_follow_are_counted_once() -> None:
    rows = ["a ... ok", *["FAIL"] * 6, "end", "FAIL"]
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    section = lay_out([(2, rows[1])], forms, set())
    assert [entry.label for entry in section.entries] == ["FAIL", "5 more lines of this form", "1 more of this form at line 9"]


def pack(sizes, room, least=0):
    order = [(number, "x" * size) for number, size in enumerate(sizes, 1)]

    def fits(lines):
        return sum(len(text) for _, text in lines) <= room

    result = pack_lines(least, order, list, fits)
    return result if result is None else [number for number, _ in result]


def test_a_short_line_takes_what_a_long_one_leaves() -> None:
    assert pack([3, 3, 9, 2, 5, 1], 10) == [1, 2, 4, 6]


def test_only_some_lines_are_tried() -> None:
    assert pack([5, *[9] * TRIES, 9, 1], 6) == [1]
    assert pack([5, *[9] * TRIES, 1], 6) == [1, TRIES + 2]


def test_nothing_is_made_of_fewer_lines_than_the_least() -> None:
    assert pack([9, 1], 5, least=1) is None
    assert pack([9, 1], 5) == [2]
    assert pack([], 5) == []


@given(st.lists(st.integers(0, 12), max_size=30), st.integers(0, 60))
def test_the_lines_fit_and_begin_with_the_first(sizes: list[int], room: int) -> None:
    numbers = pack(sizes, room)
    assert sum(sizes[number - 1] for number in numbers) <= room
    assert numbers == sorted(set(numbers))
    first = next((at for at in range(len(sizes)) if sum(sizes[: at + 1]) > room), len(sizes))
    assert numbers[:first] == list(range(1, first + 1))


HEAD = "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n"


def find(text):
    return [(pair.old, pair.new) for pair in find_replacements(enumerate(text.split("\n"), 1))]


def test_runs_with_as_many_removed_as_added_lines_are_paired() -> None:
    assert find(f"{HEAD}-a\n-b\n+c\n+d\n same\n-e\n+f") == [(4, 6), (5, 7), (9, 10)]
    assert find(f"{HEAD}-a\n-b\n+c\n same\n-d\n+e\n-f\n+g\n") == [(8, 9), (10, 11)]
    assert find(f"{HEAD}-a\n same\n+b\n") == []


def test_words_that_differ_are_compared_one_by_one() -> None:
    assert Replacement(1, 2, "f(data, 1)", "f(rows, 1)").find_words() == frozenset({("data", "rows")})
    assert Replacement(1, 2, "f(data, 1)", "g(rows, 1)").find_words() == frozenset({("f", "g"), ("data", "rows")})
    assert Replacement(1, 2, "not data", "data").find_words() is None
