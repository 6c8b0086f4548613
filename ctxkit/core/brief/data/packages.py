"""Data classes of lock files: packages with versions and lines, and direct dependencies."""

from ctxkit.core.quick_dataclass import dataclass, field


@dataclass(slots=True)
class Package:
    """Hold one pinned package, on lines ``start`` to ``end``.

    ``source`` is empty for the registry. ``development`` means that only development needs the package.
    """

    name: str
    version: str
    start: int
    end: int
    source: str = ""
    development: bool = False


@dataclass(slots=True)
class LockFile:
    """Hold the content of a lock file; ``direct`` is None if direct dependencies are unknown.

    ``entry`` is the beginning of a package's line, with NAME for its name.
    """

    tool: str
    entry: str
    packages: list[Package] = field(default_factory=list)
    direct: set[str] | None = None
    sections: list[tuple[str, int, int]] = field(default_factory=list)
