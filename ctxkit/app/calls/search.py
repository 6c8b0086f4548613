"""Answer search: the passages of stored content that match a query best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import monotonic
from typing import TYPE_CHECKING

from ctxkit.app.services import stores
from ctxkit.core.calls.function_call import CallError, CallResult, make_text_result
from ctxkit.core.store import search
from ctxkit.core.store.label import shorten_ref, title_of
from ctxkit.core.text.escapes import escape_controls

if TYPE_CHECKING:
    from ctxkit.app.calls.conditions import CallContext
    from ctxkit.core.store.search import Hit
    from ctxkit.core.store.store_interface import Blob
    from ctxkit.core.text.json_value import JsonValue

PASSAGES = 12
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
    hits, is_partial = search.find_hits(index, store, blobs, query, PASSAGES)
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
