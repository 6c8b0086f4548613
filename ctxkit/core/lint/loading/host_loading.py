"""Define the rows of the table of hosts: files, conditions, limits and sources."""

from enum import StrEnum
from typing import Literal, NamedTuple


class Source(NamedTuple):
    """Where a fact stands, and the day on which it was read."""

    url: str
    read: str


class Reach(StrEnum):
    """The directories in which a host looks for files."""

    ROOT = "the root"
    DOWN = "each directory from the root to the working one"
    NEAREST = "the nearest directory from the working one up"
    ANYWHERE = "all directories"


class When(NamedTuple):
    """A condition on front matter: the value of ``key`` is one of ``values``; "" stands for a missing value."""

    key: str
    values: tuple[str, ...]


ALWAYS: tuple[tuple[When, ...], ...] = ((),)
"""A file is always loaded."""
ON_DEMAND: tuple[tuple[When, ...], ...] = ()
"""A file is loaded only if the user or the model asks for it."""


class HostFiles(NamedTuple):
    """Files that a host loads.

    ``paths`` are patterns below a directory: a name, or a folder with ``**/*.md`` or ``*/SKILL.md`` in it; if
    ``take_first``, only those of the first pattern that matches are loaded. A file is always loaded if all conditions
    of one of the alternatives of ``always`` hold, else on demand. Files ``unless`` of which one exists in a directory
    from the root to the working one turn these off. The name and the description of ``listed`` files are always in the
    window. ``extra`` is the field of the settings that has more patterns.
    """

    paths: tuple[str, ...]
    reach: Reach
    always: tuple[tuple[When, ...], ...]
    source: Source
    take_first: bool = False
    unless: tuple[str, ...] = ()
    listed: bool = False
    extra: Literal["", "gemini_names", "codex_names", "opencode_files"] = ""


class SizeLimit(NamedTuple):
    """A size from which a host reads no further, or above which its documentation advises against a file.

    ``paths`` are patterns as in ``HostFiles``; without them, the limit is for the files of a load set together.
    ``setting`` is the key of ``sizes`` in the settings that changes it. ``effect`` says what the host does with more.
    """

    setting: str
    unit: Literal["bytes", "characters", "lines"]
    amount: int
    paths: tuple[str, ...]
    effect: str
    advice: str
    source: Source


class HostLoading(NamedTuple):
    """An agent program.

    ``signs`` are files and directories of the root that show that a project uses it; without any, every project may.
    ``hops`` is the maximum number of imports in a chain that it follows.
    """

    name: str
    files: tuple[HostFiles, ...]
    signs: tuple[str, ...] = ()
    hops: int = 0
    hops_source: Source | None = None
    limits: tuple[SizeLimit, ...] = ()
    nearest_first: bool = False
