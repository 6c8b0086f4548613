"""Which statements other text depends on."""

import pytest

from ctxkit.core.lint.fixes.dependents import has_dependents
from tests.core.lint.places import workspace


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run this first.\n\n```\nmake\n```\n", True),
        ("Run this first.\n\n| a | b |\n| - | - |\n", True),
        ("Run this first.\n\n    make all\n", True),
        ("Run this first, as follows.\n\nMake it.\n", True),
        ("Run these in order:\n", True),
        ("Run these in order.\n- one\n", True),
        ("- Run this first.\n  - a part of it\n", True),
        ("- Run this first.\n  ```\n  make\n  ```\n", True),
        ("Run this first.\n\n- another list\n", False),
        ("- Run this first.\n- Run that.\n", False),
        ("Run this first.\n\n# Next\n\n```\nmake\n```\n", False),
        ("Run this first.\n", False),
    ],
)
def test_a_statement_that_introduces_text_has_dependents(text: str, expected: bool) -> None:
    (document,) = workspace({"AGENTS.md": text}).documents
    assert has_dependents(document.units[0], document) is expected
