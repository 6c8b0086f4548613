import pytest

from ctxkit.core.lint.references.excuses import says_gone, says_optional


@pytest.mark.parametrize(
    ("text", "gone", "optional"),
    [("      was removed in May", True, False), ("hooks (    ): scrubbed", True, False), ("Read     first", False, False),
     ("Write the report to    ", False, True), ("Read     if it exists", False, True), ("UIA package:     has the flags", False, True)],
)  # fmt: skip
def test_what_a_sentence_says_of_its_path(text: str, gone: bool, optional: bool) -> None:
    assert (says_gone(text), says_optional(text)) == (gone, optional)
