from ctxkit.core.brief.shapes.verbatim import keep_indentation


def test_a_line_keeps_its_indentation() -> None:
    assert keep_indentation("  \x1b[1mbold\x1b[0m \n") == "  bold"
    assert keep_indentation("  word " * 9, 10) == "word   wor [+50 chars]"


def test_a_line_keeps_its_tabs() -> None:
    assert keep_indentation("Size: 4\tBlocks: 8") == "Size: 4\tBlocks: 8"
