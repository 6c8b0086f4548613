"""Word a reference to content that entered a session's context before, and what has changed since."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.tokens.token_count import TokenCount, count_tokens

if TYPE_CHECKING:
    from ctxkit.core.gate.decision import GatePolicy, GateResult, GateServices
    from ctxkit.core.session.ledger import LedgerEntry
    from ctxkit.core.store.store_interface import Store


class Repetition(NamedTuple):
    """Content that was stored under a ref, and what it is compared and replaced with."""

    data: bytes
    ref: str
    gate_result: GateResult
    policy: GatePolicy
    services: GateServices
    store: Store

    def replace(self, entry: LedgerEntry, *, is_same: bool) -> GateResult | None:
        """Return the result with a reference to an earlier entry, or with the changes since; None if that is long."""
        lines = _split_lines(self.data)
        whole = self.gate_result._replace(ref=self.ref, lines=len(lines))
        if is_same:
            text = describe_same(entry, self.policy, whole, self.gate_result.token_count, self.store)
        else:
            text = self._describe_changes(entry, lines, whole)
        count = self._count_if_short(text)
        if count is None:
            return None
        return whole._replace(
            result="repeated" if is_same else "changed",
            token_count=count,
            content=(text,),
            original=self.gate_result.token_count,
            size=len(self.data),
            earlier=entry,
        )

    def _describe_changes(self, entry: LedgerEntry, new: list[bytes], whole: GateResult) -> bytes:
        """Return the tests whose outcome changed, the changes as hunks, and how to read the whole."""
        policy, read = self.policy, make_read_hint(self.store, self.policy, whole)
        head = make_head(policy, describe_size(len(new), self.gate_result.token_count))
        stored = self.store.open(entry.ref)
        old = _split_lines(stored.read(0, stored.lines.size))
        rows = [
            f"{head}what has changed since the output of {_name_call(entry, policy)} above",
            *compare_outcomes(old, new).describe(),
            "",
        ]
        hunks = format_changes(old, new, list_changes(old, new))
        return (
            "\n".join(rows).encode("utf-8", "surrogateescape")
            + b"".join(hunks)
            + f"{read}\n".encode("utf-8", "replace")
        )

    def _count_if_short(self, text: bytes) -> TokenCount | None:
        """Return the tokens of a text if it is at most half as long as the content."""
        vocabulary = self.policy.vocabulary
        count = count_tokens((text,), vocabulary, self.services.tokenizer(vocabulary))
        return count if 2 * count.high <= self.gate_result.token_count.tokens else None


def describe_size(lines: int, count: TokenCount) -> str:
    """Return the lines and the tokens of content."""
    return f"{pluralize(lines, 'line')}, {count.tokens:,} tokens"


def make_read_hint(store: Store, policy: GatePolicy, gate_result: GateResult) -> str:
    """Return how to read the whole of stored content."""
    stored = store.open(gate_result.ref)
    hint = policy.hint.with_location(shorten_ref(stored.ref), stored.path)
    return hint.without_alternative().for_lines(1, gate_result.lines)


def describe_same(
    entry: LedgerEntry, policy: GatePolicy, gate_result: GateResult, count: TokenCount, store: Store
) -> bytes:
    """Return the line about content that is the same as that of an earlier call."""
    size, read = describe_size(gate_result.lines, count), make_read_hint(store, policy, gate_result)
    return f"{make_head(policy, size)}the same as the output of {_name_call(entry, policy)} above. {read}\n".encode(
        "utf-8", "replace"
    )


def make_head(policy: GatePolicy, size: str) -> str:
    """Return the beginning of the first line: title, size and the status of a failed command."""
    status = policy.preface()
    return f"# {policy.title} ({size}{f'; {status}' if status else ''}): "


def _name_call(entry: LedgerEntry, policy: GatePolicy) -> str:
    call = f"call {entry.call}" if entry.call else "an earlier call"
    return call if entry.name == policy.display_name else f"{call} of {entry.name}"


def _split_lines(data: bytes) -> list[bytes]:
    """Return the lines with their newlines; only a newline ends a line."""
    lines = data.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


_MAX_LINE = 500
"""Bytes of the longest line that names a test."""
_PATTERNS = (
    re.compile(rb"^(?P<name>(?=\S*::)\S{1,300}(?: [^\n]{0,200}?)?) (?P<state>PASSED|FAILED|ERROR)\b"),  # pytest -v
    re.compile(rb"^(?P<state>PASSED|FAILED|ERROR) (?P<name>\S+::\S+)"),  # pytest's summary
    re.compile(rb"^test (?P<name>\S+) \.\.\. (?P<state>ok|FAILED)$"),  # cargo test
    re.compile(rb"^ *--- (?P<state>PASS|FAIL): (?P<name>\S+) \("),  # go test
    re.compile(rb"^(?P<name>test\w* \([\w.]+\)) \.\.\. (?P<state>ok|FAIL|ERROR)$"),  # unittest -v
    re.compile(rb"^(?P<state>ok|not ok) \d+ (?:- )?(?P<name>\S[^\n]{0,200})$"),  # TAP
)
_PASSED = (b"PASSED", b"ok", b"PASS")


class OutcomeChange(NamedTuple):
    """Tests that fail now and did not, that pass now and failed, and that are no longer named as failing."""

    failing: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()

    def describe(self) -> list[str]:
        """Return a sentence for each kind of change."""
        rows = (
            ("newly failing", self.failing),
            ("newly passing", self.passing),
            ("no longer named as failing", self.unnamed),
        )
        return [f"{title}: {', '.join(names)}" for title, names in rows if names]


def read_outcomes(lines: Iterable[bytes]) -> dict[str, bool]:
    """Return whether each test that a line names has passed; a failure outweighs a pass."""
    outcomes: dict[str, bool] = {}
    for line in lines:
        row = line.rstrip()
        if not row or len(row) > _MAX_LINE:
            continue
        for pattern in _PATTERNS:
            if match := pattern.match(row):
                name = match["name"].decode("utf-8", "surrogateescape")
                outcomes[name] = outcomes.get(name, True) and match["state"] in _PASSED
                break
    return outcomes


def compare_outcomes(old: Iterable[bytes], new: Iterable[bytes]) -> OutcomeChange:
    """Return the tests whose outcome differs between two runs."""
    before, after = read_outcomes(old), read_outcomes(new)
    failed = [name for name, passed in before.items() if not passed]
    return OutcomeChange(
        tuple(name for name, passed in after.items() if not passed and before.get(name, True)),
        tuple(name for name in failed if after.get(name)),
        tuple(name for name in failed if name not in after),
    )


Lines = Sequence[bytes]
_CONTEXT = 1
"""Unchanged lines that are shown before and after a change."""


class LineChange(NamedTuple):
    """Lines ``start`` to ``end`` of the old text, which became ``new_start`` to ``new_end``; 0-based, half-open."""

    start: int
    end: int
    new_start: int
    new_end: int


def list_changes(old: Lines, new: Lines) -> list[LineChange]:
    """Return the changes between two texts: lines that both have once, in the same order, are the fixed points."""
    changes: list[LineChange] = []
    at = new_at = 0
    for anchor, new_anchor in [*_find_anchors(old, new), (len(old), len(new))]:
        if anchor < at or new_anchor < new_at:  # inside a match that was extended
            continue
        changes += _trim(old, new, LineChange(at, anchor, new_at, new_anchor))
        at, new_at = anchor + 1, new_anchor + 1
    return _join_adjacent(changes)


def _find_anchors(old: Lines, new: Lines) -> list[tuple[int, int]]:
    """Return the longest series of lines that occur once in each text and have the same order in both."""
    places, new_places = _find_unique(old), _find_unique(new)
    pairs = [(at, new_places[line]) for line, at in places.items() if line in new_places]
    return _pick_increasing(sorted(pairs))


def _find_unique(lines: Lines) -> dict[bytes, int]:
    places: dict[bytes, int] = {}
    repeated = set()
    for at, line in enumerate(lines):
        if line in places:
            repeated.add(line)
        places[line] = at
    return {line: at for line, at in places.items() if line not in repeated}


def _pick_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest series of pairs whose second numbers increase."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, new_at) in enumerate(pairs):
        length = bisect_left(ends, new_at)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [new_at]
        last[length : length + 1] = [number]
    series: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        series.append(pairs[number])
        number = before[number]
    return series[::-1]


def _trim(old: Lines, new: Lines, change: LineChange) -> list[LineChange]:
    """Return a change without the lines that both versions begin and end with; none if nothing is left."""
    start, end, new_start, new_end = change
    while start < end and new_start < new_end and old[start] == new[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < end and new_start < new_end and old[end - 1] == new[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    return [LineChange(start, end, new_start, new_end)] if start < end or new_start < new_end else []


def _join_adjacent(changes: list[LineChange]) -> list[LineChange]:
    """Return the changes with those joined whose context would overlap."""
    joined: list[LineChange] = []
    for change in changes:
        if joined and change.start - joined[-1].end <= 2 * _CONTEXT:
            change = LineChange(joined[-1].start, change.end, joined.pop().new_start, change.new_end)
        joined.append(change)
    return joined


def format_changes(old: Lines, new: Lines, changes: Sequence[LineChange]) -> Iterator[bytes]:
    """Yield the changes as hunks of a unified diff, with the line numbers of both versions."""
    for change in changes:
        before = min(_CONTEXT, change.start, change.new_start)
        after = min(_CONTEXT, len(old) - change.end, len(new) - change.new_end)
        span = _format_range(change.start - before, change.end + after)
        new_span = _format_range(change.new_start - before, change.new_end + after)
        yield f"@@ -{span} +{new_span} @@\n".encode()
        yield from (_mark(b" ", line) for line in old[change.start - before : change.start])
        yield from (_mark(b"-", line) for line in old[change.start : change.end])
        yield from (_mark(b"+", line) for line in new[change.new_start : change.new_end])
        yield from (_mark(b" ", line) for line in old[change.end : change.end + after])


def _format_range(start: int, end: int) -> str:
    """Return a range as diff prints it: the first line and the number of lines."""
    return f"{start + 1 if end > start else start},{end - start}"


def _mark(sign: bytes, line: bytes) -> bytes:
    return sign + line + (b"" if line.endswith(b"\n") else b"\n\\ No newline at end of file\n")
