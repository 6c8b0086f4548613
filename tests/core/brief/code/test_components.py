"""Blocks of single-file components, and what is defined in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.code.components import find_blocks
from ctxkit.core.brief.document import InputDocument, parse_nothing
from ctxkit.core.text import lines
from ctxkit.engines.syntax import find_definitions

VUE = """<template>
  <div>{{ total }}</div>
</template>

<script lang="ts" setup>
import { ref } from "vue";
function add(n: number): number {
  return n + 1;
}
</script>

<style scoped>
.card {
  color: red;
}
</style>
"""


def told(text, parse=find_definitions):
    data = text.encode()
    document = InputDocument(lines.lines_from_bytes(data), lambda at, size: data[at : at + size], len, 1000, "a.vue", parse=parse)
    return [(d.kind, d.name, d.start, d.end, d.depth) for d in find_blocks(document)]


@pytest.mark.parametrize("parse", [find_definitions, parse_nothing])
def test_blocks_hold_what_they_define(parse) -> None:
    assert told(VUE, parse) == [
        ("block", "template", 1, 3, 0),
        ("block", "script", 5, 10, 0),
        ("function", "add", 7, 9, 1),
        ("block", "style", 12, 16, 0),
        ("rule", ".card", 13, 15, 1),
    ]


def test_a_block_on_one_line_and_one_without_an_end() -> None:
    assert told('<script src="a.js"></script>\n<style>\na { top: 0 }\n') == [
        ("block", "script", 1, 1, 0),
        ("block", "style", 2, 3, 0),
        ("rule", "a", 3, 3, 1),
    ]


def test_the_front_of_an_astro_page_is_its_script() -> None:
    assert told("---\nfunction go() {\n  return 1;\n}\n---\n<p>hi</p>\n") == [
        ("block", "script", 1, 5, 0),
        ("function", "go", 2, 4, 1),
    ]


@given(
    st.lists(
        st.sampled_from(["<script>", "</script>", "<style lang=scss>", "</style>", "---", "a {", "x", ""]), max_size=12
    )
)
def test_lines_are_those_of_the_file(rows: list[str]) -> None:
    total = len(rows) or 1
    for _, _, start, end, depth in told("\n".join(rows), parse_nothing):
        assert 1 <= start <= end <= total
        assert depth >= 0
