"""Bring the facts of a session back once after each compaction, for a host that starts no session after one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.hosts import summary_files
from ctxkit.edge import conversations

if TYPE_CHECKING:
    from ctxkit.core.hosts.host import HookEvent, Host, HostCompaction
    from ctxkit.edge.settings import Settings


class Delivery(NamedTuple):
    """What is known of the pages of a session.

    - ``transcript``: the path of the transcript.
    - ``is_due``: whether the next turn takes the page, although the compaction may be under way.
    - ``announced``: the compaction that was the last one when a page was last due, "" for none, None before.
    - ``compaction``: the last compaction whose page came back.
    - ``position``: the size of the transcript in bytes when a page last came back.
    """

    transcript: str = ""
    is_due: bool = False
    announced: str | None = None
    compaction: str = ""
    position: int = 0


def mark_page_due(event: HookEvent, host: Host, settings: Settings) -> None:
    """Mark the page of a session as due before a compaction; the next turn is after its start.

    When the compaction before failed, the page that came back is still there, and another one waits for a success.
    """
    if host.find_compaction is None or not settings["store"]:
        return
    compaction = host.find_compaction(conversations.read_bytes(event.transcript))
    delivery = _load(event, host, settings)
    latest = compaction.id if compaction else ""
    is_due = delivery.is_due or latest != delivery.announced
    _save(event, host, delivery._replace(transcript=event.transcript, is_due=is_due, announced=latest), settings)


def take_page(event: HookEvent, host: Host, settings: Settings) -> str:
    """Return the page of a session if it is due or was lost in a compaction, else ""."""
    delivery = _load(event, host, settings)
    path = event.transcript or delivery.transcript
    if host.find_compaction is None or not path or not settings["store"]:
        return ""
    data = conversations.read_bytes(path)
    if delivery.is_due:
        _save(event, host, delivery._replace(is_due=False, position=len(data)), settings)
        return summary_files.load_page(event, host, settings)
    compaction = host.find_compaction(data)
    if compaction is None or compaction.id == delivery.compaction:
        return ""
    is_lost = compaction.start >= delivery.position
    position = len(data) if is_lost else delivery.position
    _save(event, host, delivery._replace(compaction=compaction.id, position=position), settings)
    return _make_page(event, host, compaction, settings) if is_lost else ""


def find_transcript(event: HookEvent, host: Host, settings: Settings) -> str:
    """Return the path of the transcript that an earlier event named, "" if none did."""
    return _load(event, host, settings).transcript


def _make_page(event: HookEvent, host: Host, compaction: HostCompaction, settings: Settings) -> str:
    """Return the page that was kept before a compaction, or that of what stood before it."""
    earlier = summary_files.load_page(event, host, settings)
    if not compaction.earlier:
        return earlier
    from ctxkit.app.hosts.compaction import extract_page_of

    page = extract_page_of(compaction.earlier, event.transcript, earlier, settings)
    summary_files.keep_page(event, host, page, settings)
    return page


def _load(event: HookEvent, host: Host, settings: Settings) -> Delivery:
    """Return what is known of a session; a file that is broken is like none."""
    try:
        value = json.loads(summary_files.read_file(event, host, summary_files.DELIVERY, settings))
        return Delivery(*(value[name] for name in Delivery._fields))
    except (ValueError, TypeError, KeyError):
        return Delivery()


def _save(event: HookEvent, host: Host, delivery: Delivery, settings: Settings) -> None:
    data = json.dumps(delivery._asdict()).encode()
    summary_files.keep_file(event, host, summary_files.DELIVERY, data, settings)
