"""Find the skills that a program installed from other repositories, by its lock files."""

import json
from collections.abc import Callable, Iterable, Iterator
from posixpath import dirname

LOCK_FILE = "skills-lock.json"
"""The file in which ``npx skills add`` records what it installed (github.com/vercel-labs/skills)."""


def find_installed_skills(paths: Iterable[str], read: Callable[[str], bytes | None]) -> frozenset[str]:
    """Return the directories of the skills that lock files list, below the directories of these files.

    A skill of its name in any directory ``skills`` is meant: the program copies it into that of each host.
    """
    paths = tuple(paths)
    locks = [path for path in paths if path.rsplit("/", 1)[-1] == LOCK_FILE]
    names_by_home = {dirname(lock): _read_names(read(lock)) for lock in locks}
    directories: set[str] = set()
    for path in paths if names_by_home else ():
        head, separator, rest = f"/{path}".rpartition("/skills/")
        name = rest.partition("/")[0]
        if separator and name != rest and any(name in names_by_home.get(home, ()) for home in _list_parents(path)):
            directories.add(f"{head}/skills/{name}"[1:])
    return frozenset(directories)


def _list_parents(path: str) -> Iterator[str]:
    """Yield the directories above a path, the nearest first, "" for the root."""
    while path:
        path = dirname(path)
        yield path


def _read_names(data: bytes | None) -> frozenset[str]:
    """Return the names of the skills in a lock file; none if it cannot be read."""
    try:
        lock = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return frozenset()
    skills = lock.get("skills") if isinstance(lock, dict) else None
    return frozenset(skills) if isinstance(skills, dict) else frozenset()
