from ctxkit.core.brief.grids.table_layout import find_layout


def test_a_ruler_below_a_header_makes_a_layout() -> None:
    lines = ["a    b", "---  ---", "1    x", "2    y"]
    layout, _ = find_layout(lines, 0)
    assert layout.names == ("a", "b")
