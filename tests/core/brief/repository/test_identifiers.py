"""The names that source code uses, outside comments and strings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.repository.identifiers import find_used_names
from ctxkit.core.languages.language_names import LANGUAGES


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("python", "a = b(c)  # d\n'e'; \"f\"\n'''\ng\n'''\nh", {"a", "b", "c", "h"}),
        ("python", '"""It\'s a "quoted" word."""\nafter', {"after"}),
        ("javascript", "a('b', \"c\") // d\n/* e\nf */ g", {"a", "g"}),
        ("rust", "fn a<'b>(c: &'b str) { 'd'; e }", {"fn", "a", "b", "c", "str", "e"}),
        ("c", "int a; // it's b\nchar c = '\\n'; d(\"e\\\"f\");", {"int", "a", "char", "c", "d"}),
        ("lua", "a() -- b\n'c' d", {"a", "d"}),
        ("haskell", "f' x = g -- y", {"f", "x", "g"}),
        ("python", "größe = 1", {"größe"}),
        ("typescript", "a.$b(c$)", {"a", "$b", "c$"}),
        ("php", "$a->b()", {"a", "b"}),
    ],
)
def test_comments_and_strings_use_no_names(language: str, text: str, names: set[str]) -> None:
    assert find_used_names(text, language).identifiers == names


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        ("python", "from a.b import (\n    c,\n    d as e,\n)\nimport f\ng = 1", {"c", "d", "e"}),
        ("javascript", "import h, { i,\n j } from './k'\nl()", {"h", "i", "j"}),
        ("javascript", "const { a, b } = require('./c')", {"a", "b"}),
        ("rust", "use crate::a::{B, c};\nfn d() {}", {"crate", "a", "B", "c"}),
        ("java", "import a.b.C;\nclass D {}", {"a", "b", "C"}),
    ],
)
def test_imported_names_are_those_of_import_statements(language: str, text: str, names: set[str]) -> None:
    assert find_used_names(text, language).imported - {"as", "from", "import", "use", "const", "require"} == names


def test_words_of_quoted_paths_name_files() -> None:
    used = find_used_names("import { a } from '../lib/core-api.js'; b('two words')", "javascript")
    assert {"lib", "core-api", "js"} <= used.path_words
    assert "two" not in used.path_words


@given(st.text(st.sampled_from("ab'\"\\#/*-\n `"), max_size=60), st.sampled_from(sorted(LANGUAGES)))
def test_a_name_after_a_closed_line_is_always_found(text: str, language: str) -> None:
    after = find_used_names(f"{text}\nlast", "text").identifiers
    assert find_used_names("last", language).identifiers == {"last"}
    assert all(name in f"{text}\nlast" for name in after)


@pytest.mark.parametrize("text", ["'" * 50_000, '"\\' * 50_000, "/*" * 50_000, "import {" * 20_000, '"""a' * 20_000])
def test_hostile_text_takes_time_in_proportion_to_its_size(text: str) -> None:
    from time import process_time

    began = process_time()
    for language in ("python", "javascript", "rust"):
        find_used_names(text, language)
    assert process_time() - began < 5
