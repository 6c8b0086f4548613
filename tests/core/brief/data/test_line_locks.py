"""Lock files of lines are read with the lines of each package."""

from ctxkit.core.brief.data import line_locks

CARGO = """\
version = 3

[[package]]
name = "own"
version = "0.1.0"
dependencies = [
 "serde",
]

[[package]]
name = "serde"
version = "1.0.2"
source = "registry+https://github.com/rust-lang/crates.io-index"
"""
YARN = """\
# yarn lockfile v1


"@a/b@^1.0.0", "@a/b@^1.1.0":
  version "1.2.3"
  resolved "https://registry.yarnpkg.com/x"

c@^2:
  version "2.0.0"
"""
PNPM = """\
lockfileVersion: '9.0'

importers:

  .:
    dependencies:
      react:
        specifier: ^18
        version: 18.3.1

packages:

  react@18.3.1:
    resolution: {integrity: x}

  '@types/node@20.1.0':
    dev: true
"""


def rows(lock):
    return [(package.name, package.version, package.start) for package in lock.packages]


def test_tables_of_cargo() -> None:
    lock = line_locks.read_table_lock(CARGO)
    assert lock.tool == "Cargo"
    assert rows(lock) == [("own", "0.1.0", 3), ("serde", "1.0.2", 10)]
    assert lock.direct == {"serde"}
    assert lock.packages[1].end == 13


def test_entries_of_yarn() -> None:
    assert rows(line_locks.read_yarn_lock(YARN)) == [("@a/b", "1.2.3", 4), ("c", "2.0.0", 8)]


def test_sections_of_pnpm() -> None:
    lock = line_locks.read_pnpm_lock(PNPM)
    assert lock.tool == "pnpm, lockfile version 9.0"
    assert rows(lock) == [("react", "18.3.1", 13), ("@types/node", "20.1.0", 16)]
    assert lock.direct == {"react"}
    assert lock.packages[1].development


def test_a_package_with_empty_fields_is_read() -> None:
    lock = line_locks.read_table_lock('[[package]]\nname = ""\nsource = ""\n')
    assert lock is not None
    assert [(package.name, package.source) for package in lock.packages] == [("", "")]
