"""The state of a reader of build output, and the lines that are not findings."""

from collections.abc import Callable

from ctxkit.core.brief.builds.findings import BuildFinding
from ctxkit.core.quick_dataclass import dataclass


@dataclass(slots=True)
class BuildEvent:
    """Hold a line of type ``closing``, ``step``, ``passed`` or ``other`` if it belongs to no finding."""

    kind: str
    number: int
    text: str


EmitItem = Callable[[BuildFinding | BuildEvent], None]


@dataclass(slots=True)
class ReaderState:
    """Hold what the lines above say about the next line.

    ``last`` is the open finding, and ``closed`` means that a line which does not belong to it followed. ``head`` is a
    message whose place may follow; ``sure`` means that it is a finding without a place too. ``file`` is named in the
    line ``heading``, and ``line`` is the line of a place whose finding follows. ``lead`` is the first line that
    introduces a finding, ``passed`` the last line of a check that passed.
    """

    last: BuildFinding | None = None
    head: BuildFinding | None = None
    file: str = ""
    heading: int = 0
    line: int = 0
    lead: int = 0
    passed: int = -1
    sure: bool = True
    closed: bool = False
