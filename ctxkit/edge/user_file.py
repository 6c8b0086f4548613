"""Changing the list of trusted directories in the user's file, and nothing else in it."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ctxkit.core.trouble import BadSettings, IOFailed
from ctxkit.edge import places, toml, whole

KEY = "trusted"


def add(directory: str) -> None:
    """Add a directory to the list; raises BadSettings where the file cannot be edited, IOFailed where not written."""
    entry = _toml(directory)
    _change(lambda text: _with(text, entry), lambda listed: [*listed, directory], f"{KEY} = [{entry}]")


def remove(entries: Sequence[str]) -> None:
    """Remove entries from the list, as they are written there; raises as ``add`` does."""

    def without(listed: list[str]) -> list[str]:
        return [entry for entry in listed if entry not in entries]

    _change(lambda text: _without(text, entries), without, f"take out of {KEY}: {', '.join(entries)}")


def _change(edit: Any, expected: Any, remedy: str) -> None:
    """Edit the file, once the result is known to say what it should and all else that it said before."""
    path = places.settings_file()
    try:
        found = toml.user_file()
        data = found.data if found else b""
        mark, text = _decoded(path, data)
        before = _parsed(path, text)
        listed = before.get(KEY, [])
        wanted = expected(listed) if isinstance(listed, list) else []
        after = next((made for made in edit(text) if _says(made, before, wanted)), None)
        if after is None:
            raise BadSettings(f"{path}: {KEY} is written in a way that is not understood", hint=f"by hand: {remedy}")
        _make_private(os.path.dirname(path))
    except OSError as error:
        raise IOFailed(f"{error.filename or path}: {error.strerror}") from error
    if after != text:
        whole.write(path, mark + after.encode())


def _make_private(folder: str) -> None:
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)


def _decoded(path: str, data: bytes) -> tuple[bytes, str]:
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    try:
        return mark, data.removeprefix(mark).decode()
    except UnicodeDecodeError:
        raise BadSettings(f"{path}: is not UTF-8") from None


def _parsed(path: str, text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadSettings(f"{path}: {error}") from None


def _says(text: str, before: dict[str, Any], listed: list[str]) -> bool:
    """Tell whether a text is TOML that has the list, and beside it what it had before."""
    try:
        after = _parsed("", text)
    except BadSettings:
        return False
    return bool(after.pop(KEY, []) == listed and repr(after) == repr({k: v for k, v in before.items() if k != KEY}))


def _toml(text: str) -> str:
    """Return text as a string of TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _with(text: str, entry: str) -> Iterator[str]:
    """Yield a text with an entry in its list: in the list that is there, else in a new one before the first table."""
    for found in _lists(text):
        if found.elements:
            yield _extended(text, found, entry)
        else:
            yield f"{text[: found.start]}{entry}{text[found.start :]}"
    end = "\r\n" if "\r\n" in text else "\n"
    row = f"{KEY} = [{entry}]{end}"
    for at in (_before_tables(text), 0):
        before = text[:at]
        glue = end if before and not before.endswith("\n") else ""
        gap = end if text[at:].lstrip(" \t").startswith("[") else ""
        yield f"{before}{glue}{row}{gap}{text[at:]}"


def _before_tables(text: str) -> int:
    """Return where the first table begins, or the comments and blank lines above it."""
    table = re.search(r"^[ \t]*\[", text, re.MULTILINE)
    if table is None:
        return len(text)
    at = table.start()
    while at:
        above = text.rfind("\n", 0, at - 1) + 1
        line = text[above:at].strip()
        if line and not line.startswith("#"):
            break
        at = above
    return at or table.start()


class List(NamedTuple):
    """Hold where a list stands in a text, inside its brackets, and where each of its elements does."""

    start: int
    end: int
    elements: tuple[tuple[int, int], ...]


_TOKEN = re.compile(
    r"""#[^\n]*|\"\"\"(?:\\.|[^\\])*?\"{3,5}|'''.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[\[\],]|[^\s#"'\[\],]+""",
    re.DOTALL,
)
"""A comment, a string, or what else a list is made of."""


def _lists(text: str) -> Iterator[List]:
    """Yield what may be the list of trusted directories: what follows its name at the beginning of a line."""
    for key in re.finditer(rf"""^[ \t]*(?:{KEY}|"{KEY}"|'{KEY}')[ \t]*=[ \t]*\[""", text, re.MULTILINE):
        elements: list[tuple[int, int]] = []
        for token in _TOKEN.finditer(text, key.end()):
            if token[0] == "]":
                yield List(key.end(), token.start(), tuple(elements))
                break
            if token[0][0] in "\"'":
                elements.append(token.span())


def _extended(text: str, found: List, entry: str) -> str:
    """Return a text with an entry after the last of a list: on a line of its own where that has one."""
    start, end = found.elements[-1]
    comma = next((token for token in _TOKEN.finditer(text, end, found.end) if token[0] == ","), None)
    line = text.rfind("\n", 0, start) + 1
    after = comma.end() if comma else end
    rest = text.find("\n", after, found.end)
    if text[line:start].strip() or rest < 0:
        return f"{text[:after]}{' ' if comma else ', '}{entry}{text[after:]}"
    stop = rest - 1 if text[rest - 1] == "\r" else rest
    glue = text[after:stop] if comma else f",{text[after:stop]}"
    return f"{text[:after]}{glue}{text[stop : rest + 1]}{text[line:start]}{entry}{',' if comma else ''}{text[stop:]}"


def _without(text: str, entries: Sequence[str]) -> Iterator[str]:
    """Yield a text without some entries of its list; a line that holds nothing else goes with its comment."""
    for found in _lists(text):
        made = text
        for start, end in reversed(found.elements):
            if _parsed("", f"v = {text[start:end]}")["v"] in entries:
                cut, stop = _around(made, start, end, found)
                made = made[:cut] + made[stop:]
        yield made


def _around(text: str, start: int, end: int, found: List) -> tuple[int, int]:
    """Return what to cut so that an element goes with its comma."""
    comma = re.compile(r"[ \t]*,").match(text, end)
    stop = comma.end() if comma else end
    line = text.rfind("\n", 0, start) + 1
    rest = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n").match(text, stop)
    if rest and line > found.start - 1 and not text[line:start].strip():
        return line, rest.end()
    if comma:
        blank = re.compile(r"[ \t]*").match(text, stop)
        return start, blank.end() if blank else stop
    before = re.compile(r",\s*\Z").search(text, found.start, start)
    return (before.start(), stop) if before else (start, stop)
