"""Roles of files in a repository, by their paths."""

import re
from enum import IntEnum

from ctxkit.core.lazy_pattern import compile_lazily


class Role(IntEnum):
    """The purpose of a file; files of lower roles are read first."""

    ENTRY = 0
    SOURCE = 1
    OTHER = 2
    TEST = 3
    DERIVED = 4


ENTRY_NAMES = frozenset(
    (
        *("cargo.toml", "cmakelists.txt", "compose.yaml", "composer.json", "docker-compose.yml", "dockerfile"),
        *("gemfile", "go.mod", "justfile", "makefile", "mix.exs", "package.json", "package.swift", "pom.xml"),
        *("build.gradle", "build.gradle.kts", "build.zig", "pyproject.toml", "setup.cfg", "setup.py", "tsconfig.json"),
        *("agents.md", "claude.md", "contributing.md"),
    )
)
"""Names, in lower case, of files that say what a project is and how it is built."""
DERIVED_DIRECTORIES = frozenset(
    (
        *("vendor", "vendored", "_vendor", "third_party", "third-party", "node_modules", "bower_components", "dist"),
        *("generated", "__generated__", "site-packages", "__pycache__", "_vendored_packages", "external"),
        *("typeshed", "stubs"),
    )
)
"""Directories of code that the project did not write, or that a program wrote."""
TEST_DIRECTORIES = frozenset(
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
MARKED_CHARACTERS = 2_000
"""Number of characters at the beginning of a file in which a mark stands."""
_README = compile_lazily(r"readme(?:\.\w+)?", re.IGNORECASE)


def find_role(path: str, language: str) -> Role:
    """Return the role of a file by its path relative to the repository, and its language, "" if it is not source."""
    *directories, name = path.split("/")
    lower = [directory.lower() for directory in directories]
    if _DERIVED_NAME.search(path) or not DERIVED_DIRECTORIES.isdisjoint(lower):
        return Role.DERIVED
    if not TEST_DIRECTORIES.isdisjoint(lower) or _TEST_NAME.search(path):
        return Role.TEST
    if name.lower() in ENTRY_NAMES or is_readme(path):
        return Role.ENTRY
    return Role.SOURCE if language else Role.OTHER


def is_generated(path: str, content: str) -> bool:
    """Return whether a program wrote a file, by its name or by a mark at its beginning."""
    return _DERIVED_NAME.search(path) is not None or _MARK.search(content[:MARKED_CHARACTERS]) is not None


def is_readme(path: str) -> bool:
    """Return whether a file is a README."""
    return _README.fullmatch(path.rpartition("/")[2]) is not None
