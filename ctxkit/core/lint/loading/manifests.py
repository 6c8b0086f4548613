"""Read the versions and the package managers that the manifests of a project state."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.workspace import Bound, ProjectFact, Version

Read = Callable[[str], bytes | None]
LOCK_FILES = {
    "package-lock.json": "npm", "npm-shrinkwrap.json": "npm", "yarn.lock": "yarn", "pnpm-lock.yaml": "pnpm",
    "bun.lock": "bun", "bun.lockb": "bun", "uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm",
    "Pipfile.lock": "pipenv",
}  # fmt: skip
"""The package manager that writes a lock file."""
_PINS = {".nvmrc": "node", ".node-version": "node", ".python-version": "python", "rust-toolchain": "rust"}
"""Files that contain the version of a tool alone."""
_NUMBERS = compile_lazily(r"\d{1,4}(?:\.\d{1,4}){0,2}")
_MINIMUM = compile_lazily(r"\s{0,4}(?:>=|\^|~=?|>)?\s{0,4}v?(\d{1,4}(?:\.\d{1,4}){0,2})(?:\.[x*])?")
_GO = compile_lazily(r"^go[ \t]+(\d+\.\d+)", re.MULTILINE)
_PYTHON_REQUIREMENT = compile_lazily(
    r"([A-Za-z0-9][\w.-]{0,80})[ \t]{0,4}(?:\[[^\]\n]{0,200}\])?[ \t]{0,4}([^;\n]{0,200})"
)
MAX_MANIFESTS = 400
"""Maximum manifests that are read; a project with more is not checked."""
MAX_MANIFEST_BYTES = 1 << 20


def read_facts(paths: Iterable[str], read: Read) -> tuple[ProjectFact, ...]:
    """Return the facts of the manifests among some paths; none if there are too many manifests."""
    known = {*_READERS, *LOCK_FILES}
    manifests = [path for path in sorted(paths) if path.rsplit("/", 1)[-1] in known]
    manifests = [path for path in manifests if not _FOREIGN.search(path)]
    if len(manifests) > MAX_MANIFESTS:
        return ()
    return tuple(fact for path in manifests for fact in _read_manifest(path, read))


_FOREIGN = compile_lazily(r"(?:^|/)(?:node_modules|vendor|third_party|fixtures?|testdata|test-data|templates?)/")
"""Directories whose manifests are those of other projects."""


def _read_manifest(path: str, read: Read) -> Iterator[ProjectFact]:
    name = path.rsplit("/", 1)[-1]
    if name in LOCK_FILES:
        yield ProjectFact(LOCK_FILES[name], "exact", (), path, name)
        return
    data = read(path)
    if data is not None and len(data) <= MAX_MANIFEST_BYTES:
        try:
            yield from _READERS[name](path, data.decode("utf-8", "replace").removeprefix("\ufeff"))
        except (ValueError, RecursionError):  # a manifest that cannot be parsed states nothing
            return


def parse_version(text: str) -> Version:
    """Return the first version in a text, empty if there is none."""
    match = _NUMBERS.search(text)
    return tuple(map(int, match[0].split("."))) if match else ()


def _read_range(subject: str, path: str, text: object, *, pins: bool = False) -> Iterator[ProjectFact]:
    """Yield the lowest version of a range that begins with it; unknown if the range has alternatives.

    A caret range of a dependency ``pins`` its major version.
    """
    if not isinstance(text, str):
        yield ProjectFact(subject, "minimum", (), path, "")
        return
    match = _MINIMUM.match(text)
    is_known = match is not None and "||" not in text
    version = parse_version(match[1]) if match and is_known else ()
    is_open = pins and text.strip().startswith(">") and "<" not in text
    bound: Bound = "exact" if pins and not is_open else "minimum"
    yield ProjectFact(subject, bound, version[:1] if pins else version, path, text)


def _read_own_version(path: str, package: Mapping[str, object]) -> Iterator[ProjectFact]:
    """Yield the version of the package of a manifest itself."""
    version = package.get("version")
    if isinstance(version, str) and (numbers := parse_version(version)):
        yield ProjectFact("version", "exact", numbers, path, f"the version {version}")


def _read_package(path: str, text: str) -> Iterator[ProjectFact]:
    from json import loads

    package = loads(text)
    if not isinstance(package, dict):
        return
    yield from _read_own_version(path, package)
    engines = package.get("engines")
    if isinstance(engines, dict) and "node" in engines:
        yield from _read_range("node", path, engines["node"])
    manager = package.get("packageManager")
    if isinstance(manager, str) and manager.split("@")[0] in LOCK_FILES.values():
        yield ProjectFact(manager.split("@")[0], "exact", (), path, manager.split("+")[0])
    for key in ("dependencies", "devDependencies", "peerDependencies"):
        dependencies = package.get(key)
        for name, version in dependencies.items() if isinstance(dependencies, dict) else ():
            yield from _read_range(f"npm:{name}", path, version, pins=True)


def _read_pyproject(path: str, text: str) -> Iterator[ProjectFact]:
    from tomllib import loads

    table = loads(text)
    project, tool = _get_table(table, "project"), _get_table(table, "tool")
    poetry = _get_table(_get_table(tool, "poetry"), "dependencies")
    yield from _read_own_version(path, project)
    if "requires-python" in project:
        yield from _read_range("python", path, project["requires-python"])
    for name, version in poetry.items():
        is_python = name == "python"
        yield from _read_range("python" if is_python else _name_package(name), path, version, pins=not is_python)
    requirements = project.get("dependencies")
    for requirement in requirements if isinstance(requirements, list) else ():
        match = _PYTHON_REQUIREMENT.match(requirement) if isinstance(requirement, str) else None
        if match:
            yield from _read_range(_name_package(match[1]), path, match[2].lstrip("= "), pins=True)


def _read_cargo(path: str, text: str) -> Iterator[ProjectFact]:
    from tomllib import loads

    table = loads(text)
    for package in (_get_table(table, "package"), _get_table(_get_table(table, "workspace"), "package")):
        yield from _read_own_version(path, package)
        if isinstance(package.get("rust-version"), str):
            yield from _read_range("rust", path, package["rust-version"])


def _read_go(path: str, text: str) -> Iterator[ProjectFact]:
    if match := _GO.search(text):
        yield ProjectFact("go", "minimum", parse_version(match[1]), path, match[0])


def _read_pin(path: str, text: str) -> Iterator[ProjectFact]:
    line = text.strip().split("\n")[0]
    if version := parse_version(line):
        yield ProjectFact(_PINS[path.rsplit("/", 1)[-1]], "exact", version, path, line)


_READERS: Mapping[str, Callable[[str, str], Iterator[ProjectFact]]] = {
    "package.json": _read_package,
    "pyproject.toml": _read_pyproject,
    "Cargo.toml": _read_cargo,
    "go.mod": _read_go,
    **dict.fromkeys(_PINS, _read_pin),
}


def _get_table(table: object, key: str) -> Mapping[str, object]:
    value = table.get(key) if isinstance(table, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _name_package(name: str) -> str:
    """Return the subject of a Python package."""
    return f"pypi:{name.lower().replace('_', '-')}"


def select_facts(facts: Iterable[ProjectFact], subjects: Sequence[str]) -> list[ProjectFact]:
    """Return the facts about any of some subjects."""
    return [fact for fact in facts if fact.subject in subjects]
