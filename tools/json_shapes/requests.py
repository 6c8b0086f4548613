"""Shapes of commands on requests: budget, prompt, usage, tools, call and turn."""

from typing import Literal, NotRequired, TypedDict

from tools.json_shapes.content import GateResultName, Method


class ContextUsageShape(TypedDict):
    """The use of a context window, in tokens."""

    total: int
    max_output_tokens: int
    effective_window: int
    system_prompt: int
    skill_prompts: int
    tool_descriptions: int
    conversation: int
    unmeasured: int
    used_tokens: int
    remaining_tokens: int
    used_percentage: float
    should_compact: bool
    is_blocked: bool
    exceeds_budget: bool
    items: int
    prunings: int
    method: Method
    low: int
    high: int
    tokenizer: str
    session: str | None
    note: NotRequired[str]


class PromptBreakpointShape(TypedDict):
    """The end of a section, up to which a prompt may be cached."""

    section: str
    bytes: int
    characters: int
    tokens: int
    usable: bool


class GatedSectionShape(TypedDict):
    """A section of a prompt."""

    name: str
    cacheable: bool
    bytes: int
    tokens: int
    result: GateResultName
    ref: str | None


class BuiltPromptShape(TypedDict):
    """A prompt with its breakpoints; ``request`` has the form of the provider."""

    prompt: str
    breakpoints: list[PromptBreakpointShape]
    sections: list[GatedSectionShape]
    tokens: int
    method: Method
    tokenizer: str
    minimum: int
    request: dict[str, object] | None


class PromptDifferenceShape(TypedDict):
    """Where a prompt leaves the cached prefix, and what that costs."""

    same: bool
    token: int | None
    line: int | None
    characters: int | None
    bytes: int | None
    old: str | None
    new: str | None
    cached_tokens: int
    rewritten_tokens: int
    cost: float
    cost_ratio: float
    method: Method
    tokenizer: str


class VolatileTextShape(TypedDict):
    """Text that breaks the cache."""

    kind: Literal["uuid", "date", "time", "counter", "usage", "temporary"]
    section: str
    line: int
    column: int
    text: str


class UsageCountsShape(TypedDict):
    """Counts of tokens, null if no answer has usage."""

    input_uncached: int | None
    cache_read: int | None
    cache_write_5m: int | None
    cache_write_1h: int | None
    output: int | None
    reasoning: int | None
    context_total: int | None
    input: int | None
    total: int | None


StopReason = Literal[
    "max_tokens", "error", "abort", "stop", "tool_use", "content_filter", "refusal", "pause", "unknown"
]


class UsageReportShape(UsageCountsShape):
    """The usage of an answer, and why it ended."""

    source: str
    model: str | None
    stop: str
    stop_reason: StopReason
    stop_raw: str | None
    message: str | None
    answers: int
    all: UsageCountsShape


class DeferredToolShape(TypedDict):
    """A tool whose definition is left out."""

    name: str
    source: str
    tokens: int


class SelectedToolsShape(TypedDict):
    """The definitions that stay, and the tools that are deferred."""

    tools: int
    tokens: int
    tokens_before: int
    threshold: int | None
    note: str | None
    deferred: list[DeferredToolShape]
    method: Method
    content: NotRequired[str]
    content_base64: NotRequired[str]


class ToolMatchShape(TypedDict):
    """A tool that a search found."""

    name: str
    score: float


class FoundToolsShape(TypedDict):
    """The best tools of a search, with their definitions."""

    query: str
    searched: int
    matches: list[ToolMatchShape]
    content: NotRequired[str]
    content_base64: NotRequired[str]


class ContextItemShape(TypedDict):
    """A range of items that list_context shows."""

    start: int
    end: int
    what: str
    tokens: int
    title: str
    remarks: list[str]


class CallAnswerShape(TypedDict):
    """The answer to a function call."""

    name: str
    call: NotRequired[str]
    content: str
    is_error: bool
    ref: NotRequired[str]
    total_bytes: NotRequired[int]
    total_lines: NotRequired[int]
    result: NotRequired[GateResultName]
    matches: NotRequired[list[str]]
    items: NotRequired[list[ContextItemShape]]
    tokens: NotRequired[int]
    before_tokens: NotRequired[int]
    after_tokens: NotRequired[int]
    before_messages: NotRequired[int]
    after_messages: NotRequired[int]
    strategies_run: NotRequired[list[str]]


class TurnComponentsShape(TypedDict):
    """The tokens of a request by component."""

    system_prompt: int
    skills: int
    tools: int
    conversation: int
    unmeasured: int


class TurnResultShape(TypedDict):
    """A tool result that did not enter as it is."""

    call: str | None
    tool: str | None
    result: GateResultName
    tokens: int
    ref: str | None


class TurnReportShape(TypedDict):
    """The next request of a session, and how it was made; ``request`` has the form of the provider."""

    request: dict[str, object] | None
    session: str
    provider: Literal["openai", "anthropic", "gemini", "responses"]
    tokens: int
    high: int
    method: Method
    tokenizer: str
    components: TurnComponentsShape
    window: int
    reserve: int
    effective: int
    percent: float
    messages: int
    appended: int
    steps: list[Literal["prune", "compact", "force"]]
    deferred: list[str]
    results: list[TurnResultShape]
    repairs: list[str]
    reason: str | None


class ToolCallShape(TypedDict):
    """A call of a tool in an answer; ``arguments`` is what the model wrote."""

    id: str
    name: str
    arguments: object


class TurnAnswerShape(TypedDict):
    """The answer of a provider that a session took in."""

    reply: str
    tool_calls: list[ToolCallShape]
    usage: UsageCountsShape | None
    stop_reason: StopReason
    stop_raw: str | None
    message: str | None
