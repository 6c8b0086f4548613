from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxkit.core import lines
from ctxkit.core.brief.signs import NOT, WORDS, signs

ROWS = st.lists(
    st.lists(
        st.sampled_from(
            ["Error", "ERROR", "failed", "0 errors", "no failures", "panic!", "traceback", "ok", "fine", "é", "İ", "errors: 0",
             "without any error", '"error": null', "1 failed", "fail", "ΑΣ", "\r", "\u2028", "segfault"]
        ),
        max_size=4,
    ).map(" ".join),
    max_size=20,
)  # fmt: skip


def naive(rows: list[str]) -> list[tuple[int, str]]:
    """Look at each line by itself: the oracle."""
    return [
        (number, row)
        for number, row in enumerate(rows, 1)
        if any(word in row.lower() for word in WORDS) and not NOT.search(row)
    ]


@settings(max_examples=200)
@given(ROWS)
@example(["İstanbul", "ERROR: x"])
@example(["İ ERROR"])
def test_the_signs_are_those_of_a_scan_line_by_line(rows):
    data = "".join(f"{row}\n" for row in rows).encode()
    assert list(signs(lines.of(data), 1, len(rows))) == naive(rows)


@given(ROWS, st.integers(1, 20), st.integers(0, 20))
def test_only_the_range_that_was_asked_for_is_looked_at(rows, start, more):
    data = "".join(f"{row}\n" for row in rows).encode()
    if start <= len(rows):
        expected = [(number, row) for number, row in naive(rows) if start <= number <= start + more]
        assert list(signs(lines.of(data), start, start + more)) == expected


def test_a_large_log_is_searched_over_the_edges_of_its_pieces():
    rows = ["x" * 200 if number % 1000 else f"error {number}" for number in range(1, 12_001)]
    found = list(signs(lines.of("\n".join(rows).encode()), 1, len(rows)))
    assert found == [(number, f"error {number}") for number in range(1000, 12_001, 1000)]


def test_what_only_sounds_like_trouble_is_none():
    rows = ["0 errors", "no errors found", '"error": null', "errors: 0", "without failures", "no test failures"]
    assert list(signs(lines.of("\n".join(rows).encode()), 1, len(rows))) == []
