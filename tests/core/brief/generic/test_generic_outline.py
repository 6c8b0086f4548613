import re

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.generic_outline import (
    list_alike,
    make_generic_outline,
    make_name_index,
    name_heading,
    quote_long_lines,
    shorten_names,
    split_sections,
)
from ctxkit.core.brief.generic.headings import find_headings, make_text_sections
from ctxkit.core.brief.render import render_outline
from ctxkit.core.text.lines import lines_from_bytes
from tests.example_counts import count_examples

ROWS = st.lists(
    st.sampled_from(["== part", "row 1", "row 22", "", "error: bad", "  indented", "x" * 900, "漢字", "name:"]), max_size=120
)


def document_of(rows, target):
    content = lines_from_bytes("\n".join(rows).encode())
    return InputDocument(content, content.read, lambda text: len(text) // 3, target)


@settings(max_examples=count_examples(50), deadline=None)
@given(ROWS, st.integers(110, 900))
def test_the_outline_fits_the_target_less_the_frame(rows, target: int) -> None:
    document = document_of(rows, target)
    text = render_outline(make_generic_outline(document, "text"), lambda _, body, __: body, None)
    assert document.count(text) <= target - document.frame_tokens or "\n" not in text


def test_the_target_is_used() -> None:
    rows = [f"word{chr(97 + number % 26)} is at {number}, and {'so' * (number % 7)}" for number in range(3_000)]
    document = document_of(rows, 1_000)
    text = render_outline(make_generic_outline(document, "text"), lambda _, body, __: body, None)
    assert document.count(text) > 800


def test_the_example_is_about_the_first_error() -> None:
    rows = ["fine"] * 300
    rows[200] = "error: it broke"
    assert make_generic_outline(document_of(rows, 500), "text").example == (191, 241)


def test_a_small_map_of_a_short_text_has_fewer_headings_and_more_lines() -> None:
    rows = [row for number in range(480) for row in (f"== part {'abcdef'[number % 6] * 9}{number} ==", f"row {number}", "x y", "z")]
    few = make_generic_outline(document_of(rows[:100], 400), "text").sections[0]
    many = make_generic_outline(document_of(rows, 400), "text").sections[0]
    assert sum(entry.dense for entry in few.entries) < sum(entry.dense for entry in many.entries)


def parts_of(data, room):
    content = lines_from_bytes(data)
    document = InputDocument(content, content.read, lambda text: len(text) // 3, 2_000)
    return quote_long_lines(document, [1], room).entries


def test_the_parts_of_a_line_are_where_they_say() -> None:
    data = b"".join(b"n%06d;" % number for number in range(20_000))
    entries = parts_of(data, 500)
    assert entries[0].start == 1
    assert entries[-1].end == len(data)
    for entry in entries:
        assert data[entry.start - 1 : entry.end].decode() == entry.label


def test_a_short_line_is_quoted_whole() -> None:
    assert [entry.label for entry in parts_of(b"x" * 500, 400)] == ["x" * 500]


def test_characters_are_not_cut() -> None:
    for entry in parts_of("漢字".encode() * 5_000, 300):
        assert re.fullmatch("[漢字]+", entry.label)


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
    assert section.title == "Index (8 places)"
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
    assert (section.title, len(section.entries)) == ("Index (3 of 4 places)", 3)


def test_headings_that_differ_in_numbers_alone_are_counted_and_not_named() -> None:
    rows = [row for number in range(30) for row in (f"== page {number}", "a", "b", "c")]
    assert [entry.label for entry in index_of(rows, 60).entries] == ["30 \u00d7 `== page \u2026`"]


def test_names_that_recur_are_counted() -> None:
    rows = [row for name in ("[Unit]", "[Install]") * 8 for row in (name, "a=1", "a=1", "a=1")]
    (group,) = index_of(rows, 100).entries
    assert group.label.startswith("16 \u00d7 `[\u2026]`, 4 lines apart; 8 Unit, the first at 1")


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


def list_group(rows, room=400):
    """Return the entries of the headings of one form."""
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    (group,), _ = split_sections(make_text_sections(find_headings(forms), forms), forms)
    return list(list_alike(group, forms, lambda text: len(text) // 3, room))


def test_headings_that_differ_in_a_name_are_counted_and_listed_by_the_name() -> None:
    rows = [row for name in "abcdef" for row in (f"==> src/{name}.yaml <==", "x", "y", "z")]
    count, *names = list_group(rows)
    assert count.label == "6 \u00d7 `==> src/\u2026.yaml <==`, 4 lines apart"
    assert (count.start, count.end) == (1, 24)
    assert [(entry.label, entry.start) for entry in names] == [(name, 1 + 4 * at) for at, name in enumerate("abcdef")]


def test_equal_headings_are_counted() -> None:
    rows = [row for _ in range(40) for row in ("Certificate:", "    Data", "    Version")]
    entries = list_group(rows, 40)
    assert entries[0].label == "40 \u00d7 `Certificate:`, 3 lines apart"
    assert len(entries) < 40


def test_equal_headings_are_named_by_the_line_that_tells_their_sections_apart() -> None:
    rows = [row for letter in "abcdefghij" for row in ("[[package]]", "version = 1", f"name = {letter * 3}", "")]
    entries = list_group(rows)
    assert [entry.label for entry in entries[1:3]] == ["name = aaa", "name = bbb"]


def test_headings_of_which_few_recur_are_counted_by_name() -> None:
    rows = [
        row for name in ("Para", "Code", "Para") * 5 for row in (f", {name}", f"    [ x {name} ]", "    y", "    z")
    ]
    count, *_ = list_group(["begin", *rows])
    assert count.label == "15 \u00d7 `, \u2026`, 4 lines apart; 10 Para, the first at 2, 5 Code, the first at 6"


def test_names_lose_the_words_that_all_have_and_addresses() -> None:
    names = [f'{name} at 0x7f1f06bb{number}, file "a.py", line {number}' for name, number in (("load", 1001), ("dump", 1002))]
    assert shorten_names(names) == ["load \u2026 1001", "dump \u2026 1002"]
    assert shorten_names(["a b", "c"]) == ["a b", "c"]
    assert shorten_names(["x one y", "x two y"]) == ["one", "two"]
    assert shorten_names(["same", "same"]) == ["same", "same"]
    assert shorten_names([]) == []


def test_headings_that_differ_in_numbers_alone_are_counted_and_not_listed() -> None:
    rows = [row for number in range(20) for row in (f"== page {number} ==", "a", "b", "c")]
    assert [entry.label for entry in list_group(rows)] == ["20 \u00d7 `== page \u2026 ==`, 4 lines apart"]


def test_a_telling_line_far_below_its_heading_is_announced() -> None:
    body = ["version = 1", "source = x", "kind = y", "size = 2"]
    rows = [row for letter in "abcdefghij" for row in ("[[package]]", *body, f"name = {letter * 3}", "")]
    count, first, *_ = list_group(rows)
    assert count.label == "10 \u00d7 `[[package]]`, 7 lines apart, named by line 5 below it"
    assert (first.label, first.start) == ("name = aaa", 1)
