"""Shapes of dedupe, trust, init, doctor, models, events and the calibration of count."""

from typing import Literal, NotRequired, TypedDict


class RelatedPlaceShape(TypedDict):
    """Another place of a finding."""

    path: str
    line: int
    end_line: int


class WastedTokensShape(TypedDict):
    """The tokens that a finding costs in a load set."""

    load_set: str
    tokens: int


class FixEditShape(TypedDict):
    """The replacement of a range of characters."""

    path: str
    start: int
    end: int
    replacement: str


class FindingFixShape(TypedDict):
    """The fix of a finding."""

    safe: bool
    description: str
    edits: list[FixEditShape]


class FindingShape(TypedDict):
    """A finding in an agent workspace."""

    code: str
    name: str
    severity: Literal["info", "warning", "error"]
    path: str
    line: int
    end_line: int
    column: int | None
    end_column: int | None
    message: str
    related: list[RelatedPlaceShape]
    tokens: int
    wasted: list[WastedTokensShape]
    score: float | None
    fix: FindingFixShape | None
    fingerprint: str


class WorkspaceCostShape(TypedDict):
    """The tokens of a file or a load set before and after fixes."""

    name: str
    before: int
    after: int
    paths: list[str]
    always: bool
    listed: list[str]
    saved: int


class SizeFindingShape(TypedDict):
    """A finding about a size."""

    code: str
    path: str
    message: str


class SavingShape(TypedDict):
    """A change that saves tokens on every turn."""

    tokens: int
    path: str
    action: str


class WorkspaceBudgetShape(TypedDict):
    """The tokens of files and load sets, what is over a limit, and the largest savings."""

    counter: str
    files: list[WorkspaceCostShape]
    sets: list[WorkspaceCostShape]
    over: list[SizeFindingShape]
    savings: list[SavingShape]


class RuleCountShape(TypedDict):
    """The number of findings of a rule."""

    code: str
    name: str
    count: int
    tokens: int


class UnlockedSettingShape(TypedDict):
    """A setting that needs trust."""

    key: str
    value: str
    path: str
    line: int


class DirectoryTrustShape(TypedDict):
    """Whether a directory is trusted."""

    directory: str
    trusted: bool
    changed: bool
    unlocks: list[UnlockedSettingShape]


class TrustedDirectoriesShape(TypedDict):
    """The list of trusted directories."""

    file: str
    trusted: list[str]


class HostStateShape(TypedDict):
    """Whether a host is set up."""

    host: str
    version: str
    scope: Literal["user", "project"]
    settings: str
    active: bool
    mcp: bool
    without_ctxkit: str


class CheckShape(TypedDict):
    """A check of a part of the machine."""

    topic: str
    name: str
    value: str
    state: Literal["ok", "absent", "bad"]
    hint: str


class CheckupShape(TypedDict):
    """The checks of the machine, the store and the settings."""

    well: bool
    checks: list[CheckShape]


class PurgedSetupShape(TypedDict):
    """A settings file of a host from which ctxkit was removed."""

    host: str
    settings: str


class PurgedDirectoryShape(TypedDict):
    """The files that were removed from a directory."""

    directory: str
    files: int
    bytes: int


class PurgeShape(TypedDict):
    """What was removed, and the paths that stay."""

    hosts: list[PurgedSetupShape]
    directories: list[PurgedDirectoryShape]
    left: list[str]


class ListedModelShape(TypedDict):
    """A model in a list."""

    name: str
    window: int | None
    max_output: int | None
    tokenizer: str
    as_of: str | None
    source: str


class NumberFactShape(TypedDict):
    """A number with its source."""

    value: int | None
    source: str
    as_of: NotRequired[str | None]


class NameFactShape(TypedDict):
    """A name with its source."""

    value: str | None
    source: str
    as_of: str | None


class ModelHostShape(TypedDict):
    """A host that offers a model, and the registry that says so."""

    host: str
    registry: str


class ModelOfferShape(TypedDict):
    """A window that hosts offer for a model."""

    window: int
    max_output: int | None
    hosts: list[ModelHostShape]


class ShownModelShape(TypedDict):
    """A model with the source of each number."""

    name: str
    window: NumberFactShape
    max_output: NumberFactShape
    tokenizer: NameFactShape
    exact: bool
    in_force: NumberFactShape
    hosts: list[ModelOfferShape]


class UpdatedModelShape(TypedDict):
    """A model of a registry."""

    name: str
    state: Literal["added", "changed", "unchanged"]
    window: int
    max_output: int | None
    input_price: float | None


class ModelRemovalShape(TypedDict):
    """The models that were removed from the user's own table."""

    table: str
    dry_run: bool
    removed: list[str]


class ModelUpdateShape(TypedDict):
    """The changes of the table of models."""

    source: str
    format: str
    table: str
    dry_run: bool
    added: int
    changed: int
    unchanged: int
    skipped: int
    models: list[UpdatedModelShape]


class EventSumsShape(TypedDict):
    """The sums of a group of events."""

    key: str
    events: int
    kept_out: int
    maps: int
    brought_back: int
    beyond: int
    compactions: int
    compacted: int
    estimates: int
    unmeasured: int
    cost: float
    priced: int
    unpriced: int
    net: int


class ModelPriceShape(TypedDict):
    """The price of a million input tokens of a model in US dollars."""

    model: str
    input_price: float
    as_of: str | None
    source: str


class EventTotalsShape(EventSumsShape):
    """The sums of all events, and of each group."""

    by: Literal["day", "project", "model", "command"]
    broken_lines: int
    prices: list[ModelPriceShape]
    groups: list[EventSumsShape]


class ReplaySumsShape(TypedDict):
    """What would have been kept out of past sessions by the results of a program, in tokens."""

    program: str
    results: int
    entered: int
    gate: int
    repeated: int
    masked: int
    reads: int
    net: int


class ReplayShape(ReplaySumsShape):
    """The sums of past sessions, and of each program; ``read_rate`` is the share of ``gate`` in ``reads``."""

    sessions: int
    skipped: int
    method: Literal["exact", "estimate"]
    read_rate: float
    read_rate_source: Literal["events", "assumed"]
    groups: list[ReplaySumsShape]


class QualitySumsShape(TypedDict):
    """The maps of a kind or of a program, by what came after them; ``net`` is in tokens."""

    key: str
    maps: int
    enough: int
    read_once: int
    read_often: int
    rerun: int
    net: int
    disabled: int
    quoted: int
    named: int
    unnamed: int
    grep: int
    focus: int
    other: int


class LackingMapShape(TypedDict):
    """A map after which parts were read often, or its command ran again."""

    ref: str
    kind: str
    program: str
    reads: int
    reruns: int
    disabled: int


class MapQualityShape(TypedDict):
    """What sessions did after maps."""

    maps: int
    net: int
    kinds: list[QualitySumsShape]
    programs: list[QualitySumsShape]
    worst: list[LackingMapShape]
    broken_lines: int


class EventShape(TypedDict):
    """An event as it is in the file; its other members depend on ``event``."""

    v: int
    ts: str
    event: str


class CalibrationFactorShape(TypedDict):
    """The factor that corrects the estimates for a family of models; ``before`` is the one it replaces, or null."""

    factor: float
    low: float
    high: float
    receipts: int
    before: object


class CalibrationShape(TypedDict):
    """The factors that were learnt, and the settings file that has them now."""

    file: str
    calibration: dict[str, CalibrationFactorShape]
