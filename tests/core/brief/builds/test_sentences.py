"""Findings that are written as sentences."""

import pytest

from ctxkit.core.brief.builds.sentences import MAX_LINE_LENGTH, parse_sentence


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("1. ERROR in /w/A.java (at line 3)", ("/w/A.java", "error", "")),
        ("PHP Parse error:  syntax error, unexpected end of file in /w/a.php on line 9", ("/w/a.php", "error", "syntax error, unexpected end of file")),
        ("Deprecated: Function f() is old in /w/a.php on line 9", ("/w/a.php", "warning", "Function f() is old")),
        ('syntax error at lib/A.pm line 7, near "}"', ("lib/A.pm", "error", "syntax error")),
        ("It stands at line 7.", None),
        ("plain words", None),
        (f"{'x' * MAX_LINE_LENGTH} at a.pl line 3.", None),
    ],
)
def test_a_sentence_names_file_severity_and_message(text: str, finding) -> None:
    assert parse_sentence(text) == finding
