"""Text is split into statements: where one begins, and where it ends."""

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.parse import find_blocks, parse_document

TEXT = """---
description: How to test
globs: ["**/*.py", "*.toml"]
alwaysApply: true
---
# Guide

Intro that goes
over two lines.

<!-- a comment
- not a bullet
-->

## Testing & CI

Commands:

- Run `make test`
  before each commit
  - and `make lint`
- Push

| Command | What |
| --- | --- |
| make test | Runs the tests |

```bash
# not a heading
make test
```

Setext
------
1. First
2. Second
## Testing & CI
"""


def document(text=TEXT, **more):
    return parse_document("AGENTS.md", text.encode(), FileRole.INSTRUCTIONS, **more)


def rows(found):
    return [(unit.kind, unit.line, unit.end_line, unit.normal) for unit in found.units]


def test_statements_have_their_lines() -> None:
    assert rows(document()) == [
        ("heading", 6, 6, "guide"),
        ("paragraph", 8, 9, "intro that goes over two lines"),
        ("heading", 15, 15, "testing ci"),
        ("paragraph", 17, 17, "commands"),
        ("bullet", 19, 20, "run make test before each commit"),
        ("bullet", 21, 21, "and make lint"),
        ("bullet", 22, 22, "push"),
        ("row", 24, 24, "command what"),
        ("row", 26, 26, "make test runs the tests"),
        ("code", 28, 31, "# not a heading\nmake test"),
        ("heading", 33, 34, "setext"),
        ("bullet", 35, 35, "first"),
        ("bullet", 36, 36, "second"),
        ("heading", 37, 37, "testing ci"),
    ]


def test_statements_know_where_they_stand() -> None:
    units = {unit.normal: unit for unit in document().units}
    bullet, nested = units["run make test before each commit"], units["and make lint"]
    assert bullet.section == ("Guide", "Testing & CI")
    assert bullet.intro == "Commands:"
    assert (bullet.list, nested.list, bullet.depth, nested.depth) == (1, 1, 0, 1)
    assert units["commands"].is_intro
    assert units["command what"].is_intro
    assert not units["make test runs the tests"].is_intro


def test_blocks_and_front_matter_are_no_prose() -> None:
    found = document()
    assert [(block.kind, block.line, block.end_line, block.closed) for block in found.blocks] == [
        ("front", 1, 5, True),
        ("comment", 11, 13, True),
        ("fence", 28, 31, True),
    ]
    assert found.metadata == {"description": "How to test", "globs": "**/*.py,*.toml", "alwaysApply": "true"}
    assert found.block_at(29).info == "bash"
    assert found.block_at(19) is None


def test_headings_have_the_anchors_that_github_gives_them() -> None:
    found = [(heading.anchor, heading.line, heading.end_line) for heading in document().headings]
    assert found == [("guide", 6, 37), ("testing--ci", 15, 32), ("setext", 33, 36), ("testing--ci-1", 37, 37)]


def test_a_fence_that_is_never_closed_hides_the_rest() -> None:
    found = document("- a b c d\n```\n- hidden bullet\n")
    assert [unit.normal for unit in found.units] == ["a b c d"]
    assert found.blocks[0].closed is False


def test_a_list_of_keys_in_front_matter_is_joined() -> None:
    assert document("---\npaths:\n  - src/**\n  - 'lib/**'\n---\ntext\n").metadata == {"paths": "src/**,lib/**"}


def test_a_rule_across_the_page_is_no_front_matter() -> None:
    found = document("---\n\nSome text here.\n\n---\n")
    assert found.front_matter is None
    assert [unit.normal for unit in found.units] == ["some text here"]


@pytest.mark.parametrize(
    "data",
    [b"\xef\xbb\xbf# A\r\n- b\r\n", "# Ä\n".encode("utf-16"), b"# bad \xff byte\n- x\n", b"", b"no newline", b"\n\n"],
)
def test_bytes_come_back(data) -> None:
    assert parse_document("A.md", data).encode() == data


def test_line_endings_are_known() -> None:
    found = parse_document("A.md", b"# A\r\n- one two\r\n")
    assert (found.newline, found.lines, found.at(2)) == ("\r\n", 2, "- one two")
    assert found.text[slice(*found.span(2, 2))] == "- one two\r\n"


@given(st.text(alphabet="#-*`~>|<! \n\r\t.:1ab你", max_size=200))
def test_any_text_is_cut_into_statements_in_order(text: str) -> None:
    found = parse_document("A.md", text.encode())
    last = 0
    for unit in found.units:
        assert last < unit.line <= unit.end_line <= found.lines
        assert found.text[unit.start : unit.end].replace("\r\n", "\n").strip() == unit.text.strip()
        last = unit.end_line
    for one, two in zip(found.blocks, found.blocks[1:], strict=False):
        assert one.end_line < two.line


@given(st.binary(max_size=80))
def test_any_bytes_are_a_document(data: bytes) -> None:
    assert parse_document("A.md", data).encode() == data


@pytest.mark.parametrize("lines", [["> ```sh", "> ls", "> ```"], ["- ~~~", "x", "~~~"], [" > > 1. ```", "", "```"]])
def test_a_fence_may_stand_in_a_quotation_or_a_list(lines) -> None:
    assert [(block.kind, block.line, block.end_line) for block in find_blocks(lines)] == [("fence", 1, 3)]


@pytest.mark.parametrize("lead", ["> ", ">", " ", "\t", "> \t"])
def test_a_deep_quotation_costs_no_time(lead: str) -> None:
    start = perf_counter()
    assert find_blocks([lead * 20_000 + "`x` and more"]) == ()
    assert perf_counter() - start < 1


def statements(text):
    return [(unit.kind, unit.line, unit.end_line) for unit in parse_document("A.md", text.encode()).units]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A #\n## B", [("heading", 1, 1), ("heading", 2, 2)]),
        ("Title\n=====\ntext", [("heading", 1, 2), ("paragraph", 3, 3)]),
        ("#no heading", [("paragraph", 1, 1)]),
        ("One sentence\nover two lines.", [("paragraph", 1, 2)]),
        ("One sentence.\nAnother one.", [("paragraph", 1, 1), ("paragraph", 2, 2)]),
        ("- a\n  goes on\n- b", [("bullet", 1, 2), ("bullet", 3, 3)]),
        ("1. a\n2) b\n\u2022 c", [("bullet", 1, 1), ("bullet", 2, 2), ("bullet", 3, 3)]),
        ("a | b\n--- | ---\n1 | 2", [("row", 1, 1), ("row", 3, 3)]),
        ("text\n\n---\n\ntext", [("paragraph", 1, 1), ("paragraph", 5, 5)]),
        ("```\ncode\n```", [("code", 1, 3)]),
        ("```\nnever closed", []),
        ("> quoted\n>\n> again", [("paragraph", 1, 1), ("paragraph", 3, 3)]),
        ("<details>\n[a]: http://b\n", []),
        ("", []),
    ],
)
def test_a_text_has_these_statements(text: str, expected) -> None:
    assert statements(text) == expected


@given(st.lists(st.sampled_from(["# a", "- b", "  - c", "d.", "e", "", "| f | g |", "| - | - |", "```", "> h", "---"]), max_size=14))
def test_statements_are_in_order_and_do_not_overlap(lines: list[str]) -> None:
    document = parse_document("A.md", "\n".join(lines).encode())
    ends = 0
    for unit in document.units:
        assert ends < unit.line <= unit.end_line <= document.lines
        assert document.text[unit.start : unit.end].strip() == unit.text != ""
        ends = unit.end_line
