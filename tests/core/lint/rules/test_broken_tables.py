import time

import pytest

from ctxkit.core.lint.rules import broken_tables
from ctxkit.core.lint.rules.broken_tables import count_cells
from tests.core.lint.asked import codes


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("| a | b |\n|---|---|\n| c | d |\n", []),
        ("a | b\n:-- | --:\nc | d\n", []),
        ("| a | b |\n|---|---|\n| c |\n", []),
        ("| a | b |\n|---|\n", []),  # a rule below text, no table
        ("| a | b | c |\n|---|---|\n| d | e |\n", [1]),
        ("| a | b |\n|---|---|\n| `c | d` | e |\n", [3]),
        ("| a | b |\n|---|---|\n| `c \\| d` | e |\n", []),
        ("```\n| a | b | c |\n|---|---|\n```\n", []),
        ("Use a | b.\n\n| a | b |\n|---|---|\n| c | d |\n\na | b | c | d\n", []),
    ],
)
def test_tables_with_lines_of_different_width_are_found(text: str, lines: list[int]) -> None:
    assert codes(broken_tables, {"AGENTS.md": text}) == [("STR009", line) for line in lines]


def test_cells_are_counted_as_github_does() -> None:
    assert [count_cells(line) for line in ("| a |", "a | b", "| a \\| b | c |", "|")] == [1, 2, 2, 1]


def test_a_long_line_takes_little_time() -> None:
    began = time.process_time()
    codes(broken_tables, {"AGENTS.md": "a | b\n" + "-|" * 100_000 + "x\n" + "| - " * 100_000 + "\n"})
    assert time.process_time() - began < 2
