"""What a compaction means to change, before it is written, and the conversation that comes of it."""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from ctxkit.core.chat.branches.active_path import find_active_path
from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.model.message import Rewind
from ctxkit.core.chat.model.record import Place, Record
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.compact.policy import CompactionPolicy
from ctxkit.core.compact.summary_prefix import SummaryPrefix, is_instruction, is_summary, split_prefix
from ctxkit.core.compact.summary_writer import SummaryResult
from ctxkit.core.compact.token_counter import TokenCounter

EditKind = Literal["cleared", "truncated"]


class ShortenedText(NamedTuple):
    """Put a shorter text where one stands: ``patches`` do it, ``stored`` is what stood there, under its ref.

    ``gain`` is in tokens, ``text`` what a model reads now. It is the ``is_result`` of a call, else somebody's words.
    """

    kind: EditKind
    patches: tuple[ValuePatch, ...]
    text: str
    stored: bytes
    ref: str
    gain: int
    reason: str
    tool: str = ""
    call: str = ""
    is_result: bool = True


class SummaryMessage(NamedTuple):
    """Hold a summary: its text, what the ids of its entries are made of, and what it takes in tokens at most."""

    text: str
    key: str
    result: SummaryResult
    cost: int


class CompactionInput(NamedTuple):
    """Hold a conversation to compact: its active ``path``, what it takes in all, and what it takes beside the path.

    ``inactive`` are entries that no longer count, each with the reason: they leave with the first change. ``prefixes``
    are messages of the path that a summary stands before; in the path they are without it. ``previous_role`` is the
    role in which the last summary entered: what is left of a conversation may no longer show which API it is for, and
    that suited.
    """

    transcript: Transcript
    path: tuple[Record, ...]
    inactive: Mapping[int, str]
    token_counter: TokenCounter
    policy: CompactionPolicy
    total_tokens: int
    fixed_tokens: int
    prefixes: Mapping[int, SummaryPrefix] = {}
    previous_role: str = ""

    @property
    def prefix_tokens(self) -> int:
        """Return what the summaries take that stand before messages of the path."""
        full_tokens = self.token_counter.count_records(self.transcript.records[at] for at in self.prefixes)
        return full_tokens - self.token_counter.count_records(prefix.record for prefix in self.prefixes.values())

    def record(self, at: int) -> Record:
        """Return an entry as the path has it."""
        return self.prefixes[at].record if at in self.prefixes else self.transcript.records[at]


class CompactionPlan(NamedTuple):
    """Say what is to be different: texts that are shortened, entries that leave with the reason, the summary.

    Unless it is ``drops_inactive``, what is no longer sent stays where it is.
    """

    shortened: Mapping[int, Mapping[Place, ShortenedText]] = {}
    dropped: Mapping[int, str] = {}
    summary: SummaryMessage | None = None
    drops_inactive: bool = True

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing is to be different."""
        return not (self.shortened or self.dropped or self.summary)

    def edits(self) -> Iterator[tuple[int, ShortenedText]]:
        """Yield what is shortened in entries that stay, with the entry's place."""
        for at in sorted(self.shortened.keys() - self.dropped.keys()):
            yield from ((at, edit) for _, edit in sorted(self.shortened[at].items(), key=lambda pair: str(pair[0])))

    def with_edit(self, at: int, place: Place, edit: ShortenedText) -> "CompactionPlan":
        """Return the draft with a text shortened."""
        return self._replace(shortened={**self.shortened, at: {**self.shortened.get(at, {}), place: edit}})


def prepare_input(
    transcript: Transcript, token_counter: TokenCounter, policy: CompactionPolicy, leaf: str = ""
) -> CompactionInput:
    """Return a conversation with what its compaction needs to know; raises KeyError for a leaf that is not there."""
    places = find_active_path(transcript, leaf)
    prefixes = {at: prefix for at in places if (prefix := split_prefix(transcript.records[at]))}
    path = tuple(prefixes[at].record if at in prefixes else transcript.records[at] for at in places)
    total = token_counter.count_transcript(transcript).amount.high
    inactive = dict(_find_inactive(transcript, set(places)))
    fixed = total - token_counter.count_records(transcript.records[at] for at in places)
    return CompactionInput(
        transcript,
        path,
        inactive,
        token_counter,
        policy,
        total,
        max(fixed, 0),
        prefixes,
        _find_previous_role(path, prefixes),
    )


def _find_previous_role(path: tuple[Record, ...], prefixes: Mapping[int, SummaryPrefix]) -> str:
    return "user" if prefixes else next((record.role for record in reversed(path) if is_summary(record)), "")


def _find_inactive(transcript: Transcript, path: set[int]) -> Iterator[tuple[int, str]]:
    """Yield what is not sent any more: other branches, what an earlier compaction replaced or a user took back."""
    for record in transcript.records:
        if any(isinstance(entry, Rewind) and entry.turns is not None for entry in record.entries):
            yield record.at, "taken back"
        elif record.at not in path and record.kind in ("message", "summary") and record.messages:
            side = record.link is not None and record.link.is_sidechain
            yield record.at, "side chain" if side else "other branch"


def count_leading_instructions(path: tuple[Record, ...]) -> int:
    """Return how many messages of the system a path begins with."""
    return next((at for at, record in enumerate(path) if not is_instruction(record)), len(path))
