"""The lists of files in the record: moved, changed and removed ones, many to a line."""

import itertools
from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.classified_call import ClassifiedCall
from ctxkit.core.context.extract.files import trace_files

MAX_FILES, MAX_MOVES = 20, 10
"""Maximum number of files, and of moves, in a line."""
FileList = tuple[str, tuple[str, ...]]
"""A line, and the names in it."""


def find_file_lists(classified_calls: Sequence[ClassifiedCall], kept: str) -> Iterator[FileList]:
    """Yield the lists of files that the ``kept`` text does not name, by the folder above the one that contains them.

    The moves stand first, because the page lists most of the changed files.
    """
    history = trace_files(classified_calls)
    moved = [(_find_upper_folder(_find_shared_start(old, new)), (old, new)) for old, new in history.moved]
    yield from _make_lists("Moved", moved, kept, MAX_MOVES)
    for label, paths in (("Changed", history.changed), ("Removed", (*history.removed, *history.scratch))):
        yield from _make_lists(label, [(_find_upper_folder(path), (path,)) for path in paths], kept, MAX_FILES)


def _make_lists(
    label: str, files: Sequence[tuple[str, tuple[str, ...]]], kept: str, max_files: int
) -> Iterator[FileList]:
    """Yield lists of at most ``max_files`` files, each given with its folder and its path, or its old and new path."""
    folders: dict[str, list[tuple[str, ...]]] = {}
    for folder, paths in files:
        names = tuple(path.removeprefix(folder) for path in paths)
        if not all(name in kept for name in names):
            folders.setdefault(folder, []).append(names)
    for folder, missing in folders.items():
        for start in range(0, len(missing), max_files):
            some = missing[start : start + max_files]
            where = f" in {folder}" if folder else ""
            text = f"- {label}{where}: {', '.join(map(' -> '.join, some))}"
            yield text, tuple(itertools.chain.from_iterable(some))


def _find_upper_folder(path: str) -> str:
    """Return the folder above the one that contains a file, with its slash, empty without one.

    >>> _find_upper_folder("/app/src/a.py"), _find_upper_folder("src/a.py")
    ('/app/', '')
    """
    parts = path.rsplit("/", 2)
    return f"{parts[0]}/" if len(parts) == 3 and parts[0] else ""


def _find_shared_start(old: str, new: str) -> str:
    """Return the characters with which two paths begin."""
    signs = enumerate(zip(old, new, strict=False))
    return old[: next((at for at, (sign, other) in signs if sign != other), min(len(old), len(new)))]
