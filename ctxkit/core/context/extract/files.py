"""Which files were changed, removed, moved and read, newest first."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.context.extract.acts import command_of, patch_of, path_of
from ctxkit.core.context.extract.deed import Deed
from ctxkit.core.context.extract.item import Item
from ctxkit.core.context.extract.judged import Judged
from ctxkit.core.context.extract.patches import patched
from ctxkit.core.context.extract.shell import Effects, effects

_SHOWN = re.compile(r"^\[File: (\S+) \(\d+ lines total\)\]", re.MULTILINE)
_OPEN = re.compile(r"^\(Open file: (\S+)\)", re.MULTILINE)
_EDITOR = re.compile(r"(?:str_replace_editor|edit_anthropic)\s+(create|str_replace|insert|undo_edit|view)\s+(\S+)")
_WINDOWED = ("create", "edit", "insert", "append", "undo_edit", "open", "goto", "scroll_down", "scroll_up")
_OPENED = re.compile(r"""\bopen\(\s*[rfb]?(['"])([^'"\n]+)\1\s*,\s*(?:mode\s*=\s*)?['"][wax]""")
_CALLED = re.compile(
    r"""\b(?:create_file|edit_file\w*|append_file|insert_content_at_line)\(\s*(?:\w+\s*=\s*)?(['"])([^'"\n]+)\1"""
)
_PATH = re.compile(
    r"""\bPath\(\s*(['"])([^'"\n]+)\1\s*\)\.(?:write_text|write_bytes|touch|open\(\s*(?:mode\s*=\s*)?['"][wax])"""
)
FIRST, LAST = -3_000_000, 9_000_000
"""Ranks of what is told of files: what happened to them before, and what was only read after everything else."""
MANY = (60, 25, 12, 6, 3)
"""How many files a bullet may list, the most that fits is taken."""


class Touched(NamedTuple):
    """Hold files by what happened to them, the newest first, each once."""

    changed: tuple[str, ...]
    removed: tuple[str, ...]
    moved: tuple[tuple[str, str], ...]
    read: tuple[str, ...]


def touched(done: Sequence[Judged]) -> Touched:
    """Return what happened to files; what failed did not happen."""
    changed: dict[str, int] = {}
    removed: dict[str, int] = {}
    moved: dict[tuple[str, str], int] = {}
    read: dict[str, int] = {}
    for at, one in enumerate(done):
        made = _effects(one)
        for path in made.changed:
            changed[path], _ = at, removed.pop(path, None)
        for path in made.removed:
            named = [other for other in changed if other == path or other.endswith(f"/{path.removeprefix('./')}")]
            for other in named:
                del changed[other]
            removed[max([path, *named], key=len)] = at
        for pair in made.moved:
            moved[pair] = at
        for path in made.read:
            read[path] = at
    kept = _distinct(_newest(changed))
    known = _ends(kept) | frozenset(kept)
    return Touched(
        kept,
        tuple(_distinct(_newest(removed))),
        tuple(_newest(moved)),
        tuple(path for path in _distinct(_newest(read)) if path.removeprefix("./") not in known),
    )


def _newest(found: dict) -> list:  # type: ignore[type-arg]
    return sorted(found, key=lambda key: -found[key])


def _distinct(paths: Sequence[str]) -> tuple[str, ...]:
    """Return paths, of two names of one file only the longer: it holds the other."""
    ends = _ends(paths)
    return tuple(path for path in paths if path.removeprefix("./") not in ends)


def _ends(paths: Sequence[str]) -> frozenset[str]:
    """Return what paths end in after each of their slashes."""
    return frozenset(
        path[at + 1 :] for path in paths for at, sign in enumerate(path) if sign == "/" and path[:at] != "."
    )


def _effects(one: Judged) -> Effects:
    """Return what one call did to files."""
    deed, kind, ended = one
    if kind == "run":
        return _ran(deed, failed=ended.failed)
    if kind not in ("edit", "read") or ended.failed:
        return Effects()
    if kind == "read":
        return Effects(read=(path_of(deed),))
    if deed.answered < 0:
        return Effects()
    patch = patched(patch_of(deed))
    if any(patch):
        return Effects(patch.changed, patch.removed, patch.moved)
    path = path_of(deed) or _shown(deed)
    if not path:
        return Effects()
    name = deed.name.lower()
    if ("delete" in name or "remove" in name) and "file" in name:
        return Effects(removed=(path,))
    return Effects((path,))


def _shown(deed: Deed) -> str:
    """Return the file that an editor shows after an edit."""
    found = _SHOWN.search(deed.text) or _OPEN.search(deed.text)
    return found[1] if found else ""


def _ran(deed: Deed, *, failed: bool) -> Effects:
    """Return what a command did; one that failed may have written, but moved and read nothing for sure."""
    command = command_of(deed)
    first, _, _body = command.partition("\n")
    if found := _EDITOR.match(first):
        path = found[2].strip("'\"")
        return Effects() if failed else Effects(read=(path,)) if found[1] == "view" else Effects((path,))
    words = first.split()
    if words and words[0] in _WINDOWED and (shown := _shown(deed)):
        opened = words[0] in ("open", "goto", "scroll_down", "scroll_up")
        return Effects(read=(shown,)) if opened else Effects((shown,)) if _edited(deed.text) else Effects()
    if any(patch := patched(command)) and "apply" in command:
        return Effects() if failed else Effects(patch.changed, patch.removed, patch.moved)
    written = tuple(_written(command)) if "(" in command else ()
    if "code" in deed.given and "command" not in deed.given:
        return Effects(() if failed else written)
    made = effects(command)
    if failed:
        return Effects(made.changed if not deed.text.startswith("bash:") else ())
    return made._replace(changed=(*made.changed, *written))


def _edited(text: str) -> bool:
    return "has introduced new syntax error" not in text and "Your proposed edit" not in text


def _written(code: str) -> Iterator[str]:
    """Yield the files that Python writes, where their names stand in it."""
    for pattern in (_OPENED, _PATH, _CALLED):
        yield from (found[2] for found in pattern.finditer(code))


def file_items(done: Sequence[Judged]) -> Iterator[Item]:
    """Yield what is to be told of files."""
    found = touched(done)
    if found.changed:
        yield Item("Facts", forms_of("Changed", found.changed), 850, FIRST)
    if found.removed:
        yield Item("Facts", forms_of("Removed", found.removed), 840, FIRST + 1)
    if found.moved:
        pairs = [f"{old} -> {new}" for old, new in found.moved]
        yield Item("Facts", forms_of("Moved", pairs), 720, FIRST + 2)
    if found.read:
        yield Item("Facts", forms_of("Read", found.read), 300, LAST)


def forms_of(label: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Return a list of paths, ever shorter: all, all without the folder that most share, then the first of them."""
    return tuple(_forms(label, paths))


def _forms(label: str, paths: Sequence[str]) -> Iterator[str]:
    plain = _line(label, paths)
    if len(paths) <= MANY[0]:
        yield plain
    folder = _shared(paths)
    within = paths if not folder else [path.removeprefix(folder) for path in paths]
    name = f"{label} in {folder}" if folder else label
    if folder:
        yield _line(name, within)
    for many in MANY:
        if many < len(paths):
            yield f"{_line(name, within[:many])[:-1]} and others."


def _line(label: str, paths: Sequence[str]) -> str:
    return f"{label}: {', '.join(paths)}."


def _shared(paths: Sequence[str]) -> str:
    """Return the folder, with its slash, that saves most where it is named once; empty where none saves anything."""
    saved: dict[str, int] = {}
    for path in paths:
        at = path.find("/", 1)
        while at > 0:
            saved[path[: at + 1]] = saved.get(path[: at + 1], 0) + at + 1
            at = path.find("/", at + 1)
    best = max(saved, key=lambda folder: saved[folder] - 2 * len(folder), default="")
    return best if best and saved[best] > 2 * len(best) + 8 else ""
