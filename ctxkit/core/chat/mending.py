"""What is to be done to the messages of a conversation, gathered until it becomes one change."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from ctxkit.core.chat.editor import Patch
from ctxkit.core.chat.graft import grafted
from ctxkit.core.chat.inside import changed
from ctxkit.core.chat.invariants import lines
from ctxkit.core.chat.pairing import Told
from ctxkit.core.chat.record import Call, Record
from ctxkit.core.chat.rewrite import Change
from ctxkit.core.chat.transcript import Transcript


class Repair(NamedTuple):
    """Hold what mends a conversation, and a sentence for each thing that it does; nothing where nothing is broken."""

    change: Change
    done: tuple[str, ...]


class Due(NamedTuple):
    """Hold a result to be put behind its call, and the entry that it was before, if it was one."""

    call: Call
    value: Any
    entry: Told | None = None


class Mending:
    """Gather patches, entries to leave out and entries to insert; messages are numbered as they are ``spoken``."""

    def __init__(self, transcript: Transcript, path: Sequence[int], spoken: Sequence[Record]) -> None:
        self.dropped: set[int] = set()
        self.deeds: list[tuple[int, str]] = []
        self._transcript, self._path, self._spoken = transcript, path, spoken
        self._patches: dict[int, list[Patch]] = {}
        self._inserted: dict[int, list[Any]] = {}
        self._after: dict[str, str] = {}

    def say(self, at: int, what: str) -> None:
        """Note what is done to a message."""
        self.deeds.append((self._spoken[at].at, what))

    def patch(self, at: int, patches: Iterable[Patch]) -> None:
        """Change values inside a message."""
        if made := list(patches):
            self._patches.setdefault(self._spoken[at].at, []).extend(made)

    def insert(self, at: int, due: Sequence[Due]) -> None:
        """Put entries behind a message, each hung under the one before it."""
        records, editor = self._transcript.records, self._transcript.format
        place = self._spoken[at].at + 1
        near = records[min(place, len(records) - 1)].value
        link = self._spoken[at].link
        first = parent = link.id if link else ""
        for one in due:
            if one.entry is None:
                key = sha256(f"{one.call} {parent}".encode(errors="surrogatepass")).hexdigest()[:32]
                value, parent = editor.hung(one.value, key, parent or None, near), editor.identity(key)
            else:
                value = changed(one.value, editor.relinked(one.value, parent or None))
                old = self._spoken[one.entry.at].link
                parent = old.id if old else ""
            self._inserted.setdefault(place, []).append(value)
        if first and parent:
            self._after[first] = parent

    def made(self) -> Repair:
        """Return all of it, with the links that it takes."""
        dropped = {self._spoken[at].at for at in self.dropped}
        change = Change(frozenset(dropped | self._doubles(dropped)), self._patches, self._inserted)
        line = lines(self._transcript, [at for at, _ in self.deeds])
        done = tuple(f"line {line[at]}: {what}" for at, what in sorted(self.deeds))
        return Repair(grafted(self._transcript, change, self._path, self._after), done)

    def _doubles(self, dropped: set[int]) -> set[int]:
        """Return what would take the place of entries in a tree: lines that a crash or a resumption wrote again."""
        records, raw = self._transcript.records, self._transcript.raw
        gone = {raw(records[at]) for at in dropped if records[at].link}
        return {record.at for record in records if raw(record) in gone} if gone else set()
