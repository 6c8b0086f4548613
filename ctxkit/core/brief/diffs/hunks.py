"""Data classes of a diff: commits, files and hunks."""

from collections.abc import Iterator

from ctxkit.core.quick_dataclass import dataclass, field

STATES = {
    "new file": "new",
    "deleted file": "deleted",
    "Binary ": "binary",
    "GIT binary": "binary",
    "rename from": "renamed",
    "copy from": "copied",
    "old mode": "mode changed",
}


@dataclass(slots=True)
class Hunk:
    """Hold one hunk: its lines here, its first line in the old and the new file, and its context."""

    start: int
    end: int
    old: int
    new: int
    within: str
    added: int = 0
    removed: int = 0


@dataclass(slots=True)
class FilePatch:
    """Hold the changes of one file, on lines ``start`` to ``end``; ``states`` are words such as new or renamed."""

    path: str
    start: int
    end: int = 0
    old: str = ""
    states: list[str] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    count: int = 0
    hunks: list[Hunk] = field(default_factory=list)
    commit: int = -1


@dataclass(slots=True)
class Commit:
    """Hold one commit: its line, its name and its subject."""

    start: int
    name: str
    subject: str = ""
    end: int = 0


def parse_path(text: str) -> str:
    """Return the path of a ``---`` or ``+++`` line, without git's prefix and diff's date."""
    text = text.split("\t")[0].rstrip()
    text = text[1:-1] if text[:1] == text[-1:] == '"' and len(text) > 1 else text
    return text[2:] if text[:2] in ("a/", "b/", "i/", "w/", "c/", "o/") else text


def count_states(files: list[FilePatch]) -> Iterator[tuple[str, int]]:
    """Yield (state, number of files) for each state."""
    states: dict[str, int] = {}
    for file in files:
        for state in file.states:
            states[state] = states.get(state, 0) + 1
    yield from states.items()
