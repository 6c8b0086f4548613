"""Replace content that entered a session's context before by a line, or by what has changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.ref import SHORT_LENGTH, shorten_ref
from ctxkit.core.tokens.token_count import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctxkit.core.gate.policy import GatePolicy, GateServices
    from ctxkit.core.gate.result import GateResult
    from ctxkit.core.session.ledger import LedgerEntry
    from ctxkit.core.store.store_interface import Store
    from ctxkit.core.tokens.token_count import TokenCount

LEAST_TOKENS = 200
"""Tokens below which content passes as it is: a reference to earlier content would save little."""
MOST_BYTES = 1 << 20
"""Size above which content is not compared."""
_PASSED = ("raw", "tight")
_HEXADECIMAL = b"0123456789abcdef"
_NOT_HEXADECIMAL = bytes(set(range(256)) - set(_HEXADECIMAL))
_BLANKS = bytes.maketrans(_NOT_HEXADECIMAL, b" " * len(_NOT_HEXADECIMAL))


class EarlierContent(NamedTuple):
    """Content that passed whole before and is still in the context, and its relation to new content."""

    entry: LedgerEntry
    same: bool


def find_earlier(entries: Sequence[LedgerEntry], name: str, agent: str, ref: str) -> EarlierContent | None:
    """Return the newest entry with the same content, else the newest with the same name; None if there is none.

    ``entries`` are those that are still in the context, oldest first. Only whole content counts, not maps.
    """
    whole = [entry for entry in reversed(entries) if entry.result in _PASSED and entry.ref and entry.agent == agent]
    same = next((entry for entry in whole if entry.ref == ref), None)
    if same is not None:
        return EarlierContent(same, True)
    near = next((entry for entry in whole if name and entry.name == name), None)
    return EarlierContent(near, False) if near is not None else None


def replace_repeated(
    gate_result: GateResult,
    policy: GatePolicy,
    services: GateServices,
    list_entries: Callable[[], Sequence[LedgerEntry]],
) -> GateResult:
    """Return the result with repeated content replaced, if that is at most half as long; else with its content stored.

    ``list_entries`` returns the entries that are still in the context. A map is replaced if its content is in the
    context as a whole. Whatever fails, the content passes.
    """
    if services.store is None or not _is_long_enough(gate_result):
        return gate_result
    if gate_result.result == "briefing":
        return _replace_map(gate_result, policy, services, services.store, list_entries)
    data = b"".join(gate_result.content)
    gate_result = gate_result._replace(content=(data,))
    try:
        if not _can_be_compared(data):
            return gate_result
        repetition = _Repetition(data, gate_result, policy, services, services.store())
        return repetition.replace(list_entries())
    except Exception:  # no fault here may keep content out
        return gate_result


def is_comparable(gate_result: GateResult, data: bytes) -> bool:
    """Return whether content that passed is stored, and compared with earlier content."""
    return _is_long_enough(gate_result) and _can_be_compared(data)


def _can_be_compared(data: bytes) -> bool:
    return len(data) <= MOST_BYTES and b"\0" not in data and not _names_ref(data)


def _is_long_enough(gate_result: GateResult) -> bool:
    enough = gate_result.token_count.tokens >= LEAST_TOKENS
    return enough and gate_result.result in (*_PASSED, "briefing") and not gate_result.warning


def _replace_map(
    gate_result: GateResult,
    policy: GatePolicy,
    services: GateServices,
    open_store: Callable[[], Store],
    list_entries: Callable[[], Sequence[LedgerEntry]],
) -> GateResult:
    """Return the result with a line instead of the map of content that is in the context as a whole."""
    if not gate_result.ref or gate_result.original is None or gate_result.lines < 0:
        return gate_result
    try:
        earlier = find_earlier(list_entries(), "", policy.agent, gate_result.ref)
        if earlier is None:
            return gate_result
        size = _format_size(gate_result.lines, gate_result.original)
        text = _describe_same(earlier.entry, policy, size, _make_read_hint(open_store(), policy, gate_result))
        count = count_tokens((text,), policy.vocabulary, services.tokenizer(policy.vocabulary))
    except Exception:  # no fault here may keep content out
        return gate_result
    return gate_result._replace(
        result="repeated", token_count=count, content=(text,), briefing=None, earlier=earlier.entry
    )


def _format_size(lines: int, count: TokenCount) -> str:
    from ctxkit.core.text.measure import pluralize

    return f"{pluralize(lines, 'line')}, {count.tokens:,} tokens"


def _make_read_hint(store: Store, policy: GatePolicy, gate_result: GateResult) -> str:
    """Return how to read the whole of stored content."""
    hint = policy.hint.with_location(shorten_ref(gate_result.ref), store.open(gate_result.ref).path)
    return hint.without_alternative().for_lines(1, gate_result.lines)


def _describe_same(entry: LedgerEntry, policy: GatePolicy, size: str, read: str) -> bytes:
    """Return the line about content that is the same as that of an earlier call."""
    return f"{_make_head(policy, size)}the same as the output of {_name_call(entry, policy)} above. {read}\n".encode(
        "utf-8", "replace"
    )


def _make_head(policy: GatePolicy, size: str) -> str:
    status = policy.preface()
    return f"# {policy.title} ({size}{f'; {status}' if status else ''}): "


def _name_call(entry: LedgerEntry, policy: GatePolicy) -> str:
    call = f"call {entry.call}" if entry.call else "an earlier call"
    return call if entry.name == policy.display_name else f"{call} of {entry.name}"


def _names_ref(data: bytes) -> bool:
    """Return whether the last line names a ref, as that of a map does."""
    last = data.rstrip(b"\n").rpartition(b"\n")[2][-500:]
    return any(len(digits) == SHORT_LENGTH for digits in last.translate(_BLANKS).split())


class _Repetition(NamedTuple):
    """New content, and what it is compared and replaced with."""

    data: bytes
    gate_result: GateResult
    policy: GatePolicy
    services: GateServices
    store: Store

    def replace(self, entries: Sequence[LedgerEntry]) -> GateResult:
        """Return the shortened result, else the result with the ref under which its content is stored."""
        from ctxkit.core.store.store_content import store_content

        policy = self.policy
        ref = store_content(self.store, (self.data,), policy.label)
        stored_result = self.gate_result._replace(stored_ref=ref)
        earlier = find_earlier(entries, policy.label.name, policy.agent, ref)
        if earlier is None:
            return stored_result
        text = self._describe(earlier, ref)
        count = self._count_if_short(text)
        if count is None:
            return stored_result
        return self.gate_result._replace(
            result="repeated" if earlier.same else "changed",
            token_count=count,
            content=(text,),
            ref=ref,
            original=self.gate_result.token_count,
            size=len(self.data),
            lines=len(_split_lines(self.data)),
            earlier=earlier.entry,
        )

    def _describe(self, earlier: EarlierContent, ref: str) -> bytes:
        """Return the line about the same content, or the changes since, and how to read the whole."""
        lines, entry, policy = _split_lines(self.data), earlier.entry, self.policy
        read = _make_read_hint(self.store, policy, self.gate_result._replace(ref=ref, lines=len(lines)))
        size = _format_size(len(lines), self.gate_result.token_count)
        if earlier.same:
            return _describe_same(entry, policy, size, read)
        head = f"{_make_head(policy, size)}what has changed since the output of {_name_call(entry, policy)} above"
        return self._describe_changes(entry, lines, head) + f"{read}\n".encode("utf-8", "replace")

    def _describe_changes(self, entry: LedgerEntry, new: list[bytes], head: str) -> bytes:
        """Return the tests whose outcome changed, and the changes as hunks."""
        from ctxkit.core.repetition.difference import format_changes, list_changes
        from ctxkit.core.repetition.outcomes import compare_outcomes

        stored = self.store.open(entry.ref)
        old = _split_lines(stored.read(0, stored.lines.size))
        rows = [head, *compare_outcomes(old, new).describe(), ""]
        hunks = format_changes(old, new, list_changes(old, new))
        return "\n".join(rows).encode("utf-8", "surrogateescape") + b"".join(hunks)

    def _count_if_short(self, text: bytes) -> TokenCount | None:
        """Return the tokens of a text if it is at most half as long as the content."""
        vocabulary = self.policy.vocabulary
        count = count_tokens((text,), vocabulary, self.services.tokenizer(vocabulary))
        return count if 2 * count.high <= self.gate_result.token_count.tokens else None


def _split_lines(data: bytes) -> list[bytes]:
    """Return the lines with their newlines; only a newline ends a line."""
    lines = data.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])
