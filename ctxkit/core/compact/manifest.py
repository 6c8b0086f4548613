"""The manifest of a compaction: every change, why, the command that reads it back, and how to restore the original."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import groupby
from typing import NamedTuple

from ctxkit.core.chat.model.message import Record
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.compact.change import NOTE_REASON
from ctxkit.core.compact.outcome import CompactionOutcome, ConversationSize
from ctxkit.core.compact.plan import CompactionInput
from ctxkit.core.errors import InputOutputError, MalformedInputError, NotStoredError
from ctxkit.core.store.label import FULL_LENGTH, parse_prefix, shorten_ref
from ctxkit.core.store.store_interface import Store
from ctxkit.core.text.json_value import JsonValue

VERSION = 1
_KIND = "ctxkit manifest"


class Original(NamedTuple):
    """The original bytes of a compacted conversation; ``ref`` is empty if they were not stored."""

    ref: str
    sha256: str
    size: int


def build_manifest(outcome: CompactionOutcome, original: Transcript, data: bytes, name: str) -> dict[str, JsonValue]:
    """Return the manifest of a compaction as a JSON object; ``original`` is the transcript of ``data``.

    Lines and bytes are 1-based, inclusive and refer to the original.
    """
    digest = sha256(data).hexdigest()
    ref = digest if outcome.stored else ""
    changes = [*_describe_ranges(outcome, original, data, ref), *_describe_texts(outcome, original)]
    return {
        "kind": _KIND,
        "version": VERSION,
        "name": name,
        "format": original.format.NAME,
        "original": {
            **_describe_bytes(ref, data),
            "tokens": outcome.before.amount.tokens,
            "messages": outcome.before.messages,
        },
        "output": {
            **_describe_bytes("", outcome.content),
            "tokens": outcome.after.amount.tokens,
            "messages": outcome.after.messages,
        },
        "summary": _describe_summary(outcome),
        "repairs": list(outcome.repairs),
        "changes": sorted(changes, key=lambda change: (change["lines"][0], change["bytes"][0])),
    }


def build_unchanged_manifest(
    before: ConversationSize, original: Transcript, data: bytes, name: str
) -> dict[str, JsonValue]:
    """Return the manifest of a conversation of a size that passed unchanged: it lists no change."""
    fields = {**_describe_bytes("", data), "tokens": before.amount.tokens, "messages": before.messages}
    head = {"kind": _KIND, "version": VERSION, "name": name, "format": original.format.NAME}
    return {**head, "original": fields, "output": fields, "summary": None, "repairs": [], "changes": []}


def _describe_bytes(ref: str, data: bytes) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = {"sha256": sha256(data).hexdigest(), "size": len(data)}
    return {"ref": ref, **fields} if ref else fields


def _describe_summary(outcome: CompactionOutcome) -> dict[str, JsonValue] | None:
    summary = outcome.plan.summary
    if summary is None:
        return None
    digest = sha256(summary.text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"tokens": summary.cost, "sha256": digest, "summarizer": summary.result.writer}


def _group_neighbours(reasons: Mapping[int, str]) -> list[list[int]]:
    """Return the runs of neighbouring places that have the same reason; a note goes on with any."""
    runs: list[list[int]] = []
    for at in sorted(reasons):
        if runs and runs[-1][-1] == at - 1 and reasons[at] in (reasons[runs[-1][0]], NOTE_REASON):
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def _describe_ranges(
    outcome: CompactionOutcome, original: Transcript, data: bytes, ref: str
) -> Iterator[dict[str, JsonValue]]:
    """Yield one change for each run of neighbouring entries that were dropped for the same reason."""
    conversation = outcome.conversation
    assert conversation is not None
    dropped = {
        outcome.origin[at]: (reason, conversation.transcript.records[at]) for at, reason in outcome.dropped.items()
    }
    dropped |= {at: ("repaired", original.records[at]) for at in _find_repaired(outcome, original)}
    offset = ByteOffsets(original)
    for run in _group_neighbours({at: reason for at, (reason, _) in dropped.items() if at is not None}):
        records = [original.records[at] for at in run]
        tokens = sum(conversation.token_counter.count_record(dropped[at][1]) for at in run)
        span = (offset.byte_at(records[0].start), offset.byte_at(records[-1].end))
        described = _describe_range(original, data[slice(*span)], span, records)
        yield {
            "action": "summarized" if dropped[run[0]][0] == "summarized" else "dropped",
            "reason": dropped[run[0]][0],
            **described,
            "tokens": tokens,
            "sha256": sha256(data[slice(*span)]).hexdigest(),
            **({"ref": ref} if ref else {}),
        }


def _find_repaired(outcome: CompactionOutcome, original: Transcript) -> set[int]:
    """Return the index of each entry that the repair removed."""
    return set(range(len(original.records))) - {at for at in outcome.origin if at is not None}


def _describe_range(
    original: Transcript, data: bytes, span: tuple[int, int], records: list[Record]
) -> dict[str, JsonValue]:
    """Return where a range stands, and how large it is."""
    line = original.get_line(records[0])
    return {
        "lines": [line, line + original.text.count("\n", records[0].start, records[-1].end)],
        "bytes": [span[0] + 1, span[1]],
        "entries": len(records),
        "ids": [id_ for record in records for id_ in ids_of(record)],
        "size": len(data),
    }


def _describe_texts(outcome: CompactionOutcome, original: Transcript) -> Iterator[dict[str, JsonValue]]:
    """Yield one change for each text that was shortened in a kept entry."""
    offset = ByteOffsets(original)
    for at, edit in outcome.plan.edits():
        origin = outcome.origin[at]
        if origin is None:
            continue
        record = original.records[origin]
        line = original.get_line(record)
        yield {
            "action": edit.kind,
            "reason": edit.reason,
            "lines": [line, line + original.get_raw(record).count("\n")],
            "bytes": [offset.byte_at(record.start) + 1, offset.byte_at(record.end)],
            "entries": 1,
            "ids": [edit.call] if edit.call else list(ids_of(record)),
            "tool": edit.tool,
            "size": len(edit.stored),
            "tokens": edit.gain,
            "sha256": sha256(edit.stored).hexdigest(),
            **({"ref": edit.ref} if outcome.stored else {}),
        }


def ids_of(record: Record) -> Iterator[str]:
    """Yield the ids of an entry, of its calls and of its results, without duplicates."""
    link = record.link
    value = record.value if isinstance(record.value, dict) else {}
    entry_id = link.id if link is not None and link.id else value.get("id")
    ids = [entry_id if isinstance(entry_id, str) else "", *(call.id for call in record.calls)]
    yield from dict.fromkeys(filter(None, [*ids, *(result.id for result in record.results)]))


class ByteOffsets:
    """Byte offsets of the characters of a transcript, in any order of lookup."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._offsets: dict[int, int] = {0: 0}
        self._plain = transcript.encoding == "utf-8" and transcript.text.isascii()

    def byte_at(self, position: int) -> int:
        """Return the number of bytes before a character position."""
        if self._plain:
            return position
        near = max(at for at in self._offsets if at <= position)
        size = len(self._transcript.encode(self._transcript.text[near:position]))
        self._offsets[position] = self._offsets[near] + size
        return self._offsets[position]


def refs_of(manifest: Mapping[str, JsonValue]) -> set[str]:
    """Return the refs that occur in a manifest."""
    entries = [manifest["original"], *manifest["changes"]]
    return {entry["ref"] for entry in entries if entry.get("ref")}


def read_original(manifest: JsonValue, name: str) -> Original:
    """Return the original that a manifest describes; raise MalformedInputError for any other value."""
    original = manifest.get("original") if isinstance(manifest, dict) and manifest.get("kind") == _KIND else None
    fields: dict[str, JsonValue] = original if isinstance(original, dict) else {}
    digest = fields.get("sha256")
    if not isinstance(digest, str) or len(digest) != FULL_LENGTH or parse_prefix(digest) is None:
        raise MalformedInputError(
            f"{name}: it is not the manifest of a compaction", hint="compact --manifest FILE writes one"
        )
    ref, size = fields.get("ref"), fields.get("size")
    return Original(ref if isinstance(ref, str) else "", digest, size if isinstance(size, int) else -1)


def is_content_of(original: Original, data: bytes) -> bool:
    """Return whether content is the original, as it is if nothing was compacted."""
    return original.sha256 == sha256(data).hexdigest()


def is_output(manifest: JsonValue, data: bytes) -> bool:
    """Return whether content is what the compaction that a manifest describes wrote."""
    output = manifest.get("output") if isinstance(manifest, dict) else None
    return isinstance(output, dict) and output.get("sha256") == sha256(data).hexdigest()


def restore_original(original: Original, store: Store, name: str) -> Iterable[bytes]:
    """Return the bytes of the original conversation after a check of their SHA-256.

    Raise NotStoredError if they are not stored, and InputOutputError if the stored bytes differ from the original.
    """
    if not original.ref:
        raise NotStoredError(f"{name}: the original was not stored", hint="it was compacted with --no-store")
    try:
        content = store.open(store.find(original.ref))
    except NotStoredError:
        what = f"the original {shorten_ref(original.ref)}"
        raise NotStoredError(f"{name}: {what} is no longer stored in {store.place}") from None
    digest, pieces = sha256(), []
    for offset in range(0, content.lines.size, 1 << 20):
        pieces.append(content.read(offset, min(1 << 20, content.lines.size - offset)))
        digest.update(pieces[-1])
    if digest.hexdigest() != original.sha256:
        what = f"what is stored under {shorten_ref(original.ref)} is not the original"
        raise InputOutputError(f"{name}: {what}", hint="ctxkit cache verify")
    return pieces


class RemovedRange(NamedTuple):
    """A range of messages that left, or a text that was shortened, with the tokens that this saved.

    ``first`` and ``last`` number the messages that a model reads from 1. ``ref`` identifies the stored content.
    """

    first: int
    last: int
    what: str
    reason: str
    tokens: int
    ref: str

    def to_object(self) -> dict[str, JsonValue]:
        """Return the removal as a JSON object."""
        return {**self._asdict(), "ref": self.ref or None}

    def __str__(self) -> str:
        """Return the removal as one line."""
        messages = f"message {self.first}" if self.first == self.last else f"messages {self.first}:{self.last}"
        way = f"ctxkit cache get {self.ref}" if self.ref else "stored nowhere"
        return f"{messages}: {self.what} ({self.reason}), {self.tokens:,} tokens; {way}"


def explain_outcome(outcome: CompactionOutcome) -> Iterator[RemovedRange]:
    """Yield what left a conversation, in its order; nothing if it is unchanged."""
    conversation = outcome.conversation
    if outcome.result != "compacted" or conversation is None:
        return
    removals = [*_find_left(conversation, outcome), *_find_shortened(conversation, outcome)]
    yield from sorted(removals, key=lambda removal: (removal.first, removal.last))


def _find_left(conversation: CompactionInput, outcome: CompactionOutcome) -> Iterator[RemovedRange]:
    """Yield the ranges of messages that left for one reason; all of them are in the stored original."""
    ref = shorten_ref(outcome.stored[0].ref) if outcome.stored else ""
    numbered = [
        (number, record, outcome.dropped.get(record.at, "")) for number, record in enumerate(conversation.path, 1)
    ]
    for reason, group in groupby(numbered, key=lambda entry: entry[2]):
        messages = list(group)
        if reason:
            tokens = sum(
                conversation.token_counter.count_message(message).amount.tokens
                for _, record, _ in messages
                for message in record.messages
            )
            yield RemovedRange(messages[0][0], messages[-1][0], "left", reason, tokens, ref)


def _find_shortened(conversation: CompactionInput, outcome: CompactionOutcome) -> Iterator[RemovedRange]:
    """Yield the texts that were cleared or shortened, each with its own ref."""
    numbers = {record.at: number for number, record in enumerate(conversation.path, 1)}
    for at, edit in outcome.plan.edits():
        if at in numbers and at not in outcome.dropped:
            what = f"result of {edit.tool} {edit.kind}" if edit.tool else f"text {edit.kind}"
            ref = shorten_ref(edit.ref) if outcome.stored else ""
            yield RemovedRange(numbers[at], numbers[at], what, edit.reason, edit.gain, ref)
