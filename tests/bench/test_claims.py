"""Tests of the reader of claims, which checks maps by rules of its own."""

from bench.claims import claims, occurs


def quotes(*rows: str) -> list[tuple[int, str]]:
    return claims("\n".join(rows)).quotes


def test_the_lines_below_an_entry_are_quoted_with_it() -> None:
    assert quotes("- 3: - first", "  - second") == [(3, "- first"), (4, "- second")]
    assert quotes("- 3: first", "  second") == [(3, "first"), (4, "second")]


def test_an_entry_whose_rows_have_numbers_only_names_a_range() -> None:
    rows = ("- Lines 2-3: - a.py (2 matches), its lines 5 to 7", "  - 2: - a.py:5:", "  - 3: - a.py:7:")
    assert quotes(*rows) == [(2, "- a.py:5:"), (3, "- a.py:7:")]


def test_an_entry_below_a_range_has_a_number_of_its_own() -> None:
    assert quotes("- Lines 1-2: - a.c: -Wunused", "  - 2: e") == [(2, "e")]


def test_a_quotation_may_leave_out_as_many_characters_as_it_says() -> None:
    line = "error at a/long/path/to/some/file.py: no such name here, and more"
    assert occurs("error at [+24 chars] no such name [+15 chars]", line) is False
    assert occurs("error at [+30 chars] no such name [+15 chars]", line)
    assert occurs("error at [+30 chars] no such name here, and more", line)
    assert not occurs("error at [+29 chars] no such name here", line)
    assert not occurs("error at [+30 chars] no other name", line)
    assert occurs("error at a/long [+50 chars]", line)
