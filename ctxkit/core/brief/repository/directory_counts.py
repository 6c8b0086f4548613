"""Numbers of files in directories that a map does not open."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from ctxkit.core.brief.repository.repository_file import RepositoryFile
from ctxkit.core.text.measure import pluralize
from ctxkit.core.text.shell import quote


def list_ancestors(directory: str) -> Iterator[str]:
    """Yield a directory and the directories around it, down to the repository itself, which is ""."""
    yield directory
    while directory:
        directory = directory[: directory.rstrip("/").rfind("/") + 1]
        yield directory


def count_closed(files: Sequence[RepositoryFile], opened: Collection[str]) -> dict[str, Counter[str]]:
    """Return the numbers of files outside ``opened`` directories, by the opened directory around them and by a path.

    The path is the longest directory that all these files share and that contains no opened directory, or theirs.
    """
    around = {ancestor for directory in opened for ancestor in list_ancestors(directory)}
    places: dict[str, tuple[str, str]] = {}
    counts: dict[str, Counter[str]] = {directory: Counter() for directory in opened}
    for file in files:
        directory = file.directory
        if directory in opened:
            continue
        if directory not in places:
            places[directory] = _find_place(directory, opened, around)
        parent, path = places[directory]
        counts[parent][path] += 1
    return counts


def _find_place(directory: str, opened: Collection[str], around: Collection[str]) -> tuple[str, str]:
    """Return the opened directory around a directory, and the largest part between them without opened ones."""
    path = directory
    for ancestor in list_ancestors(directory):
        if ancestor in opened:
            return ancestor, path
        if ancestor not in around:
            path = ancestor
    return "", path


def format_closed(parent: str, counts: Counter[str], most: int) -> str:
    """Return the directories with the most files, in order of their paths, and the number of the others."""
    largest = sorted(counts, key=lambda path: (-counts[path], path))
    shown = sorted(largest[:most])
    parts = [f"{quote(path[len(parent):])} ({pluralize(counts[path], 'file')})" for path in shown]
    if rest := largest[most:]:
        number = sum(counts[path] for path in rest)
        noun = ("directory" if len(rest) == 1 else "directories") if not shown else "more"
        parts.append(f"{len(rest):,} {noun} ({pluralize(number, 'file')})")
    return ", ".join(parts)
