"""What the gate decided, and the bytes that go in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ctxkit.core.tally import TokenCount

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctxkit.core.brief import Briefing

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
