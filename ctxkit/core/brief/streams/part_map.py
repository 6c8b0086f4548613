"""The map of one part of a stream, during its construction."""

from collections.abc import Sequence

from ctxkit.core.brief.outline import Section
from ctxkit.core.brief.streams.stream_parts import StreamPart
from ctxkit.core.quick_dataclass import dataclass

GENERIC = "text"
"""The kind of text without a known form."""
FEW_PARTS = 12
"""Number of parts up to which each has a line in the index."""
RANKS = 1_000
"""Rank of the last entry of a part that uses its share completely; entries of all parts compete by rank."""


@dataclass(slots=True)
class PartMap:
    """Hold a part with its number, its share of the tokens, its kind, and its outline, moved to its lines.

    ``trouble`` is the first line that reports an error, and ``rows`` are the lines of a short part. ``need`` is the
    number of tokens that the most detailed outline takes, if that is known to fit.
    """

    part: StreamPart
    number: int
    share: int = 0
    need: int = 0
    kind: str = ""
    sections: tuple[Section, ...] = ()
    trouble: tuple[int, str] | None = None
    rows: Sequence[tuple[int, str]] = ()
    is_quoted: bool = False
    is_last: bool = False
