"""A reader of unified and normal diffs: files, hunks, added and removed lines, and their commits."""

import re
from collections.abc import Iterator

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.lines import IndexedLines

STATES = {
    "new file": "new",
    "deleted file": "deleted",
    "Binary ": "binary",
    "GIT binary": "binary",
    "rename from": "renamed",
    "copy from": "copied",
    "old mode": "mode changed",
}


@dataclass(slots=True)
class Hunk:
    """Hold one hunk: its lines here, its first line in the old and the new file, and its context."""

    start: int
    end: int
    old: int
    new: int
    within: str
    added: int = 0
    removed: int = 0


@dataclass(slots=True)
class FilePatch:
    """Hold the changes of one file, on lines ``start`` to ``end``; ``states`` are words such as new or renamed."""

    path: str
    start: int
    end: int = 0
    old: str = ""
    states: list[str] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    count: int = 0
    hunks: list[Hunk] = field(default_factory=list)
    commit: int = -1


@dataclass(slots=True)
class Commit:
    """Hold one commit: its line, its name and its subject."""

    start: int
    name: str
    subject: str = ""
    end: int = 0


COLOUR = compile_lazily(r"\x1b\[[\d;]*[mK]")
WORDS = compile_lazily(r"\[-(?:(?!\[-).)+?-\]|\{\+(?:(?!\{\+).)+?\+\}")
"""Pattern of the marks that git diff --word-diff puts around removed and added words."""
_COLOURED = compile_lazily(r"\x1b\[3([12])m([^\x1b\n]+)\x1b\[m")
_SIGNED = compile_lazily(r"^[+-](?!-- |\+\+ )", re.MULTILINE)
_MAX_HUNKS = 20_000
"""Maximum number of distinct hunks; further hunks are only counted."""
_MAX_FILES = 20_000
"""Maximum number of distinct files; the others are counted together."""
_MARK = compile_lazily(
    r"\n(?=diff |--- |\+\+\+ |@@|Index: |index |new |deleted |old |rename |copy |similarity |dissimilarity "
    r"|Binary |GIT binary|commit [0-9a-f]{7}|From [0-9a-f]{40} |Subject: |Only in |# HG |Property changes on"
    r"|\d+(?:,\d+)?[acd]\d+(?:,\d+)?\r?(?:\n|\Z))"
)
"""Pattern of the beginning of header lines."""
_NORMAL = compile_lazily(r"(\d+)(?:,\d+)?[acd](\d+)(?:,\d+)?\Z")
"""Pattern of the header of a hunk of a normal diff, in which lines begin with ``<`` and ``>``."""
HEAD = compile_lazily(r"(@@+) -(\d+)(?:,(\d+))?((?: -\d+(?:,\d+)?)*) \+(\d+)(?:,(\d+))? @@+ ?(.*)")
_GIT = compile_lazily(r'diff --git (?:"?a/(.*?)"?|(\S+)) (?:"?b/(.*?)"?|(\S+))$')
_COMBINED = compile_lazily(r"diff --(?:cc|combined) (.*)")
_PLAIN = compile_lazily(r"diff (?:-\S+ )*(\S+) (\S+)$")
_SUBJECT = compile_lazily(r"\n {4}(\S[^\n]{0,200})")
"""Pattern of the first line of a message, as git log indents it."""
_MAX_HEADER = 2_000
"""Maximum number of characters of a commit's header before its message."""


def _find_header_path(line: str) -> str | None:
    """Return the path that a line of ``diff`` or ``Index:`` names, None for another line."""
    if (git := _GIT.match(line)) and (path := git[3] or git[4]):
        return path
    if combined := _COMBINED.match(line):
        return combined[1]
    if plain := _PLAIN.match(line):
        return plain[2]
    return line[7:] if line.startswith("Index: ") else None


class DiffReader:
    """Read the lines of a diff once, and collect ``files`` and ``commits``.

    In a ``worded`` diff, changed words are marked; a line with such words counts as added, removed or both.
    """

    def __init__(self, *, worded: bool = False) -> None:
        self.worded = worded
        self.files: list[FilePatch] = []
        self.commits: list[Commit] = []
        self.other_files = FilePatch("", 0)
        self.files_left_out = 0
        self.number = 1
        self._hunks = 0
        self._file: FilePatch | None = None
        self._hunk: Hunk | None = None
        self._left = (0, 0)
        self._sides = 1
        self._counted = False
        self._is_normal = False

    @property
    def added_lines(self) -> int:
        """Return the number of lines added in all files."""
        return sum(file.added for file in self.files) + self.other_files.added

    @property
    def removed_lines(self) -> int:
        """Return the number of lines removed in all files."""
        return sum(file.removed for file in self.files) + self.other_files.removed

    @property
    def hunk_count(self) -> int:
        """Return the number of hunks in all files."""
        return sum(file.count for file in self.files) + self.other_files.count

    def read(self, lines: IndexedLines) -> "DiffReader":
        """Read all lines of a document."""
        for block in lines.blocks():
            self.add_block(block)
        self._close_file(self.number - 1)
        return self

    def add_block(self, block: str) -> None:
        """Read the next complete lines."""
        if "\x1b" in block:
            block = mark_colours(block) if self.worded else block
            block = COLOUR.sub("", block)
        text = "\n" + block
        at, number = 0, self.number
        for match in _MARK.finditer(text):
            place = match.start()
            if place > at:
                self._read_subject(text, at, place)
                self._count_body(text, at, place)
                number += text.count("\n", at, place)
            end = text.find("\n", place + 1)
            line = text[place + 1 : end if end >= 0 else len(text)].rstrip("\r")
            at = place
            if self._is_hunk_line(line):
                continue
            if self._read_header(line, number):
                at = end if end >= 0 else len(text)
                number += 1
        self._count_body(text, at, len(text))
        self.number += block.count("\n") + 1

    def _read_subject(self, text: str, start: int, end: int) -> None:
        """Read the subject of a commit from the indented message below its header."""
        if self._file is None and self.commits and not self.commits[-1].subject:
            match = _SUBJECT.search(text, start, min(end, start + _MAX_HEADER))
            self.commits[-1].subject = match[1] if match else ""

    def _is_hunk_line(self, line: str) -> bool:
        """Return whether a line that looks like a header belongs to the open hunk."""
        old, new = self._left if not self.worded else (0, 0)
        return (line[:1] == "-" and old > 0) or (line[:1] == "+" and new > 0)

    def _count_body(self, text: str, start: int, end: int) -> None:
        """Count the lines that a hunk adds and removes; ``start`` is the newline before the first line."""
        hunk = self._hunk
        if hunk is None or start >= end:
            return
        if self.worded:
            rows = text[start + 1 : end].split("\n")
            hunk.added += sum("{+" in row for row in rows)
            hunk.removed += sum("[-" in row for row in rows)
            return
        if self._is_normal:
            hunk.added += text.count("\n>", start, end)
            hunk.removed += text.count("\n<", start, end)
            return
        if self._sides > 1:
            added, removed, both = self._count_combined(text[start + 1 : end])
        else:
            added, removed = text.count("\n+", start, end), text.count("\n-", start, end)
            both = text.count("\n", start, end) - added - removed - text.count("\n\\", start, end)
        old, new = self._left
        total = old + new
        if total and added + removed + 2 * both > total:
            added, removed = self._count_limited(text[start + 1 : end].split("\n"), old, new)
            self._left = (0, 0)
        else:
            self._left = (max(old - removed - both, 0), max(new - added - both, 0))
        if total == 0:
            return
        hunk.added += added
        hunk.removed += removed

    def _count_limited(self, rows: list[str], old: int, new: int) -> tuple[int, int]:
        """Count only the lines that belong to the hunk, in a run that continues after its end."""
        added = removed = 0
        for row in rows:
            if old <= 0 and new <= 0:
                break
            if row[:1] == "+":
                added, new = added + 1, new - 1
            elif row[:1] == "-":
                removed, old = removed + 1, old - 1
            elif row[:1] != "\\":
                old, new = old - 1, new - 1
        return added, removed

    def _count_combined(self, text: str) -> tuple[int, int, int]:
        signs = [row[: self._sides] for row in text.split("\n")]
        added = sum("+" in sign for sign in signs)
        removed = sum("-" in sign for sign in signs)
        return added, removed, len(signs) - added - removed

    def _read_header(self, line: str, number: int) -> bool:
        """Process a line that may be a header; return whether it is a header."""
        first = line[:2]
        if first == "@@":
            return self._open_hunk(line, number)
        if first[:1].isdigit():
            return self._open_normal_hunk(line, number)
        if self.worded and self._hunk is not None and not line.startswith(("diff --", "commit ", "From ")):
            return False
        if self._open_named_file(line, number) or self._read_commit(line, number):
            return True
        file = self._file
        if file is None or (file.count and not line.startswith(("--- ", "Binary "))):
            return False
        return _read_state(line, file) or line.startswith(("+++ ", "index ", "rename ", "copy "))

    def _read_commit(self, line: str, number: int) -> bool:
        """Begin a commit, or take its subject from a mail; return whether the line is one of these."""
        if line.startswith(("commit ", "From ")):
            self._close_file(number - 1)
            self._file = None
            self.commits.append(Commit(number, line.split(" ")[1]))
            return True
        if line.startswith("Subject: ") and self.commits and not self.commits[-1].subject:
            self.commits[-1].subject = line[9:]
            return True
        return False

    def _open_named_file(self, line: str, number: int) -> bool:
        """Open the file that a line names; return whether the line names a file."""
        if line.startswith("--- "):
            self._read_old_path(parse_path(line[4:]), number)
            return True
        if line.startswith("+++ ") and self._file and not self._file.count:
            self._read_new_path(self._file, parse_path(line[4:]))
            return True
        if (path := _find_header_path(line)) is not None:
            self._open_file(path, number)
            self._counted = True
            return True
        if not line.startswith("Only in "):
            return False
        self._open_file(line[8:].replace(": ", "/"), number)
        if self._file:
            self._file.states = ["only on one side"]
        return True

    def _read_old_path(self, path: str, number: int) -> None:
        """Open the file of a ``---`` line, unless a line above it did."""
        if self._file is None or self._file.count or self._file.path == "":
            self._open_file(path, number)
        if path == "/dev/null" and self._file:
            self._file.states = ["new"]

    def _read_new_path(self, file: FilePatch, path: str) -> None:
        """Name the open file after its ``+++`` line, unless a line above it did."""
        if path == "/dev/null":
            file.states = ["deleted"]
        elif file.path in ("", "/dev/null") or not self._counted:
            file.path = path

    def _open_file(self, path: str, number: int) -> None:
        self._close_file(number - 1)
        self._counted = False
        if len(self.files) < _MAX_FILES:
            self._file = FilePatch(path, number, commit=len(self.commits) - 1)
            self.files.append(self._file)
            return
        self.files_left_out += 1
        self.other_files.start = self.other_files.start or number
        self._file = self.other_files
        self._file.path, self._file.states = path, []

    def _open_hunk(self, line: str, number: int) -> bool:
        """Open a hunk; return whether the line is a hunk header."""
        match = HEAD.match(line)
        if match is None:
            return False
        hunk = Hunk(number, 0, int(match[2]), int(match[5]), match[7].strip())
        self._start_hunk(hunk, "(unnamed: its header is cut off)")
        self._sides, self._is_normal = len(match[1]) - 1, False
        old, new = int(match[3] or 1), int(match[6] or 1)
        self._left = (old, new) if self._sides == 1 else (old * 100, new * 100)
        return True

    def _open_normal_hunk(self, line: str, number: int) -> bool:
        """Open a hunk of a normal diff; return whether the line is its header."""
        match = _NORMAL.match(line)
        if match is None or self._left != (0, 0):
            return False
        self._start_hunk(Hunk(number, 0, int(match[1]), int(match[2]), ""), "(unnamed)")
        self._is_normal = True
        return True

    def _start_hunk(self, hunk: Hunk, unnamed: str) -> None:
        """Open a hunk in the open file, or in one with another name if no line has named any."""
        if self._file is None:
            self._open_file(unnamed, hunk.start)
        self._close_hunk(hunk.start - 1)
        file = self._file
        if file is None:
            return
        self._hunk = hunk
        file.count += 1
        self._hunks += 1
        if self._hunks <= _MAX_HUNKS and file is not self.other_files:
            file.hunks.append(hunk)

    def _close_hunk(self, end: int) -> None:
        """Close the open hunk."""
        if self._hunk and self._file:
            self._hunk.end = end
            self._file.added += self._hunk.added
            self._file.removed += self._hunk.removed
        self._hunk, self._left = None, (0, 0)

    def _close_file(self, end: int) -> None:
        """Close the open file."""
        self._close_hunk(end)
        if self._file:
            self._file.end = end
        if self.commits:
            self.commits[-1].end = end


def _read_state(line: str, file: FilePatch) -> bool:
    """Add the state that a line of a header gives a file, with its old name; return whether the line gives one."""
    for start, state in STATES.items():
        if line.startswith(start):
            file.states = list(dict.fromkeys([*file.states, state]))
            if state in ("renamed", "copied"):
                file.old = line[len(start) + 1 :]
            return True
    return False


def parse_path(text: str) -> str:
    """Return the path of a ``---`` or ``+++`` line, without git's prefix and diff's date."""
    text = text.split("\t")[0].rstrip()
    text = text[1:-1] if text[:1] == text[-1:] == '"' and len(text) > 1 else text
    return text[2:] if text[:2] in ("a/", "b/", "i/", "w/", "c/", "o/") else text


def count_states(files: list[FilePatch]) -> Iterator[tuple[str, int]]:
    """Yield (state, number of files) for each state."""
    states: dict[str, int] = {}
    for file in files:
        for state in file.states:
            states[state] = states.get(state, 0) + 1
    yield from states.items()


def is_worded(text: str) -> bool:
    """Return whether hunks mark changed words within lines, instead of whole lines with a sign."""
    bare, marked = COLOUR.sub("", text), COLOUR.sub("", mark_colours(text))
    hunks = bare.find("\n@@")
    return hunks >= 0 and len(WORDS.findall(marked, hunks)) > 2 * len(_SIGNED.findall(bare, hunks))


def mark_colours(text: str) -> str:
    """Put marks around words that are marked only by colour: removed words are red, added words green."""
    return _COLOURED.sub(lambda match: f"[-{match[2]}-]" if match[1] == "1" else f"{{+{match[2]}+}}", text)
