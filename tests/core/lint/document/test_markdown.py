"""Lines, offsets and blocks of a document belong together."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.document.parse import parse_document

TEXT = "---\na: 1\n---\n# Title\n\n- one\n- two\n\n```sh\nmake\n```\n"


def test_a_line_is_found_by_its_number_and_by_its_offset() -> None:
    document = parse_document("A.md", TEXT.encode())
    assert document.at(4) == "# Title"
    assert document.text[slice(*document.span(6, 7))] == "- one\n- two\n"
    assert document.line_of(document.text.index("two")) == 7
    assert [unit.text for unit in document.units_in(6, 7)] == ["- one", "- two"]


def test_a_block_is_found_by_any_of_its_lines() -> None:
    document = parse_document("A.md", TEXT.encode())
    assert document.front_matter == document.block_at(2)
    assert document.block_at(10).kind == "fence"
    assert document.block_at(6) is None
    assert parse_document("A.md", b"# Title\n").front_matter is None


@given(st.binary(max_size=40) | st.text(st.sampled_from("ab\r\n#-`é漢"), max_size=40).map(str.encode))
def test_a_document_encodes_to_the_bytes_it_was_read_from(data) -> None:
    document = parse_document("A.md", data)
    assert document.encode() == data
    assert "".join(document.text[slice(*document.span(line, line))] for line in range(1, document.lines + 1)) == document.text
