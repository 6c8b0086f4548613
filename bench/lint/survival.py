"""Whether a fixed workspace still says all it said, and kept its form: checked by the bench's own reading alone."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.lint.desk import Plant, Span
from bench.lint.loads import MATTER, loads
from bench.lint.scoring import meets
from bench.lint.units import FENCE, HEADING, Unit, normal, units

AGAINST = re.compile(r"(?i)\b(?:never|don't|do not|forbidden|avoid|bad|wrong|not allowed)\b")
"""Headings that forbid what is below them."""
TABLE = re.compile(r"\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$")
Key = tuple[bool, str]
"""Whether a heading forbids it, and the plain words of a statement."""


UNSEEN = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad\u202a-\u202e\u2066-\u2069]")
MISREAD = re.compile("(?:[\u00c2-\u00f4][\u0080-\u00bf\u0152-\u2122]{1,3})+")


def clean(text: str) -> str:
    """Return a text without characters that nobody sees, and with what was read in the wrong encoding put right.

    A statement that was mended so is the same statement.
    """
    return MISREAD.sub(lambda value: _right(value[0]), UNSEEN.sub("", text))


def _right(text: str) -> str:
    try:
        return b"".join(map(_byte, text)).decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return text


def _byte(letter: str) -> bytes:
    """Return the byte that was read as a letter; five bytes stand for nothing in Windows-1252."""
    return letter.encode("latin-1" if "\x80" <= letter <= "\x9f" else "cp1252")


@dataclass(frozen=True)
class State:
    """Hold the bytes of all files of a workspace, and where its symlinks point."""

    files: Mapping[str, bytes]
    links: Mapping[str, str]

    @property
    def texts(self) -> dict[str, str]:
        """Return the texts by path, those behind symlinks as well."""
        table = {path: clean(data.decode("utf-8", "replace")) for path, data in self.files.items()}
        for path, target in self.links.items():
            real = os.path.normpath(os.path.join(os.path.dirname(path), target))
            if real in table:
                table[path] = table[real]
        return table

    def real(self, path: str) -> str:
        """Return the path of the file behind a symlink, of any other itself."""
        target = self.links.get(path)
        return os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path


def state(root: str) -> State:
    """Return the state of a workspace."""
    files, links = {}, {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            full = os.path.join(folder, name)
            path = os.path.relpath(full, root)
            if os.path.islink(full):
                links[path] = os.readlink(full)
            else:
                with open(full, "rb") as file:
                    files[path] = file.read()
    return State(files, links)


def problems(before: State, after: State, plants: list[Plant], *, unsafe: bool) -> Iterator[str]:
    """Yield what a fix has broken or lost."""
    for path, target in before.links.items():
        if after.links.get(path) != target:
            yield f"{path}: the symlink to {target} is gone"
    for path, data in before.files.items():
        if path in after.files:
            if after.files[path] != data:
                yield from _form(path, data.decode("utf-8", "replace"), after.files[path].decode("utf-8", "replace"))
        elif not (unsafe and path in after.links):
            yield f"{path}: the file is gone"
    yield from _list_lost(before, after.texts, plants, unsafe=unsafe)


def _form(path: str, before: str, after: str) -> Iterator[str]:
    """Yield what became of the form of one file."""
    if before.startswith("\ufeff") != after.startswith("\ufeff"):
        yield f"{path}: the byte order mark changed"
    for name, ends in (("CRLF", r"\r\n"), ("LF", r"(?<!\r)\n")):
        other = r"(?<!\r)\n" if name == "CRLF" else r"\r\n"
        if re.search(ends, before) and not re.search(other, before) and re.search(other, after):
            yield f"{path}: lines no longer all end with {name}"
    matter = MATTER.match(before.removeprefix("\ufeff"))
    if matter and not after.removeprefix("\ufeff").startswith(matter[0]):
        yield f"{path}: the front matter changed"
    if _open(after) and not _open(before):
        yield f"{path}: a fence is no longer closed"
    if _bare_tables(after) > _bare_tables(before):
        yield f"{path}: a table has lost its head"


def _rows(text: str) -> list[str]:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")


def blocks(text: str) -> list[str]:
    """Return the blocks of code with their fences; one that is never closed ends with the text."""
    lists: list[list[str]] = []
    fence = ""
    for row in _rows(text):
        opened = FENCE.match(row)
        if fence:
            lists[-1].append(row)
            if opened and opened[1].startswith(fence) and not row.strip().strip(fence[0]):
                fence = ""
        elif opened:
            fence = opened[1]
            lists.append([row])
    return ["\n".join(block) for block in lists] + ([""] if fence else [])


def _open(text: str) -> bool:
    return "" in blocks(text)


def _bare_tables(text: str) -> int:
    """Return how many tables have no line below their head."""
    rows = ["", *_rows(text), ""]
    starts = [n for n in range(1, len(rows) - 1) if rows[n].startswith("|") and not rows[n - 1].startswith("|")]
    return sum(not TABLE.match(rows[n + 1]) for n in starts)


def statements(text: str) -> list[tuple[Key, Unit]]:
    """Return the statements of a text, each with whether the headings above it forbid it."""
    rows, value = _rows(text), []
    against, heads = {}, False
    for number, row in enumerate(rows, 1):
        if HEADING.match(row):
            heads = bool(AGAINST.search(row))
        against[number] = heads
    for unit in units(text):
        value.append(((against[unit.line], normal(unit.text)), unit))
    return value


def _list_lost(was: State, after: dict[str, str], plants: list[Plant], *, unsafe: bool) -> Iterator[str]:
    """Yield the statements and the code that an agent read before and does not read any more, and what is new."""
    before = was.texts
    garbage = [place for plant in plants if plant.family == "hygiene" for place in plant.where]
    later = {key: _describe(after, paths) for key, paths in loads(after).items()}
    for name, paths in sorted(loads(before).items()):
        keys, code = later.get(name, (set(), set()))
        whole = "\n".join(plain for _, plain in keys) if unsafe else ""
        for path in sorted(paths):
            for key, unit in statements(before[path]):
                place = (was.real(path), unit.line, unit.end_line)
                if key in keys or not key[1] or any(meets(place, item) for item in garbage):
                    continue
                if unsafe and (_stood_for(place, plants, before, keys) or _in_parts(unit.text, whole)):
                    continue
                yield f"{name}: {path}:{unit.line} is lost: {unit.text.strip()[:80]}"
            for block in blocks(before[path]):
                if (
                    block
                    and block not in code
                    and not any(meets(_place(path, before, block), item) for item in garbage)
                ):
                    yield f"{name}: {path}: a block of code is lost: {block[:60]!r}"
    if not unsafe:
        yield from _list_invented(before, after, garbage)


def _describe(texts: dict[str, str], paths: frozenset[str]) -> tuple[set[Key], set[str]]:
    keys = {key for path in paths for key, _ in statements(texts[path])}
    return keys, {block for path in paths for block in blocks(texts[path])}


def _place(path: str, texts: dict[str, str], block: str) -> Span:
    first = "\n".join(_rows(texts[path])).partition(block)[0].count("\n") + 1
    return path, first, first + block.count("\n")


def _stood_for(place: Span, plants: list[Plant], before: dict[str, str], keys: set[Key]) -> bool:
    """Return whether the other copy of a planted likeness is still read: an unsafe fix may keep either."""
    for plant in plants:
        kinds = ("near", "meaning", "drifted", "section", "part")
        if plant.family in kinds and any(meets(place, item) for item in plant.where):
            for path, first, last in plant.where:
                for key, unit in statements(before.get(path, "")):
                    if first <= unit.line <= last and (path, unit.line) != place[:2] and key in keys:
                        return True
    return False


def _in_parts(text: str, whole: str) -> bool:
    """Return whether the sentences of a statement are all still there, in whatever form."""
    parts = [normal(part) for part in re.split(r"(?<=[.!?。])\s+", text)]
    return all(part in whole for part in parts if part)


def _list_invented(before: dict[str, str], after: dict[str, str], garbage: list[Span]) -> Iterator[str]:
    known = {plain for text in before.values() for (_, plain), _ in statements(text)}
    touched = {path for path, _, _ in garbage}
    for path, text in sorted(after.items()):
        for (_, plain), unit in statements(text):
            if plain and plain not in known and path not in touched:
                yield f"{path}:{unit.line} is new: {unit.text.strip()[:80]}"
