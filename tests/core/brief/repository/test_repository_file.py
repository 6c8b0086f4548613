"""The parts of a path."""

from ctxkit.core.brief.repository.file_roles import Role
from ctxkit.core.brief.repository.repository_file import RepositoryFile


def test_a_directory_ends_in_a_slash_and_the_repository_has_none() -> None:
    inner, outer = RepositoryFile("a/b/c.py", 1, Role.SOURCE), RepositoryFile("c.py", 1, Role.SOURCE)
    assert (inner.directory, inner.base) == ("a/b/", "c.py")
    assert (outer.directory, outer.base) == ("", "c.py")
