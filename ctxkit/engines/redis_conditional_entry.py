"""Send an entry to a server that records it if its session is as expected, with its content, in one round trip."""

import json
from collections.abc import Callable
from typing import Any

from ctxkit.core.session.ledger import LedgerEntry, Session
from ctxkit.core.session.ledger_interface import ConditionalEntry
from ctxkit.core.text.lines import LineIndex, pack_counts
from ctxkit.core.text.search import find_largest_number
from ctxkit.engines import ledger_scripts as scripts
from ctxkit.engines.redis_server import RedisServer
from ctxkit.engines.redis_session_state import TTL
from ctxkit.engines.store_scripts import BlobKeys

RENEW_EVERY = 3600
"""Minimum seconds between two renewals of the content that a session refers to."""


def list_sums(entry: LedgerEntry, items: int) -> tuple[int, int, int, int]:
    """Return what an entry of some items adds to the tokens, the estimated tokens, the items and the maps."""
    estimated = 0 if entry.method == "exact" else entry.tokens
    return entry.tokens, estimated, items, int(entry.result == "briefing")


def send_entry(server: RedisServer, keys: list[str], request: ConditionalEntry, most_entries: int) -> list[Any]:
    """Return the answer of the script: whether it recorded the entry, and what follows from that.

    ``keys`` are those of the session, which is not in a cluster. Content is compared with ``most_entries`` entries.
    """
    session, entry = request.session, request.entry
    is_compared = request.is_compared and entry.ref
    facts = (
        *(TTL, *list_sums(entry, 1), entry.ref, json.dumps(entry), RENEW_EVERY),
        *(request.most_taken, session.window, session.reserve, session.model, session.tokenizer),
        *(most_entries if is_compared else "", _find_name(request)),
    )
    if not request.data:
        return list(server.run(scripts.RECORD_IF_FITS, keys, *facts))
    blobs = BlobKeys(server)
    keys = [*keys, blobs.blob(entry.ref), blobs.refs(entry.ref), blobs.index]
    return list(server.run(scripts.RECORD_IF_FITS, keys, *facts, *_describe_content(request), request.data))


def _find_name(request: ConditionalEntry) -> str:
    """Return how the row of an entry with the same name begins after its time, "" if the content has no name."""
    return f" {json.dumps([request.entry.name])[:-1]}, " if request.label.name else ""


def _describe_content(request: ConditionalEntry) -> tuple[Any, ...]:
    """Return the arguments of content in one block: ref, seconds, size, lines with their index, and label."""
    index = LineIndex()
    index.update(request.data)
    words = [word.encode("utf-8", "surrogatepass") for word in request.label]
    ttl = max(int(request.max_age), TTL)
    return request.entry.ref, ttl, len(request.data), index.total, pack_counts(index.newline_counts), *words


def find_most_taken(session: Session, tokens: int, share: Callable[[int], int | None]) -> int:
    """Return the most taken tokens for which ``share`` answers as for the current ones, if it never grows with them."""
    most = max(session.window, session.occupancy)
    number = find_largest_number(session.occupancy, most, lambda taken: share(taken) == tokens)
    return session.occupancy if number is None else number
