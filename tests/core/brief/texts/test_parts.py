"""Parts of a text with their terms or their first lines."""

from ctxkit.core.brief.texts.parts import HeadingPart, make_entries

PARTS = [
    HeadingPart("NAME", 1, 1, 4, opening=(2, "ctxkit - fit content")),
    HeadingPart("OPTIONS", 1, 5, 20, terms=[("--model", 6), ("--window", 10)]),
    HeadingPart("Exit status", 2, 12, 20, opening=(13, "0 for success")),
]


def test_a_part_ends_before_the_next_of_its_level() -> None:
    entries = [entry for _, entry in make_entries(PARTS, 80)]
    assert [(entry.label, entry.start, entry.end) for entry in entries] == [("NAME", 1, 4), ("OPTIONS", 5, 20), ("Exit status", 12, 20)]
    assert [entry.rank for entry in entries] == [0, 0, 1]


def test_terms_replace_the_opening_and_reach_to_the_next_term() -> None:
    name, options, _ = [entry for _, entry in make_entries(PARTS, 80)]
    assert [child.label for child in name.children] == ["ctxkit - fit content"]
    assert [(child.label, child.start, child.end) for child in options.children] == [("--model", 6, 9), ("--window", 10, 20)]


def test_without_a_width_nothing_is_quoted() -> None:
    assert [entry.children for _, entry in make_entries(PARTS[:1], 0)] == [()]
