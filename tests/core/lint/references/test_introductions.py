import pytest

from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.references.introductions import (
    find_introduction,
    introduces_gone,
    introduces_samples,
    is_in_samples,
)


@pytest.mark.parametrize(
    ("text", "introduction"),
    [
        ("**Removed:**\n\n- a\n- b", "**Removed:"), ("Removed:\n- a\n  more of a\n\n  - b", "Removed:"), ("Removed.\n- b", ""),
        ("Removed:\nb", "Removed:"), ("Removed:\n\nText.\n\n- b", ""), ("b", ""), (f"Removed:\n{'- a' + chr(10)}{'- a' + chr(10) * 2}- b", "Removed:"),
        ("Removed:\n" + "- a\n" * 60 + "- b", ""),
    ],
)  # fmt: skip
def test_a_list_has_the_line_above_it_as_introduction(text: str, introduction: str) -> None:
    document = parse_document("AGENTS.md", text.encode(), FileRole.INSTRUCTIONS)
    assert find_introduction(document, document.lines) == introduction


@pytest.mark.parametrize(
    ("text", "samples", "gone"),
    [("✅ **CORRECT**:", True, False), ("Bad:", True, False), ("Some examples:", True, False), ("Example: the feature of plans touched:", False, False),
     ("No longer used:", False, True), ("Do not reference:", False, True), ("Read these files:", False, False)],
)  # fmt: skip
def test_what_an_introduction_says(text: str, samples: bool, gone: bool) -> None:
    assert (introduces_samples(text), introduces_gone(text)) == (samples, gone)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("## Examples\n\nb", True), ("## Examples of use\n\nb", False), ("| A | Example |\n|---|---|\n| b | c |", True), ("| A | B |\n|---|---|\n| example | c |", False)],
)
def test_sections_and_columns_of_examples(text: str, expected: bool) -> None:
    document = parse_document("AGENTS.md", text.encode(), FileRole.INSTRUCTIONS)
    assert is_in_samples(document, document.lines) == expected
