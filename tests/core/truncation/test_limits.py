"""Limits in lines, bytes and tokens."""

import pytest

from ctxkit.core.truncation.limits import TruncationLimits, count_lines


def test_the_defaults_are_those_of_the_seed() -> None:
    """Seed 002: ``truncate.Options{MaxLines: 2000, MaxBytes: 50 * 1024}``."""
    assert TruncationLimits()[:2] == (2000, 50 * 1024)


@pytest.mark.parametrize(
    ("data", "excess"),
    [(b"a\nb\n", None), (b"a\nb\nc", "lines"), (b"abcdefghijk", "bytes"), (b"a b c d", "tokens"), (b"", None)],
)
def test_the_first_limit_that_is_exceeded_is_named(data: bytes, excess: str | None) -> None:
    assert TruncationLimits(2, 10, 3, lambda text: len(text.split())).find_excess(data) == excess


def test_a_line_of_a_quarter_leaves_room() -> None:
    limits = TruncationLimits(2, 40)
    assert limits.leaves_room(b"123456789\n")
    assert not limits.leaves_room(b"1234567890\n")
    assert limits.leaves_room(b"1234567890\n", share=2)
    assert not TruncationLimits(1, 4000).leaves_room(b"x\n")


def test_a_last_line_without_a_newline_is_a_line() -> None:
    assert [count_lines(data) for data in (b"", b"\n", b"a", b"a\n", b"a\nb")] == [0, 1, 1, 1, 2]
