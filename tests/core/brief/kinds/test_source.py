"""Maps of source code: what stands on them, in which order, and that nothing on them is invented."""

import inspect
import re
import tempfile
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument, MissingGrammar, parse_nothing
from ctxkit.core.brief.kinds import source
from ctxkit.core.brief.outline import Entry
from ctxkit.core.languages.language_names import LANGUAGES
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.engines.syntax import find_definitions
from tests.example_counts import count_examples

PARSER = '''"""Reads settings."""

import os
from json import loads

LIMIT = 10
NAMES = ("a",
         "b")


class Config(dict):
    """Hold settings."""

    def get_path(self, name: str) -> str:
        """Return a path."""
        return os.path.join(self[name])

    def _hidden(self):
        pass


def parse(text: str) -> Config:
    """Parse settings."""
    def clean(line):
        return line
    return Config(loads(clean(text)))


if __name__ == "__main__":
    parse("{}")
'''


def counted(text: str) -> int:
    """Count words and marks, close to what tokenizers do."""
    return len(re.findall(r"\d|[^\W\d]{1,6}|[^\w\s]", text))


def document_of(data: bytes, name: str = "", target: int = 4000, forced: str = "", parse=find_definitions) -> InputDocument:
    held = lines.lines_from_bytes(data)
    return InputDocument(held, lambda at, size: data[at : at + size], counted, target, name, forced, parse)


def map_of(data: bytes, name: str = "", target: int = 4000, forced: str = "", parse=find_definitions) -> str:
    document = document_of(data, name, target, forced, parse)
    frame = BriefingFrame(name or "stdin", document.lines.total, len(data), 9999, True, Hint(PRESETS["sed"], path="f"))
    made = brief_document(document, frame)
    assert made is not None
    assert counted(made.text) <= target
    return made.text


def entries_of(entry: Entry):
    yield entry
    for child in entry.children:
        yield from entries_of(child)


def test_a_map_tiles_the_file_and_then_gives_signatures() -> None:
    assert map_of(PARSER.encode(), "config.py").split("\n\n")[1:3] == [
        "## Structure\n"
        "- Lines 3-4: imports (os, json)\n"
        "- Lines 6-8: constants (LIMIT, NAMES)\n"
        "- Lines 11-19: class Config\n"
        "  - 14 get_path, 18 _hidden\n"
        "- Lines 22-26: parse()\n"
        "  - 24 clean\n"
        "- Lines 29-30: statements",
        "## Key signatures\n"
        "- Line 11: class Config(dict) \u2014 Hold settings.\n"
        "- Line 22: def parse(text: str) -> Config \u2014 Parse settings.\n"
        "- Line 14: def get_path(self, name: str) -> str \u2014 Return a path.\n"
        "- Line 18: def _hidden(self)",
    ]


@pytest.mark.slow
def test_short_of_room_signatures_go_first_then_members_never_the_top_level() -> None:
    code = inspect.getsource(textwrap).encode()
    shapes = [map_of(code, "textwrap.py", target) for target in (3000, 420, 260)]
    assert "## Key signatures" in shapes[0]
    for text in shapes:
        assert "class TextWrapper" in text
        assert re.search(r"\b(\d+)(?:-\d+)?:? dedent", text) or "- Lines 414-471: dedent()" in text
    assert len(shapes[2]) < len(shapes[1]) < len(shapes[0])


@pytest.mark.parametrize("target", [150, 440])
def test_a_map_says_how_many_of_the_definitions_it_names(target: int) -> None:
    text = map_of(inspect.getsource(tempfile).encode(), "tempfile.py", target)
    shown, total = map(int, re.search(r"## Structure: (\d+) of (\d+) definitions", text).groups())
    names = re.findall(r"(?:^- |,)(\d+(?:/\d+)*) (?!tokens)\w+", text, re.MULTILINE)
    assert shown == sum(len(lines.split("/")) for lines in names) < total


def test_every_name_on_a_map_stands_on_its_line() -> None:
    rows = PARSER.split("\n")
    document = document_of(PARSER.encode(), "config.py")
    for outline in source.outline(document) or []:
        for section in outline.sections:
            for entry in (inner for top in section.entries for inner in entries_of(top)):
                if not re.match(r"imports|constants|statements|variables", entry.label):
                    name = re.sub(r"^(?:class|def) |[(: ].*", "", entry.label)
                    assert name in rows[entry.start - 1]


def test_without_a_grammar_the_map_says_that_it_guesses() -> None:
    code = b"public class Cart {\n    void add(Item item) {\n        go(item);\n    }\n    int size() {\n    }\n}\n"
    text = map_of(code, "Cart.java", parse=parse_nothing)
    assert "## Structure (heuristic: matched by pattern, not parsed)" in text
    assert "- Lines 1-7: class Cart\n  - 2 add, 5 size" in text


def test_source_without_definitions_gets_the_generic_map() -> None:
    assert source.outline(document_of(b"x = 1\n" * 50, "settings.py")) is None


def test_a_forced_language_is_taken_at_its_word() -> None:
    document = document_of(b"fn main() {\n}\n" * 3, "notes.txt", forced="rust")
    assert {outline.language for outline in source.outline(document) or []} == {"rust"}


def test_words_of_type_are_the_languages() -> None:
    assert set(source.TYPES) == set(LANGUAGES)


@pytest.mark.parametrize(
    ("name", "data", "sure"),
    [
        ("a.py", b"x = 1\n", 0.9),
        ("", b"#!/bin/bash\necho hi\n", 0.9),
        ("", b"\x00\x01\x02", 0.0),
        ("a.ts", b"<?xml version='1.0'?><TS></TS>", 0.0),
        ("a.log", b"10:11:12 started\n", 0.0),
        ("", b"", 0.0),
    ],
)
def test_source_is_recognized(name: str, data: bytes, sure: float) -> None:
    assert source.sniff(document_of(data, name)) == sure


@pytest.mark.slow
def test_nameless_source_is_recognized_and_mapped() -> None:
    code = inspect.getsource(tempfile).encode()
    assert source.sniff(document_of(code)) > 0.5
    assert "class TemporaryDirectory" in map_of(code)


@pytest.mark.slow
def test_a_log_forced_as_a_language_is_mapped_in_time() -> None:
    log = b"".join(b"17/06/09 20:10:12 INFO executor.Executor: Running task %d.0 [rdd {\n" % i for i in range(3000))
    text = map_of(log[:200_000], forced="typescript", target=500)
    assert "## Structure\n" not in text


@settings(max_examples=count_examples(60), deadline=None)
@given(st.binary(max_size=400), st.sampled_from(sorted(LANGUAGES)))
def test_any_bytes_in_any_language_give_valid_ranges(data: bytes, language) -> None:
    document = document_of(data, forced=language)
    for outline in source.outline(document) or []:
        for section in outline.sections:
            for entry in (inner for top in section.entries for inner in entries_of(top)):
                assert 1 <= entry.start <= entry.end <= document.lines.total


@pytest.mark.slow
@settings(max_examples=count_examples(15), deadline=None)
@given(st.integers(150, 3000), st.sampled_from(["textwrap", "tempfile"]))
def test_a_map_never_exceeds_its_target_and_is_always_the_same(target: int, module: str) -> None:
    code = inspect.getsource({"textwrap": textwrap, "tempfile": tempfile}[module]).encode()
    assert map_of(code, "m.py", target) == map_of(code, "m.py", target)


def test_a_file_that_says_it_is_generated_is_quoted_on_that() -> None:
    made = map_of(b"// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a\n" + b"\nfunc F() {\n}\n" * 40, "a.pb.go", 200)
    assert "\n- 1: // Code generated by protoc-gen-go. DO NOT EDIT.\n" in made


def test_short_of_room_impls_give_way_to_what_they_hold() -> None:
    code = "".join(f"impl<'a> Iterator for Values{n}<'a> {{\n    fn next_{n}(&self) {{\n    }}\n}}\n" for n in range(20))
    made = map_of(code.encode(), "values.rs", 260)
    assert all(re.search(rf"\b{4 * n + 2} next_{n}\b", made) for n in range(20))


def test_the_package_of_a_missing_grammar_is_named() -> None:
    code = b"class Cart {\n  func add(item: Item) {\n    go(item)\n  }\n}\n"
    text = map_of(code, "Cart.swift", parse=lambda *_: MissingGrammar.of("tree-sitter-swift"))
    assert "## Structure (heuristic: matched by pattern; tree-sitter-swift is not installed)" in text
    assert "- Lines 1-5: class Cart\n  - 2 add" in text


def test_short_of_room_macros_are_left_out_first() -> None:
    code = "".join(f"#define M_{n}(a) ((a) + {n})\nint f_{n}(int a) {{\n  return a;\n}}\n" for n in range(30))
    made = map_of(code.encode(), "a.c", 300)
    assert "## Structure: 44 of 60 definitions" in made
    assert all(f"f_{n}" in made for n in range(30))
    assert all(f"{4 * n + 2} f_{n}" in made for n in range(30))


@pytest.mark.slow
def test_source_too_large_to_parse_is_matched_by_pattern() -> None:
    data = b"def first():\n    return 1\n" + b"# filler, filler, filler\n" * 170_000 + b"def last():\n    return 2\n"
    assert len(data) > source.MAX_PARSED_BYTES
    made = map_of(data, "a.py", 200)
    assert "heuristic: matched by pattern, not parsed" in made
    assert "- Lines 170003-170004: last()" in made
