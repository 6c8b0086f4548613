import importlib.metadata
import re
import tomllib
from pathlib import Path

import pytest
from tree_sitter import Language, Parser

from ctxkit.core.languages.language_names import LANGUAGES
from ctxkit.engines.grammars import OPTIONAL, find_package, load_grammar

REQUIRED = [
    *("bash", "c", "go", "java", "javascript", "python", "rust", "tsx", "typescript"),
]
TESTED = ["cpp", "csharp", "dart", "elixir", "haskell", "kotlin", "lua", "php", "ruby", "scala", "swift", "zig"]
"""Optional grammars that the extra test installs too."""
PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


def grammars_of(requirements: list[str]) -> set[str]:
    return {match[1] for line in requirements if (match := re.match(r"(tree-sitter-[\w-]+)", line))}


def test_optional_grammars_are_those_of_the_extra() -> None:
    assert {find_package(language) for language in OPTIONAL} == grammars_of(EXTRAS["langs"])
    assert [find_package(language) for language in ("python", "klingon", "kotlin")] == ["", "", "tree-sitter-kotlin"]


def test_tests_install_optional_grammars_in_the_versions_of_the_extra() -> None:
    lines = [line for line in EXTRAS["test"] if line.startswith("tree-sitter-")]
    assert set(lines) <= set(EXTRAS["langs"])
    assert grammars_of(lines) == {find_package(language) for language in TESTED}


@pytest.mark.parametrize("language", [*REQUIRED, *TESTED])
def test_the_grammar_of_every_language_that_comes_along_loads(language) -> None:
    assert isinstance(load_grammar(language), Language)


@pytest.mark.parametrize(
    ("language", "source", "root"),
    [
        ("python", b"x = 1", "module"),
        ("csharp", b"class A {}", "compilation_unit"),
        ("php", b"<?php $x = 1;", "program"),
        ("tsx", b"const a = <b/>;", "program"),
    ],
)
def test_a_grammar_parses_its_language(language: str, source: bytes, root: str) -> None:
    tree = Parser(load_grammar(language)).parse(source)
    assert (tree.root_node.type, tree.root_node.has_error) == (root, False)


def test_typescript_with_and_without_tags_are_two_languages() -> None:
    source = b"const a = <b/>;"
    assert Parser(load_grammar("typescript")).parse(source).root_node.has_error
    assert not Parser(load_grammar("tsx")).parse(source).root_node.has_error


@pytest.mark.parametrize("language", ["", "klingon", "..", "a.b", "a b"])
def test_a_language_without_a_grammar_has_none(language: str) -> None:
    assert load_grammar(language) is None


def test_a_grammar_is_loaded_once() -> None:
    assert load_grammar("python") is load_grammar("python")


def test_every_language_of_a_map_is_answered_and_has_its_grammar_when_its_wheel_is_there() -> None:
    installed = {distribution.metadata["Name"] for distribution in importlib.metadata.distributions()}
    for language in LANGUAGES:
        found = load_grammar(language)
        assert found is None or isinstance(found, Language)
        if f"tree-sitter-{language}" in installed:
            assert found is not None


def write(tmp_path, monkeypatch, package, text):
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.parametrize(
    ("package", "text"),
    [
        ("renamed", "def languages(): return 1"),
        ("odd", "def language(): return None"),
        ("broken", "raise ImportError('no')"),
        ("foreign", "def language(): return 'text'"),
    ],
)
def test_a_wheel_that_is_not_as_expected_is_as_good_as_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, text: str) -> None:
    write(tmp_path, monkeypatch, f"tree_sitter_{package}", text)
    assert load_grammar(package) is None


def test_a_wheel_without_a_compiled_part_where_it_is_looked_for_is_imported_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, monkeypatch, "tree_sitter_wrapped", "from tree_sitter_python import language")
    assert isinstance(load_grammar("wrapped"), Language)
