"""What the gate decided, and the bytes that go in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ctxkit.core.tokens.token_count import TokenCount

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctxkit.core.brief import Briefing
    from ctxkit.core.gate.policy import GatePolicy

ResultKind = Literal["raw", "tight", "briefing", "refused"]
UNCOUNTED = TokenCount(-1, -1, "bound", complete=False)
"""The tally of content that nobody could count."""


class GateResult(NamedTuple):
    """Say what was decided, and give the bytes that go in.

    ``size`` and ``lines`` are the original's, -1 while it has not been read to its end. A refusal
    has no content: ``warning`` is then the envelope that did not fit, else what went wrong. ``remark``
    says what stood in for what is missing.
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


def pass_unchanged(content: Iterable[bytes], error: Exception, policy: GatePolicy) -> GateResult:
    """Fail open: what could not be judged or stored passes as it is, with a warning."""
    if policy.strict:
        raise error
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    place = getattr(error, "filename", None)
    warning = f"content passes unchanged: {reason}" + (f": {place}" if place else "")
    return GateResult("raw", UNCOUNTED, content, warning=warning)
