"""Match directories against the user's list of trusted directories, and edit that list in the user's file."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ctxkit.core.errors import InputOutputError, SettingsError
from ctxkit.edge import atomic_file, user_dirs

CHILDREN = "*"
"""Last part of a pattern that matches each subdirectory of the rest."""
_state = {"trusts": True}


def trust_nothing() -> None:
    """Trust no directory in this process: it answers requests, which name theirs."""
    _state["trusts"] = False


def trusts_nothing() -> bool:
    """Return whether this process answers requests."""
    return not _state["trusts"]


def find_fault(pattern: str) -> str:
    """Return what is wrong with a pattern of a directory, "" if nothing is."""
    above, last = os.path.split(pattern)
    if CHILDREN in above or (CHILDREN in last and last != CHILDREN):
        return f"has {pattern!r}: * stands only at the end, for the directories below another"
    if "\0" in pattern:
        return f"has {pattern!r}: a path has no NUL"
    if not os.path.isabs(pattern) and not pattern.startswith("~"):
        return f"has {pattern!r}: it begins neither with {os.sep} nor with ~"
    return ""


def matches(pattern: str, directory: str) -> bool:
    """Return whether a pattern matches a directory; links are resolved in both."""
    path = os.path.expanduser(pattern)
    if not os.path.isabs(path):  # there is no home directory
        return False
    above, last = os.path.split(path)
    real = os.path.realpath(directory)
    if last == CHILDREN:
        return os.path.dirname(real) == os.path.realpath(above) != real
    return os.path.realpath(path) == real


def is_trusted(directory: str, patterns: Iterable[str]) -> bool:
    """Return whether any pattern matches a directory, and this process trusts directories."""
    return _state["trusts"] and any(matches(pattern, directory) for pattern in patterns)


KEY = "trusted"


def add_directory(directory: str) -> None:
    """Add a directory to the list.

    Raise SettingsError if the file cannot be edited, InputOutputError if it cannot be written.
    """
    entry = _quote(directory)
    _edit_file(
        lambda text: _insert_entry(text, entry), lambda directories: [*directories, directory], f"{KEY} = [{entry}]"
    )


def remove_entries(entries: Sequence[str]) -> None:
    """Remove entries, as written, from the list; raise the errors of ``add_directory``."""

    def drop_entries(directories: list[str]) -> list[str]:
        """Return the directories without the entries."""
        return [entry for entry in directories if entry not in entries]

    _edit_file(lambda text: _drop_entries(text, entries), drop_entries, f"take out of {KEY}: {', '.join(entries)}")


def _edit_file(edit: Any, expected: Any, remedy: str) -> None:
    """Edit the file after checking that the result has the expected list and keeps everything else."""
    path = user_dirs.settings_file()
    try:
        file = user_dirs.read_user_file()
        data = file.data if file else b""
        mark, text = _decode(path, data)
        before = _parse(path, text)
        directories = before.get(KEY, [])
        expected_list = expected(directories) if isinstance(directories, list) else []
        after = next((candidate for candidate in edit(text) if _is_expected(candidate, before, expected_list)), None)
        if after is None:
            raise SettingsError(f"{path}: {KEY} is written in a way that ctxkit cannot edit", hint=f"by hand: {remedy}")
        _make_private(os.path.dirname(path))
    except OSError as error:
        raise InputOutputError(f"{error.filename or path}: {error.strerror}") from error
    if after != text:
        atomic_file.write(path, mark + after.encode())


def _make_private(folder: str) -> None:
    """Create the directory of the user's settings with mode 0700; an existing one stays as it is."""
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)


def _decode(path: str, data: bytes) -> tuple[bytes, str]:
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    try:
        return mark, data.removeprefix(mark).decode()
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is not UTF-8") from None


def _parse(path: str, text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path}: {error}") from None


def _is_expected(text: str, before: dict[str, Any], directories: list[str]) -> bool:
    """Return whether a text is TOML with the expected list and everything it had before."""
    try:
        after = _parse("", text)
    except SettingsError:
        return False
    return bool(
        after.pop(KEY, []) == directories and repr(after) == repr({k: v for k, v in before.items() if k != KEY})
    )


def _quote(text: str) -> str:
    """Return text as a TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _insert_entry(text: str, entry: str) -> Iterator[str]:
    """Yield candidates of the text with an entry added: in an existing list, else in a new one
    before the first table.
    """
    for toml_list in _find_lists(text):
        if toml_list.elements:
            yield _append_entry(text, toml_list, entry)
        else:
            yield f"{text[: toml_list.start]}{entry}{text[toml_list.start :]}"
    end = "\r\n" if "\r\n" in text else "\n"
    row = f"{KEY} = [{entry}]{end}"
    for at in (_find_table_start(text), 0):
        before = text[:at]
        glue = end if before and not before.endswith("\n") else ""
        gap = end if text[at:].lstrip(" \t").startswith("[") else ""
        yield f"{before}{glue}{row}{gap}{text[at:]}"


def _find_table_start(text: str) -> int:
    """Return the start of the first table, or of the comments and blank lines above it."""
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


class TomlList(NamedTuple):
    """The span of a list in a text, inside its brackets, and the spans of its elements."""

    start: int
    end: int
    elements: tuple[tuple[int, int], ...]


_TOKEN = re.compile(
    r"""#[^\n]*|\"\"\"(?:\\.|[^\\])*?\"{3,5}|'''.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[\[\],]|[^\s#"'\[\],]+""",
    re.DOTALL,
)
"""Matches a comment, a string, or another token of a list."""


def _find_lists(text: str) -> Iterator[TomlList]:
    """Yield what may be the list of trusted directories: a list after its name at the beginning of a line."""
    for key in re.finditer(rf"""^[ \t]*(?:{KEY}|"{KEY}"|'{KEY}')[ \t]*=[ \t]*\[""", text, re.MULTILINE):
        elements: list[tuple[int, int]] = []
        for token in _TOKEN.finditer(text, key.end()):
            if token[0] == "]":
                yield TomlList(key.end(), token.start(), tuple(elements))
                break
            if token[0][0] in "\"'":
                elements.append(token.span())


def _append_entry(text: str, toml_list: TomlList, entry: str) -> str:
    """Return a text with an entry after the last element of a list, on a new line if that has its own."""
    start, end = toml_list.elements[-1]
    comma = next((token for token in _TOKEN.finditer(text, end, toml_list.end) if token[0] == ","), None)
    line = text.rfind("\n", 0, start) + 1
    after = comma.end() if comma else end
    rest = text.find("\n", after, toml_list.end)
    if text[line:start].strip() or rest < 0:
        return f"{text[:after]}{' ' if comma else ', '}{entry}{text[after:]}"
    stop = rest - 1 if text[rest - 1] == "\r" else rest
    glue = text[after:stop] if comma else f",{text[after:stop]}"
    return f"{text[:after]}{glue}{text[stop : rest + 1]}{text[line:start]}{entry}{',' if comma else ''}{text[stop:]}"


def _drop_entries(text: str, entries: Sequence[str]) -> Iterator[str]:
    """Yield a text without some entries of its list; remove the complete line of an entry on its own line."""
    for toml_list in _find_lists(text):
        result = text
        for start, end in reversed(toml_list.elements):
            if _parse("", f"v = {text[start:end]}")["v"] in entries:
                cut, stop = _find_element_range(result, start, end, toml_list)
                result = result[:cut] + result[stop:]
        yield result


def _find_element_range(text: str, start: int, end: int, toml_list: TomlList) -> tuple[int, int]:
    """Return the span to cut so that an element is removed with its comma."""
    comma = re.compile(r"[ \t]*,").match(text, end)
    stop = comma.end() if comma else end
    line = text.rfind("\n", 0, start) + 1
    rest = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n").match(text, stop)
    if rest and line > toml_list.start - 1 and not text[line:start].strip():
        return line, rest.end()
    if comma:
        blank = re.compile(r"[ \t]*").match(text, stop)
        return start, blank.end() if blank else stop
    before = re.compile(r",\s*\Z").search(text, toml_list.start, start)
    return (before.start(), stop) if before else (start, stop)
