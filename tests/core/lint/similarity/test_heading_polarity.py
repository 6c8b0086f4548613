"""A heading or an introducing line negates or requires the statements below it."""

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.similarity.heading_polarity import has_opposite_polarity, is_contrast_pair, is_negated_by_heading


def units(text):
    return [unit for unit in parse_document("A.md", text.encode()).units if unit.kind == "bullet"]


def test_what_stands_above_a_list_turns_it_round() -> None:
    text = "Never:\n\n- Push to main\n- Do not push\n\n## Don'ts\n\n- Skip tests\n\n## Notes\n\n- Run tests\n"
    assert [is_negated_by_heading(unit) for unit in units(text)] == [True, False, True, False]


def test_a_list_of_demands_is_the_opposite_of_a_list_of_prohibitions() -> None:
    never, always, plain = units("Never:\n\n- Push to main\n\nAlways:\n\n- Push to main\n\nHere:\n\n- Push to main\n")
    assert has_opposite_polarity(never, always)
    assert has_opposite_polarity(always, never)
    assert not has_opposite_polarity(never, plain)


def test_examples_before_and_after_a_change_are_contrasted() -> None:
    before, after = units("Before:\n\n- Run the tests\n\nAfter:\n\n- Run all tests\n")
    assert is_contrast_pair(before, after)
    assert not is_contrast_pair(before, after._replace(path="B.md"))
