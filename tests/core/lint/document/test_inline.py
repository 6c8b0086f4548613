"""A fence around fences of the same length ends too early."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.document.inline import (
    blank_code_spans,
    find_broken_line,
    find_code_spans,
    find_outer_fence,
    is_in_template,
    prose_lines,
    text_lines,
)
from ctxkit.core.lint.document.parse import parse_document


def test_spans_end_at_as_many_backticks_as_they_began_with() -> None:
    assert [(span.text, span.column) for span in find_code_spans("a `b` c ``d ` e`` f `open")] == [("b", 4), ("d ` e", 11)]


@given(st.text("`ab ", max_size=60))
def test_a_bare_line_keeps_its_length_and_what_is_no_code(line: str) -> None:
    found = blank_code_spans(line)
    assert len(found) == len(line)
    assert all(new in (old, " ") for new, old in zip(found, line, strict=True))
    assert all(not found[span.start : span.start + len(span.text)].strip() for span in find_code_spans(line))


def test_many_backticks_take_little_time() -> None:
    assert len(list(find_code_spans("` " * 50_000))) == 25_000
    assert blank_code_spans("`" * 100_000) == "`" * 100_000


def test_prose_leaves_out_front_matter_code_and_comments() -> None:
    document = parse_document("A.md", b"---\nname: x\n---\none `two`\n```\nthree\n```\n<!-- four -->\nfive\n")
    assert list(text_lines(document)) == [(4, "one `two`"), (9, "five")]
    assert list(prose_lines(document)) == [(4, "one      "), (9, "five")]


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
