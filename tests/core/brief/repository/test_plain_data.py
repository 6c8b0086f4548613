"""What a scan found in a file goes to another process and back."""

import marshal

import pytest

from ctxkit.core.brief.repository.file_roles import Role
from ctxkit.core.brief.repository.file_scan import scan_file
from ctxkit.core.brief.repository.plain_data import from_plain, to_plain
from ctxkit.core.brief.repository.repository_file import RepositoryFile
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.engines.syntax import find_definitions

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
