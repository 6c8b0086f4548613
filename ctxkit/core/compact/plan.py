"""The input of a compaction, and the plan of its changes."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal, NamedTuple

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.model.message import EntryLink, Place, Record, Rewind
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.compact.policy import CompactionPolicy
from ctxkit.core.compact.services import SummaryResult, TokenCounter
from ctxkit.core.summary.frame import SummaryPrefix, is_instruction, is_summary, split_prefix
from ctxkit.core.summary.tool_call import find_observations
from ctxkit.core.summary.user_words import find_user_words
from ctxkit.core.text.json_value import replace_surrogates

EditKind = Literal["cleared", "truncated"]


class ShortenedText(NamedTuple):
    """A shorter text with its ``patches``; ``stored`` contains the replaced bytes, whose SHA-256 is ``ref``.

    ``text`` is the new text, ``gain`` the tokens saved. ``is_result`` is false for a message's own words.
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
    """A summary: its text, the key from which ids are derived, its upper token count, and the page it continues."""

    text: str
    key: str
    result: SummaryResult
    cost: int
    earlier_page: str = ""

    def with_record(self, record: str) -> "SummaryMessage":
        """Return the summary with a record below its page; ids stay, as they are derived from the page."""
        return self._replace(text=replace_surrogates(f"{self.text.rstrip()}\n\n{record.strip()}\n"))


class _InputFields(NamedTuple):
    transcript: Transcript
    path: tuple[Record, ...]
    inactive: Mapping[int, str]
    token_counter: TokenCounter
    policy: CompactionPolicy
    total_tokens: int
    fixed_tokens: int
    prefixes: Mapping[int, SummaryPrefix] = {}
    previous_role: str = ""


class CompactionInput(_InputFields):
    """A conversation to compact: its active ``path``, its total tokens, and the tokens outside the path.

    ``inactive`` maps entries that are not sent to a reason; the first change drops them. ``prefixes`` maps messages
    that begin with a summary to that summary; ``path`` contains them without it. ``previous_role`` is the role of the
    last summary: it suited the API, which the remaining messages may no longer reveal.
    """

    @cached_property
    def last_request(self) -> int:
        """Return the position in the path of the user's last request, -1 if there is none."""
        places = [message.at for message in find_user_words(self.path)]
        return next((at for at in reversed(places) if not self.path[at].results), -1)

    @cached_property
    def instruction_tokens(self) -> int:
        """Return the tokens of the instructions on the path, and of what stands outside it."""
        return self.fixed_tokens + self.token_counter.count_records(filter(is_instruction, self.path))

    @property
    def request_record(self) -> Record | None:
        """Return the entry of the user's last request, None if there is none."""
        return self.path[self.last_request] if self.last_request >= 0 else None

    @cached_property
    def observations(self) -> frozenset[int]:
        """Return the positions in the path of messages with the user role that contain tool output."""
        return find_observations(self.path)

    @cached_property
    def first_unseen(self) -> int:
        """Return the position in the path of the first message that the model has not seen, in a loop of requests.

        What follows the model's last words is sent for the first time.
        """
        if not self.policy.is_in_loop:
            return len(self.path)
        return max((at for at, record in enumerate(self.path) if record.role == "assistant"), default=-1) + 1

    @property
    def prefix_tokens(self) -> int:
        """Return the tokens of the summaries that are prefixes of messages."""
        full_tokens = self.token_counter.count_records(self.transcript.records[at] for at in self.prefixes)
        return full_tokens - self.token_counter.count_records(prefix.record for prefix in self.prefixes.values())

    def record(self, at: int) -> Record:
        """Return an entry in the form that the path contains."""
        return self.prefixes[at].record if at in self.prefixes else self.transcript.records[at]


class CompactionPlan(NamedTuple):
    """The planned changes: shortened texts, dropped entries with their reasons, and the summary.

    Unless ``drops_inactive`` is set, entries that are not sent remain in the file.
    """

    shortened: Mapping[int, Mapping[Place, ShortenedText]] = {}
    dropped: Mapping[int, str] = {}
    summary: SummaryMessage | None = None
    drops_inactive: bool = True

    @property
    def is_empty(self) -> bool:
        """Return whether the plan changes nothing."""
        return not (self.shortened or self.dropped or self.summary)

    def edits(self) -> Iterator[tuple[int, ShortenedText]]:
        """Yield each edit of a kept entry with the index of the entry."""
        for at in sorted(self.shortened.keys() - self.dropped.keys()):
            yield from ((at, edit) for _, edit in sorted(self.shortened[at].items(), key=lambda pair: str(pair[0])))

    def with_edits(self, edits: Iterable[tuple[int, Place, ShortenedText]]) -> "CompactionPlan":
        """Return the plan with more shortened texts, each with the index of its entry and its place."""
        shortened = dict(self.shortened)
        for at, place, edit in edits:
            shortened[at] = {**shortened.get(at, {}), place: edit}
        return self._replace(shortened=shortened)


class ConversationVersion(NamedTuple):
    """A conversation after some of the stages, with its plan and its size in tokens."""

    draft: CompactionPlan
    transcript: Transcript
    size: int


def prepare_input(
    transcript: Transcript, token_counter: TokenCounter, policy: CompactionPolicy, leaf: str = ""
) -> CompactionInput:
    """Return the input of a compaction; raise KeyError if ``leaf`` does not exist."""
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
    """Yield the entries that are not sent, with the reason: other branches, side chains, and rewound turns."""
    for record in transcript.records:
        if any(isinstance(entry, Rewind) and entry.turns is not None for entry in record.entries):
            yield record.at, "taken back"
        elif record.at not in path and record.kind in ("message", "summary") and record.messages:
            yield record.at, _explain_inactive(record.link or EntryLink(""))


def _explain_inactive(link: EntryLink) -> str:
    """Return why a message is not sent."""
    if link.is_sidechain:
        return "side chain"
    return "replaced, or in another branch" if link.series else "other branch"


def count_leading_instructions(path: tuple[Record, ...]) -> int:
    """Return the number of system messages at the beginning of a path."""
    return next((at for at, record in enumerate(path) if not is_instruction(record)), len(path))
