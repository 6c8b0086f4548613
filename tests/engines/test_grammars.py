import importlib.metadata
import re
import tomllib
from pathlib import Path

import pytest
from tree_sitter import Language, Parser

from ctxkit.core.languages.language_names import LANGUAGES
from ctxkit.core.text.shell_commands import ShellCommand
from ctxkit.engines import grammars
from ctxkit.engines.grammars import (
    OPTIONAL,
    find_package,
    list_pipelines,
    list_script_commands,
    list_script_comments,
    load_grammar,
    parse_tree,
)

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


@pytest.mark.parametrize(
    ("script", "commands"),
    [
        ("", []), ("# a comment", []), ("a b; c", [ShellCommand(("a", "b")), ShellCommand(("c",))]),
        ("a \"b c\" 'd e' $'f\\tg'", [ShellCommand(("a", "b c", "d e", "f\tg"))]),
        ("a \"$b\" c$d", [ShellCommand(("a", None, None))]), ("$a", [ShellCommand((None,))]),
        ("a | b", [ShellCommand(("a",)), ShellCommand(("b",), None)]), ("a < b", [ShellCommand(("a",), None)]),
        ("sh <<X\nls\nX\n", [ShellCommand(("sh",), "ls\n")]), ("A=$(b) c", [ShellCommand(("c",)), ShellCommand(("b",))]),
    ],
)  # fmt: skip
def test_commands_of_a_script(script: str, commands: list[ShellCommand]) -> None:
    assert list_script_commands(script) == commands


def test_a_script_of_too_many_nodes_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammars, "MAX_NODES", 10)
    assert list_script_commands("a; " * 20) is None


@pytest.mark.parametrize("script", ["$(" * 40_000, "(" * 40_000, "a " * 100_000, "\ud800 \0 x"])
def test_hostile_scripts_end(script: str) -> None:
    list_script_commands(script)


def test_comments_are_those_of_the_script() -> None:
    assert list_script_comments("a # one\necho '# two' \"# three\" x#four\ncat <<E\n# five\nE\nb #six") == ["# one", "#six"]
    assert list_script_comments("(" * 300_000 + "# x") == []


def test_a_tree_has_the_bytes_of_the_script() -> None:
    tree = parse_tree("echo \u4e00 | tail -1")
    assert tree is not None
    assert (tree.root_node.children[0].type, tree.root_node.end_byte) == ("pipeline", 18)


@pytest.mark.parametrize(
    ("script", "texts"),
    [
        ("a | b", ["a | b"]),
        ("a | b; c | d\ne | f # g", ["a | b", "c | d", "e | f"]),
        ("cd x && a 2>&1 | b 2>&1 || c > d | e > f", ["a 2>&1 | b 2>&1", "c > d | e > f"]),
        ("x=1 a |& b | c", ["x=1 a |& b | c"]),
        ("(a; b) | c && { d; } | e", ["(a; b) | c", "{ d; } | e"]),
        ("a | b & c | d", ["c | d"]),
        ("a; b & c | d", ["c | d"]),
        ("a | b < c; ! a | b; time a | b; a | (b)", []),
        ("if a | b; then c | d; fi; f() { a | b; }; (a | b); $(a | b); `a | b`", []),
        ("a <<E | b\nE\nc | d", ["c | d"]),
        ("a | b )", []),
        ("", []),
        ("\u4e00 | b", ["\u4e00 | b"]),
        ("\ud800 | b", []),
    ],
)
def test_pipelines_of_the_top_level(script: str, texts: list[str]) -> None:
    data = script.encode("utf-8", "replace")
    assert [data[pipeline.start : pipeline.end].decode() for pipeline in list_pipelines(script)] == texts


def test_members_have_their_texts_and_programs() -> None:
    (pipeline,) = list_pipelines("A=1 /bin/make -k 2>&1 | (b) | tail -n '3' >c")
    assert pipeline.members == ("A=1 /bin/make -k", "(b)", "tail -n '3'")
    assert pipeline.programs == ("make", "", "tail")
    assert pipeline.last == ShellCommand(("tail", "-n", "3"), None)


@pytest.mark.parametrize("script", ["$(" * 40_000 + "| a", "a && " * 30_000 + "b | c", "a | " * 30_000 + "b", "a | b\n" * 20_000])
def test_hostile_scripts_end_of_shell_pipelines(script: str) -> None:
    list_pipelines(script)
