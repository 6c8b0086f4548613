"""Columns are laid out as wc does."""

from ctxkit.core.count.table import format_table


def test_numbers_stand_right_and_words_left() -> None:
    rows = [(5, "exact", "a b"), (120, "estimate", "c")]
    assert list(format_table(rows)) == ["  5 exact    a b\n", "120 estimate c\n"]
    assert list(format_table([(7,)])) == ["7\n"]
    assert list(format_table([])) == []
