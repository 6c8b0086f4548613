"""Differences are true, and found in little time."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.repetition.difference import format_changes, list_changes

TEXTS = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n", b"e\n", b"f\n", b"g\n"]), max_size=25)


@given(TEXTS, TEXTS)
def test_applying_the_changes_gives_the_new_text(old, new) -> None:
    result, at = [], 0
    for change in list_changes(old, new):
        assert change.start >= at
        result += old[at : change.start] + new[change.new_start : change.new_end]
        at = change.end
    assert result + old[at:] == new


@given(TEXTS)
def test_a_text_has_no_changes_to_itself(lines) -> None:
    assert list_changes(lines, lines) == []


@given(TEXTS, TEXTS)
def test_hunks_quote_both_texts_at_their_line_numbers(old, new) -> None:
    rows = list(format_changes(old, new, list_changes(old, new)))
    places = [0, 0]
    for row in rows:
        if match := re.fullmatch(rb"@@ -(\d+),\d+ \+(\d+),\d+ @@\n", row):
            places = [int(match[1]) - 1, int(match[2]) - 1]
            continue
        for side, (text, others) in enumerate(((old, b"+"), (new, b"-"))):
            if row[:1] != others:
                assert text[max(places[side], 0)] == row[1:]
                places[side] += 1


def test_an_edit_is_one_hunk() -> None:
    old = [b"line %d\n" % number for number in range(100)]
    new = [*old[:40], b"new\n", *old[41:]]
    assert b"".join(format_changes(old, new, list_changes(old, new))) == (
        b"@@ -40,3 +40,3 @@\n line 39\n-line 40\n+new\n line 41\n"
    )


def test_a_last_line_without_a_newline_is_marked() -> None:
    hunk = b"".join(format_changes([b"a\n", b"b"], [b"a\n", b"c\n"], list_changes([b"a\n", b"b"], [b"a\n", b"c\n"])))
    assert hunk.endswith(b"-b\n\\ No newline at end of file\n+c\n")


@pytest.mark.slow
def test_hostile_texts_take_little_time() -> None:
    shuffled = [b"%d\n" % (number * 7919 % 100_003) for number in range(100_000)]
    began = time.monotonic()
    for old, new in ((shuffled, sorted(shuffled)), ([b"a\n", b"b\n"] * 50_000, [b"b\n", b"a\n"] * 50_000)):
        list(format_changes(old, new, list_changes(old, new)))
    assert time.monotonic() - began < 8
