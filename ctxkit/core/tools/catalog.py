"""Read documents of tool definitions, select those of a request, and write them without the others.

A document is an array, a request of a provider, an answer of an MCP server to ``tools/list``, one definition, or a
sequence of these, as in JSON lines.

The order is that of seed 001, enhancement 5: built-in tools are never deferred, tools of MCP servers are deferred
before those of skills, and the least recently used come first within each group. Two rules keep the prompt cache, which
begins with the tools: what was used or found stays until a compaction, and a turn does not defer little.

A deferred tool that is needed after all costs the cache of the whole request. Between two compactions, that is about
.65 of the window at 1.15 times the price of input; if one is needed every other time, .37 windows. What is saved is the
read of S tokens at a tenth of the price in about ten requests, S, and the compactions that S tokens more space spare: a
cycle fills .3 of the window and writes .5 of it anew at 1.25 times the price, 2 S. So S has to be at least an eighth of
the window, which is about the threshold itself, a tenth.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from ctxkit.core.chat.editing import ValuePatch, find_span, patch_text
from ctxkit.core.chat.model.calls_and_results import find_tool_lists, find_tools
from ctxkit.core.chat.model.json_fields import get_object
from ctxkit.core.chat.model.message import Place, Tool, Toolset
from ctxkit.core.count.amount import ZERO, Amount, CountOptions, TextCounter
from ctxkit.core.count.conversation_tokens import count_tools
from ctxkit.core.count.message_tokens import find_scheme
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import (
    InvalidJsonError,
    JsonTooDeepError,
    ValueRow,
    check_depth,
    make_json_error,
    read_members,
    read_values,
    skip_blanks,
)

ToolSource = Literal["builtin", "skill", "mcp"]
"""Where a tool comes from: the agent itself, a skill, or an MCP server."""
HINT = "definitions are a JSON array, a request, an answer to tools/list, or JSON lines"


class ToolDefinition(NamedTuple):
    """A definition: the tool, its source, and its position.

    ``place`` is its place in the value of a row. ``start`` is the offset of the item that contains it, ``inner`` its
    place in this item: empty, unless the item is a group.
    """

    tool: Tool
    source: ToolSource
    row: int
    place: Place
    start: int
    inner: Place

    @property
    def is_deferrable(self) -> bool:
        """Return whether a request works without the definition, and a search can bring it back."""
        return self.source != "builtin" and bool(self.tool.schema or self.tool.description)


class ToolCatalog(NamedTuple):
    """The definitions of a document in order, its text, and its JSON values."""

    text: str
    rows: Sequence[ValueRow]
    definitions: Sequence[ToolDefinition]

    def get_text(self, definition: ToolDefinition) -> str:
        """Return the JSON text of a definition."""
        return self.text[slice(*find_span(self.text, definition.start, definition.inner))]

    def write_without(self, dropped: Collection[int]) -> str:
        """Return the text without the definitions at some indices; the rest keeps its characters.

        A group or a line that loses all its definitions is dropped too.
        """
        patches = _group_patches([self.definitions[at] for at in sorted(dropped)], self.rows)
        pieces, at = [], 0
        for number, row in enumerate(self.rows):
            if number in patches and () in (patch.place for patch in patches[number]):
                pieces.append(self.text[at : row.start])
                at = _end_of_line(self.text, row.end)
            elif number in patches:
                pieces += [self.text[at : row.start], patch_text(self.text, row.start, patches[number])]
                at = row.end
        return "".join([*pieces, self.text[at:]])


def read_catalog(
    data: bytes, name: str, source: ToolSource | None = None, builtin: Collection[str] = ()
) -> ToolCatalog:
    """Return the definitions of a document.

    Without a ``source``, a name in ``builtin`` is built-in, and any other tool counts as one of an MCP server. Raise
    MalformedInputError, with ``name``, if the document is not JSON or has no definitions.
    """
    text = data.decode("utf-8", "surrogateescape")
    start = skip_blanks(text, 1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        raise MalformedInputError(f"{name}: the input is empty", hint=HINT)
    try:
        rows = list(read_values(text, start, name, skip_bad=False))
    except MalformedInputError as error:
        raise MalformedInputError(str(error), hint=HINT) from None
    except (InvalidJsonError, JsonTooDeepError) as error:
        raise MalformedInputError(str(make_json_error(name, text, error)), hint=HINT) from None
    definitions = [entry for number, row in enumerate(rows) for entry in _read_row(text, number, row, name)]
    if not definitions and not _is_empty_list(rows):
        raise MalformedInputError(f"{name}: no tool definitions", hint=HINT)
    return ToolCatalog(
        text, rows, [entry._replace(source=source or _guess_source(entry, builtin)) for entry in definitions]
    )


def _guess_source(definition: ToolDefinition, builtin: Collection[str]) -> ToolSource:
    return "builtin" if definition.tool.name in builtin else "mcp"


def _is_empty_list(rows: Sequence[ValueRow]) -> bool:
    """Return whether the document is a list without definitions, as servers without tools send."""
    value = rows[0].value
    tools = value if isinstance(value, list) else value.get("tools") if isinstance(value, dict) else None
    tools = get_object(value, "result").get("tools") if tools is None else tools
    return len(rows) == 1 and tools == []


def _read_row(text: str, number: int, row: ValueRow, name: str) -> Iterator[ToolDefinition]:
    try:
        value = check_depth(text, row)
    except ValueError as error:
        raise MalformedInputError(f"{name}: line {row.line}: {error}") from None
    for place, item, start in _find_items(text, row.start, value):
        for inner, tool in find_tools(item):
            tool = tool._replace(name=tool.name or _name_provider_tool(item))
            if not tool.name:
                raise MalformedInputError(f"{name}: line {row.line}: a definition has no name", hint=HINT)
            yield ToolDefinition(tool, "mcp", number, (*place, *inner), start, inner)


def _name_provider_tool(item: dict[str, JsonValue]) -> str:
    """Return the name of a provider's own tool such as ``{"google_search": {}}``, "" for any other item."""
    key, value = next(iter(item.items()), ("", None))
    return key if len(item) == 1 and isinstance(value, dict) else ""


def _find_items(text: str, start: int, value: JsonValue) -> Iterator[tuple[Place, dict[str, JsonValue], int]]:
    """Yield the items of a value that may be definitions, each with its place and the offset of its text."""
    lists = [()] if isinstance(value, list) else find_tool_lists(value)
    for place in lists:
        members = read_members(text, find_span(text, start, place)[0])
        yield from (
            ((*place, at), item, member.start) for at, (member, item) in enumerate(members) if isinstance(item, dict)
        )
    if not lists and isinstance(value, dict) and _is_definition(value):
        yield (), value, start


def _is_definition(value: dict[str, JsonValue]) -> bool:
    """Return whether an object is one definition rather than a request without tools or anything else."""
    return bool(value) and any(tool.schema or tool.description for _, tool in find_tools(value))


def _get_member(value: JsonValue, place: Place) -> JsonValue:
    for step in place:
        value = value[step]
    return value


def _group_patches(dropped: Sequence[ToolDefinition], rows: Sequence[ValueRow]) -> dict[int, list[ValuePatch]]:
    """Return the removals by row; the removal of all definitions in a group removes the group."""
    by_group: dict[tuple[int, Place], list[Place]] = {}
    for definition in dropped:
        by_group.setdefault((definition.row, definition.place[:-1]), []).append(definition.place)
    patches: dict[int, list[ValuePatch]] = {}
    for (row, group), places in by_group.items():
        for place in _widen(rows[row].value, group, places):
            patches.setdefault(row, []).append(ValuePatch(place, action="remove"))
    return patches


def _widen(value: JsonValue, group: Place, places: list[Place]) -> list[Place]:
    """Return what to remove: the object around a group inside a list, if the group loses everything."""
    inside_list = len(group) > 1 and isinstance(group[-2], int)
    is_all = len(places) == len(_get_member(value, group)) if places != [()] else False
    return [group[:-1]] if inside_list and is_all and len(_get_member(value, group[:-1])) == 1 else places


def _end_of_line(text: str, end: int) -> int:
    """Return the end of the line of a value that fills it, with its newline."""
    newline = text.find("\n", end)
    return newline + 1 if 0 <= newline <= skip_blanks(text, end) else skip_blanks(text, end)


def find_shape(definition: ToolDefinition) -> str:
    """Return the provider whose shape a definition has, "unknown" if it has the shape of none."""
    raw = definition.tool.raw
    if definition.inner and definition.inner[0] != "tools":
        return "gemini"
    keys = {"function": "openai", "input_schema": "anthropic", "inputSchema": "mcp", "toolSpec": "bedrock"}
    shape = next((shape for key, shape in keys.items() if isinstance(raw.get(key), dict)), "")
    return shape or ("responses" if raw.get("type") == "function" else "unknown")


_PROVIDERS = {"anthropic": "anthropic", "bedrock": "anthropic", "gemini": "google"}
"""Providers by the shape of definitions, as far as their requests are counted in a way of their own."""


class DefinitionCounter:
    """Counts definitions as a model reads them; no definitions are 0 tokens.

    Unless the options name a model or a tokenizer, the ``shape`` of the definitions determines the provider.
    """

    def __init__(self, count_options: CountOptions, shape: str) -> None:
        provider = "" if count_options.is_named else _PROVIDERS.get(shape, "")
        self._scheme = find_scheme(count_options.model, count_options.vocabulary, provider)
        self._counter = TextCounter(count_options.vocabulary, count_options.count)
        self._model = count_options.model

    def count(self, tools: Sequence[Tool]) -> Amount:
        """Return the tokens of definitions in one request, as a range."""
        return count_tools(Toolset(tuple(tools)), self._scheme, self._counter, self._model) if tools else ZERO

    def measure(self, tools: Sequence[Tool]) -> int:
        """Return the most likely tokens of definitions in one request."""
        return self.count(tools).tokens


_RANKS = {"mcp": 0, "skill": 1, "builtin": 2}
"""The order in which sources are deferred."""
MeasureTools = Callable[[Sequence[Tool]], int]
"""Returns the number of tokens of definitions together."""


class ToolUse(NamedTuple):
    """The use of a tool in a session: a larger ``last`` is more recent.

    ``is_pinned`` marks a tool that was called, or found by a search, since the last compaction.
    """

    last: float = 0.0
    is_pinned: bool = False


class ToolSelection(NamedTuple):
    """The indices of the deferred definitions in order, and the tokens of all, of the others, and of each deferred."""

    deferred: tuple[int, ...]
    total: int
    kept: int
    costs: tuple[int, ...]


def select_tools(
    definitions: Sequence[ToolDefinition],
    measure: MeasureTools,
    most: int | None,
    uses: Mapping[str, ToolUse] | None = None,
    least: int = 0,
) -> ToolSelection:
    """Return which definitions to defer so that the others take at most ``most`` tokens, none if it is None.

    Pinned tools stay; of tools used equally long ago, the largest is deferred first. What cannot be deferred stays,
    even above ``most``. Unless at least ``least`` tokens are saved, nothing is deferred.
    """
    total = measure([definition.tool for definition in definitions])
    if most is None or total <= most:
        return ToolSelection((), total, total, ())
    costs = _measure_each(definitions, measure)
    deferred: list[int] = []
    left = total
    for at in _order_for_deferral(definitions, costs, uses or {}):
        if left <= most:
            break
        deferred.append(at)
        left -= costs[at]
    dropped = frozenset(deferred)
    kept = measure([definition.tool for at, definition in enumerate(definitions) if at not in dropped])
    if total - kept < least:
        return ToolSelection((), total, total, ())
    indices = tuple(sorted(deferred))
    return ToolSelection(indices, total, kept, tuple(costs[at] for at in indices))


def _measure_each(definitions: Sequence[ToolDefinition], measure: MeasureTools) -> list[int]:
    """Return the tokens that each definition adds to a request that has others."""
    first = measure((definitions[0].tool,))
    base = 2 * first - measure((definitions[0].tool, definitions[0].tool))
    return [measure((definition.tool,)) - base for definition in definitions]


def _order_for_deferral(
    definitions: Sequence[ToolDefinition], costs: Sequence[int], uses: Mapping[str, ToolUse]
) -> list[int]:
    """Return the indices of the definitions that may be deferred, the first to be deferred first."""

    def rank(at: int) -> tuple[int, float, int, int]:
        """Return the place of a definition in the order of deferral."""
        definition = definitions[at]
        return _RANKS[definition.source], find_use(definition).last, -costs[at], -at

    def find_use(definition: ToolDefinition) -> ToolUse:
        """Return the use of a tool in the session."""
        return uses.get(definition.tool.name, ToolUse())

    listed = enumerate(definitions)
    return sorted((at for at, item in listed if item.is_deferrable and not find_use(item).is_pinned), key=rank)


def format_note(number: int) -> str:
    """Return the note that tells a model of deferred tools, "" for none (seed 001, enhancement 5)."""
    return f"[{number} tools deferred to save context. Use tool_search to find them.]" if number else ""
