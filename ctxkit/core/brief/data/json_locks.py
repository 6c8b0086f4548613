"""The reader of the JSON lock file of npm."""

from ctxkit.core.brief.data.packages import LockFile, Package
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import JsonMember, JsonPositions, skip_blanks


def read_npm_lock(text: str) -> LockFile | None:
    """Return the content of package-lock.json or npm-shrinkwrap.json, or None if there are no packages."""
    places = JsonPositions(text)
    top = _read_members(places)
    if "packages" not in top:
        return None
    version = places.value(top["lockfileVersion"]) if "lockfileVersion" in top else 1
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


def _read_members(places: JsonPositions) -> dict[str | None, JsonMember]:
    return {member.key: member for member in places.members(skip_blanks(places.text, 0))}


def _find_lines(places: JsonPositions, member: JsonMember) -> tuple[int, int]:
    return places.line(member.at), places.line(member.end - 1)
