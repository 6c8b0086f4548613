"""Lines, offsets and blocks of a document belong together."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.document.markdown import parse_front_matter
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


TEXT_UNIT = "# Build\n\nCommands:\n\n- **Run** `make`\n  - with care\n\n| a | b |\n| - | - |\n| 1 | 2 |\n"


def test_the_offsets_of_a_statement_hold_its_text() -> None:
    document = parse_document("A.md", TEXT_UNIT.encode())
    assert all(document.text[unit.start : unit.end].strip() == unit.text for unit in document.units)


def test_sections_introductions_and_depths() -> None:
    units = parse_document("A.md", TEXT_UNIT.encode()).units
    assert [(unit.kind, unit.line, unit.depth, unit.is_intro, unit.intro) for unit in units] == [
        ("heading", 1, 1, False, ""),
        ("paragraph", 3, 0, True, ""),
        ("bullet", 5, 0, False, "Commands:"),
        ("bullet", 6, 1, False, "Commands:"),
        ("row", 8, 0, True, "Commands:"),
        ("row", 10, 0, False, "Commands:"),
    ]
    assert {unit.section for unit in units[1:]} == {("Build",)}
    assert units[2].normal == "run make"


def parse(text: str, ruler: str = "---"):
    return parse_front_matter([ruler, *text.split("\n"), ruler])


def test_values_are_text_and_lists_are_joined() -> None:
    found = parse("name: a\ndescription: >\n  two\n  lines\ntools: [Read, Grep]\npaths:\n  - '*.py'\n  - 'b'\non: yes\nx: {y: 1}")
    assert found.values == {
        "name": "a", "description": "two lines", "tools": "Read,Grep", "paths": "*.py,b", "on": "yes", "x": "",
    }  # fmt: skip
    assert found.lines["tools"] == 6
    assert found.problem == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [("name: a\ndescription: Use when: asked", 3), ("globs: *.ts", 2), ("a: @b", 2), ("just words", 2), ("- a", 2), ("a: 'b", 2), ("\x00", 2), ("a: \udcf8", 2)],
)
def test_text_that_is_no_mapping_has_a_problem_and_a_line(text: str, line: int) -> None:
    found = parse(text)
    assert found.problem
    assert found.problem_line == line


def test_a_lenient_host_reads_what_is_no_yaml() -> None:
    assert parse("globs: *.ts,*.tsx\nalwaysApply: false").values == {"globs": "*.ts,*.tsx", "alwaysApply": "false"}


def test_toml_and_an_empty_text_are_no_problem() -> None:
    assert parse('name = "a"', "+++").values == {"name": "a"}
    assert parse("# a comment").problem == parse("").problem == ""


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#, \n\t?@`%\udcf8", max_size=80))
def test_any_text_is_read(text: str) -> None:
    found = parse(text)
    assert all(isinstance(value, str) for value in found.values.values())
    assert not found.problem or 1 < found.problem_line <= text.count("\n") + 3


@pytest.mark.parametrize("text", ["[" * 30_000, "a: " * 10_000, "a: &a [x]\n" + "b: [*a, *a]\n" * 40, "? " * 15_000, "a: &a [*a]"])
def test_hostile_text_takes_little_time(text: str) -> None:
    began = time.process_time()
    parse(text)
    assert time.process_time() - began < 1


def test_the_front_matter_of_a_document_is_its_metadata() -> None:
    document = parse_document("a.md", b"---\nname: x\n---\nBody.\n")
    assert document.metadata == {"name": "x"}
    assert parse_document("a.md", b"Body.\n").metadata == {}


def test_aliases_make_no_value_larger_than_the_front_matter() -> None:
    text = f"a: &a {'x' * 15_000}\nb: [{','.join(['*a'] * 5_000)}]\nc: [*a]"
    values = parse(text).values
    assert (values["b"], len(values["c"])) == ("", 15_000)
