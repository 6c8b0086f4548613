"""A fence around fences of the same length ends too early."""

import pytest

from ctxkit.core.lint.document.fences import find_broken_line, find_outer_fence, is_in_template
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


def test_what_follows_a_fence_inside_a_fence_of_markdown_is_still_a_template() -> None:
    document = parse_document("a.md", f"{NESTED}\n```md\n```bash\nmake\n```\nSee [a](b.md).\n```\n\nSee [c](d.md).\n".encode())
    assert [number for number in range(1, document.lines + 1) if is_in_template(document, number)] == [*range(4, 12), *range(16, 21)]
    plain = parse_document("a.md", b"```markdown\nx\n```\n\nx\n\n```bash\nmake\n```\n")
    assert [number for number in range(1, plain.lines + 1) if is_in_template(plain, number)] == [2, 3]
