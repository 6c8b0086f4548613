"""Packages that a lock file pins: name, version, lines, and which were asked for directly."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Package:
    """Hold one package as it is pinned, on lines ``start`` to ``end``.

    ``source`` is said when it is no registry, ``development`` when only development needs it.
    """

    name: str
    version: str
    start: int
    end: int
    source: str = ""
    development: bool = False


@dataclass(slots=True)
class LockFile:
    """Hold what a lock file says; ``direct`` is None where it does not tell what was asked for directly.

    ``entry`` is how the line of a package begins, NAME standing for its name.
    """

    tool: str
    entry: str
    packages: list[Package] = field(default_factory=list)
    direct: set[str] | None = None
    sections: list[tuple[str, int, int]] = field(default_factory=list)
