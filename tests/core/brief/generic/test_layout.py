from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.layout import lay_out
from ctxkit.core.text.lines import lines_from_bytes

ROWS = ["head", "second", *[f"row {number}" for number in range(50)], "other", "last"]


def entries_of(numbers, headings=()):
    forms = LineForms(lines_from_bytes("\n".join(ROWS).encode()))
    return lay_out([(number, ROWS[number - 1]) for number in numbers], forms, set(headings)).entries


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
