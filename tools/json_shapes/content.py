"""Shapes of commands that pass, map, truncate and store content."""

from typing import Literal, NotRequired, TypedDict

Method = Literal["exact", "estimate"]
GateResultName = Literal["raw", "tight", "briefing", "repeated", "changed", "refused"]
TerminalResultName = Literal[GateResultName, "screen"]


class RecordErrorShape(TypedDict):
    """The line of a record that has an error, with ``--each``."""

    line: int
    error: str
    hint: NotRequired[str]


class GatedOriginalShape(TypedDict):
    """The size of the whole content."""

    bytes: NotRequired[int]
    lines: NotRequired[int]
    tokens: NotRequired[int]
    method: Literal["exact", "estimate", "bound"] | None
    low: NotRequired[int]
    high: NotRequired[int]


class GateBudgetShape(TypedDict):
    """The window of a gate, in tokens."""

    window: int
    reserve: int
    used: int
    available: int
    assumed: NotRequired[bool]


class EarlierContentShape(TypedDict):
    """Content that is in context already."""

    name: str
    call: str
    ref: str
    tokens: int


class GatedContentShape(TypedDict):
    """The report of a gate. If CTXKIT_DISABLE is set, it has no tokenizer, original and budget."""

    result: TerminalResultName
    tokens: int | None
    method: Method | None
    tokenizer: NotRequired[str]
    low: NotRequired[int]
    high: NotRequired[int]
    original: NotRequired[GatedOriginalShape]
    budget: NotRequired[GateBudgetShape]
    reason: NotRequired[str]
    hint: NotRequired[str]
    session: NotRequired[str]
    ref: NotRequired[str]
    earlier: NotRequired[EarlierContentShape]
    kind: NotRequired[str]
    redacted: NotRequired[int]
    content: NotRequired[str]
    content_base64: NotRequired[str]


class GatedRecordShape(GatedContentShape):
    """The report of a gate for a record of JSON lines."""

    line: int


class GatedRunShape(GatedContentShape):
    """The report of a gate for the output of a command."""

    command: list[str]
    exit: int


class MappedOriginalShape(TypedDict):
    """The tokens of the mapped content."""

    tokens: int
    method: Literal["exact", "estimate", "bound"]


class KindCandidateShape(TypedDict):
    """A kind that the content may have, and how sure the detection is, from 0 to 1."""

    kind: str
    confidence: float


class MapExplanationShape(TypedDict):
    """Which kind or rule made a map, and why."""

    rule: str | None
    reasons: list[str]
    candidates: list[KindCandidateShape]


class ContentMapShape(TypedDict):
    """The map of a file or of stdin."""

    kind: str
    language: str
    confidence: float
    lines: int
    bytes: int
    tokens: int
    original: MappedOriginalShape
    target: int
    ref: str | None
    content: str
    explanation: NotRequired[MapExplanationShape]
    redacted: NotRequired[int]


class RecordMapShape(ContentMapShape):
    """The map of a record of JSON lines; ``line`` is the number of the record, ``lines`` those of its text."""

    line: int


class ReadFilesShape(TypedDict):
    """The files of a directory that were read."""

    files: int
    bytes: int


class NamedFilesShape(TypedDict):
    """The files and definitions that a map names."""

    files: int
    definitions: int


class DirectoryMapShape(TypedDict):
    """The map of a directory."""

    kind: Literal["repository"]
    files: int
    bytes: int
    definitions: int
    read: ReadFilesShape
    skipped: dict[str, int]
    named: NamedFilesShape
    tokens: int
    target: int
    content: str
    redacted: NotRequired[int]


class ShownContentShape(TypedDict):
    """The size of content that passes."""

    bytes: int
    lines: int


class OmittedRangeShape(TypedDict):
    """The lines or bytes that are omitted, counted from 1, and how many there are in all."""

    unit: Literal["lines", "bytes"]
    start: int
    end: int
    total: int


class TruncatedContentShape(TypedDict):
    """The result of a truncation."""

    truncated: bool
    truncated_by: Literal["lines", "bytes", "tokens"] | None
    total_bytes: int
    total_lines: int
    shown: ShownContentShape
    omitted: OmittedRangeShape | None
    recognized: bool
    ref: str | None
    redacted: NotRequired[int]
    content: NotRequired[str]
    content_base64: NotRequired[str]


class PutContentShape(TypedDict):
    """Content that was stored."""

    ref: str
    sha256: str
    bytes: int
    redacted: NotRequired[int]


class ListedContentShape(TypedDict):
    """Stored content in a list."""

    ref: str
    sha256: str
    bytes: int
    directory: str
    created: float
    read: float
    name: NotRequired[str]
    tool: NotRequired[str]
    call: NotRequired[str]


class SearchHitShape(TypedDict):
    """A passage that a search found; ``lines`` are its first and last line."""

    ref: str
    line: int
    text: str
    lines: list[int]
    score: float
    directory: str


class SweptStoreShape(TypedDict):
    """What a collection removed."""

    removed: int
    bytes: int
    young: int


class StoreDirectoryShape(TypedDict):
    """What a directory of the store contains."""

    directory: str
    blobs: int
    bytes: int


class StoreTotalsShape(TypedDict):
    """How much is stored, and for how long."""

    blobs: int
    bytes: int
    directory: str
    max_age: str
    max_size: str
    stores: list[StoreDirectoryShape]


class DamagedContentShape(TypedDict):
    """Stored content that does not match its ref."""

    ref: str
    sha256: str
    problem: str
