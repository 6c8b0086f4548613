from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.forms import LineForms
from ctxkit.core.brief.generic.headings import DEEPEST, find_headings
from ctxkit.core.brief.generic.line_rating import rate_lines
from ctxkit.core.text.lines import lines_from_bytes


def rate(rows: list[str]) -> dict[int, float]:
    forms = LineForms(lines_from_bytes("\n".join(rows).encode()))
    numbers = [number for number in range(1, forms.total + 1) if forms.form_of(number)]
    return rate_lines(forms, numbers, find_headings(forms, DEEPEST))


def test_an_error_between_equal_lines_is_likelier_than_any_of_them() -> None:
    rows = [f"copy file {number}" for number in range(200)]
    rows[120] = "error: cannot open data/a.db: no such file"
    rates = rate(rows)
    assert max(rates, key=rates.__getitem__) == 121


def test_no_lines_have_no_rates() -> None:
    assert rate(["", ""]) == {}


@given(st.lists(st.text(alphabet="ab1 :=-\t\x1b[m", max_size=12), min_size=1, max_size=40))
def test_every_line_has_a_positive_rate_that_does_not_change(rows: list[str]) -> None:
    rates = rate(rows)
    assert all(value > 0 for value in rates.values())
    assert rate(rows) == rates
