"""Tests of the reader of claims, which checks maps by rules of its own."""

from bench.claims import claims


def quotes(*rows: str) -> list[tuple[int, str]]:
    return claims("\n".join(rows)).quotes


def test_the_lines_below_an_entry_are_quoted_with_it() -> None:
    assert quotes("- Lines 3-4: - first", "  - second") == [(3, "- first"), (4, "- second")]
    assert quotes("- Lines 3-4: first", "  second") == [(3, "first"), (4, "second")]


def test_an_entry_whose_rows_have_numbers_only_names_a_range() -> None:
    rows = ("- Lines 2-3: - a.py (2 matches), its lines 5 to 7", "  - 2: - a.py:5:", "  - 3: - a.py:7:")
    assert quotes(*rows) == [(2, "- a.py:5:"), (3, "- a.py:7:")]


def test_an_entry_below_a_range_has_a_number_of_its_own() -> None:
    assert quotes("- Lines 1-2: - a.c: -Wunused", "  - 2: e") == [(2, "e")]
