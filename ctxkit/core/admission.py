"""What the gate decided, and the bytes that go in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ctxkit.core.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ctxkit.core.brief import Briefing

Result = Literal["raw", "tight", "briefing", "refused"]
UNCOUNTED = Tally(-1, -1, "bound", whole=False)
"""The tally of content that nobody could count."""


class Admission(NamedTuple):
    """Say what was decided, and give the bytes that go in.

    ``size`` and ``lines`` are the original's, -1 while it has not been read to its end. A refusal
    has no content: ``warning`` is then the envelope that did not fit, else what went wrong. ``remark``
    says what stood in for what is missing.
    """

    result: Result
    tally: Tally
    content: Iterable[bytes]
    ref: str = ""
    original: Tally | None = None
    size: int = -1
    lines: int = -1
    warning: str = ""
    map: Briefing | None = None
    remark: str = ""
