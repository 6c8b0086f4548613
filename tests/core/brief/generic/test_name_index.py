from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import find_headings
from ctxkit.core.brief.generic.name_index import make_name_index, name_heading
from ctxkit.core.text.lines import lines_from_bytes


def count(text):
    return len(text) // 3 + 1


def index_of(rows, room=400, quoted=()):
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    return make_name_index(find_headings(forms), forms, count, room, quoted)


def names_of(section):
    return [(entry.start, entry.label) for entry in section.entries if entry.dense]


PARTS = [row for name in "abcdefgh" for row in (f"Dumping jv_{name}{name}:", "  x", "  y", "  z")]


def test_headings_of_one_form_are_named_in_full_if_all_fit() -> None:
    section = index_of(PARTS)
    assert section.title == "Sections (8 headings)"
    assert names_of(section)[:2] == [(1, "Dumping jv_aa"), (5, "Dumping jv_bb")]
    assert len(section.entries) == 8


def test_headings_that_do_not_all_fit_are_counted_and_named_without_shared_words() -> None:
    group, *names = index_of(PARTS, 45).entries
    assert group.label == "8 \u00d7 `Dumping \u2026`"
    assert (group.start, group.end) == (1, 32)
    assert {entry.label for entry in names} < {f"jv_{name}{name}" for name in "abcdefgh"}
    assert names[0].label == "jv_aa"


def test_the_title_says_how_many_of_the_headings_are_named() -> None:
    rows = [row for word in ("Alpha", "Beta", "Gamma", "Delta") for row in (f"{word} of {word.lower()}:", "", " x", " y", "")]
    section = index_of(rows, 400, quoted={1})
    assert (section.title, len(section.entries)) == ("Sections (4 headings; 3 named)", 3)


def test_headings_that_differ_in_numbers_alone_are_counted_and_not_named() -> None:
    rows = [row for number in range(30) for row in (f"== page {number}", "a", "b", "c")]
    assert [entry.label for entry in index_of(rows, 60).entries] == ["30 \u00d7 `== page \u2026`"]


def test_names_that_recur_are_counted() -> None:
    rows = [row for name in ("[Unit]", "[Install]") * 8 for row in (name, "a=1", "a=1", "a=1")]
    (group,) = index_of(rows, 100).entries
    assert group.label.startswith("16 \u00d7 `[\u2026]`, 4 lines each; 8 Unit, the first at 1")


def test_unique_headings_precede_those_of_a_form_that_recurs() -> None:
    rows = [*PARTS, "== memory map", "  a", "  b", "  c", *PARTS]
    assert (33, "memory map") in names_of(index_of(rows, 40))


def test_headings_that_are_quoted_or_state_trouble_are_not_named() -> None:
    rows = ["First part:", "  x", "  y", "Error: no such file:", "  x", "  y", "Last part:", "  x", "  y"]
    assert names_of(index_of(rows, quoted={1})) == [(7, "Last part")]


def test_a_name_loses_its_marks_and_is_cut_in_the_middle() -> None:
    assert name_heading("-------  S U M M A R Y  ------") == "S U M M A R Y"
    assert name_heading("## Files:") == "Files"
    assert name_heading("devices {") == "devices"
    assert name_heading("part b ==") == "part b"
    assert name_heading("-----") == "-----"
    assert name_heading("Symbol table of the first of all the files that are read:") == (
        "Symbol table of the first of all\u2026hat are read"
    )


@given(st.lists(st.sampled_from(["Part a:", "Part b:", "== x", "  y", "z", "", "q {"]), min_size=1, max_size=60))
def test_names_stand_at_their_lines_and_fit_into_the_room(rows) -> None:
    section = index_of(rows, 80)
    assert sum(count(entry.label) for entry in section.entries if entry.dense) <= 80
    for number, name in names_of(section):
        assert name in rows[number - 1]
