"""What came of a compaction."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ctxkit.core.chat.transcript import Transcript
from ctxkit.core.compact.draft import Case, Draft
from ctxkit.core.compact.policy import Stage
from ctxkit.core.compact.prompt_cache import Rewrite
from ctxkit.core.compact.writing import Written
from ctxkit.core.count.amount import NOTHING, Amount

Result = Literal["unchanged", "compacted", "refused"]


class Ran(NamedTuple):
    """Say what a stage did: tokens before and after it, and why it was undone, empty where it was not."""

    stage: Stage
    before: int
    after: int
    undone: str = ""


class Stored(NamedTuple):
    """Hold content to be stored: its ref is the SHA-256 of the bytes."""

    ref: str
    data: bytes
    tool: str = ""
    call: str = ""


class Size(NamedTuple):
    """Hold what a conversation takes, and how many messages a model reads of it."""

    amount: Amount = NOTHING
    messages: int = 0
    size: int = 0


class Outcome(NamedTuple):
    """Say what came of a compaction; ``content`` are the bytes that go out.

    ``result`` is refused where the conversation does not fit, whatever is done. ``reason`` says why nothing was
    changed, or why it does not fit. ``origin`` gives the place in the original of each entry that ``case`` has.
    """

    result: Result
    content: bytes
    reason: str
    before: Size
    after: Size
    case: Case | None = None
    draft: Draft = Draft()
    ran: tuple[Ran, ...] = ()
    left: Mapping[int, str] = {}
    transcript: Transcript | None = None
    origin: tuple[int | None, ...] = ()
    repairs: tuple[str, ...] = ()
    written: Written | None = None
    rewrite: Rewrite = Rewrite()
    stored: tuple[Stored, ...] = ()
    beside: int = 0
