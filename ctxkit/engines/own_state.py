"""List and remove the files that ctxkit keeps in its directories: nothing else in them, and nothing behind a link."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.system.own_files import open_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ctxkit.system.own_files import StoreFolder

_DATABASE = r"(?:ctxkit|search)\.db(?:\.damaged-\d+)?(?:-wal|-shm|-journal)?"
_HISTORY = r".+\.(?:jsonl|times|removing|removed)"
_PAGE = r".+\.(?:md|json)"
_HEX = "[0-9a-f]"
_NOTICES = ("notices", f"{_HEX}{{32}}")
STATE: Sequence[Sequence[str]] = (
    ("blobs", f"{_HEX}{{2}}", f"{_HEX}{{64}}.*"),
    ("clashes", f"{_HEX}{{2}}", f"{_HEX}{{64}}.*"),
    ("damaged", f"{_HEX}{{64}}.*"),
    ("marks", f"{_HEX}{{2}}", f"{_HEX}{{64}}.*"),
    ("taking", rf"\d+-{_HEX}{{12}}"),
    ("vocabularies", r"[a-z0-9_]+-[\w.+-]+"),
    ("proxy", f"{_HEX}{{32}}"),
    ("servers", f"{_HEX}{{16}}"),
    ("servers", rf"{_HEX}{{16}}\.sessions", rf"{_HEX}{{32}}.*"),
    ("tidied",),
    ("clock",),
    _NOTICES,
    (_DATABASE,),
    ("histories", _HISTORY),
    ("hosts", "directories.json"),
    ("hosts", "pages", _PAGE),
    ("hosts", "pages", "[a-z-]+", _PAGE),
    ("hosts", "[a-z-]+", "kept", r"[\w-]+"),
    ("unshared", f"{_HEX}{{16}}", "pending"),
    ("unshared", f"{_HEX}{{16}}", _DATABASE),
    ("unshared", f"{_HEX}{{16}}", "histories", _HISTORY),
)
"""Names of all files that ctxkit keeps below its cache and data directories, each with those of its folders."""
SETTINGS: Sequence[Sequence[str]] = (("models.jsonl",),)
"""Names of the files that ctxkit writes beside the user's settings."""
PRIVATE: Sequence[Sequence[str]] = (*STATE, *(("data", *names) for names in STATE))
"""Names of the files in a private directory in a public place, which has its own data directory."""
_TEMPORARY = rf"\.ctxkit-\d+-{_HEX}{{16}}"
"""Name of what a killed process was writing."""


class OwnPlace(NamedTuple):
    """A directory of ctxkit, and the names of its files there. A private one in a public place may not be a link."""

    directory: str
    names: Sequence[Sequence[str]] = STATE
    is_private: bool = False


class OwnFiles(NamedTuple):
    """What ctxkit keeps in a directory: the number of files, their size in bytes, and the links in place of files."""

    directory: str
    files: int
    size: int
    links: tuple[str, ...]


def list_own_files(place: OwnPlace) -> OwnFiles:
    """Return what ctxkit keeps in a directory."""
    return _sum_files(place, removes=False)


def remove_own_files(place: OwnPlace) -> OwnFiles:
    """Remove what ctxkit keeps in a directory, and the directory if it is empty and named ctxkit; return what it was.

    Links stay, with what they lead to. Raise OSError for a file that cannot be removed.
    """
    files = _sum_files(place, removes=True)
    above, name = os.path.split(place.directory)
    if name.startswith("ctxkit"):
        with suppress(OSError), open_folder(above) as folder:
            folder.remove_folder(name)
    return files


def _sum_files(place: OwnPlace, *, removes: bool) -> OwnFiles:
    sizes: list[int] = []
    links: list[str] = []
    try:
        folder = open_folder(place.directory, private=place.is_private)
    except OSError:  # there is none, or it is not this user's
        return OwnFiles(place.directory, 0, 0, ())
    with folder:
        for size, link in _visit(folder, place.names, removes):
            if link:
                links.append(link)
            else:
                sizes.append(size)
    return OwnFiles(place.directory, len(sizes), sum(sizes), tuple(links))


def _match_name(patterns: Sequence[Sequence[str]], name: str) -> list[Sequence[str]]:
    """Return what is left of the patterns whose first part is that of a name."""
    return [pattern[1:] for pattern in patterns if re.fullmatch(pattern[0], name)]


def _visit(folder: StoreFolder, patterns: Sequence[Sequence[str]], removes: bool) -> Iterator[tuple[int, str]]:
    """Yield the size of each file in a folder that has one of the names, and the path of each link in its place."""
    for name in folder.list_names():
        rests = _match_name(patterns, name)
        is_file = not all(rests) or re.fullmatch(_TEMPORARY, name)
        path = os.path.join(folder.path, name)
        if (rests or is_file) and os.path.islink(path):
            yield 0, path
        elif is_file and (state := folder.stat(name)):
            if removes:
                folder.remove(name)
            yield state.st_size, ""
        elif inner := [rest for rest in rests if rest]:
            with suppress(NotADirectoryError), folder.open_subfolder(name, restrict=True) as subfolder:
                yield from _visit(subfolder, inner, removes)
            if removes:
                folder.remove_folder(name)
