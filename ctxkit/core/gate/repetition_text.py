"""Word a reference to content that entered a session's context before, and what has changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.text.quantity import pluralize
from ctxkit.core.tokens.token_count import TokenCount, count_tokens

if TYPE_CHECKING:
    from ctxkit.core.gate.policy import GatePolicy, GateServices
    from ctxkit.core.gate.result import GateResult
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
        from ctxkit.core.repetition.difference import format_changes, list_changes
        from ctxkit.core.repetition.outcomes import compare_outcomes

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
