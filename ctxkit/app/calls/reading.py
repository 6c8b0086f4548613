"""Answer read_result, read_file and search: parts of stored content and of files, and the best passages."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any

from ctxkit.app.services import engines, session_log, stores, workers
from ctxkit.core.errors import CtxkitError, NotStoredError
from ctxkit.core.gate.content_ranges import read_bytes, resolve_range
from ctxkit.core.gate.parts import BytePart, LinePart, make_byte_part
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store import search
from ctxkit.core.store.label import shorten_ref, title_of
from ctxkit.core.store.store_interface import open_as_utf8
from ctxkit.core.text.escapes import escape_controls
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.quantity import parse_range
from ctxkit.core.text.retrieval_hint import PRESETS, Hint, quote_name
from ctxkit.core.tools.builtin import CallError, CallResult, make_text_result
from ctxkit.core.tools.search import make_tool_text, rank_tools
from ctxkit.edge import atomic_file, events, gated_page, report, say
from ctxkit.edge.events import describe_decision
from ctxkit.edge.stored_content import find_ref, index_descriptor, transform_content

if TYPE_CHECKING:
    from ctxkit.app.calls.functions import CallContext
    from ctxkit.core.store.search import Hit
    from ctxkit.core.store.store_interface import Blob, StoredContent
    from ctxkit.core.text.lines import IndexedLines
    from ctxkit.core.tokens.budget import Budget
    from ctxkit.core.tokens.vocabulary import Tokenizer
    from ctxkit.core.tools.builtin import FunctionCall
    from ctxkit.edge.request import Call

_MAX_LIMIT = 1 << 20
"""Maximum bytes of a part that a call reads; the result says how to read on."""
_FOCUS_TOKENS = 1_000
"""Maximum tokens of the lines that match a focus."""
_REF = re.compile(r"(?<![0-9a-z])[0-9a-f]{6,64}(?![0-9a-z])")
_HYPHEN = re.compile(r"^([0-9]+) ?- ?([0-9]+)$")
"""A range as many models write it."""
_FULL = "the context is too full"
_FULL_HINT = "call compact_context first, or read a smaller part"


def read_result(arguments: Mapping[str, JsonValue], context: CallContext) -> CallResult:
    """Return lines or bytes of a stored result, or the lines that match a focus best."""
    stored = _redact(_open_ref(arguments["ref_id"], context), context)
    name = shorten_ref(stored.ref)
    if "lines" in arguments:
        part: BytePart | LinePart | FocusPart = _select_lines(
            stored,
            arguments["lines"],
            lambda first, last: f'read_result(ref_id="{name}", lines="{first}:{last}")',
            _make_byte_call(lambda: name),
        )
    elif "focus" in arguments:
        part = FocusPart(open_as_utf8(stored)[1], arguments["focus"])
    else:
        part = _select_bytes(stored, arguments["offset"], arguments["limit"], _make_byte_call(lambda: name))
    result = _answer_part(part, stored, name, "read_result", context)
    if not result.content and isinstance(part, FocusPart):
        raise CallError("no line holds a word of the focus", hint="use words that the result may hold, or lines")
    return result


class FocusPart(NamedTuple):
    """The lines of a text that match a focus best."""

    text: IndexedLines
    focus: str

    @property
    def size(self) -> int:
        """Return the number of bytes that are searched."""
        return self.text.size

    def make_page(self, count: Tokenizer, budget: Budget) -> bytes | None:
        """Return the lines that match best, b"" if no line holds a word of the focus; None if nothing fits."""
        from ctxkit.core.brief.focus.section import select_passages

        page = select_passages(self.text, self.focus, count, min(budget.available, _FOCUS_TOKENS))
        return None if page is None else page.encode("utf-8", "replace")


def read_file(arguments: Mapping[str, JsonValue], context: CallContext) -> CallResult:
    """Return a file below the root, or some of its lines; a file that does not fit is answered with a map."""
    path = arguments["path"]
    stored = _redact(_open_file(path, context.root), context)
    if "lines" not in arguments:
        return _gate_file(stored, path, context)
    part = _select_lines(
        stored,
        arguments["lines"],
        lambda first, last: f'read_file({quote_name(path)}, lines="{first}:{last}")',
        _make_byte_call(lambda: shorten_ref(_store(stored, path, context))),
    )
    return _answer_part(part, stored, path, "read_file", context)


def _open_ref(text: str, context: CallContext) -> StoredContent:
    """Return the content of a ref; a model may send the text around it too, as in [ref 3f9a2c81d0b47e65]."""
    store = stores.open_store(context.settings)
    match = _REF.search(text.lower())
    try:
        return store.open(find_ref(store, match[0] if match else text))
    except NotStoredError:
        raise CallError(
            f"nothing is stored as {text[:80]}",
            hint="use the ref_id from a note or a map, 16 digits such as 3f9a2c81d0b47e65",
        ) from None


def _open_file(path: str, root: str) -> StoredContent:
    """Return a regular file below a root; raise CallError for anything else."""
    real = os.path.realpath(root)
    relative = path[len(real) :] if os.path.isabs(path) and path.startswith(os.path.join(real, "")) else path
    shown = path if len(path) <= 200 else f"{path[:197]}..."
    try:
        if os.path.isabs(path) and relative == path:
            raise atomic_file.OutsideRoot("is outside the working directory")
        with atomic_file.open_rooted_path(real, relative) as place:
            return index_descriptor(atomic_file.open_regular_file(place), path)
    except atomic_file.OutsideRoot as error:
        reason = str(error)
    except FileNotFoundError:
        reason = "does not exist"
    except NotADirectoryError:
        reason = "is not in a directory"
    except (OSError, ValueError) as error:
        reason = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    raise CallError(f"{shown} {reason}", hint="give the path of a file below the working directory")


def _redact(stored: StoredContent, context: CallContext) -> StoredContent:
    redaction = context.request.redaction(context.settings)
    return transform_content(stored, redaction.apply) if redaction.on else stored


def _select_lines(
    stored: StoredContent, lines: str, read_on: Callable[[int, int], str], read_bytes_on: Callable[[int, int], str]
) -> LinePart:
    read, text = open_as_utf8(stored)
    try:
        start, end = resolve_range(parse_range(_HYPHEN.sub(r"\1:\2", lines.strip())), text.total, "lines")
    except ValueError as error:
        raise CallError(str(error), hint='write lines as "46:200"; they are counted from 1') from None
    except NotStoredError:
        raise CallError(f"there are no lines {lines}", hint=f"the last line is {text.total}") from None
    return LinePart(read, text, start, end, read_on, read_bytes_on)


def _select_bytes(stored: StoredContent, offset: int, limit: int, read_on: Callable[[int, int], str]) -> BytePart:
    read, text = open_as_utf8(stored)
    if offset >= text.size and offset:
        raise CallError(f"there is no byte {offset}", hint=f"the result has {text.size} bytes, counted from 0")
    return make_byte_part(read, text.size, offset, min(limit, _MAX_LIMIT), read_on)


def _make_byte_call(name: Callable[[], str]) -> Callable[[int, int], str]:
    return lambda offset, _end: f'read_result(ref_id="{name()}", offset={offset})'


def _answer_part(
    part: BytePart | LinePart | FocusPart, stored: StoredContent, name: str, function: str, context: CallContext
) -> CallResult:
    """Return as much of a part as fits, and record it in the ledger of the session."""
    request, settings, reservation = context.request, context.settings, context.reservation
    vocabulary, strict = request.vocabulary(settings), context.call.is_strict
    counter = gated_page.PageCounter(vocabulary, engines.load_tokenizer(vocabulary), workers.isolate, strict)
    facts = {"total_bytes": stored.lines.size, "total_lines": stored.lines.total}
    if not part.size:
        return CallResult(b"", facts=facts, ref=stored.ref)
    budget = request.budget(settings)
    page = None
    if not budget.is_blocked():
        page = gated_page.reserve_page(part, counter, budget.with_limit(request.limit), reservation)
    if page is None:
        raise CallError(_FULL, hint=_FULL_HINT)
    if reservation is not None:
        gated_page.record_page(page, stored.ref, name, counter, reservation)
    event_rows: tuple[tuple[str, Mapping[str, JsonValue]], ...] = ()
    if context.call.events_file:
        tokens = events.measure((page,), lambda: engines.make_count_options(request, settings))
        event, event_facts = describe_page(page, name, shorten_ref(stored.ref), function, tokens)
        event_rows = ((event, {**event_facts, **(_describe_part(part) if event == "cache_get" else {})}),)
    return CallResult(page, facts=facts, ref=stored.ref, is_booked=True, events=event_rows)


def _describe_part(part: BytePart | LinePart | FocusPart) -> dict[str, JsonValue]:
    """Return which part is read, as the event of ``cache get`` names it."""
    if isinstance(part, LinePart):
        return {"part": "lines", "span": [part.start, part.end]}
    return {"part": "focus" if isinstance(part, FocusPart) else "bytes"}


def _gate_file(stored: StoredContent, path: str, context: CallContext) -> CallResult:
    """Return the content of a file if it fits, else its map."""
    from ctxkit.core.gate.gate_content import gate_content

    request, settings, reservation = context.request, context.settings, context.reservation
    policy = request.gate_policy(settings, path)
    label = policy.label._replace(tool="read_file", call=context.call_id)
    hint = Hint(PRESETS["read_file"], name=path)
    policy = policy._replace(hint=hint, label=label, exact=policy.exact or bool(context.call.events_file))
    services = engines.gate_services(settings, store=context.call.stores, reservation=reservation)
    gated = gate_content(_read_whole(stored), policy, services)
    if gated.result == "refused":
        raise CallError(_FULL, hint=_FULL_HINT)
    gated = gated._replace(size=stored.lines.size, lines=stored.lines.total)
    content = b"".join(gated.content)
    if reservation is not None:
        reservation.record(report.make_entry(gated, policy._replace(budget=reservation.budget), len(content)))
    facts = {"result": gated.result, "total_bytes": stored.lines.size, "total_lines": stored.lines.total}
    name, event_facts = describe_decision(gated, policy) if context.call.events_file else ("", {})
    events = ((name, {**event_facts, "tool": "read_file"}),) if name else ()
    return CallResult(content, facts=facts, ref=gated.ref, is_booked=True, events=events)


def _read_whole(stored: StoredContent) -> Iterator[bytes]:
    return iter(read_bytes(stored.read, stored.lines.size))


def _store(stored: StoredContent, path: str, context: CallContext) -> str:
    """Store a file whose line is too long for line numbers; return its ref."""
    from ctxkit.core.store.label import Label
    from ctxkit.core.store.store_interface import store_content

    if not context.call.stores:
        raise CallError("a line is too long", hint="search the file for the part that you need")
    label = Label(path, "read_file", context.call_id, context.request.session or "")
    return store_content(stores.open_store(context.settings), _read_whole(stored), label)


def record_call(result: CallResult, function_call: FunctionCall, call: Call) -> None:
    """Append the events of a function call to the file of events, if there is one."""
    path, common_facts = call.events_file, call.describe()
    if not path:
        return
    for name, facts in result.events:
        events.record(path, name, {**common_facts, **facts, "call": function_call.id or None})
    tokens = events.measure((result.content,), lambda: engines.make_count_options(*call))
    facts = {
        "name": function_call.name[:80],
        "call": function_call.id or None,
        "is_error": result.is_error,
        "bytes": len(result.content),
        **_count_entered(tokens),
    }
    events.record(path, "call", {**common_facts, **facts})


def describe_page(
    page: bytes, name: str, ref: str, function: str, tokens: dict[str, JsonValue]
) -> tuple[str, dict[str, Any]]:
    """Return the event of a page: of stored content it is ``cache_get``, of a file ``gate``."""
    size = {"bytes": len(page), "lines": page.count(b"\n") + (page[-1:] not in (b"", b"\n"))}
    if function == "read_result":
        return "cache_get", {"name": name, "ref": ref, **size, **_count_entered(tokens)}
    facts = {"name": name, "tool": function, "result": "raw", "tokens": tokens["tokens"]}
    entered = {**_count_entered(tokens), "before_tokens": tokens["tokens"]}
    return "gate", {**facts, **entered, "original": {**size, **tokens}}


def _count_entered(tokens: dict[str, Any]) -> dict[str, Any]:
    return {"before_tokens": 0, "after_tokens": tokens["tokens"], "method": tokens["method"]}


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
