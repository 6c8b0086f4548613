import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.document.front_matter import parse_front_matter
from ctxkit.core.lint.document.parse import parse_document


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
