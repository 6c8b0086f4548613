"""The reader of requirements with hashes or origins."""

from ctxkit.core.brief.data.packages import LockFile, Package
from ctxkit.core.lazy_pattern import compile_lazily

PINNED = compile_lazily(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?(?:==(=?[^\s;\\,]+)|\s*@\s*(\S+))")
DIRECT_SOURCE = compile_lazily(r"(?:-r\s|-c\s|\S+ \(pyproject\.toml|\S+ \(setup\.)")


def read_requirements(text: str) -> LockFile | None:
    """Return the content of requirements by pip-compile, uv or pip freeze: each with its details below it."""
    lock = LockFile("Python requirements", "NAME==VERSION")
    direct: set[str] = set()
    package: Package | None = None
    via = False
    for number, line in enumerate(text.split("\n"), 1):
        match = PINNED.match(line)
        if match:
            package, via = Package(match[1], match[2] or "", number, number, match[3] or ""), "# via" in line
            lock.packages.append(package)
        elif package is None or not line.strip() or not line[0].isspace():
            package = None
            continue
        package.end = number
        comment = line.partition("#")[2].strip()
        via = via or comment.startswith("via")
        if via and DIRECT_SOURCE.match(comment.removeprefix("via").strip()):
            direct.add(package.name)
    lock.direct = direct or None
    return lock
