"""Readers of Python and conda lock files: requirements with hashes or origins, pixi.lock, conda-lock.yml."""

import re

from ctxkit.core.brief.data.packages import LockFile, Package
from ctxkit.core.lazy_pattern import compile_lazily

PINNED = compile_lazily(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?(?:==(=?[^\s;\\,]+)|\s*@\s*(\S+))")
DIRECT_SOURCE = compile_lazily(r"(?:-r\s|-c\s|\S+ \(pyproject\.toml|\S+ \(setup\.)")
ITEM = compile_lazily(r"- +(conda|pypi|kind|name): *(\S+)")
FIELD = compile_lazily(r"  (name|version|source|path|category|optional): *(\S.*)")
ARCHIVE = compile_lazily(r"(?<![^/])([^/]+?)(?:-([^-/]+)-[^-/]+)\.(?:conda|tar\.bz2)$")
WHEEL = compile_lazily(r"(?<![^/-])([^/-]+)-([^/-]+)(?:-[^/]{0,200}\.whl|\.tar\.gz|\.zip)$")


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


def read_conda_lock(text: str) -> LockFile | None:
    """Return the content of pixi.lock or conda-lock.yml, from the package list and not the environments."""
    lines = text.split("\n")
    lock = LockFile("pixi" if re.search(r"^environments:", text, re.MULTILINE) else "conda-lock", "- conda: URL")
    inside = False
    package: Package | None = None
    for number, line in enumerate(lines, 1):
        if line[:1] not in ("", " ", "-", "#"):
            inside, package = line.startswith(("packages:", "package:")), None
            lock.sections.append((line.partition(":")[0], number, len(lines)))
            if len(lock.sections) > 1:
                name, start, _ = lock.sections[-2]
                lock.sections[-2] = name, start, number - 1
        elif inside and line.startswith("- "):
            package = _parse_item(line, number, lock)
            lock.packages.append(package)
        elif package and line.strip():
            package.end = number
            if match := FIELD.match(line):
                _set_field(package, match[1], match[2].strip("'\""))
    return lock


def _parse_item(line: str, number: int, lock: LockFile) -> Package:
    package = Package("", "", number, number)
    match = ITEM.match(line)
    if match and match[1] in ("name", "kind"):
        lock.entry = "- name: NAME" if match[1] == "name" else "- kind: conda, then name: NAME"
        package.name = match[2].strip("'\"") if match[1] == "name" else ""
    elif match:
        archive = (ARCHIVE if match[1] == "conda" else WHEEL).search(match[2])
        package.name, package.version = (archive[1], archive[2]) if archive else (match[2], "")
    return package


def _set_field(package: Package, key: str, value: str) -> None:
    if key == "name":
        package.name = value
    elif key == "version":
        package.version = value
    elif key == "category" and value != "main":
        package.development = True
