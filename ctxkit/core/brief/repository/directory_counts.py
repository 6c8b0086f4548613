"""Numbers of files in directories that a map does not open."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from ctxkit.core.text.quantity import pluralize
from ctxkit.core.text.shell import format_name


def list_ancestors(directory: str) -> Iterator[str]:
    """Yield a directory and the directories around it, down to the repository itself, which is ""."""
    yield directory
    while directory:
        directory = directory[: directory.rstrip("/").rfind("/") + 1]
        yield directory


def count_closed(directories: Iterable[str], opened: Collection[str]) -> Counter[str]:
    """Return the number of files by a path, for the ``directories`` of files that a map does not count yet.

    The path is the largest directory around the file that contains nothing ``opened``, or else its own.
    """
    around = {ancestor for directory in opened for ancestor in list_ancestors(directory)} | {""}
    places: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for directory in directories:
        if directory not in places:
            outside = [ancestor for ancestor in list_ancestors(directory) if ancestor not in around]
            places[directory] = outside[-1] if outside else directory
        counts[places[directory]] += 1
    return counts


def format_closed(counts: Counter[str], most: int) -> str:
    """Return the directories with the most files, in order of their paths, and the number of the others."""
    largest = sorted(counts, key=lambda path: (-counts[path], path))
    parts = [f"{format_name(path or './')} ({pluralize(counts[path], 'file')})" for path in sorted(largest[:most])]
    if rest := largest[most:]:
        noun = "more" if parts else "directory" if len(rest) == 1 else "directories"
        parts.append(f"{len(rest):,} {noun} ({pluralize(sum(counts[path] for path in rest), 'file')})")
    return ", ".join(parts)
