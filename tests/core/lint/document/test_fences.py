"""A fence around fences of the same length ends too early."""

import pytest

from ctxkit.core.lint.document.fences import find_broken_line, find_outer_fence
from ctxkit.core.lint.document.parse import parse_document

NESTED = "# A\n\n```markdown\nUse it:\n\n```bash\nmake\n```\n\nDone.\n```\n\nRules.\n"


def test_the_first_fence_that_contains_an_opening_is_the_broken_one() -> None:
    document = parse_document("a.md", NESTED.encode())
    (unclosed,) = (block for block in document.blocks if not block.closed)
    block, inner = find_outer_fence(document, unclosed)
    assert (block.line, block.end_line, inner) == (3, 8, 6)
    assert find_broken_line(document) == 3


@pytest.mark.parametrize(
    "text",
    [
        NESTED.replace("```markdown", "````markdown").replace("Done.\n```", "Done.\n````"),
        "```\nx\n```\n",
        "- a\n\n```bash\nmake\n",
        "```\nx\n```\n\n```bash\nmake\n",
    ],
)
def test_other_fences_are_not_broken(text: str) -> None:
    document = parse_document("a.md", text.encode())
    assert find_broken_line(document) == document.lines + 1
