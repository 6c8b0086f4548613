"""Messages with a role, calls of tools, their results, and tool definitions, in the forms of all providers."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.chat.model.blocks import (
    CALL_IDS,
    HAYSTACK_CALL,
    HAYSTACK_RESULT,
    RESULT_IDS,
    TOOL_NAMES,
    find_repeated_id,
    list_blocks,
    read_parts,
    read_run,
)
from ctxkit.core.chat.model.json_fields import dump_value, get_first_text, get_member, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import (
    ChatMessage,
    EntryLink,
    MessagePart,
    PartKind,
    Place,
    RecordCall,
    RecordContent,
    RecordPassage,
    RecordResult,
    Tool,
    Toolset,
)
from ctxkit.core.text.json_value import JsonValue

if TYPE_CHECKING:
    from json import JSONDecoder

CALLS = {"tool_use": "id", "toolCall": "id", "tool-call": "toolCallId", "tool_call": "id"}
"""Types of call blocks, and the member that contains the id."""
_PROVIDER_CALLS = ("server_tool_use", "mcp_tool_use")
"""Types of call blocks that the provider answers in the same message."""
RESULTS = {"tool_result": "tool_use_id", "tool-result": "toolCallId"}
"""Types of result blocks, and the member that contains the id of the call."""
_REASONING_TYPES = ("thinking", "redacted_thinking", "reasoning", "redacted-reasoning")
BEDROCK_CALL, BEDROCK_RESULT = "toolUse", "toolResult"
"""Members for a call and a result in Bedrock's blocks, which have no type."""
_TEXT_TYPES = ("text", "input_text", "output_text", "tool_output")
_ARGUMENT_KEYS = ("input", "arguments", "args")
_OUTPUT_KEYS = ("content", "output", "result")


def nest_content(content: RecordContent, place: Place) -> RecordContent:
    """Return the content of a message with the places of the entry that contains it at ``place``."""
    return content._replace(
        calls=tuple(
            element._replace(
                place=(*place, *element.place),
                unit=_nest_unit(element.unit, place),
                copies=tuple((*place, *copy) for copy in element.copies),
            )
            for element in content.calls
        ),
        results=tuple(
            element._replace(place=(*place, *element.place), unit=_nest_unit(element.unit, place))
            for element in content.results
        ),
        passages=tuple(RecordPassage(element.text, (*place, *element.place)) for element in content.passages),
    )


def _nest_unit(unit: Place, place: Place) -> Place:
    """Return the place of an element in the entry, () if it is the whole entry."""
    return (*place, *unit) if unit else ()


def enumerate_blocks(content: JsonValue) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """Yield the blocks of a content with their indices."""
    if isinstance(content, list):
        yield from ((at, block) for at, block in enumerate(content) if isinstance(block, dict))


class LocatedBlock(NamedTuple):
    """A block of a content, its place, and its unit: () if it is the only block of its entry."""

    value: dict[str, JsonValue]
    place: Place
    unit: Place


def _locate_blocks(content: JsonValue, place: Place) -> Iterator[LocatedBlock]:
    """Yield the blocks of the content at ``place``; MCP and some logs write a single block without a list."""
    if isinstance(content, dict):
        yield LocatedBlock(content, place, ())
    for at, block in enumerate_blocks(content):
        yield LocatedBlock(block, (*place, at), (*place, at))


def find_calls(content: JsonValue, place: Place) -> Iterator[RecordCall]:
    """Yield the calls among the blocks of the content at ``place``."""
    for block, at, unit in _locate_blocks(content, place):
        kind = get_text(block, "type")
        if kind in CALLS or kind in _PROVIDER_CALLS:
            key = next((key for key in _ARGUMENT_KEYS if key in block), _ARGUMENT_KEYS[0])
            id_ = get_text(block, CALLS.get(kind, "id")) or get_first_text(block, CALL_IDS)
            arguments, is_provider_call = parse_arguments(block.get(key)), kind in _PROVIDER_CALLS
            yield RecordCall(id_, get_first_text(block, TOOL_NAMES), arguments, (*at, key), unit, is_provider_call)
        elif not kind and (body := get_object(block, BEDROCK_CALL)):
            call_fields = (get_text(body, "toolUseId"), get_text(body, "name"), parse_arguments(body.get("input")))
            is_provider_call = get_text(body, "type") == "server_tool_use"
            yield RecordCall(*call_fields, (*at, BEDROCK_CALL, "input"), unit, is_provider_call)
        elif not kind and (body := get_object(block, HAYSTACK_CALL)):
            arguments = parse_arguments(body.get("arguments"))
            place_of_arguments = (*at, HAYSTACK_CALL, "arguments")
            yield RecordCall(get_text(body, "id"), get_text(body, "tool_name"), arguments, place_of_arguments, unit)


def find_call_copies(
    content: JsonValue, place: Place, arguments: Mapping[str, JsonValue]
) -> dict[str, tuple[Place, ...]]:
    """Return the places in blocks that repeat the ``arguments`` of calls, by the id of the call."""
    copies: dict[str, tuple[Place, ...]] = {}
    for block, at, _ in _locate_blocks(content, place):
        key = next((key for key in _ARGUMENT_KEYS if key in block), "")
        id_ = find_repeated_id(block, arguments)
        if id_ and key and parse_arguments(block[key]) == arguments[id_]:
            copies[id_] = (*copies.get(id_, ()), (*at, key))
    return copies


def find_results(content: JsonValue, place: Place) -> Iterator[RecordResult]:
    """Yield the results among the blocks of the content at ``place``."""
    for block, at, unit in _locate_blocks(content, place):
        kind = get_text(block, "type")
        if kind in RESULTS and (run := read_run(block)):
            id_ = get_first_text(block, RESULT_IDS)
            yield RecordResult(id_, run.text, (*at, *run.place), failed=run.failed, unit=unit)
        elif kind in RESULTS:
            key = next((key for key in _OUTPUT_KEYS if key in block), _OUTPUT_KEYS[0])
            output, failed = block.get(key), block.get("is_error") is True or block.get("isError") is True
            id_, name = get_text(block, RESULTS[kind]) or get_first_text(block, RESULT_IDS), get_text(block, "toolName")
            text, is_plain = read_result_text(output), is_plain_text(output)
            yield RecordResult(id_, text, (*at, key), name, failed, is_plain, (), unit)
        elif not kind:
            yield from _read_untyped_result(block, at, unit)


def _read_untyped_result(block: dict[str, JsonValue], at: Place, unit: Place) -> Iterator[RecordResult]:
    """Yield the result of a block of Bedrock or Haystack, which name it by a member."""
    if body := get_object(block, BEDROCK_RESULT):
        output, failed = body.get("content"), get_text(body, "status") == "error"
        id_, is_plain = get_text(body, "toolUseId"), all("text" in item for item in get_objects(output))
        text_place = (*at, BEDROCK_RESULT, "content")
        yield RecordResult(id_, read_result_text(output), text_place, "", failed, is_plain, (), unit)
    elif body := get_object(block, HAYSTACK_RESULT):
        origin, output, failed = get_object(body, "origin"), body.get("result"), body.get("error") is True
        id_, name, is_plain = get_text(origin, "id"), get_text(origin, "tool_name"), isinstance(output, str)
        text_place = (*at, HAYSTACK_RESULT, "result")
        yield RecordResult(id_, read_result_text(output), text_place, name, failed, is_plain, (), unit)


def find_passages(content: JsonValue, place: Place) -> Iterator[RecordPassage]:
    """Yield the passages of the content at ``place``."""
    if isinstance(content, str):
        yield RecordPassage(content, place)
    for block, at, _ in _locate_blocks(content, place):
        kind = get_text(block, "type")
        if (kind in _TEXT_TYPES or (not kind and "text" in block)) and isinstance(block.get("text"), str):
            yield RecordPassage(block["text"], (*at, "text"))


def has_leading_reasoning(content: JsonValue) -> bool:
    """Return whether a content begins with reasoning."""
    first = next((block for block, *_ in _locate_blocks(content, ())), {})
    return get_text(first, "type") in _REASONING_TYPES or "reasoningContent" in first


def is_encrypted(content: JsonValue) -> bool:
    """Return whether a content contains an encrypted compaction, which replaces messages that only the provider can
    read.

    Encrypted reasoning does not count, because it may be dropped with its response.
    """
    return any(get_text(block, "type") == "compaction" for block, *_ in _locate_blocks(content, ()))


def parse_arguments(arguments: JsonValue) -> JsonValue:
    """Return the arguments of a call: an object, parsed from JSON text if necessary, or other text."""
    if isinstance(arguments, dict):
        return arguments
    if not isinstance(arguments, str):
        return dump_value(arguments)
    try:
        value = _load_decoder().decode(arguments)
    except (ValueError, RecursionError):
        return arguments
    return value if isinstance(value, dict) else arguments


@cache
def _load_decoder() -> "JSONDecoder":
    from json import JSONDecoder

    return JSONDecoder(strict=False)


def read_result_text(content: JsonValue) -> str:
    """Return the text of a result's content."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict) and "value" in content:
        return dump_value(content["value"])
    return "\n".join(part.text for part in read_parts([content] if isinstance(content, dict) else content) if part.text)


def is_plain_text(content: JsonValue) -> bool:
    """Return whether a content contains only text."""
    if content is None or isinstance(content, str):
        return True
    if not isinstance(content, list):
        return get_text(content, "type") in _TEXT_TYPES
    return all(isinstance(block, str) or get_text(block, "type") in _TEXT_TYPES for block in content)


SCHEMAS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "schema")
"""Members of a definition that contain the schema of its parameters."""
_GROUPS = ("functionDeclarations", "function_declarations", "tools")
"""Members of an item that holds several definitions: Gemini combines declarations, OpenAI's namespaces tools."""
_ANSWER_SCHEMAS = (
    ("response_format", "json_schema"),
    ("text", "format", "schema"),
    ("output_format", "schema"),
    ("output_config", "format", "schema"),
    ("generationConfig", "responseSchema"),
    ("generationConfig", "responseJsonSchema"),
)
"""Places of the schema of an answer: Chat Completions, Responses, Anthropic (two), Gemini (two)."""


def find_tool_lists(value: JsonValue) -> list[Place]:
    """Return the places of the lists of tool definitions in a request, or in an answer of an MCP server."""
    if not isinstance(value, dict) or not value:
        return []
    paths = (("tools",), ("functions",), ("toolConfig", "tools"), ("result", "tools"))
    return [path for path in paths if get_objects(get_object(value, path[0]) if path[1:] else value, path[-1])]


def find_tools(item: dict[str, JsonValue]) -> Iterator[tuple[Place, Tool]]:
    """Yield the tools of an item of such a list, each with its place inside the item."""
    groups = [(key, at, inner) for key in _GROUPS for at, inner in enumerate_objects(item.get(key))]
    if groups:
        yield from (((key, at), _read_tool(inner, inner)) for key, at, inner in groups)
    elif get_object(item, "toolSpec"):
        yield (), _read_bedrock_tool(item)
    else:
        yield (), _read_tool({**item, **get_object(item, "function")}, item)


def enumerate_objects(items: JsonValue) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """Yield the objects of a list, each with its index."""
    listed = items if isinstance(items, list) else ()
    yield from ((at, item) for at, item in enumerate(listed) if isinstance(item, dict))


def read_toolset(request: dict[str, JsonValue]) -> Toolset | None:
    """Return the tools and the answer schema of a request of any provider, None if it has neither."""
    tools = [tool for item in get_objects(request, "tools") for _, tool in find_tools(item)]
    tools += [_read_tool(item, item) for item in get_objects(request, "functions")]
    tools += [_read_bedrock_tool(item) for item in get_objects(get_object(request, "toolConfig"), "tools")]
    schemas = (get_member(request, place) for place in _ANSWER_SCHEMAS)
    schema = next((dump_value(value) for value in schemas if value and isinstance(value, dict)), "")
    return Toolset(tuple(tools), _read_choice(request), schema) if tools or schema else None


def _read_bedrock_tool(item: dict[str, JsonValue]) -> Tool:
    """Return a Bedrock tool, whose schema is under ``json``."""
    spec = get_object(item, "toolSpec")
    schema = get_object(get_object(spec, "inputSchema"), "json")
    return Tool(get_text(spec, "name"), get_text(spec, "description"), schema, item)


def _read_tool(item: dict[str, JsonValue], raw: JsonValue) -> Tool:
    schema: dict[str, JsonValue] = next((candidate for key in SCHEMAS if (candidate := get_object(item, key))), {})
    return Tool(get_text(item, "name") or get_text(item, "type"), get_text(item, "description"), schema, raw)


def _read_choice(request: dict[str, JsonValue]) -> str:
    choice = request.get("tool_choice", request.get("function_call", "auto"))
    return choice if isinstance(choice, str) else get_text(choice, "type") or "auto"


ROLES = ("system", "developer", "user", "assistant", "tool", "function", "human", "ai", "model", "toolResult")
SUBAGENT_ROLE = "assistant-subagent-"
"""Beginning of the role of all messages of another agent, in exports of sessions; the id of the agent follows."""
_RESULT_ROLES = ("tool", "function", "toolResult", "tool_result", "ipython")
_REASONING_KEYS = ("reasoning_content", "reasoning")


def is_message(value: JsonValue, *, known_role: bool = True) -> bool:
    """Return whether a value is a message with a role and a content or calls; ``known_role`` requires a known role."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    has_content = "content" in value or "tool_calls" in value or "function_call" in value
    return has_content and (not known_role or value["role"] in ROLES or value["role"].startswith(SUBAGENT_ROLE))


def is_message_list(values: JsonValue, *, known_role: bool = True) -> bool:
    """Return whether a value is a list whose first element is a message and whose elements all have a role."""
    if not isinstance(values, list) or not values or not is_message(values[0], known_role=known_role):
        return False
    return all(isinstance(value, dict) and isinstance(value.get("role"), str) for value in values)


def read_message(value: dict[str, JsonValue], link: EntryLink | None = None) -> ChatMessage:
    """Return a message with all its parts, calls and results."""
    role = get_text(value, "role") or "user"
    is_result = role in _RESULT_ROLES
    kind: PartKind = "result" if is_result else "text"
    content = value.get("content")
    if len(value) == 2 and isinstance(content, str):  # most messages are a role and a text: this takes half the time
        return ChatMessage(role, (MessagePart(kind, content),) if content else (), link=link)
    parts = [*_read_reasoning(value), *read_parts(_remove_repeated_calls(value), kind), *_read_calls(value)]
    if refusal := get_text(value, "refusal"):
        parts.append(MessagePart(kind, refusal))
    name = get_text(value, "name") or (get_text(value, "toolName") if is_result else "")
    return ChatMessage(role, tuple(parts), name, _list_call_ids(value), _list_answered_ids(value, is_result), link)


def _remove_repeated_calls(value: dict[str, JsonValue]) -> JsonValue:
    """Return the content of a message without the blocks that repeat one of its ``tool_calls``."""
    content = value.get("content")
    ids = {id_ for call in get_objects(value, "tool_calls") if (id_ := get_text(call, "id"))}
    if not ids or not isinstance(content, list):
        return content
    return [block for block in content if not find_repeated_id(block, ids)]


def _read_reasoning(value: dict[str, JsonValue]) -> Iterator[MessagePart]:
    for key in _REASONING_KEYS:
        if words := get_text(value, key):
            yield MessagePart("thinking", words)
            return


def _read_calls(value: dict[str, JsonValue]) -> Iterator[MessagePart]:
    for call in [*get_objects(value, "tool_calls"), get_object(value, "function_call")]:
        function = get_object(call, "function") or get_object(call, "custom") or call
        if function:
            arguments = function.get("arguments", function.get("input", function.get("args")))
            yield MessagePart("call", dump_value(arguments), get_text(function, "name"))


def _list_call_ids(value: dict[str, JsonValue]) -> tuple[str, ...]:
    kinds = ("tool_use", "toolCall", "tool_call")
    blocks = [block for block in list_blocks(value.get("content")) if get_text(block, "type") in kinds]
    ids = [get_text(call, "id") for call in get_objects(value, "tool_calls")]
    ids += [get_first_text(block, ("id", "tool_id")) for block in blocks]
    ids += [get_text(get_object(block, HAYSTACK_CALL), "id") for block in get_objects(value, "content")]
    return tuple(dict.fromkeys(filter(None, ids)))


def read_result_id(value: dict[str, JsonValue]) -> str:
    """Return the id of the call that a result message answers: tau2-bench, which names who called, has it as ``id``."""
    return get_first_text(value, (*RESULT_IDS, "id") if "requestor" in value else RESULT_IDS)


def _list_answered_ids(value: dict[str, JsonValue], is_result: bool) -> tuple[str, ...]:
    blocks = [block for block in list_blocks(value.get("content")) if get_text(block, "type") == "tool_result"]
    ids = [read_result_id(item) for item in ([*blocks, value] if is_result else blocks)]
    results = [get_object(block, HAYSTACK_RESULT) for block in get_objects(value, "content")] if is_result else []
    return tuple(filter(None, [*ids, *(get_text(get_object(result, "origin"), "id") for result in results)]))


CALL_TAG, RESPONSE_TAG = "tool_call", "tool_response"


class TaggedText(NamedTuple):
    """The text between two tags, its start and end, and the span including the tags."""

    text: str
    start: int
    end: int
    outer: tuple[int, int]


def find_tagged(words: str, tag: str) -> Iterator[TaggedText]:
    """Yield the text between each pair of tags, without surrounding blanks."""
    opening, closing = f"<{tag}>", f"</{tag}>"
    at = words.find(opening)
    while at >= 0:
        start = at + len(opening)
        end = words.find(closing, start)
        if end < 0:
            return
        inner, after = words[start:end], end + len(closing)
        bare = inner.strip()
        begin = start + len(inner) - len(inner.lstrip()) if bare else end
        yield TaggedText(bare, begin, begin + len(bare), (at, after))
        at = words.find(opening, after)


def parse_call(words: str) -> tuple[str, JsonValue]:
    """Return the name and the arguments of a call; text that is not JSON has no name."""
    value = parse_arguments(words)
    if not isinstance(value, dict):
        return "", value
    return get_text(value, "name"), parse_arguments(value.get("arguments", value.get("parameters")))


def parse_response(words: str) -> tuple[str, str]:
    """Return the tool name of a result, empty if unknown, and the text of the result."""
    value = parse_arguments(words)
    if isinstance(value, dict) and get_text(value, "name") and "content" in value:
        return get_text(value, "name"), dump_value(value["content"])
    return "", words
