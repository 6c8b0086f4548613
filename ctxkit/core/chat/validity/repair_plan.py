"""The plan of a repair, collected step by step and then turned into one change."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

from ctxkit.core.chat.branches.active_path import Change
from ctxkit.core.chat.branches.relinking import relink_entries
from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.model.message import Record, RecordCall
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.chat.validity.call_matching import PlacedResult
from ctxkit.core.chat.validity.invariants import find_lines, patch_value
from ctxkit.core.text.json_value import JsonValue


class Repair(NamedTuple):
    """The change that repairs a conversation, and one sentence for each action; empty if nothing is broken."""

    change: Change
    actions: tuple[str, ...]


class DueResult(NamedTuple):
    """A result to insert after its call, and its former entry, if it was a whole entry."""

    call: RecordCall
    value: JsonValue
    entry: PlacedResult | None = None


class RepairPlan:
    """Patches, dropped entries and inserted entries of a repair; messages are numbered in sending order."""

    def __init__(self, transcript: Transcript, path: Sequence[int], messages: Sequence[Record]) -> None:
        self.dropped: set[int] = set()
        self.actions: list[tuple[int, str]] = []
        self._transcript, self._path, self._messages = transcript, path, messages
        self._patches: dict[int, list[ValuePatch]] = {}
        self._inserted: dict[int, list[JsonValue]] = {}
        self._after: dict[str, str] = {}

    def note_action(self, at: int, action: str) -> None:
        """Note an action on a message."""
        self.actions.append((self._messages[at].at, action))

    def add_patches(self, at: int, patches: Iterable[ValuePatch]) -> None:
        """Add patches of values inside a message."""
        if new_patches := list(patches):
            self._patches.setdefault(self._messages[at].at, []).extend(new_patches)

    def insert_results(self, at: int, due_results: Sequence[DueResult]) -> None:
        """Insert entries after a message; each becomes the child of the previous one."""
        records, format_ = self._transcript.records, self._transcript.format
        place = self._messages[at].at + 1
        neighbor = records[min(place, len(records) - 1)].value
        link = self._messages[at].link
        first = parent = link.id if link else ""
        for due_result in due_results:
            if due_result.entry is None:
                key = sha256(f"{due_result.call} {parent}".encode(errors="surrogatepass")).hexdigest()[:32]
                value, parent = (
                    format_.attach_entry(due_result.value, key, parent or None, neighbor),
                    format_.make_id(key),
                )
            else:
                value = patch_value(due_result.value, format_.patch_parent(due_result.value, parent or None))
                old = self._messages[due_result.entry.at].link
                parent = old.id if old else ""
            self._inserted.setdefault(place, []).append(value)
        if first and parent:
            self._after[first] = parent

    def build_repair(self) -> Repair:
        """Return the complete repair, with the link patches that it needs."""
        dropped = {self._messages[at].at for at in self.dropped}
        change = Change(frozenset(dropped | self._find_doubles(dropped)), self._patches, self._inserted)
        line = find_lines(self._transcript, [at for at, _ in self.actions])
        actions = tuple(f"line {line[at]}: {what}" for at, what in sorted(self.actions))
        return Repair(relink_entries(self._transcript, change, self._path, self._after), actions)

    def _find_doubles(self, dropped: set[int]) -> set[int]:
        """Return copies of dropped entries, written by a crash or a resumed session, which would replace them in the
        tree.
        """
        records, raw = self._transcript.records, self._transcript.get_raw
        gone = {raw(records[at]) for at in dropped if records[at].link}
        return {record.at for record in records if raw(record) in gone} if gone else set()
