"""Lock files and packages are plain data."""

from ctxkit.core.brief.data.packages import LockFile, Package


def test_a_lock_file_begins_without_packages_and_unknown_dependencies() -> None:
    lock = LockFile("Cargo", "name = NAME")
    assert (lock.packages, lock.direct, lock.sections) == ([], None, [])
    lock.packages.append(Package("a", "1", 3, 5))
    assert LockFile("Cargo", "").packages == []
