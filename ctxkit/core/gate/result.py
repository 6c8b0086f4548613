"""Define the gate's result: the kind of the decision and the bytes that pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.tokens.token_count import TokenCount

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from ctxkit.core.brief import Briefing
    from ctxkit.core.gate.policy import GatePolicy
    from ctxkit.core.session.ledger import LedgerEntry

    ResultKind = Literal["raw", "tight", "briefing", "refused", "repeated", "changed", "screen"]

REPLACEMENTS = ("briefing", "screen")
"""Results that keep tokens of stored content out."""
UNCOUNTED = TokenCount(-1, -1, "bound", complete=False)
"""Token count of content that could not be counted."""


class GateResult(NamedTuple):
    """The decision and the bytes that pass.

    ``size`` (bytes) and ``lines`` are those of the original, -1 until it has been read to its end. A refusal has no
    content: its ``warning`` is the line that did not fit, else the warning is an error message. ``remark`` names the
    substitute for a missing dependency. ``earlier`` is the ledger entry of the content that repeated content refers to.
    ``stored_ref`` is the ref of content that passed, and that later content may be compared with.
    """

    result: ResultKind
    token_count: TokenCount
    content: Iterable[bytes]
    ref: str = ""
    original: TokenCount | None = None
    size: int = -1
    lines: int = -1
    warning: str = ""
    briefing: Briefing | None = None
    remark: str = ""
    earlier: LedgerEntry | None = None
    stored_ref: str = ""


def pass_unchanged(content: Iterable[bytes], error: Exception, policy: GatePolicy) -> GateResult:
    """Return a result that passes content unchanged with a warning after an error.

    Raise the error instead if the policy is strict.
    """
    if policy.strict:
        raise error
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    place = getattr(error, "filename", None)
    warning = f"content passes unchanged: {reason}" + (f": {place}" if place else "")
    return GateResult("raw", UNCOUNTED, content, warning=warning)
