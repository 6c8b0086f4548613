"""Sum of the token counts of a conversation: its tool definitions, and message by message."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import dump_value, get_object, get_text
from ctxkit.core.chat.model.message import (
    ArchivedMessages,
    ChatEntry,
    ChatMessage,
    ConversationStart,
    MessagePart,
    Rewind,
    Tool,
    Toolset,
)
from ctxkit.core.chat.model.steps import PathStep, find_path, index_updates, make_step, rewind_steps
from ctxkit.core.count.amount import ZERO, Amount, TextCounter, exact_amount, guessed_amount, sum_amounts
from ctxkit.core.count.message_tokens import COMPONENTS, SYSTEM, Component, MessageCounter, MessageTokens, Scheme
from ctxkit.core.text.json_value import JsonValue

_PROPERTIES, _PROPERTY, _ENUM, _ENUM_ITEM, _END = 3, 3, -3, 3, 12
"""The cookbook's prop_init, prop_key, enum_init, enum_item and func_end."""
_SYSTEM_PROMPTS = (
    (("claude-opus-5",), 286, 406),
    (("claude-sonnet-5",), 354, 474),
    (("claude-opus-4-8",), 290, 410),
    (("claude-opus-4-7",), 675, 804),
    (("claude-opus-4-6", "claude-sonnet-4-6"), 497, 589),
    (("claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"), 496, 588),
    (("claude-opus-4", "claude-sonnet-4", "claude-3-7"), 313, 315),
    (("claude-3-5-haiku",), 264, 355),
    (("claude-3-opus",), 530, 281),
    (("claude-3-sonnet",), 159, 235),
    (("claude-3-haiku",), 264, 340),
)
"""Tokens by prefix of the model's name: with tool choice auto or none, and with a forced choice."""
_SYSTEM_PROMPT = (496, 588)
"""The same for a model that is not in the table."""
_QWEN = (
    "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with "
    "function signatures within <tools></tools> XML tags:\n<tools>\n</tools>\n\nFor each function call, return a "
    "json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
)
"""The text that Qwen's chat template adds around the definitions."""
PlacedStep = tuple[PathStep, MessageTokens | None]
"""A step of a session, and the token counts of its message, None if it is not a message."""


class ConversationTokens(NamedTuple):
    """The token counts of a conversation: in total, by component and, if requested, by message.

    ``rows`` end with rows for tools and template overhead, so that they add up to ``amount``.
    """

    amount: Amount
    components: dict[Component, Amount]
    messages: int
    rows: list[MessageTokens]


class ConversationCounter:
    """A sum over entries in order; a linear format without ``rows`` stores only sums."""

    def __init__(self, counter: MessageCounter, *, linear: bool, rows: bool) -> None:
        self._counter = counter
        self._linear, self._rows = linear, rows
        self._placed: list[PlacedStep] = []
        self._places: dict[str, int] = {}
        self._sums: dict[Component, list[int]] = {component: [0, 0, 0] for component in COMPONENTS}
        self._messages = self._archived = 0
        self._tools, self._around = ZERO, ZERO
        self._begun = self._instructed = False

    def add(self, entry: ChatEntry) -> None:
        """Add the next entry of the conversation."""
        if isinstance(entry, ArchivedMessages):
            self._archived += entry.number
        elif isinstance(entry, ChatMessage) and self._archived:
            self._archived -= 1
        elif isinstance(entry, ChatMessage):
            self._add_message(entry)
        elif isinstance(entry, Toolset):
            counter = self._counter
            self._tools = self._tools.plus(
                count_tools(entry, counter.scheme, counter.text_counter, counter.model)
            )
            self._begun = True
        elif isinstance(entry, ConversationStart):
            self._close_conversation()
        elif isinstance(entry, Rewind):
            self._rewind(entry)
        elif not self._linear:
            self._place_step(make_step(entry), None)

    def finish(self) -> ConversationTokens:
        """Return the token counts of the conversation."""
        self._close_conversation()
        rows = self._select_rows()
        if not (self._linear and not self._rows):
            self._messages = len(rows)
            for row in rows:
                self._add_row(row)
        self._add_amount("tools", self._tools)
        self._add_amount("overhead", self._around)
        sums = {component: Amount(*amounts) for component, amounts in self._sums.items()}
        all_rows = [*rows, *self._other_rows()] if self._rows else []
        return ConversationTokens(sum_amounts(sums.values()), sums, self._messages, all_rows)

    def _select_rows(self) -> list[MessageTokens]:
        """Return the rows of the messages that are sent: in a session, those on its newest path."""
        places = range(len(self._placed)) if self._linear else find_path([entry_step for entry_step, _ in self._placed])
        return [row for at in places if (row := self._placed[at][1])]

    def _other_rows(self) -> Iterable[MessageTokens]:
        if self._tools.tokens:
            yield MessageTokens("tools", "", (("tools", self._tools),))
        if self._around.tokens:
            yield MessageTokens("overhead", "", (("overhead", self._around),))

    def _add_message(self, message: ChatMessage) -> None:
        self._begun = True
        self._instructed = self._instructed or message.role in SYSTEM
        row = self._counter.count_message(message)
        if self._linear and not self._rows:
            self._messages += 1
            self._add_row(row)
        else:
            self._place_step(make_step(message), row)

    def _place_step(self, entry_step: PathStep, row: MessageTokens | None) -> None:
        """Add a step, or replace the earlier step that it updates."""
        if entry_step.link.is_update and entry_step.link.id in self._places:
            self._placed[self._places[entry_step.link.id]] = entry_step, row
            return
        self._places[entry_step.link.id] = len(self._placed)
        self._placed.append((entry_step, row))

    def _add_row(self, row: MessageTokens) -> None:
        for component, amount in row.costs:
            self._add_amount(component, amount)

    def _add_amount(self, component: Component, amount: Amount) -> None:
        """Add to the sum of a component in place: a new amount for each message takes most of the time."""
        sums, (low, tokens, high) = self._sums[component], amount
        sums[0] += low
        sums[1] += tokens
        sums[2] += high

    def _close_conversation(self) -> None:
        """Add the template overhead of a conversation at its end."""
        if not self._begun:
            return
        scheme = self._counter.scheme
        around = exact_amount(scheme.begin + scheme.priming)
        self._around = self._around.plus(around if scheme.exact else guessed_amount(around))
        words = scheme.preface if self._instructed else scheme.preface + scheme.system
        if words and self._instructed:
            self._around = self._around.plus(self._counter.text_counter.count(words))
        elif words:
            self._around = self._around.plus(
                self._counter.count_message(ChatMessage("system", (MessagePart("text", words),))).amount
            )
        self._begun = self._instructed = False

    def _rewind(self, back: Rewind) -> None:
        kept_places = rewind_steps([entry_step for entry_step, _ in self._placed], back.turns, back.since)
        self._placed = [self._placed[at] for at in kept_places]
        self._places = index_updates(entry_step for entry_step, _ in self._placed)


def count_tools(tools: Toolset, scheme: Scheme, counter: TextCounter, model: str = "") -> Amount:
    """Return the token count of tool definitions and of the schema of the answer; a guess has a range."""
    schema = guessed_amount(counter.count(tools.answer_schema))
    return schema.plus(_count_definitions(tools, scheme, counter, model)) if tools.tools else schema


def _count_definitions(tools: Toolset, scheme: Scheme, counter: TextCounter, model: str) -> Amount:
    if scheme.definitions == "openai":
        return _count_openai(tools, scheme, counter)
    total = ZERO
    for tool in tools.tools:
        total = total.plus(counter.count(dump_value(tool.raw))).plus(exact_amount(1))
    if scheme.name == "chatml":
        total = total.plus(counter.count(_QWEN))
    total = guessed_amount(total)
    return total.plus(_count_system_prompt(tools.choice, model)) if scheme.definitions == "anthropic" else total


def _count_system_prompt(choice: str, model: str) -> Amount:
    plain = model.lower().rpartition("/")[2].replace(".", "-")
    costs = next(((free, forced) for names, free, forced in _SYSTEM_PROMPTS if plain.startswith(names)), None)
    free, forced = costs or _SYSTEM_PROMPT
    tokens = exact_amount(free if choice in ("auto", "none") else forced)
    return tokens if costs else guessed_amount(tokens)


def _count_openai(tools: Toolset, scheme: Scheme, counter: TextCounter) -> Amount:
    total = exact_amount(_END)
    for tool in tools.tools:
        flat, tokens = _count_function(tool, scheme, counter)
        total = total.plus(tokens if flat else guessed_amount(tokens))
    return total


def _count_function(tool: Tool, scheme: Scheme, counter: TextCounter) -> tuple[bool, Amount]:
    """Return whether the cookbook's rule covers a function, and its token count."""
    words = counter.count(f"{tool.name}:{tool.description.removesuffix('.')}")
    flat, inner = _count_properties(get_object(tool.schema, "properties"), counter)
    return flat and bool(tool.description), exact_amount(scheme.per_function).plus(words).plus(inner)


def _count_properties(properties: Mapping[str, JsonValue], counter: TextCounter) -> tuple[bool, Amount]:
    if not properties:
        return True, ZERO
    flat, total = True, exact_amount(_PROPERTIES)
    for name, schema in properties.items():
        kind, description = _property_type(schema), get_text(schema, "description").removesuffix(".")
        total = total.plus(exact_amount(_PROPERTY)).plus(counter.count(f"{name}:{kind}:{description}"))
        enum = schema.get("enum") if isinstance(schema, dict) else None
        if isinstance(enum, list):
            total = total.plus(exact_amount(_ENUM))
            for item in enum:
                total = total.plus(exact_amount(_ENUM_ITEM)).plus(counter.count(dump_value(item)))
        inner = get_object(schema, "properties") or get_object(get_object(schema, "items"), "properties")
        total = total.plus(_count_properties(inner, counter)[1])
        flat = flat and bool(description) and bool(get_text(schema, "type")) and kind not in ("object", "array")
    return flat, total


def _property_type(schema: JsonValue) -> str:
    return get_text(schema, "type") or dump_value(schema.get("type") if isinstance(schema, dict) else None)
