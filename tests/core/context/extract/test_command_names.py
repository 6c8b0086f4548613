"""Names of what commands run."""

import pytest

from ctxkit.core.context.extract.command_names import find_checks, list_runs, name_check, name_run


@pytest.mark.parametrize(
    ("command", "checks"),
    [
        ("cd app && npm run lint && pytest -q tests/a.py", {"npm lint", "pytest"}),
        ("python -m unittest; ls tests", {"unittest"}),
        ("npx --yes vitest run", {"vitest"}),
        ("./gradlew.bat build -x a", {"gradlew.bat build"}),
        ("ls -la", set()),
        ("cd tests; rm -rf build", set()),
        ("", set()),
    ],
)
def test_the_checks_of_a_command_are_named_without_arguments(command: str, checks: set[str]) -> None:
    assert find_checks(command) == checks


def test_what_stands_beside_a_run_is_left_out() -> None:
    assert list(list_runs("cd a && mkdir b && git push -u origin; docker exec app ls | head -3")) == ["git push", "docker exec app"]


def test_a_run_is_named_by_its_subcommand() -> None:
    assert name_run(["docker", "compose", "exec", "app", "make"]) == "docker compose exec app"
    assert name_run(["ls"]) == "ls"
    assert name_check(["bash", "-x", "run_tests"]) == ["bash run_tests"]
