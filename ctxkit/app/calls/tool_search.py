"""Answer tool_search: the definitions of the tools that match a query best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ctxkit.app.services import engines, session_log
from ctxkit.core.calls.function_call import CallError, CallResult, make_text_result
from ctxkit.core.errors import CtxkitError
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.tools.search import make_tool_text, rank_tools
from ctxkit.edge import say

if TYPE_CHECKING:
    from ctxkit.app.calls.conditions import CallContext

MATCHES = 5
"""Maximum number of definitions in a result."""


def search_tools(arguments: Mapping[str, JsonValue], context: CallContext) -> CallResult:
    """Return as many of the best definitions as fit, and pin them for the session."""
    if context.tools is None:
        raise CallError("there are no other tools to search", hint="use the tools in your list")
    definitions, query = context.tools.definitions, arguments["query"]
    index = engines.tool_index([make_tool_text(definition.tool) for definition in definitions])
    numbers = [match.number for match in rank_tools(query, index.score, MATCHES)]
    if not numbers:
        hint = "try other words, such as a verb and its object: create issue"
        return make_text_result(f"No tool matches {query[:80]!r}. {hint.capitalize()}.", {"matches": []})
    vocabulary = context.request.vocabulary(context.settings)
    count, most = engines.load_tokenizer(vocabulary), context.request.budget(context.settings).allowance(None)
    while numbers and count(context.tools.write_only(numbers)) > most:
        numbers.pop()
    if not numbers:
        raise CallError("no definition fits the context", hint="call compact_context first, then search again")
    names = [definitions[number].tool.name for number in numbers]
    _pin(names, context)
    content = context.tools.write_only(numbers).encode("utf-8", "surrogateescape")
    return CallResult(content, facts={"matches": names})


def _pin(names: list[str], context: CallContext) -> None:
    """Pin tools; a failure costs this record alone."""
    if context.reservation is None:
        return
    try:
        session_log.tool_uses(context.settings).pin(context.reservation.name, names)
    except (CtxkitError, OSError) as error:
        say.warn(f"the tools are not pinned: {error}")
