"""The endless session: its tasks differ, and what is counted is counted truly."""

import pytest

from bench.compact.said import Did, Said
from bench.endless import Tally, _describe_progress, _rename, count_common


def test_each_task_has_files_of_its_own() -> None:
    rows = [Said("assistant", "see src/app.py and 1.5", [Did("a", "read", {"paths": ["lib/x.ts"], "n": 3})])]
    (renamed,) = _rename(rows, 7)
    assert renamed.text == "see src/app_7.py and 1.5"
    assert renamed.did[0].arguments == {"paths": ["lib/x_7.ts"], "n": 3}
    assert rows[0].text == "see src/app.py and 1.5"


@pytest.mark.parametrize(
    ("first", "second", "size"),
    [(b"", b"a", 0), (b"abc", b"abd", 2), (b"abc", b"abcd", 3), (b"x" * 999, b"x" * 999, 999)],
)
def test_the_common_beginning_is_counted_in_bytes(first: bytes, second: bytes, size: int) -> None:
    assert count_common(first, second) == size


def test_the_progress_says_how_far_a_run_is_and_what_is_wrong() -> None:
    tally = Tally(32_768, times=[0.01] * 90 + [0.03] * 10, fed=250_000, over=["one"])
    line = _describe_progress(tally, 80_000_000)
    assert line.startswith("endless: 250,000 of 80,000,000 tokens at 32,768, 100 turns, ")
    assert line.endswith("30 ms a turn in the last tenth, 1 wrong")
