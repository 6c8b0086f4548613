"""Lock files of Python and conda: requirements with hashes or with what asks for them, pixi.lock, conda-lock.yml."""

import re

from ctxkit.core.brief.data.packages import Lock, Package

PINNED = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?(?:==(=?[^\s;\\,]+)|\s*@\s*(\S+))")
ASKED = re.compile(r"(?:-r\s|-c\s|\S+ \(pyproject\.toml|\S+ \(setup\.)")
ITEM = re.compile(r"- +(conda|pypi|kind|name): *(\S+)")
FIELD = re.compile(r"  (name|version|source|path|category|optional): *(\S.*)")
ARCHIVE = re.compile(r"(?<![^/])([^/]+?)(?:-([^-/]+)-[^-/]+)\.(?:conda|tar\.bz2)$")
WHEEL = re.compile(r"(?<![^/-])([^/-]+)-([^/-]+)(?:-[^/]{0,200}\.whl|\.tar\.gz|\.zip)$")


def requirements(text: str) -> Lock | None:
    """Read what pip-compile, uv and pip freeze with hashes write: one requirement and what belongs to it below."""
    lock = Lock("Python requirements", "NAME==VERSION")
    direct: set[str] = set()
    one: Package | None = None
    via = False
    for number, line in enumerate(text.split("\n"), 1):
        found = PINNED.match(line)
        if found:
            one, via = Package(found[1], found[2] or "", number, number, found[3] or ""), "# via" in line
            lock.packages.append(one)
        elif one is None or not line.strip() or not line[0].isspace():
            one = None
            continue
        one.end = number
        comment = line.partition("#")[2].strip()
        via = via or comment.startswith("via")
        if via and ASKED.match(comment.removeprefix("via").strip()):
            direct.add(one.name)
    lock.direct = direct or None
    return lock


def conda(text: str) -> Lock | None:
    """Read pixi.lock and conda-lock.yml: the items of their list of packages, not those of environments."""
    lines = text.split("\n")
    lock = Lock("pixi" if re.search(r"^environments:", text, re.MULTILINE) else "conda-lock", "- conda: URL")
    inside = False
    one: Package | None = None
    for number, line in enumerate(lines, 1):
        if line[:1] not in ("", " ", "-", "#"):
            inside, one = line.startswith(("packages:", "package:")), None
            lock.sections.append((line.partition(":")[0], number, len(lines)))
            if len(lock.sections) > 1:
                name, start, _ = lock.sections[-2]
                lock.sections[-2] = name, start, number - 1
        elif inside and line.startswith("- "):
            one = _item(line, number, lock)
            lock.packages.append(one)
        elif one and line.strip():
            one.end = number
            if found := FIELD.match(line):
                _learn(one, found[1], found[2].strip("'\""))
    return lock


def _item(line: str, number: int, lock: Lock) -> Package:
    one = Package("", "", number, number)
    found = ITEM.match(line)
    if found and found[1] in ("name", "kind"):
        lock.entry = "- name: NAME" if found[1] == "name" else "- kind: conda, then name: NAME"
        one.name = found[2].strip("'\"") if found[1] == "name" else ""
    elif found:
        archive = (ARCHIVE if found[1] == "conda" else WHEEL).search(found[2])
        one.name, one.version = (archive[1], archive[2]) if archive else (found[2], "")
    return one


def _learn(one: Package, key: str, value: str) -> None:
    if key == "name":
        one.name = value
    elif key == "version":
        one.version = value
    elif key == "category" and value != "main":
        one.development = True
