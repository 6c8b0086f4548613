import pytest

from ctxkit.core.context.instructions import is_instruction, is_other_half, is_prohibition, is_report


@pytest.mark.parametrize("sentence", ["Fix the parser.", "Then please add a test.", "Could you rename it?", "I want to see all rows.", "You must not push."])
def test_what_asks_for_something_is_an_instruction(sentence: str) -> None:
    assert is_instruction(sentence)


@pytest.mark.parametrize("sentence", ["Why does it fail?", "The parser fails.", "Fixes are planned.", "(Open file: n/a)", "Set: a, b"])
def test_what_asks_or_tells_is_none(sentence: str) -> None:
    assert not is_instruction(sentence)


def test_prohibitions() -> None:
    assert is_prohibition("Do not use subagents.")
    assert is_prohibition("- never push")
    assert not is_prohibition("It does not work.")


@pytest.mark.parametrize(("sentence", "report"), [("It only works on Linux.", True), ("I always get an error.", True), ("It must never crash.", False), ("I want it always on.", False), ("Only use tabs.", False)])
def test_reports_demand_nothing(sentence: str, report: bool) -> None:
    assert is_report(sentence) is report


def test_the_other_half_of_a_prohibition_says_how_to_work() -> None:
    assert is_other_half("Read files directly.", "Do not use subagents.")
    assert not is_other_half("Find out why and fix it.", "Do not use subagents.")
    assert not is_other_half("Read files directly.", "It fails.")
