import pytest

from ctxkit.core.brief.shapes.symbol_rows import FORMS, SymbolReader, find_form


@pytest.mark.parametrize(
    ("line", "tool", "name"),
    [
        ("0000000000001139 T main", "nm", "main"),
        ("                 U free@GLIBC_2.2.5", "nm", "free@GLIBC_2.2.5"),
        ("    12: 0000000000001139    43 FUNC    GLOBAL DEFAULT   14 main", "readelf", "main"),
        ("main             function     12 src/x.c          int main(void)", "ctags -x", "main"),
        ('main\tsrc/x.c\t/^int main(void)$/;"\tf', "ctags", "main"),
    ],
)
def test_each_tool_has_a_form(line, tool, name):
    form = find_form([line] * 10, 0.9)
    assert form is not None
    assert form.tool == tool
    assert list(SymbolReader(form).add_lines([(1, line)]).rows) == [(1, name)]


def test_sorted_names_are_noticed():
    form = FORMS[0]
    rows = [f"0000000000001139 T {name}" for name in ("a", "b", "c")]
    assert SymbolReader(form).add_lines(enumerate(rows)).is_sorted
    assert not SymbolReader(form).add_lines(enumerate(rows[::-1])).is_sorted
