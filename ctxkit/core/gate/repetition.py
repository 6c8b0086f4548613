"""Replace content that entered a session's context before by a line, or by what has changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.label import EARLIER_LENGTH, FULL_LENGTH, SHORT_LENGTH
from ctxkit.core.tokens.token_count import count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctxkit.core.gate.decision import GatePolicy, GateResult, GateServices
    from ctxkit.core.session.ledger import LedgerEntry
    from ctxkit.core.store.store_interface import Store

LEAST_TOKENS = 200
"""Tokens below which content passes as it is: a reference to earlier content would save little."""
MOST_BYTES = 1 << 20
"""Size above which content is not compared."""
_PASSED = ("raw", "tight")
_HEXADECIMAL = b"0123456789abcdef"
_NOT_HEXADECIMAL = bytes(set(range(256)) - set(_HEXADECIMAL))
_BLANKS = bytes.maketrans(_NOT_HEXADECIMAL, b" " * len(_NOT_HEXADECIMAL))
_LENGTHS = (SHORT_LENGTH, EARLIER_LENGTH, FULL_LENGTH)
"""Hex digits of the refs in the last line of a map."""


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
        return _replace_content(gate_result, policy, services, services.store(), list_entries)
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


def _names_ref(data: bytes) -> bool:
    """Return whether the last line names a ref, as that of a map does."""
    last = data.rstrip(b"\n").rpartition(b"\n")[2][-500:]
    return any(len(digits) in _LENGTHS for digits in last.translate(_BLANKS).split())


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
        from ctxkit.core.gate.repetition_text import describe_same

        text = describe_same(earlier.entry, policy, gate_result, gate_result.original, open_store())
        count = count_tokens((text,), policy.vocabulary, services.tokenizer(policy.vocabulary))
    except Exception:  # no fault here may keep content out
        return gate_result
    return gate_result._replace(
        result="repeated", token_count=count, content=(text,), briefing=None, earlier=earlier.entry
    )


def _replace_content(
    gate_result: GateResult,
    policy: GatePolicy,
    services: GateServices,
    store: Store,
    list_entries: Callable[[], Sequence[LedgerEntry]],
) -> GateResult:
    """Return the shortened result, else the result with the ref under which its content is stored."""
    from ctxkit.core.store.store_interface import store_content

    data = b"".join(gate_result.content)
    ref = store_content(store, (data,), policy.label)
    stored_result = gate_result._replace(stored_ref=ref)
    earlier = find_earlier(list_entries(), policy.label.name, policy.agent, ref)
    if earlier is None:
        return stored_result
    from ctxkit.core.gate.repetition_text import Repetition

    repetition = Repetition(data, ref, gate_result, policy, services, store)
    return repetition.replace(earlier.entry, is_same=earlier.same) or stored_result
