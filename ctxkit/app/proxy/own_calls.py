"""Add the functions of the proxy to a request, and answer a model's calls of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.proxy.tool_deferral import defer_tools, find_deferral_threshold, find_list, make_measure
from ctxkit.core.calls.function_call import FunctionCall, make_error_result
from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.errors import CtxkitError
from ctxkit.core.mcp.tool_list import READ_RESULT, TOOL_SEARCH
from ctxkit.core.proxy.own_functions import SHAPES, OwnResult, add_functions, list_called, may_add_functions
from ctxkit.core.proxy.short_definitions import can_shorten
from ctxkit.core.tools.catalog import ToolCatalog, read_catalog
from ctxkit.core.tools.selection import ToolUse, format_note, select_tools
from ctxkit.edge import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxkit.app.proxy.conditions import Conditions
    from ctxkit.core.chat.model.record import RecordCall
    from ctxkit.core.proxy.model_apis import ModelApi
    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.core.tools.builtin import BuiltinTool
    from ctxkit.edge.settings import Settings

NAMES = (READ_RESULT.name, TOOL_SEARCH.name)
HINT = "read_result"
"""The hint of maps in a request that has the function."""
_END = "\n]"
"""The end of the definitions in a result, which a note may follow."""


class OwnFunctions(NamedTuple):
    """The functions that were added to a request, and the list of the definitions that were taken out of it."""

    body: bytes
    names: tuple[str, ...] = ()
    deferred: str = ""


def may_inject(api: ModelApi, path: str, value: dict[str, JsonValue]) -> bool:
    """Return whether the functions of the proxy may be added to a request."""
    return may_add_functions(api, path, value, NAMES)


def change_tools(
    api: ModelApi,
    body: bytes,
    value: dict[str, JsonValue],
    hidden: Sequence[JsonValue] | None,
    conditions: Conditions,
    settings: Settings,
) -> OwnFunctions:
    """Return a request with short definitions, or with functions of the proxy.

    ``hidden`` is None for a request that gets no functions, else as ``inject`` has it.
    """
    if hidden is None:
        return OwnFunctions(defer_tools(body, value, conditions, settings) or body)
    try:
        return inject(api, body, value, hidden, conditions, settings)
    except CtxkitError as error:
        say.warn(f"no functions are added: {error}")
        return OwnFunctions(body)


def inject(
    api: ModelApi,
    body: bytes,
    value: dict[str, JsonValue],
    hidden: Sequence[JsonValue],
    conditions: Conditions,
    settings: Settings,
) -> OwnFunctions:
    """Return a request with the functions of the proxy, and without the definitions that are deferred.

    ``hidden`` are the messages that replace the first ones of the conversation. A definition stays if a message calls
    its tool, or if a search among them has found it.
    """
    text = body.decode("utf-8", "surrogateescape")
    begin, end = find_list(text)
    catalog = read_catalog(text[begin:end].encode("utf-8", "surrogateescape"), "the tools", "mcp")
    dropped = _choose_deferred(catalog, api, value, hidden, conditions, settings)
    deferred = ",".join(catalog.get_text(catalog.definitions[at]) for at in dropped)
    search = TOOL_SEARCH._replace(description=f"{format_note(len(dropped))} {TOOL_SEARCH.description}")
    tools: tuple[BuiltinTool, ...] = (READ_RESULT, *((search,) if dropped else ()))
    kept = catalog.write_without(dropped) if dropped else text[begin:end]
    changed = f"{text[:begin]}{add_functions(kept, tools, SHAPES[api.name])}{text[end:]}"
    names = tuple(tool.name for tool in tools)
    return OwnFunctions(changed.encode("utf-8", "surrogateescape"), names, f"[{deferred}]" if dropped else "")


def _choose_deferred(
    catalog: ToolCatalog,
    api: ModelApi,
    value: dict[str, JsonValue],
    hidden: Sequence[JsonValue],
    conditions: Conditions,
    settings: Settings,
) -> tuple[int, ...]:
    """Return the indices of the definitions that leave the request."""
    most = find_deferral_threshold(conditions, settings)
    if most is None or len(catalog.text.encode("utf-8", "surrogateescape")) <= most:
        return ()
    definitions = [
        definition if can_shorten(definition) else definition._replace(source="builtin")
        for definition in catalog.definitions
    ]
    called = {call.name for call in list_called([*value[api.messages], *hidden], conditions.format)}
    used = {*called, *_find_searched(hidden, conditions), *_find_demanded(value)}
    uses = {name: ToolUse(is_pinned=True) for name in used}
    return select_tools(definitions, make_measure(catalog, conditions), most, uses, most).deferred


def _find_searched(hidden: Sequence[JsonValue], conditions: Conditions) -> set[str]:
    """Return the names of the tools that searches among messages have found."""
    names: set[str] = set()
    searches: set[str] = set()
    for content in map(conditions.format.read_content, hidden):
        searches |= {call.id or call.name for call in content.calls if call.name == TOOL_SEARCH.name}
        for result in content.results:
            if (result.id or result.name) in searches:
                names |= _read_names(result.text)
    return names


def _read_names(text: str) -> set[str]:
    """Return the names of the definitions in the result of a search, none of another text."""
    if not text.startswith("["):
        return set()
    try:
        catalog = read_catalog(f"{text.partition(_END)[0]}{_END}".encode("utf-8", "replace"), "the search", "mcp")
        return {definition.tool.name for definition in catalog.definitions}
    except CtxkitError:
        return set()


def _find_demanded(value: dict[str, JsonValue]) -> set[str]:
    """Return the name of the function that a request demands, if it demands one."""
    choice = value.get("tool_choice")
    return {get_text(choice, "name"), get_text(get_object(choice, "function"), "name")}


def answer_own_call(
    call: RecordCall, functions: OwnFunctions, conditions: Conditions, settings: Settings, cap: int
) -> OwnResult:
    """Return what a function of the proxy returns for a call, in at most ``cap`` tokens."""
    from ctxkit.app.calls.conditions import CallContext
    from ctxkit.app.calls.functions import answer_call
    from ctxkit.edge.tool_files import ToolSet

    if not isinstance(call.arguments, dict):
        result = make_error_result("the arguments must be a JSON object", 'such as {"ref_id": "3f9a2c81d0b47e65"}')
    else:
        effective = conditions.budget.effective
        request = conditions.request._replace(limit=cap, used=max(effective - cap, 0), session=None)
        data = functions.deferred.encode("utf-8", "surrogateescape")
        catalogs = [read_catalog(data, "the tools")] if data else []
        context = CallContext(request, settings, tools=ToolSet(catalogs) if catalogs else None, call_id=call.id)
        result = answer_call(FunctionCall(call.name, call.arguments, call.id), context, (READ_RESULT, TOOL_SEARCH))
    return OwnResult(result.content.decode("utf-8", "replace"), result.is_error)
