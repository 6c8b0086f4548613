"""Readers of JSON lock files: npm, Bun, Composer and Pipenv."""

from collections.abc import Iterator

from ctxkit.core.brief.data.packages import LockFile, Package
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import JsonMember, JsonPositions, skip_blanks
from ctxkit.core.text.relaxed_json import make_strict_json


def read_npm_lock(text: str) -> LockFile | None:
    """Return the content of package-lock.json or npm-shrinkwrap.json, or None if there are no packages."""
    places = JsonPositions(text)
    top = _read_members(places)
    version = places.value(top["lockfileVersion"]) if "lockfileVersion" in top else 1
    if "packages" not in top:
        lock = LockFile(f"npm, lockfile version {version}", '"NAME": {', direct=None)
        if "dependencies" in top:
            lock.packages.extend(_read_nested_packages(places, top["dependencies"], 0))
        return lock if lock.packages else None
    lock = LockFile(f"npm, lockfile version {version}", '"node_modules/NAME": {', direct=set())
    for member in places.below(top["packages"]):
        value = places.value(member)
        if not isinstance(value, dict):
            continue
        path = member.key or ""
        if "node_modules/" not in path:
            for kind in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
                inner = value.get(kind)
                lock.direct = (lock.direct or set()) | set(inner if isinstance(inner, dict) else ())
            continue
        lock.packages.append(_make_npm_package(places, member, path.rpartition("node_modules/")[2], value))
    return lock


def _make_npm_package(places: JsonPositions, member: JsonMember, name: str, value: dict[str, JsonValue]) -> Package:
    source = str(value.get("resolved", ""))
    if value.get("link"):
        source = f"link to {source}"
    elif source.startswith(("https://registry.npmjs.org/", "https://registry.yarnpkg.com/")):
        source = ""
    package = Package(str(value.get("name", name)), str(value.get("version", "")), *_find_lines(places, member), source)
    package.development = bool(value.get("dev") or value.get("devOptional"))
    return package


def _read_nested_packages(places: JsonPositions, member: JsonMember, level: int) -> Iterator[Package]:
    for child in places.below(member):
        value = places.value(child)
        if isinstance(value, dict):
            yield _make_npm_package(places, child, child.key or "", value)
            if "dependencies" in value and level < 30:
                inner = next(inner for inner in places.below(child) if inner.key == "dependencies")
                yield from _read_nested_packages(places, inner, level + 1)


def read_bun_lock(text: str) -> LockFile | None:
    """Return the content of bun.lock, which is JSON with trailing commas."""
    places = JsonPositions(make_strict_json(text))
    top = _read_members(places)
    lock = LockFile("Bun", '"NAME": ["NAME@VERSION",', direct=set())
    spaces = places.value(top["workspaces"]) if "workspaces" in top else {}
    for space in spaces.values() if isinstance(spaces, dict) else ():
        for kind in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
            inner = space.get(kind) if isinstance(space, dict) else None
            lock.direct = (lock.direct or set()) | set(inner if isinstance(inner, dict) else ())
    for member in places.below(top["packages"]) if "packages" in top else ():
        value = places.value(member)
        if isinstance(value, list) and value and isinstance(value[0], str):
            name, _, version = value[0].rpartition("@")
            outside = version if ":" in version else ""
            lock.packages.append(Package(name or value[0], version, *_find_lines(places, member), outside))
    return lock


def read_composer_lock(text: str) -> LockFile | None:
    """Return the content of composer.lock."""
    places = JsonPositions(text)
    top = _read_members(places)
    lock = LockFile("Composer", '"name": "NAME",')
    for key in ("packages", "packages-dev"):
        for member in places.below(top[key]) if key in top else ():
            value = places.value(member)
            if isinstance(value, dict):
                package = Package(
                    str(value.get("name", "")), str(value.get("version", "")), *_find_lines(places, member)
                )
                package.development = key == "packages-dev"
                lock.packages.append(package)
    return lock


def read_pipfile_lock(text: str) -> LockFile | None:
    """Return the content of Pipfile.lock."""
    places = JsonPositions(text)
    top = _read_members(places)
    lock = LockFile("Pipenv", '"NAME": {')
    for key in ("default", "develop"):
        for member in places.below(top[key]) if key in top else ():
            value = places.value(member)
            version = str(value.get("version", "")).removeprefix("==") if isinstance(value, dict) else ""
            start, end = _find_lines(places, member)
            lock.packages.append(Package(member.key or "", version, start, end, development=key == "develop"))
    return lock


def _read_members(places: JsonPositions) -> dict[str | None, JsonMember]:
    return {member.key: member for member in places.members(skip_blanks(places.text, 0))}


def _find_lines(places: JsonPositions, member: JsonMember) -> tuple[int, int]:
    return places.line(member.at), places.line(member.end - 1)
