import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.code.regions import CodeRegion, MergeConflict, find_conflicts, find_regions
from ctxkit.core.brief.document import Definition


def definition(start, end):
    return Definition("f", "function", start, end, 0, "f")


def told(text, *tops):
    lines = textwrap.dedent(text).strip("\n").split("\n")
    found = find_regions(lines, [definition(*top) for top in tops])
    return [(one.start, one.end, one.format_label()) for one in found]


def test_imports_constants_and_statements_are_told_apart() -> None:
    text = """
    \"\"\"A module.

    import nothing
    \"\"\"

    import os
    from re import sub

    LIMIT = 7
    WIDTH: int = 9
    # a remark
    main()
    """
    assert told(text) == [
        (6, 7, "imports (os, re)"),
        (9, 10, "constants (LIMIT, WIDTH)"),
        (12, 12, "statements"),
    ]


def test_what_stands_before_between_and_after_definitions_is_told() -> None:
    text = """
    import os
    def f():
        x = 1
    TOTAL = 7
    def g():
        pass
    main()
    """
    assert told(text, (2, 3), (5, 6)) == [
        (1, 1, "imports (os)"),
        (4, 4, "constants (TOTAL)"),
        (7, 7, "statements"),
    ]


def test_a_definition_inside_another_leaves_no_gap() -> None:
    assert told("class A:\n    def f():\n        pass\nmain()", (1, 3), (2, 2)) == [(4, 4, "statements")]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("import os.path", "os.path"),
        ("from ctxkit.core import lines", "ctxkit.core"),
        ('import { a } from "./store";', "./store"),
        ('const fs = require("fs");', "fs"),
        ("#include <stdio.h>", "stdio.h"),
        ('# include "store.h"', "store.h"),
        ("use std::io::Read;", "std::io::Read"),
        ("using System.Linq;", "System.Linq"),
        ("import static org.junit.Assert.fail;", "org.junit.Assert.fail"),
        ("package main", "main"),
        ("require 'json'", "json"),
        ("export * from './store'", "./store"),
        ('@import "base.css";', "base.css"),
        ("import type { Id } from './id'", "./id"),
    ],
)
def test_a_line_that_brings_in_names_says_from_where(line: str, name: str) -> None:
    assert told(line) == [(1, 1, f"imports ({name})" if name else "imports")]


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("LIMIT = 7", "constants (LIMIT)"),
        ("limit = 7", "variables (limit)"),
        ("export const LIMIT = 7;", "constants (LIMIT)"),
        ("#define LIMIT 7", "constants (LIMIT)"),
        ("int total = 0;", "variables (total)"),
        ("static int total = 0;", "variables (total)"),
        ("pub(crate) const LIMIT: usize = 7;", "constants (LIMIT)"),
        ("my $name = shift;", "variables (name)"),
        ("local name = 7", "variables (name)"),
        ("total := 7", "variables (total)"),
        ("total == 7", "statements"),
        ("main()", "statements"),
    ],
)
def test_a_line_that_gives_a_value_to_a_name_says_to_which(line: str, label: str) -> None:
    assert told(line) == [(1, 1, label)]


def test_an_import_of_several_lines_names_what_each_brings() -> None:
    text = """
    import (
        "fmt"
        "net/http"
    )
    import {
        one,
        two,
    } from "./numbers";
    """
    assert told(text) == [(1, 8, "imports (fmt, net/http, ./numbers)")]


def test_a_value_of_several_lines_belongs_to_its_name() -> None:
    assert told("TABLE = {\n    'a': 1,\n    'b': 2,\n}\nmain()") == [
        (1, 3, "constants (TABLE)"),
        (5, 5, "statements"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "# a\n# b",
        "// a",
        "/* a\nimport b\n*/",
        "@decorated",
        "}\n});",
        '"""a\nimport b\n"""',
        "-- a",
        "; a",
    ],
)
def test_comments_brackets_and_blank_lines_are_nothing(text: str) -> None:
    assert told(text) == []


def test_names_past_the_first_are_counted() -> None:
    region = CodeRegion("imports", 1, 12, tuple(f"m{number}" for number in range(12)))
    assert region.format_label() == "imports (m0, m1, m2, m3, m4, m5, m6, m7, +4 more)"
    assert region.format_label(2) == "imports (m0, m1, +10 more)"
    assert CodeRegion("statements", 1, 1, ()).format_label() == "statements"


def test_a_relative_import_is_not_named_after_a_keyword() -> None:
    assert told("from . import models")[0][2] != "imports (import)"


def test_a_name_is_told_once() -> None:
    assert told("import os\nimport os\nfrom os import path") == [(1, 3, "imports (os)")]


LINES = st.sampled_from(
    ["import os", "A = 1", "main()", "    more,", "", "# a", '"""', "/*", "*/", "}", "def f():", "    pass", "'", "\t"]
)


@given(st.lists(LINES, min_size=1, max_size=25), st.data())
def test_regions_come_in_order_without_overlap_and_outside_of_definitions(lines, data: st.DataObject) -> None:
    edges = sorted(data.draw(st.sets(st.integers(1, len(lines)), max_size=6)))
    tops = [definition(*pair) for pair in zip(edges[::2], edges[1::2], strict=False)]
    last = 0
    for region in find_regions(lines, tops):
        assert last < region.start <= region.end <= len(lines)
        assert not any(top.start <= region.end and region.start <= top.end for top in tops)
        last = region.end


def test_a_conflict_has_its_marks_and_sides() -> None:
    text = ["a", "<<<<<<< HEAD", "one", "||||||| base", "zero", "=======", "two", "three", ">>>>>>> topic", "b"]
    assert list(find_conflicts(text)) == [MergeConflict(2, 4, 9, "HEAD", "topic")]


def test_marks_out_of_order_are_none() -> None:
    assert list(find_conflicts(["=======", ">>>>>>> x", "<<<<<<< y", ">>>>>>> z", "Title", "======="])) == []


def test_what_a_map_says_of_it() -> None:
    (one,) = find_conflicts(["<<<<<<< HEAD", "one", "=======", ">>>>>>> topic"])
    assert (one.make_entry().label, one.make_entry().start, one.make_entry().end) == ("conflict, HEAD (1 line) against topic (0 lines)", 1, 4)
