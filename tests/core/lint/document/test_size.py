"""A file or a workspace that would take too much memory is refused before it does."""

import pytest

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.size import (
    DENSE_LINES,
    MAX_LINES,
    MAX_MEMORY,
    MAX_STATEMENTS,
    MemoryBudget,
    check_lines,
    check_statements,
    estimate_document_memory,
)


def test_too_many_lines_are_refused() -> None:
    check_lines("A.md", b"a line of some words\n" * DENSE_LINES * 2)
    with pytest.raises(MalformedInputError, match="more than 1,100,000 lines"):
        check_lines("A.md", b"a line of some words\n" * (MAX_LINES + 1))
    with pytest.raises(MalformedInputError, match="shorter than 10 bytes"):
        check_lines("A.md", b"short\n" * (DENSE_LINES + 1))


def test_too_many_statements_are_refused() -> None:
    check_statements("A.md", MAX_STATEMENTS)
    with pytest.raises(MalformedInputError, match="statements"):
        check_statements("A.md", MAX_STATEMENTS + 1)


def test_wide_letters_take_more_memory() -> None:
    sizes = [estimate_document_memory(parse_document("A.md", (letter * 1_000).encode())) for letter in "a漢😀"]
    assert sizes == sorted(set(sizes))


def test_the_memory_of_all_documents_is_bounded() -> None:
    budget, document = MemoryBudget(), parse_document("A.md", b"a" * (1 << 20))
    times = MAX_MEMORY // estimate_document_memory(document)
    for _ in range(times):
        assert budget.add(document) is document
    with pytest.raises(MalformedInputError, match="too much text"):
        budget.add(document)
