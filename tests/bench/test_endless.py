"""The endless session: its tasks differ, and what is counted is counted truly."""

import pytest

from bench.compact.said import Did, Said
from bench.endless import _count_common, _rename


def test_each_task_has_files_of_its_own() -> None:
    rows = [Said("assistant", "see src/app.py and 1.5", [Did("a", "read", {"paths": ["lib/x.ts"], "n": 3})])]
    (renamed,) = _rename(rows, 7)
    assert renamed.text == "see src/app_7.py and 1.5"
    assert renamed.did[0].arguments == {"paths": ["lib/x_7.ts"], "n": 3}
    assert rows[0].text == "see src/app.py and 1.5"


@pytest.mark.parametrize(
    ("first", "second", "size"), [(b"", b"a", 0), (b"abc", b"abd", 2), (b"abc", b"abcd", 3), (b"x" * 999, b"x" * 999, 999)]
)
def test_the_common_beginning_is_counted_in_bytes(first: bytes, second: bytes, size: int) -> None:
    assert _count_common(first, second) == size
