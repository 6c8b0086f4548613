"""Lock files in JSON: those of npm, Bun, Composer and Pipenv."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.brief.data.packages import Lock, Package
from ctxkit.core.brief.data.relaxed import relaxed
from ctxkit.core.positions import Member, Places, blank


def npm(text: str) -> Lock | None:
    """Read package-lock.json or npm-shrinkwrap.json."""
    places = Places(text)
    top = _members(places)
    version = places.value(top["lockfileVersion"]) if "lockfileVersion" in top else 1
    if "packages" not in top:
        lock = Lock(f"npm, lockfile version {version}", '"NAME": {', direct=None)
        if "dependencies" in top:
            lock.packages.extend(_nested(places, top["dependencies"], 0))
        return lock if lock.packages else None
    lock = Lock(f"npm, lockfile version {version}", '"node_modules/NAME": {', direct=set())
    for one in places.below(top["packages"]):
        value = places.value(one)
        if not isinstance(value, dict):
            continue
        path = one.key or ""
        if "node_modules/" not in path:
            for kind in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
                inner = value.get(kind)
                lock.direct = (lock.direct or set()) | set(inner if isinstance(inner, dict) else ())
            continue
        lock.packages.append(_npm_package(places, one, path.rpartition("node_modules/")[2], value))
    return lock


def _npm_package(places: Places, one: Member, name: str, value: dict[str, Any]) -> Package:
    source = str(value.get("resolved", ""))
    if value.get("link"):
        source = f"link to {source}"
    elif source.startswith(("https://registry.npmjs.org/", "https://registry.yarnpkg.com/")):
        source = ""
    made = Package(str(value.get("name", name)), str(value.get("version", "")), *_lines(places, one), source)
    made.development = bool(value.get("dev") or value.get("devOptional"))
    return made


def _nested(places: Places, member: Member, level: int) -> Iterator[Package]:
    for one in places.below(member):
        value = places.value(one)
        if isinstance(value, dict):
            yield _npm_package(places, one, one.key or "", value)
            if "dependencies" in value and level < 30:
                inner = next(inner for inner in places.below(one) if inner.key == "dependencies")
                yield from _nested(places, inner, level + 1)


def bun(text: str) -> Lock | None:
    """Read bun.lock, JSON with commas before closing brackets."""
    places = Places(relaxed(text))
    top = _members(places)
    lock = Lock("Bun", '"NAME": ["NAME@VERSION",', direct=set())
    spaces = places.value(top["workspaces"]) if "workspaces" in top else {}
    for space in spaces.values() if isinstance(spaces, dict) else ():
        for kind in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
            inner = space.get(kind) if isinstance(space, dict) else None
            lock.direct = (lock.direct or set()) | set(inner if isinstance(inner, dict) else ())
    for one in places.below(top["packages"]) if "packages" in top else ():
        value = places.value(one)
        if isinstance(value, list) and value and isinstance(value[0], str):
            name, _, version = value[0].rpartition("@")
            outside = version if ":" in version else ""
            lock.packages.append(Package(name or value[0], version, *_lines(places, one), outside))
    return lock


def composer(text: str) -> Lock | None:
    """Read composer.lock."""
    places = Places(text)
    top = _members(places)
    lock = Lock("Composer", '"name": "NAME",')
    for key in ("packages", "packages-dev"):
        for one in places.below(top[key]) if key in top else ():
            value = places.value(one)
            if isinstance(value, dict):
                made = Package(str(value.get("name", "")), str(value.get("version", "")), *_lines(places, one))
                made.development = key == "packages-dev"
                lock.packages.append(made)
    return lock


def pipfile(text: str) -> Lock | None:
    """Read Pipfile.lock."""
    places = Places(text)
    top = _members(places)
    lock = Lock("Pipenv", '"NAME": {')
    for key in ("default", "develop"):
        for one in places.below(top[key]) if key in top else ():
            value = places.value(one)
            version = str(value.get("version", "")).removeprefix("==") if isinstance(value, dict) else ""
            start, end = _lines(places, one)
            lock.packages.append(Package(one.key or "", version, start, end, development=key == "develop"))
    return lock


def _members(places: Places) -> dict[str | None, Member]:
    return {one.key: one for one in places.members(blank(places.text, 0))}


def _lines(places: Places, one: Member) -> tuple[int, int]:
    return places.line(one.at), places.line(one.end - 1)
