"""The Markdown of the man pages is read as its README describes it."""

import pytest

from tools.pages.markdown import Code, Item, Paragraph, parse_blocks, parse_document


def test_a_document_has_a_title_and_sections() -> None:
    text = "# ctxkit gate\n\nBefore.\n\n## First part\n\nSome\ntext.\n\n## JSON\n\n- `a`: one\n"
    assert parse_document(text) == (
        "ctxkit gate",
        {"": [Paragraph("Before.")], "First part": [Paragraph("Some text.")], "JSON": [Item("a", "one")]},
    )


def test_a_document_without_a_title_is_an_error() -> None:
    with pytest.raises(ValueError, match="the first line is no title: text"):
        parse_document("text\n")


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", []),
        ("One\nparagraph.\n\n\nAnother.", [Paragraph("One paragraph."), Paragraph("Another.")]),
        ("- `a`: its\n  meaning\n- `b`, `c d`: more: text", [Item("a", "its meaning"), Item("b, c d", "more: text")]),
        ("- text with `code`: in it\n- more", [Item("", "text with `code`: in it"), Item("", "more")]),
        ("- `a` text", [Item("", "`a` text")]),
        ("A -- hyphen\n-x stays", [Paragraph("A -- hyphen -x stays")]),
    ],
)
def test_prose_is_paragraphs_and_items(text: str, blocks) -> None:
    assert parse_blocks(text) == blocks


def test_a_fenced_block_keeps_its_lines_and_ends_a_paragraph() -> None:
    text = "See:\n```console\n$ ctxkit gate\n\n  - `no`: item\n```\nAfter."
    assert parse_blocks(text) == [
        Paragraph("See:"),
        Code(("$ ctxkit gate", "", "  - `no`: item")),
        Paragraph("After."),
    ]


@pytest.mark.parametrize(
    "line", ["# title", "### part", "* item", "1. item", "> quote", "| a |", "```toml", "    code", "   - nested"]
)
def test_a_line_outside_the_subset_is_an_error_that_names_it(line: str) -> None:
    with pytest.raises(ValueError, match="not supported in a man page") as error:
        parse_blocks(f"text\n{line}\nmore")
    assert str(error.value).endswith(f": {line}")
