"""What manifests state is read, and what cannot be read states nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.loading.manifests import (
    ANYTHING,
    MAX_MANIFESTS,
    PROGRAM_PREFIX,
    find_scripts,
    parse_version,
    read_facts,
)


def facts(files: dict[str, str]) -> set[tuple[str, str, tuple[int, ...]]]:
    data = {path: text.encode() for path, text in files.items()}
    return {(fact.subject, fact.bound, fact.version) for fact in read_facts(data, data.get)}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (".nvmrc", "v20.1\n", ("node", "exact", (20, 1))),
        ("a/.python-version", "3.12\n", ("python", "exact", (3, 12))),
        ("go.mod", "module a\n\ngo 1.22.3\n", ("go", "minimum", (1, 22))),
        ("Cargo.toml", '[workspace.package]\nrust-version = "1.80"\n', ("rust", "minimum", (1, 80))),
        ("package.json", '{"engines": {"node": ">=18 <21"}}', ("node", "minimum", (18,))),
        ("package.json", '{"dependencies": {"next": "~15.3"}}', ("npm:next", "exact", (15,))),
        ("package.json", '{"dependencies": {"next": ">=14"}}', ("npm:next", "minimum", (14,))),
        ("package.json", '{"dependencies": {"next": "14 || 15"}}', ("npm:next", "exact", ())),
        ("package.json", '{"dependencies": {"next": "workspace:*"}}', ("npm:next", "exact", ())),
        ("package.json", '{"packageManager": "pnpm@9.1.0"}', ("pnpm", "exact", ())),
        ("pyproject.toml", '[project]\nrequires-python = ">=3.10"\n', ("python", "minimum", (3, 10))),
        ("pyproject.toml", '[project]\ndependencies = ["Django_X~=5.1"]\n', ("pypi:django-x", "exact", (5,))),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.9"\n', ("python", "minimum", (3, 9))),
        ("bun.lockb", "", ("bun", "exact", ())),
    ],
)  # fmt: skip
def test_a_manifest_states_a_fact(path: str, text: str, expected: tuple[str, str, tuple[int, ...]]) -> None:
    assert facts({path: text}) == {expected}


@pytest.mark.parametrize("path", ["node_modules/a/package.json", "tests/fixtures/package.json", "templates/x/package.json"])
def test_manifests_of_other_projects_state_nothing(path: str) -> None:
    assert not facts({path: '{"engines": {"node": "18"}}'})


def test_a_project_with_very_many_manifests_is_not_read() -> None:
    assert not facts({f"{number}/.nvmrc": "20" for number in range(MAX_MANIFESTS + 1)})


@given(st.sampled_from(["package.json", "pyproject.toml", "Cargo.toml", "go.mod", ".nvmrc"]), st.text())
def test_any_text_can_be_read(path: str, text: str) -> None:
    facts({path: text})


@given(st.recursive(st.none() | st.text() | st.integers(), lambda part: st.lists(part) | st.dictionaries(
    st.sampled_from(["engines", "node", "dependencies", "packageManager", "next"]), part)))  # fmt: skip
def test_any_json_can_be_read(value) -> None:
    facts({"package.json": json.dumps(value)})


def test_a_version_is_its_first_numbers() -> None:
    assert parse_version("v20.11.0-rc") == (20, 11, 0)
    assert parse_version("latest") == ()


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
