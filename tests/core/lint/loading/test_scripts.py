import pytest

from ctxkit.core.lint.loading.scripts import ANYTHING, PROGRAM_PREFIX, find_scripts


def known(name, text, word):
    return find_scripts([name], {name: text.encode()}.get, [word])


def test_package_json_gives_scripts_and_the_programs_of_its_packages() -> None:
    names = known("package.json", '{"scripts": {"build": "tsc"}, "devDependencies": {"typescript": "5"}}', "npm")
    assert names == {("npm", ""): {"build", f"{PROGRAM_PREFIX}tsc"}}


@pytest.mark.parametrize("text", ["{", "[]", '{"scripts": []}', "[" * 100_000])
def test_a_package_json_that_cannot_be_read_gives_none(text: str) -> None:
    assert known("package.json", text, "npm") == {("npm", ""): frozenset()}


def test_a_makefile_gives_targets_patterns_and_phony_names() -> None:
    text = ".PHONY: lint \\\n  docs\nA := x\nbuild test-%: dep\n\tcmd: no\nout/app: x\n"
    assert known("web/Makefile", text, "make")["make", "web"] >= {"lint", "docs", "build", "test-%", "out/app"}
    assert not {"A", "cmd"} & known("Makefile", text, "make")["make", ""]


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("Makefile", "include common.mk\n", "make"),
        ("Makefile", "$(TARGETS): x\n", "make"),
        ("justfile", "import 'more.just'\n", "just"),
        ("pyproject.toml", "[tool.poe]\ninclude = 'tasks.toml'\n", "poe"),
    ],
)
def test_what_includes_others_may_have_any(name: str, text: str, word: str) -> None:
    assert ANYTHING in next(iter(known(name, text, word).values()))


def test_a_justfile_gives_recipes_aliases_and_modules() -> None:
    text = "default:\n  x\n@build target='a':\n  y\nalias b := build\nmod docs\nset x := 1\n"
    assert known("justfile", text, "just") == {("just", ""): {"default", "build", "b", "docs"}}


def test_defaults_of_a_recipe_may_hold_colons() -> None:
    text = "bench size='10:' *more:\n  x\nserve at=\"0:80\" dep='a': build\n  y\nquote='a: b'\nkey := 'x'\n"
    assert known("justfile", text, "just") == {("just", ""): {"bench", "serve"}}


def test_a_pyproject_without_tasks_is_no_file_of_poe() -> None:
    assert known("pyproject.toml", "[project]\nname = 'x'\n", "poe") == {}
    assert known("pyproject.toml", "[tool.poe.tasks]\nx = 'y'\n", "poe") == {("poe", ""): {"x"}}


def test_files_of_runners_that_nobody_mentions_are_not_read() -> None:
    assert known("Makefile", "x:\n", "npm") == {}
