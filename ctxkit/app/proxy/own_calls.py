"""Add the functions of the proxy to a request, and answer a model's calls of them."""

from __future__ import annotations

from hashlib import blake2b
from time import time
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.proxy.conditions import dump_value
from ctxkit.app.services import stores
from ctxkit.core.chat.editing import find_span
from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.errors import CtxkitError
from ctxkit.core.mcp.tools import READ_RESULT, TOOL_SEARCH
from ctxkit.core.proxy.functions import (
    SHAPES,
    OwnResult,
    add_functions,
    can_shorten,
    list_called,
    may_add_functions,
    shorten_definitions,
    write_long_definitions,
)
from ctxkit.core.store.label import Label, shorten_ref
from ctxkit.core.store.store_interface import store_content
from ctxkit.core.text.positions import skip_blanks
from ctxkit.core.text.retrieval_hint import PREFIX
from ctxkit.core.tokens.budget import threshold_of
from ctxkit.core.tools.builtin import FunctionCall, make_error_result
from ctxkit.core.tools.catalog import (
    DefinitionCounter,
    ToolCatalog,
    ToolUse,
    find_shape,
    format_note,
    read_catalog,
    select_tools,
)
from ctxkit.edge import say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctxkit.app.proxy.conditions import ClientRequest, Conditions
    from ctxkit.core.chat.model.message import RecordCall
    from ctxkit.core.proxy.model_apis import ModelApi
    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.core.tools.builtin import BuiltinTool
    from ctxkit.core.tools.catalog import MeasureTools
    from ctxkit.edge.settings import Settings

_MEMBER = "tools"
"""The member of a request with its definitions, in all APIs."""
_STORED_SECONDS = 86_400
"""Seconds after which the whole definitions are stored anew, so that they do not expire while they are used."""
_NAMES = (READ_RESULT.name, TOOL_SEARCH.name)
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
    return may_add_functions(api, path, value, _NAMES)


def change_tools(
    request: ClientRequest, hidden: Sequence[JsonValue] | None, conditions: Conditions, settings: Settings
) -> OwnFunctions:
    """Return a request with short definitions, or with functions of the proxy.

    ``hidden`` is None for a request that gets no functions, else as ``inject`` has it.
    """
    if hidden is None:
        return OwnFunctions(_defer_tools(request.body, request.members, conditions, settings) or request.body)
    try:
        return inject(request, hidden, conditions, settings)
    except CtxkitError as error:
        say.warn(f"no functions are added: {error}")
        return OwnFunctions(request.body)


def inject(
    request: ClientRequest, hidden: Sequence[JsonValue], conditions: Conditions, settings: Settings
) -> OwnFunctions:
    """Return a request with the functions of the proxy, and without the definitions that are deferred.

    ``hidden`` are the messages that replace the first ones of the conversation. A definition stays if a message calls
    its tool, or if a search among them has found it.
    """
    text = request.body.decode("utf-8", "surrogateescape")
    begin, end = _find_list(text)
    catalog = read_catalog(text[begin:end].encode("utf-8", "surrogateescape"), "the tools", "mcp")
    dropped = _choose_deferred(catalog, request, hidden, conditions, settings)
    deferred = ",".join(catalog.get_text(catalog.definitions[at]) for at in dropped)
    search = TOOL_SEARCH._replace(description=f"{format_note(len(dropped))} {TOOL_SEARCH.description}")
    tools: tuple[BuiltinTool, ...] = (READ_RESULT, *((search,) if dropped else ()))
    kept = catalog.write_without(dropped) if dropped else text[begin:end]
    changed = f"{text[:begin]}{add_functions(kept, tools, SHAPES[request.api.name])}{text[end:]}"
    names = tuple(tool.name for tool in tools)
    return OwnFunctions(changed.encode("utf-8", "surrogateescape"), names, f"[{deferred}]" if dropped else "")


def _choose_deferred(
    catalog: ToolCatalog,
    request: ClientRequest,
    hidden: Sequence[JsonValue],
    conditions: Conditions,
    settings: Settings,
) -> tuple[int, ...]:
    """Return the indices of the definitions that leave the request."""
    most = _find_deferral_threshold(conditions, settings)
    if most is None or len(catalog.text.encode("utf-8", "surrogateescape")) <= most:
        return ()
    definitions = [
        definition if can_shorten(definition) else definition._replace(source="builtin")
        for definition in catalog.definitions
    ]
    called = {call.name for call in list_called([*request.members[request.api.messages], *hidden], conditions.format)}
    used = {*called, *_find_searched(hidden, conditions), *_find_demanded(request.members)}
    uses = {name: ToolUse(is_pinned=True) for name in used}
    return select_tools(definitions, _make_measure(catalog, conditions), most, uses, most).deferred


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
    from ctxkit.app.calls.functions import CallContext, answer_call
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


def _defer_tools(body: bytes, value: dict[str, JsonValue], conditions: Conditions, settings: Settings) -> bytes | None:
    """Return a request whose definitions are short, None if they stay as they are.

    What becomes of definitions depends on their text and on the window alone: all requests of an agent begin alike.
    """
    tools, most = value.get(_MEMBER), _find_deferral_threshold(conditions, settings)
    if not isinstance(tools, list) or most is None or not _stores(conditions, settings):
        return None
    data = dump_value(tools)
    if len(data) <= most:  # a token has a byte at least, so that nothing needs to be counted
        return None
    key = blake2b(b"%d %s" % (time() // _STORED_SECONDS, data), digest_size=16).digest()
    if key in conditions.short_tools and not conditions.short_tools[key]:
        return None
    text = body.decode("utf-8", "surrogateescape")
    begin, end = _find_list(text)
    if key not in conditions.short_tools:
        try:
            conditions.short_tools[key] = _shorten(text[begin:end], most, conditions, settings)
        except (CtxkitError, OSError) as error:
            say.warn(f"no tool definitions are shortened: {error}")
            return None
    short = conditions.short_tools[key]
    return f"{text[:begin]}{short}{text[end:]}".encode("utf-8", "surrogateescape") if short else None


def _find_deferral_threshold(conditions: Conditions, settings: Settings) -> int | None:
    """Return the most tokens that definitions may take, None if they may take any number."""
    return threshold_of(settings["tool_deferral_threshold"], conditions.budget.effective)


def _find_list(text: str) -> tuple[int, int]:
    """Return the start and the end of the list of definitions in a request."""
    return find_span(text, skip_blanks(text, 1 if text.startswith("\ufeff") else 0), (_MEMBER,))


def _make_measure(catalog: ToolCatalog, conditions: Conditions) -> MeasureTools:
    """Return a function that returns the tokens of definitions."""
    return DefinitionCounter(conditions.count_options, find_shape(catalog.definitions[0])).measure


def _stores(conditions: Conditions, settings: Settings) -> bool:
    """Return whether the rest of a definition can be read: it is stored."""
    return bool(settings["store"]) and not conditions.request.no_store


def _shorten(text: str, most: int, conditions: Conditions, settings: Settings) -> str:
    """Return the text of the short definitions, "" if all stay as they are; the whole ones are stored."""
    catalog = read_catalog(text.encode("utf-8", "surrogateescape"), "the tools", "mcp")
    measure = _make_measure(catalog, conditions)
    if measure([definition.tool for definition in catalog.definitions]) <= most:
        return ""
    describe_rest = _store_definitions(catalog, conditions, settings)
    return shorten_definitions(catalog, measure, most, describe_rest) or ""


def _store_definitions(catalog: ToolCatalog, conditions: Conditions, settings: Settings) -> Callable[[int], str]:
    """Store the whole definitions, and return a function that says how to read one, by its index."""
    long = write_long_definitions(catalog)
    data = long.text.encode("utf-8", "replace")
    ref = store_content(stores.open_store(settings), [data], Label("tool definitions", "proxy"))
    hint = conditions.request.resolve_hint(settings, "ctxkit", "")
    located = hint.without_alternative().with_location(shorten_ref(ref), "")

    def describe_rest(number: int) -> str:
        """Return how to read the rest of a definition."""
        return located.for_lines(*long.lines[number]).removeprefix(PREFIX)

    return describe_rest
