"""What manifests state is read, and what cannot be read states nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.loading.manifests import MAX_MANIFESTS, parse_version, read_facts


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
