"""Answer search: the passages of stored content that match a query best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import monotonic
from typing import TYPE_CHECKING

from ctxkit.app.services import engines, session_log, stores
from ctxkit.core.errors import CtxkitError
from ctxkit.core.store import search
from ctxkit.core.store.label import shorten_ref, title_of
from ctxkit.core.text.escapes import escape_controls
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.tools.builtin import CallError, CallResult, make_text_result
from ctxkit.core.tools.search import make_tool_text, rank_tools
from ctxkit.edge import say

if TYPE_CHECKING:
    from ctxkit.app.calls.functions import CallContext
    from ctxkit.core.store.search import Hit
    from ctxkit.core.store.store_interface import Blob

_PASSAGES = 12
"""Maximum number of passages in a result."""
INDEX_SECONDS = 10.0
"""Seconds for the index of new content, after which a search answers without the rest of it."""


def search_results(arguments: Mapping[str, JsonValue], context: CallContext) -> CallResult:
    """Return the best passages of this session or project, with refs and line numbers that read_result takes."""
    query = arguments["query"]
    if not search.parse_terms(query):
        raise CallError("the query has no word", hint="send words that occur in the result")
    index, store = stores.index(context.settings), stores.open_store(context.settings)
    scope = search.SearchScope(stores.current_project(), context.request.session or context.settings["session"])
    blobs = {blob.ref: blob for blob in store.blobs() if scope.includes(blob.label)}
    end = monotonic() + INDEX_SECONDS
    is_indexed = all(monotonic() < end for _ in search.index_missing(index, store, blobs))
    rest = "" if is_indexed else "New results are not all searched yet: search again.\n"
    hits, is_partial = search.find_hits(index, store, blobs, query, _PASSAGES)
    if not hits:
        return make_text_result(f"{rest}No stored result matches {query[:80]!r}.", {"matches": []})
    heading = "No passage has all of these words; these have some of them.\n" if is_partial else ""
    listing = "".join(_list_groups(search.group_by_ref(hits), blobs))
    text = f"{rest}{heading}{escape_controls(listing)}"
    result = make_text_result(text, {"matches": [[shorten_ref(hit.ref), hit.line] for hit in hits]})
    redaction = context.request.redaction(context.settings)
    return result._replace(content=b"".join(redaction.apply([result.content]))) if redaction.on else result


def _list_groups(hits_by_ref: Mapping[str, list[Hit]], blobs: Mapping[str, Blob]) -> Iterator[str]:
    for ref, hits in hits_by_ref.items():
        yield f"{shorten_ref(ref)}  {title_of(blobs[ref].label.name or blobs[ref].label.tool)}".rstrip() + "\n"
        yield from (f"  {hit.line}: {hit.text}\n" for hit in hits)


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
