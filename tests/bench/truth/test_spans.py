"""Tests of the checker of ends, times and blocks: each map below holds one statement, true or not."""

import pytest

from tests.bench.truth.test_check import complain

LOG = "\n".join(
    [
        "2026/11/25 23:17:26 a",
        "[Thu Nov 26 2026] [proxy:debug] b",
        "1795648650.782 15 c",
        "level=info d",
        "x    y",
        "1    2",
        "x    y",
        "3    4",
        "5 tests, 1 failure",
    ]
)


@pytest.mark.parametrize(
    "body",
    [
        "## Line 9, verbatim (the end)\n5 tests, 1 failure",
        "## Line 1, verbatim (the beginning)\n2026/11/25 23:17:26 a",
        "## Line 4, verbatim\nlevel=info d",
        "- Lines 1-2: the longest silence, 1d 00h",
        "- Lines 1-3: the longest silence, 5m 00s",
        "- 2 blocks with this header; the last block is lines 7 to 8",
        "- lines by the level they state: DEBUG 1, none 7",
    ],
)
def test_true_statements(body: str) -> None:
    assert complain(body, LOG) == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("## Line 8, verbatim (the end)\n3    4", "line 9 stands behind"),
        ("## Line 4, verbatim (the beginning)\nlevel=info d", "line 1 stands before"),
        ("- Lines 1-2: the longest silence, 9496d 00h", "1 days apart"),
        ("- Lines 1-3: the longest silence, 10956d 23h", "0 days apart"),
        ("- Lines 5-6: the longest silence, 700d 00h", "no dates"),
        ("- 2 blocks with this header; the last block is lines 5 to 8", "line 5 stands again"),
        ("- lines by the level they state: DEBUG 1, none 8", "8 lines without a level, but 7"),
    ],
)
def test_false_statements(body: str, reason: str) -> None:
    assert any(reason in complaint for complaint in complain(body, LOG))
