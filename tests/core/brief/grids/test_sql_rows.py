from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.grids.sql_rows import is_inside_string, split_rows

VALUES = st.lists(st.one_of(st.integers().map(str), st.sampled_from(("x y", "it's", "a,b(c)", "", "; --"))), min_size=1, max_size=6)


def test_values_of_all_forms() -> None:
    text = " (1, 'a''b', NULL, _binary 'z', now(), -4.5e3), ('c::text'::text, X'ff');"
    assert [values for _, values in split_rows(text)] == [
        ["1", "a'b", "", "z", "now()", "-4.5e3"],
        ["c::text", "ff"],
    ]


def test_an_open_string() -> None:
    assert is_inside_string("(1,'two")
    assert not is_inside_string("(1,'it''s')")
    assert not is_inside_string(r"(1,'it\'s')")


@given(st.lists(VALUES, min_size=1, max_size=5))
def test_rows_come_back(rows) -> None:
    written = ",".join("(" + ",".join("'" + value.replace("'", "''") + "'" for value in row) + ")" for row in rows)
    assert [values for _, values in split_rows(written + ";")] == rows
