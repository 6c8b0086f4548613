"""What a file is for, by its path."""

import pytest

from ctxkit.core.brief.repository.file_roles import Role, find_role, is_readme


@pytest.mark.parametrize(
    ("path", "language", "role"),
    [
        ("README.md", "", Role.ENTRY),
        ("docs/readme.rst", "", Role.ENTRY),
        ("pyproject.toml", "", Role.ENTRY),
        ("web/package.json", "", Role.ENTRY),
        ("Makefile", "make", Role.ENTRY),
        ("src/app.py", "python", Role.SOURCE),
        ("src/attest.py", "python", Role.SOURCE),
        ("notes.txt", "", Role.OTHER),
        ("tests/helpers.py", "python", Role.TEST),
        ("src/test_app.py", "python", Role.TEST),
        ("src/app_test.go", "go", Role.TEST),
        ("src/app.spec.ts", "typescript", Role.TEST),
        ("src/AppTests.java", "java", Role.TEST),
        ("src/Contest.java", "java", Role.SOURCE),
        ("vendor/lib/a.go", "go", Role.DERIVED),
        ("pip/_vendor/a.py", "python", Role.DERIVED),
        ("app.min.js", "javascript", Role.DERIVED),
        ("api_pb2.py", "python", Role.DERIVED),
        ("Cargo.lock", "", Role.DERIVED),
        ("package-lock.json", "", Role.DERIVED),
        ("src/locking.py", "python", Role.SOURCE),
    ],
)
def test_a_path_has_the_role_that_its_names_say(path: str, language: str, role: Role) -> None:
    assert find_role(path, language) is role


def test_only_a_file_called_readme_is_one() -> None:
    assert is_readme("a/README")
    assert is_readme("Readme.md")
    assert not is_readme("readme_writer.py")
    assert not is_readme("README/a.py")
