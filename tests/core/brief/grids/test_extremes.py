from ctxkit.core.brief.grids.extremes import list_extremes
from ctxkit.core.brief.grids.fields import Field


def make_field(name, cells):
    field = Field(name)
    field.add_cells(cells, range(10, 10 + len(cells)))
    return field


def test_extremes_have_their_lines():
    entries = list_extremes([make_field("%usr", ["3.50", "90.00", "7.25"]), make_field("%idle", ["0.00", "0.00", "0.00"])])
    assert [entry.label for entry in entries] == ["%usr 3.50 (10) to 90.00 (11)", "the same in all rows: %idle 0.00"]


def test_texts_and_names_have_none():
    assert not list(list_extremes([make_field("PID", ["1", "2"]), make_field("Command", ["a", "b"])]))
