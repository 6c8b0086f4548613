"""Files of a repository, their definitions, and the names that they use."""

import re
from enum import IntEnum

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.limits import WorkerDiedError, WorkerValue


class Role(IntEnum):
    """The purpose of a file; files of lower roles are read first."""

    ENTRY = 0
    SOURCE = 1
    OTHER = 2
    TEST = 3
    DERIVED = 4


_ENTRY_NAMES = frozenset(
    (
        *("cargo.toml", "cmakelists.txt", "compose.yaml", "composer.json", "docker-compose.yml", "dockerfile"),
        *("gemfile", "go.mod", "justfile", "makefile", "mix.exs", "package.json", "package.swift", "pom.xml"),
        *("build.gradle", "build.gradle.kts", "build.zig", "pyproject.toml", "setup.cfg", "setup.py", "tsconfig.json"),
        *("agents.md", "claude.md", "contributing.md"),
    )
)
"""Names, in lower case, of files that say what a project is and how it is built."""
_DERIVED_DIRECTORIES = frozenset(
    (
        *("vendor", "vendored", "_vendor", "third_party", "third-party", "node_modules", "bower_components", "dist"),
        *("generated", "__generated__", "site-packages", "__pycache__", "_vendored_packages", "external"),
        *("typeshed", "stubs"),
    )
)
"""Directories of code that the project did not write, or that a program wrote."""
_TEST_DIRECTORIES = frozenset(
    (
        *("test", "tests", "testing_data", "testdata", "__tests__", "spec", "specs", "fixtures", "e2e", "__mocks__"),
        *("bench", "benches", "benchmark", "benchmarks", "example", "examples", "snapshots", "__snapshots__"),
    )
)
"""Directories of tests, benchmarks and examples."""
_TEST_NAME = compile_lazily(r"(?:^|/)(?:test_|conftest\.)|[_.-](?:tests?|spec|bench)\.\w+$|(?<=[a-z])Tests?\.\w+$")
_DERIVED_NAME = compile_lazily(
    r"(?i)\.min\.(?:js|css)$|[.-]lock\.(?:jsonc?|ya?ml|toml|hcl|txt)$|\.lock[b]?$|(?:^|/)(?:go\.sum|package-lock\.json|npm-shrinkwrap\.json)$"
    r"|(?:_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h)|\.g\.dart|\.designer\.cs|\.map|\.bundle\.js|[._]generated\.\w+)$"
)
_MARK = compile_lazily(r"^\W{0,6}Code generated .{0,200} DO NOT EDIT\.?$|@generated\b", re.MULTILINE | re.IGNORECASE)
"""Pattern of the marks of generated code: Go's (go.dev/s/generatedcode), and ``@generated``."""
_MARKED_CHARACTERS = 2_000
"""Number of characters at the beginning of a file in which a mark stands."""
_README = compile_lazily(r"readme(?:\.\w+)?", re.IGNORECASE)


class Symbol(NamedTuple):
    """A definition in a file: its name, kind, lines (1-based), nesting, owner and signature.

    ``owner`` is the name of the definition around it, "" at the top level. ``signature`` is text of the file from line
    ``start`` on, on one line, perhaps cut.
    """

    name: str
    kind: str
    start: int
    end: int
    depth: int
    owner: str
    signature: str


class RepositoryFile(NamedTuple):
    """A file: its path relative to the repository, its size in bytes, its language and its role.

    ``lines`` is 0 if the file was not read. ``names`` are the identifiers that it uses, ``imported`` those in import
    statements, ``path_words`` the words of paths that it quotes. ``skipped`` says why the definitions of a source
    file were not read, "" if they were or it is not source. ``masked`` is the number of secrets that were masked.
    """

    path: str
    size: int
    role: Role
    language: str = ""
    lines: int = 0
    symbols: tuple[Symbol, ...] = ()
    names: frozenset[str] = frozenset()
    imported: frozenset[str] = frozenset()
    path_words: frozenset[str] = frozenset()
    skipped: str = ""
    masked: int = 0

    @property
    def directory(self) -> str:
        """Return the path of the directory, with a slash at its end; "" for the repository itself."""
        head, slash, _ = self.path.rpartition("/")
        return head + slash

    @property
    def base(self) -> str:
        """Return the name without the directory."""
        return self.path.rpartition("/")[2]


def find_role(path: str, language: str) -> Role:
    """Return the role of a file by its path relative to the repository, and its language, "" if it is not source."""
    *directories, name = path.split("/")
    lower = [directory.lower() for directory in directories]
    if _DERIVED_NAME.search(path) or not _DERIVED_DIRECTORIES.isdisjoint(lower):
        return Role.DERIVED
    if not _TEST_DIRECTORIES.isdisjoint(lower) or _TEST_NAME.search(path):
        return Role.TEST
    if name.lower() in _ENTRY_NAMES or is_readme(path):
        return Role.ENTRY
    return Role.SOURCE if language else Role.OTHER


def is_generated(path: str, content: str) -> bool:
    """Return whether a program wrote a file, by its name or by a mark at its beginning."""
    return _DERIVED_NAME.search(path) is not None or _MARK.search(content[:_MARKED_CHARACTERS]) is not None


def is_readme(path: str) -> bool:
    """Return whether a file is a README."""
    return _README.fullmatch(path.rpartition("/")[2]) is not None


_TYPES = (str, int, int, str, int, tuple, frozenset, frozenset, frozenset, str, int)
"""The types of the fields of RepositoryFile, in order."""
_SYMBOL_TYPES = (str, str, int, int, int, str, str)
"""The types of the fields of Symbol, in order."""


def to_plain(file: RepositoryFile) -> tuple[object, ...]:
    """Return a file as tuples, sets, strings and numbers."""
    return tuple(file._replace(role=int(file.role), symbols=tuple(map(tuple, file.symbols))))  # type: ignore[arg-type]


def from_plain(value: WorkerValue) -> RepositoryFile:
    """Return the file from the result of ``to_plain``; raise WorkerDiedError for any other value."""
    try:
        _check_types(value, _TYPES)
        file = RepositoryFile(*value)
        return file._replace(role=Role(file.role), symbols=tuple(map(_read_symbol, file.symbols)))
    except (TypeError, ValueError):
        raise WorkerDiedError("the worker process sent no file") from None


def _read_symbol(value: WorkerValue) -> Symbol:
    _check_types(value, _SYMBOL_TYPES)
    return Symbol(*value)


def _check_types(values: WorkerValue, types: tuple[type, ...]) -> None:
    """Raise TypeError or ValueError unless each value has its type."""
    if not all(isinstance(value, kind) for value, kind in zip(values, types, strict=True)):
        raise TypeError
