"""The parts of a path."""

import marshal

import pytest

from ctxkit.core.brief.repository.file_scan import scan_file
from ctxkit.core.brief.repository.repository_file import (
    RepositoryFile,
    Role,
    find_role,
    from_plain,
    is_readme,
    to_plain,
)
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.engines.syntax import find_definitions


def test_a_directory_ends_in_a_slash_and_the_repository_has_none() -> None:
    inner, outer = RepositoryFile("a/b/c.py", 1, Role.SOURCE), RepositoryFile("c.py", 1, Role.SOURCE)
    assert (inner.directory, inner.base) == ("a/b/", "c.py")
    assert (outer.directory, outer.base) == ("", "c.py")


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


SOURCE = b"import os\n\nclass Oven:\n    def bake(self, minutes: int) -> str:\n        return os.name\n"
FILES = [
    scan_file("cakes/core.py", SOURCE, find_definitions)._replace(masked=2),
    scan_file("README.md", b"# Cakes\n", find_definitions),
    RepositoryFile("data.json", 7, Role.OTHER),
    RepositoryFile("large.py", 1 << 30, Role.TEST, "python", skipped="over 1 MB"),
]


@pytest.mark.parametrize("file", FILES, ids=[file.path for file in FILES])
def test_it_comes_back_as_it_was(file: RepositoryFile) -> None:
    copy = from_plain(marshal.loads(marshal.dumps(to_plain(file))))
    assert copy == file
    assert (type(copy.role), [type(symbol) for symbol in copy.symbols]) == (
        type(file.role),
        [type(symbol) for symbol in file.symbols],
    )


def test_the_first_file_has_definitions() -> None:
    assert [symbol.name for symbol in FILES[0].symbols] == ["Oven", "bake"]


PLAIN = to_plain(FILES[0])
BAD = [None, 3, (), "text", PLAIN[1:], (*PLAIN, 1), (*PLAIN[:2], 99, *PLAIN[3:]), (*PLAIN[:5], (("a", 1),), *PLAIN[6:])]


@pytest.mark.parametrize("value", BAD)
def test_what_is_no_file_is_refused(value) -> None:
    with pytest.raises(WorkerDiedError):
        from_plain(value)
