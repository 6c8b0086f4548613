"""Change the list of tools of a server, and the results of its tools: defer definitions, and map long texts.

A deferred tool stays in the list, without its description and its parameters: so a host can call it by its own name,
under the permissions that its user gave to that name, and the list is the same for each client. ``tool_search`` returns
the whole definition (seed 001, enhancement 5).

Images, audio and resources stay, and errors keep their text. By the specification (2026-07-28, "Tools"), the
``structuredContent`` of a tool that declares an ``outputSchema`` must conform to it, and a text SHOULD repeat it: so it
is removed only if there is no schema and a text that became a map stands for it.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.chat.editing import ValuePatch, dump_json, find_span
from ctxkit.core.chat.model.calls_and_results import enumerate_objects, find_tools
from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.chat.model.message import Place, Tool
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.tools.builtin import BuiltinTool
from ctxkit.core.tools.catalog import MeasureTools, ToolCatalog, format_note, read_catalog, select_tools

MAX_TOKENS = 400
"""Most tokens that the definitions and the instructions may take, in all."""
INSTRUCTIONS = "If a map replaces output, read the lines that you need with read_result."
READ_RESULT = BuiltinTool(
    "read_result",
    "Read a part of a stored tool result, which a map or a note with a ref replaced.",
    {
        "ref_id": {"type": "string", "description": "The ref, such as 3f9a2c81d0b47e65."},
        "lines": {"type": "string", "description": "Lines such as 46:200, counted from 1."},
        "focus": {"type": "string", "description": "Words: returns the lines that match best."},
        "offset": {"type": "integer", "description": "First byte, if there are no lines.", "minimum": 0, "default": 0},
        "limit": {"type": "integer", "description": "Number of bytes.", "minimum": 1, "default": 4096},
    },
    ("ref_id",),
)
_SEARCH = BuiltinTool(
    "search",
    "Search the stored tool results of this project. Returns refs and line numbers.",
    {"query": {"type": "string", "description": 'Words, such as: disk full. "two words" stand in a row.'}},
    ("query",),
)
TOOL_SEARCH = BuiltinTool(
    "tool_search",
    "Returns the definitions of the deferred tools that match best; then call them by their names.",
    {"query": {"type": "string", "description": "What you want to do, in a few words."}},
    ("query",),
)
COMPACT_CONTEXT = BuiltinTool("compact_context", "Summarize the older part of this conversation to free space.", {})
_READERS = (READ_RESULT, _SEARCH)
"""The tools that need no session."""
_READ_ONLY: dict[str, JsonValue] = {"readOnlyHint": True, "openWorldHint": False}
"""What a host may know of a tool that changes nothing."""
_PREFIX = "ctxkit_"
"""What the names of the added tools begin with if the server has tools of these names."""
STUB: dict[str, JsonValue] = {
    "description": "Deferred: tool_search returns its description and its parameters.",
    "inputSchema": {"type": "object", "properties": {}, "additionalProperties": True},
}
"""The members of a deferred definition that replace its own."""
_FREE_MEMBERS = frozenset(("type", "title", "description"))
"""Members of the schema of a text that any text conforms to."""


class ListPage(NamedTuple):
    """A page of the list: the result at a place of the value that begins at ``start`` in the text of a line."""

    text: str
    start: int
    place: Place
    result: dict[str, JsonValue]

    @property
    def inside(self) -> Place:
        """Return the place of the tools."""
        return (*self.place, "tools")

    def is_last(self) -> bool:
        """Return whether no page follows."""
        return self.result.get("nextCursor") is None


class ListState(NamedTuple):
    """What is known of the tools of a server.

    It is of the pages so far. ``kept`` are the tokens of the definitions. ``outputs`` has what each tool says of its
    structured results, as ``find_output`` returns it. ``deferred`` has the JSON texts of the deferred
    definitions, ``own`` the tools of ctxkit by the names that they have in the list.
    """

    outputs: Mapping[str, str | None] = {}
    deferred: Sequence[str] = ()
    kept: int = 0
    own: Mapping[str, str] = {}


class ListRules(NamedTuple):
    """How a list is changed.

    The definitions may take ``most`` tokens, any number if it is None. ``has_store`` says whether results are stored.
    ``text_only`` removes the schemas of structured results, so that a text may stand for them.
    """

    most: int | None
    measure: MeasureTools
    has_store: bool = True
    text_only: bool = False


def change_list(page: ListPage, state: ListState, rules: ListRules) -> tuple[list[ValuePatch], ListState]:
    """Return the changes of a page of the list, and what is known after it."""
    tools = page.result.get("tools")
    if not isinstance(tools, list):
        return [], state
    begin, end = find_span(page.text, page.start, page.inside)
    catalog = read_catalog(page.text[begin:end].encode("utf-8", "surrogateescape"), "tools/list", "mcp")
    if state.outputs or not page.is_last() or rules.most is None or end - begin > rules.most:
        numbers, kept = _choose_deferred(catalog, state.kept, rules)
    else:
        numbers, kept = set(), 0  # a token has a byte at least, so that nothing needs to be counted
    patches = [ValuePatch((*page.inside, at, key), value) for at in numbers for key, value in STUB.items()]
    if rules.text_only:
        patches += _remove_schemas(page.inside, tools)
    deferred = [catalog.get_text(entry) for entry in catalog.definitions if entry.place[0] in numbers]
    outputs = {**state.outputs, **_find_outputs(tools, rules)}
    state = ListState(outputs, (*state.deferred, *deferred), kept, state.own)
    if not page.is_last():
        return patches, state
    added = list_added_tools(state.outputs, len(state.deferred), has_store=rules.has_store)
    patches += _insert_tools((*page.inside, len(tools)), added)
    return patches, state._replace(own={name: tool.name for name, tool in added.items()})


def _insert_tools(place: Place, added: Mapping[str, BuiltinTool]) -> Iterator[ValuePatch]:
    """Yield the changes that insert definitions of tools at a place, under the names that they have there."""
    for name, tool in added.items():
        yield ValuePatch(place, define_tool(tool._replace(name=name)), "insert")


def _remove_schemas(inside: Place, tools: Sequence[JsonValue]) -> list[ValuePatch]:
    """Return the changes that remove the schemas of structured results."""
    having = (at for at, tool in enumerate_objects(tools) if "outputSchema" in tool)
    return [ValuePatch((*inside, at, "outputSchema"), action="remove") for at in having]


def _find_outputs(tools: Sequence[JsonValue], rules: ListRules) -> dict[str, str | None]:
    """Return what each tool says of its structured results once the list is changed."""
    entries = enumerate_objects(tools)
    return {get_text(tool, "name"): None if rules.text_only else find_output(tool) for _, tool in entries}


def list_added_tools(names: Collection[str], deferred: int, *, has_store: bool) -> dict[str, BuiltinTool]:
    """Return the tools to add to those with ``names``, by the names that they get."""
    search = TOOL_SEARCH._replace(description=f"{format_note(deferred)} {TOOL_SEARCH.description}")
    tools = (*((READ_RESULT,) if has_store else ()), *((search,) if deferred else ()))
    added: dict[str, BuiltinTool] = {}
    for tool in tools:
        name = tool.name
        while name in names:
            name = _PREFIX + name
        added[name] = tool
    return added


def find_output(tool: dict[str, JsonValue]) -> str | None:
    """Return what a tool says of its structured results.

    That is None if they have no schema, the only member if it is any text, and "" for all other schemas.
    """
    if "outputSchema" not in tool:
        return None
    properties = get_object(get_object(tool, "outputSchema"), "properties")
    name, schema = next(iter(properties.items()), ("", None))
    is_text = isinstance(schema, dict) and schema.get("type") == "string" and schema.keys() <= _FREE_MEMBERS
    return name if is_text and len(properties) == 1 else ""


def _choose_deferred(catalog: ToolCatalog, used: int, rules: ListRules) -> tuple[set[int], int]:
    """Return the indices of the tools to defer, and how many tokens they and all before them take after that."""
    definitions, measure = catalog.definitions, rules.measure
    if rules.most is None or not definitions:
        return set(), used
    left = rules.most - used
    total = measure([entry.tool for entry in definitions])
    if total <= left:
        return set(), used + total
    stubs = [_make_stub(entry.tool) for entry in definitions]
    selection = select_tools(definitions, measure, max(left - measure(stubs), 0))
    stub_tokens = measure(stubs) // len(stubs)
    pairs = zip(selection.deferred, selection.costs, strict=True)
    numbers = [at for at, cost in pairs if cost > stub_tokens]
    dropped = frozenset(numbers)
    mixed = [stubs[at] if at in dropped else entry.tool for at, entry in enumerate(definitions)]
    return {int(definitions[at].place[0]) for at in numbers}, used + measure(mixed)


def _make_stub(tool: Tool) -> Tool:
    """Return a tool as it is in the list once it is deferred."""
    return next(find_tools({"name": tool.name, **STUB}))[1]


def list_tools(*, has_session: bool) -> tuple[BuiltinTool, ...]:
    """Return the tools: a conversation can be compacted only if ctxkit has it, in a session."""
    return (*_READERS, COMPACT_CONTEXT) if has_session else _READERS


def define_tool(tool: BuiltinTool) -> dict[str, JsonValue]:
    """Return the definition of a tool."""
    definition: dict[str, JsonValue] = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.schema,
    }
    return {**definition, "annotations": _READ_ONLY} if tool.name != COMPACT_CONTEXT.name else definition


_STRUCTURED = "structuredContent"


class TextGate(NamedTuple):
    """Functions of a text: ``gate`` returns a map if it is too long, ``fits`` tells whether it is not.

    ``mask`` returns it without secrets; None if they are not masked.
    """

    gate: Callable[[str], str]
    fits: Callable[[str], bool]
    mask: Callable[[str], str] | None = None


class SeenTexts(NamedTuple):
    """The texts of a result that became maps, and what stands for its texts, by the indices of their blocks.

    One map may stand for all texts.
    """

    mapped: Mapping[int, str]
    shown: Mapping[int, str]

    def find_map(self, at: int) -> str:
        """Return the map that stands for a text."""
        return self.shown.get(at, self.shown[min(self.shown)])


def change_result(
    place: Place, result: Mapping[str, JsonValue], output: str | None, text_gate: TextGate
) -> list[ValuePatch]:
    """Return the changes of the result at a place.

    ``output`` is what its tool says of structured results, as ``find_output`` returns it.
    """
    blocks = result.get("content")
    listed = blocks if isinstance(blocks, list) else []
    texts = {at: block["text"] for at, block in enumerate(listed) if _is_text(block)}
    mask = text_gate.mask or (lambda text: text)
    masked = {at: mask(text) for at, text in texts.items()}
    shown = masked if result.get("isError") is True else _gate_texts(masked, text_gate)
    inside = (*place, "content")
    patches = [ValuePatch((*inside, at, "text"), shown[at]) for at in shown if shown[at] != texts[at]]
    patches += [ValuePatch((*inside, at), action="remove") for at in texts if at not in shown]
    if text_gate.mask is not None:
        patches += _mask_resources(inside, listed, mask)
    if _STRUCTURED not in result:
        return patches
    seen = SeenTexts({at: text for at, text in texts.items() if shown.get(at) != masked[at]}, shown)
    return patches + _change_structured((*place, _STRUCTURED), result[_STRUCTURED], seen, output, text_gate)


def _gate_texts(texts: Mapping[int, str], text_gate: TextGate) -> dict[int, str]:
    """Return what stands for texts, by their indices; if all together are still too long, one map of them."""
    shown = {at: text_gate.gate(text) for at, text in texts.items()}
    if len(texts) < 2 or text_gate.fits("\n".join(shown.values())):
        return shown
    whole = "\n".join(texts.values())
    together = text_gate.gate(whole)
    return shown if together == whole else {min(texts): together}


def _is_text(block: JsonValue) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)


def _mask_resources(inside: Place, blocks: list[JsonValue], mask: Callable[[str], str]) -> list[ValuePatch]:
    """Return the changes that mask the texts of embedded resources."""
    patches: list[ValuePatch] = []
    for at, block in enumerate(blocks):
        text = get_object(block, "resource").get("text") if isinstance(block, dict) else None
        if isinstance(text, str) and (safe := mask(text)) != text:
            patches.append(ValuePatch((*inside, at, "resource", "text"), safe))
    return patches


def _change_structured(
    place: Place, value: JsonValue, seen: SeenTexts, output: str | None, text_gate: TextGate
) -> list[ValuePatch]:
    """Return the changes of a structured result, given the texts that became maps."""
    source = next((at for at, text in seen.mapped.items() if _stands_for(text, value)), None)
    if source is not None and output is None:
        return [ValuePatch(place, action="remove")]
    if source is not None and output and value == {output: seen.mapped[source]}:
        return [ValuePatch((*place, output), seen.find_map(source))]
    if text_gate.mask is None:
        return []
    text = dump_json(value)
    safe = text_gate.mask(text)
    return [] if safe == text else [ValuePatch(place, json.loads(safe))]


def _stands_for(text: str, value: JsonValue) -> bool:
    """Return whether a text repeats a structured value: as JSON, or as its only text."""
    if value == text or (isinstance(value, dict) and list(value.values()) == [text]):
        return True
    try:
        return text.lstrip()[:1] in ("{", "[") and bool(json.loads(text) == value)
    except (ValueError, RecursionError):
        return False
