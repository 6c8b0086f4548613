"""Repeated tool results: how often a result is the same as an earlier one of its session, or nearly the same.

    python -m bench repeats [--inputs DIR]

The sessions are those of the corpora and of CTXKIT_SESSIONS, or of DIR. Tokens are those of o200k. A result is the same
if all its bytes are. It is nearly the same if its changes since an earlier result take half its tokens or less. Results
below 200 tokens are counted apart, because a reference to earlier content would save little.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bench.compact.said import Said
from bench.compact.sessions import read_sessions
from bench.figure import Figure
from bench.place import Place
from ctxkit.app.services import engines
from ctxkit.core.gate.repetition import LEAST_TOKENS
from ctxkit.core.gate.repetition_text import format_changes, list_changes
from ctxkit.core.tokens.vocabulary import find_vocabulary

SUITE = "repeats"
COMPARED = 40
"""Earlier results of a session that share the most lines with a result and are compared with it."""
Count = Callable[[str], int]


class Result(NamedTuple):
    """A tool result: its call as text, its words, and its tokens."""

    call: str
    text: str
    tokens: int


@dataclass
class Tally:
    """Hold the results of all sessions, and how many repeat earlier ones."""

    sessions: int = 0
    results: int = 0
    tokens: int = 0
    small: int = 0
    same: int = 0
    same_tokens: int = 0
    same_call: int = 0
    near: int = 0
    near_tokens: int = 0
    near_saved: int = 0
    near_call: int = 0
    by_session: list[str] = field(default_factory=list)

    @property
    def saving(self) -> int:
        """Return the tokens that repeat what was there before."""
        return self.same_tokens + self.near_saved


def figures(place: Place) -> Iterator[Figure]:
    """Yield how many results repeat earlier ones, and the tokens of them."""
    count = engines.load_tokenizer(find_vocabulary("o200k"))
    tally = Tally()
    for session in read_sessions(place):
        before = tally.saving
        add_session(tally, list(list_results(session.rows, count)), count)
        if tally.saving > before:
            tally.by_session.append(f"{session.name}: {tally.saving - before:,} tokens")
    yield from _report(tally)


def list_results(rows: Sequence[Said], count: Count) -> Iterator[Result]:
    """Yield the tool results of a session in order, each with its call."""
    calls = {did.id: f"{did.name} {sorted(did.arguments.items())!r}" for row in rows for did in row.did}
    for row in rows:
        if row.answers and row.text.strip():
            yield Result(calls.get(row.answers, ""), row.text, count(row.text))


def add_session(tally: Tally, results: Sequence[Result], count: Count) -> None:
    """Add the results of a session to the sums."""
    tally.sessions += 1
    earlier: list[Result] = []
    for result in results:
        tally.results += 1
        tally.tokens += result.tokens
        if result.tokens < LEAST_TOKENS:
            tally.small += 1
            continue
        _add_result(tally, result, earlier, count)
        earlier.append(result)


def _add_result(tally: Tally, result: Result, earlier: Sequence[Result], count: Count) -> None:
    same = [other for other in earlier if other.text == result.text]
    if same:
        tally.same += 1
        tally.same_tokens += result.tokens
        tally.same_call += any(other.call == result.call for other in same)
        return
    changes = [(count_changes(other.text, result.text, count), other) for other in _find_similar(result, earlier)]
    least, nearest = min(changes, default=(result.tokens, result), key=lambda pair: pair[0])
    if 2 * least <= result.tokens:
        tally.near += 1
        tally.near_tokens += result.tokens
        tally.near_saved += result.tokens - least
        tally.near_call += nearest.call == result.call


def _find_similar(result: Result, earlier: Sequence[Result]) -> list[Result]:
    """Return the earlier results that share the most lines with a result."""
    lines = set(result.text.splitlines())
    shared = [(len(lines.intersection(other.text.splitlines())), other) for other in earlier]
    return [other for number, other in sorted(shared, key=lambda pair: -pair[0])[:COMPARED] if number]


def count_changes(old: str, new: str, count: Count) -> int:
    """Return the tokens of the changes between two texts, as hunks."""
    before, after = (text.encode("utf-8", "surrogateescape").splitlines(keepends=True) for text in (old, new))
    return count(b"".join(format_changes(before, after, list_changes(before, after))).decode("utf-8", "replace"))


def _report(tally: Tally) -> Iterator[Figure]:
    if not tally.results:
        yield Figure(SUITE, "tool results", "skipped", notes=("there are no sessions",))
        return
    size = f"{tally.results:,} of {tally.sessions:,} sessions, {tally.tokens:,} tokens"
    yield Figure(SUITE, "tool results", f"{size}; {tally.small:,} below {LEAST_TOKENS} tokens")
    rest = tally.results - tally.small
    yield Figure(
        SUITE,
        "the same as an earlier result",
        f"{tally.same:,} of {rest:,}, {tally.same_tokens:,} tokens ({tally.same_tokens / tally.tokens:.1%})",
        notes=[f"{tally.same_call:,} after the same call"],
    )
    share = f"{tally.near_saved / tally.tokens:.1%}"
    yield Figure(
        SUITE,
        "nearly the same",
        f"{tally.near:,} of {rest:,}, {tally.near_saved:,} of {tally.near_tokens:,} tokens unchanged ({share})",
        notes=[f"{tally.near_call:,} after the same call", *tally.by_session],
    )
