"""What a compaction means to change, before it is written, and the conversation that comes of it."""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from ctxkit.core.chat.editor import Patch
from ctxkit.core.chat.message import Rewind
from ctxkit.core.chat.path import active
from ctxkit.core.chat.record import Place, Record
from ctxkit.core.chat.transcript import Transcript
from ctxkit.core.compact.balance import Balance
from ctxkit.core.compact.lead import Lead, instructs, is_summary, lead_of
from ctxkit.core.compact.policy import Policy
from ctxkit.core.compact.writing import Written

How = Literal["cleared", "truncated"]


class Shortened(NamedTuple):
    """Put a shorter text where one stands: ``patches`` do it, ``stored`` is what stood there, under its ref.

    ``gain`` is in tokens, ``text`` what a model reads now. It is the ``result`` of a call, else somebody's words.
    """

    how: How
    patches: tuple[Patch, ...]
    text: str
    stored: bytes
    ref: str
    gain: int
    reason: str
    tool: str = ""
    call: str = ""
    result: bool = True


class Page(NamedTuple):
    """Hold a summary: its text, what the ids of its entries are made of, and what it takes in tokens at most."""

    text: str
    key: str
    written: Written
    cost: int


class Case(NamedTuple):
    """Hold a conversation to be compacted: its active ``path``, and what it takes in ``total`` and beside the path.

    ``aside`` are entries that no longer count, each with the reason: they leave with the first change. ``leads`` are
    messages of the path that a summary stands before; in the path they are without it. ``habit`` is the role in which
    the last summary entered: what is left of a conversation may no longer show which API it is for, and that suited.
    """

    transcript: Transcript
    path: tuple[Record, ...]
    aside: Mapping[int, str]
    balance: Balance
    policy: Policy
    total: int
    fixed: int
    leads: Mapping[int, Lead] = {}
    habit: str = ""

    @property
    def led(self) -> int:
        """Return what the summaries take that stand before messages of the path."""
        raw = self.balance.costs(self.transcript.records[at] for at in self.leads)
        return raw - self.balance.costs(lead.record for lead in self.leads.values())

    def record(self, at: int) -> Record:
        """Return an entry as the path has it."""
        return self.leads[at].record if at in self.leads else self.transcript.records[at]


class Draft(NamedTuple):
    """Say what is to be different: texts that are shortened, entries that leave with the reason, the summary.

    Unless it is ``lean``, what is no longer sent stays where it is.
    """

    shortened: Mapping[int, Mapping[Place, Shortened]] = {}
    dropped: Mapping[int, str] = {}
    page: Page | None = None
    lean: bool = True

    @property
    def empty(self) -> bool:
        """Tell whether nothing is to be different."""
        return not (self.shortened or self.dropped or self.page)

    def edits(self) -> Iterator[tuple[int, Shortened]]:
        """Yield what is shortened in entries that stay, with the entry's place."""
        for at in sorted(self.shortened.keys() - self.dropped.keys()):
            yield from ((at, edit) for _, edit in sorted(self.shortened[at].items(), key=lambda pair: str(pair[0])))

    def shortening(self, at: int, place: Place, edit: Shortened) -> "Draft":
        """Return the draft with a text shortened."""
        return self._replace(shortened={**self.shortened, at: {**self.shortened.get(at, {}), place: edit}})


def case_of(transcript: Transcript, balance: Balance, policy: Policy, leaf: str = "") -> Case:
    """Return a conversation with what its compaction needs to know; raises KeyError for a leaf that is not there."""
    places = active(transcript, leaf)
    leads = {at: lead for at in places if (lead := lead_of(transcript.records[at]))}
    path = tuple(leads[at].record if at in leads else transcript.records[at] for at in places)
    total = balance.sum(transcript).amount.high
    aside = dict(_aside(transcript, set(places)))
    fixed = total - balance.costs(transcript.records[at] for at in places)
    return Case(transcript, path, aside, balance, policy, total, max(fixed, 0), leads, _habit(path, leads))


def _habit(path: tuple[Record, ...], leads: Mapping[int, Lead]) -> str:
    return "user" if leads else next((record.role for record in reversed(path) if is_summary(record)), "")


def _aside(transcript: Transcript, path: set[int]) -> Iterator[tuple[int, str]]:
    """Yield what is not sent any more: other branches, what an earlier compaction replaced or a user took back."""
    for record in transcript.records:
        if any(isinstance(entry, Rewind) and entry.turns is not None for entry in record.entries):
            yield record.at, "taken back"
        elif record.at not in path and record.kind in ("message", "summary") and record.messages:
            side = record.link is not None and record.link.side
            yield record.at, "side chain" if side else "other branch"


def front(path: tuple[Record, ...]) -> int:
    """Return how many messages of the system a path begins with."""
    return next((at for at, record in enumerate(path) if not instructs(record)), len(path))
