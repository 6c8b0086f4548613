"""What a compaction took out of a conversation, written down, and the way to have it back."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from ctxkit.core.chat.record import Record
from ctxkit.core.chat.transcript import Transcript
from ctxkit.core.compact.links import NOTE
from ctxkit.core.compact.outcome import Outcome
from ctxkit.core.ref import FULL, prefix_of
from ctxkit.core.store import Store
from ctxkit.core.trouble import IOFailed, Malformed, NotHeld

VERSION = 1
KIND = "ctxkit manifest"


class Original(NamedTuple):
    """Say which bytes a manifest leads back to; ``ref`` is empty where they were not stored."""

    ref: str
    sha256: str
    size: int


def manifest_of(outcome: Outcome, original: Transcript, data: bytes, name: str) -> dict[str, Any]:
    """Return the manifest of a compaction as a JSON object; ``original`` is the conversation that ``data`` holds.

    Lines and bytes are 1-based, inclusive and those of the original.
    """
    whole = sha256(data).hexdigest()
    ref = whole if outcome.stored else ""
    changes = [*_ranges(outcome, original, data, ref), *_texts(outcome, original)]
    return {
        "kind": KIND,
        "version": VERSION,
        "name": name,
        "format": original.format.NAME,
        "original": {**_side(ref, data), "tokens": outcome.before.amount.tokens, "messages": outcome.before.messages},
        "output": {
            **_side("", outcome.content),
            "tokens": outcome.after.amount.tokens,
            "messages": outcome.after.messages,
        },
        "summary": _summary(outcome),
        "repairs": list(outcome.repairs),
        "changes": sorted(changes, key=lambda change: (change["lines"][0], change["bytes"][0])),
    }


def _side(ref: str, data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {"sha256": sha256(data).hexdigest(), "size": len(data)}
    return {"ref": ref, **found} if ref else found


def _summary(outcome: Outcome) -> dict[str, Any] | None:
    page = outcome.draft.page
    if page is None:
        return None
    digest = sha256(page.text.encode("utf-8", "surrogatepass")).hexdigest()
    return {"tokens": page.cost, "sha256": digest, "summarizer": page.written.writer}


def _ranges(outcome: Outcome, original: Transcript, data: bytes, ref: str) -> Iterator[dict[str, Any]]:
    """Yield what left, entries in a row that left for one reason together."""
    case = outcome.case
    assert case is not None
    left = {outcome.origin[at]: (reason, case.transcript.records[at]) for at, reason in outcome.left.items()}
    left |= {at: ("repaired", original.records[at]) for at in _lost(outcome, original)}
    places = sorted(at for at in left if at is not None)
    runs: list[list[int]] = []
    for at in places:
        if runs and runs[-1][-1] == at - 1 and left[at][0] in (left[runs[-1][0]][0], NOTE):
            runs[-1].append(at)
        else:
            runs.append([at])
    offset = Offsets(original)
    for run in runs:
        records = [original.records[at] for at in run]
        reason = left[run[0]][0]
        tokens = sum(case.balance.cost(left[at][1]) for at in run)
        span = (offset.of(records[0].start), offset.of(records[-1].end))
        yield _range(original, data[slice(*span)], span, records, ref, reason, tokens)


def _lost(outcome: Outcome, original: Transcript) -> set[int]:
    """Return the entries that the repair took out."""
    return set(range(len(original.records))) - {at for at in outcome.origin if at is not None}


def _range(
    original: Transcript,
    data: bytes,
    span: tuple[int, int],
    records: list[Record],
    ref: str,
    reason: str,
    tokens: int,
) -> dict[str, Any]:
    line = original.line(records[0])
    return {
        "action": "summarized" if reason == "summarized" else "dropped",
        "reason": reason,
        "lines": [line, line + original.text.count("\n", records[0].start, records[-1].end)],
        "bytes": [span[0] + 1, span[1]],
        "entries": len(records),
        "ids": [id_ for record in records for id_ in ids_of(record)],
        "size": len(data),
        "tokens": tokens,
        "sha256": sha256(data).hexdigest(),
        **({"ref": ref} if ref else {}),
    }


def _texts(outcome: Outcome, original: Transcript) -> Iterator[dict[str, Any]]:
    """Yield what was shortened in entries that stay."""
    offset = Offsets(original)
    for at, edit in outcome.draft.edits():
        origin = outcome.origin[at]
        if origin is None:
            continue
        record = original.records[origin]
        line = original.line(record)
        yield {
            "action": edit.how,
            "reason": edit.reason,
            "lines": [line, line + original.raw(record).count("\n")],
            "bytes": [offset.of(record.start) + 1, offset.of(record.end)],
            "entries": 1,
            "ids": [edit.call] if edit.call else list(ids_of(record)),
            "tool": edit.tool,
            "size": len(edit.stored),
            "tokens": edit.gain,
            "sha256": sha256(edit.stored).hexdigest(),
            **({"ref": edit.ref} if outcome.stored else {}),
        }


def ids_of(record: Record) -> Iterator[str]:
    """Yield the ids by which an entry is known: its own, and those of its calls and results."""
    link = record.link
    value = record.value if isinstance(record.value, dict) else {}
    own = link.id if link is not None and link.id else value.get("id")
    found = [own if isinstance(own, str) else "", *(call.id for call in record.calls)]
    yield from dict.fromkeys(filter(None, [*found, *(result.id for result in record.results)]))


class Offsets:
    """Give the byte at which a character of a conversation stands; places are asked for in any order."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._known: dict[int, int] = {0: 0}
        self._plain = transcript.encoding == "utf-8" and transcript.text.isascii()

    def of(self, position: int) -> int:
        """Return the bytes before a position."""
        if self._plain:
            return position
        near = max(at for at in self._known if at <= position)
        size = len(self._transcript.encoded(self._transcript.text[near:position]))
        self._known[position] = self._known[near] + size
        return self._known[position]


def refs_of(manifest: Mapping[str, Any]) -> set[str]:
    """Return the refs that a manifest leads to."""
    held = [manifest["original"], *manifest["changes"]]
    return {one["ref"] for one in held if one.get("ref")}


def original_of(manifest: Any, name: str) -> Original:
    """Return what a manifest says of the original; raises Malformed where it is no manifest."""
    held = manifest.get("original") if isinstance(manifest, dict) and manifest.get("kind") == KIND else None
    whole: dict[str, Any] = held if isinstance(held, dict) else {}
    digest = whole.get("sha256")
    if not isinstance(digest, str) or len(digest) != FULL or prefix_of(digest) is None:
        raise Malformed(f"{name}: it is no manifest of a compaction", hint="compact --manifest FILE writes one")
    ref, size = whole.get("ref"), whole.get("size")
    return Original(ref if isinstance(ref, str) else "", digest, size if isinstance(size, int) else -1)


def restored(original: Original, store: Store, name: str) -> Iterable[bytes]:
    """Return the original of a conversation, once its bytes are proved to be what the manifest says.

    Raises NotHeld where they were never stored or are gone, IOFailed where they are not what they were.
    """
    if not original.ref:
        raise NotHeld(f"{name}: the original was not stored", hint="it was compacted with --no-store")
    try:
        held = store.open(store.find(original.ref))
    except NotHeld:
        raise NotHeld(f"{name}: the original {original.ref[:12]} is no longer stored in {store.place}") from None
    digest, pieces = sha256(), []
    for offset in range(0, held.lines.size, 1 << 20):
        pieces.append(held.read(offset, min(1 << 20, held.lines.size - offset)))
        digest.update(pieces[-1])
    if digest.hexdigest() != original.sha256:
        what = f"what is stored under {original.ref[:12]} is not the original"
        raise IOFailed(f"{name}: {what}", hint="ctxkit cache verify")
    return pieces
