"""The compaction of a host: the files of its summary, and the summary as context of the next events."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import engines
from ctxkit.app.services.engines import parse_script
from ctxkit.app.services.stores import data_dir
from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.compact.services import make_summary_writer
from ctxkit.core.compact.trigger import leave_out_results
from ctxkit.core.hosts.host import MAX_CONTEXT, HookEvent, Host
from ctxkit.core.summary.page import build_record
from ctxkit.core.summary.summary_input import SummaryInput
from ctxkit.core.summary.template import render_page
from ctxkit.edge import bypass, conversations, say
from ctxkit.edge.host_directory import HOSTS, PAGES
from ctxkit.edge.redaction import Redaction
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings
from ctxkit.system import own_files
from ctxkit.system.own_files import open_folder

if TYPE_CHECKING:
    from ctxkit.core.hosts.host import HostCompaction
    from ctxkit.system.own_files import StoreFolder

_FOLDERS = (HOSTS, PAGES)
"""The folder of the pages in the data directory; it has a folder for each host."""
PAGE, _DELIVERY = ".md", ".json"
"""Endings of the names of the files of a session."""
MAX_AGE = 30 * 24 * 3600
"""Seconds after which the files of a session are removed."""
_PAGE_TOKENS = 1_500
"""Maximum size of a page in tokens."""


def save_page(event: HookEvent, host: Host, settings: Settings) -> str:
    """Extract the facts of a session from its transcript, keep them until its next start, and return them.

    Without a store, nothing is extracted.
    """
    earlier = load_page(event, host, settings)
    if not settings["store"]:
        return earlier
    page = extract_page(event.transcript, earlier, settings)
    keep_page(event, host, page, settings)
    return page


def extract_page(transcript_path: str, earlier_page: str, settings: Settings) -> str:
    """Return the facts of a transcript as a page; raise CtxkitError if it cannot be read."""
    return _extract_page_of(conversations.read_session(transcript_path), transcript_path, earlier_page, settings)


def _extract_page_of(data: bytes, name: str, earlier_page: str, settings: Settings) -> str:
    """Return the facts of a transcript's bytes as a page; raise CtxkitError if they are no conversation."""
    transcript = conversations.parse_conversation(data, name, None, skip_bad=True)
    if is_unstored := bypass.make_unstored_check(settings, parse_script):
        transcript = leave_out_results(transcript, is_unstored).transcript
    records = tuple(transcript.records[place] for place in find_active_path(transcript))
    count = engines.load_tokenizer(CliRequest().vocabulary(settings))
    write = make_summary_writer("extract", None, say.warn)
    summary_input = SummaryInput(records, len(records), earlier_page, (), _PAGE_TOKENS, count)
    text = _add_record(render_page(write(summary_input).page), summary_input)
    redacted = b"".join(Redaction(on=settings["redact"]).apply([text.encode("utf-8", "replace")]))
    return redacted.decode("utf-8", "replace")[:MAX_CONTEXT]


def _add_record(page: str, summary_input: SummaryInput) -> str:
    """Return a page with the record below it, as far as a host's context has space: nothing else brings that back."""
    record = build_record(summary_input, page, MAX_CONTEXT - len(page) - len("\n\n"), len)
    return f"{page.rstrip()}\n\n{record}\n" if record else page


def keep_page(event: HookEvent, host: Host, page: str, settings: Settings) -> None:
    """Keep the facts of a session until its next start; only warn on failure."""
    _keep_file(event, host, PAGE, page.encode("utf-8", "replace"), settings)


def _keep_file(event: HookEvent, host: Host, ending: str, data: bytes, settings: Settings) -> None:
    """Keep a file for a session, and remove those of sessions of long ago; only warn on failure."""
    try:
        with _open_pages(settings, make=True) as pages, pages.open_subfolder(host.name, make=True) as folder:
            for place in (pages, folder):
                own_files.remove_older(place, MAX_AGE, (PAGE, _DELIVERY))
            own_files.replace_file(folder, f"{event.session}{ending}", data)
            pages.remove(f"{event.session}{ending}")
    except OSError as error:
        say.warn(f"the facts of the session are not kept: {error.strerror}: {error.filename}")


def load_page(event: HookEvent, host: Host, settings: Settings) -> str:
    """Return the kept facts of a session, "" if there are none."""
    return read_file(event, host, PAGE, settings).decode("utf-8", "replace")


def read_file(event: HookEvent, host: Host, ending: str, settings: Settings) -> bytes:
    """Return a file that is kept for a session, empty if there is none or it cannot be read."""
    name = f"{event.session}{ending}"
    with suppress(OSError), _open_pages(settings) as pages:
        with suppress(FileNotFoundError), pages.open_subfolder(host.name, restrict=True) as folder:
            return own_files.read_file(folder, name)
        return own_files.read_file(pages, name)
    return b""


def remove_session_files(session: str, settings: Settings) -> bool:
    """Remove what is kept for a session of any host; return whether there was something."""
    removed = 0
    with suppress(OSError), _open_pages(settings) as pages:
        names = [f"{session}{ending}" for ending in (PAGE, _DELIVERY)]
        removed += sum(map(pages.remove, names))
        for host in pages.list_names():
            with suppress(OSError), pages.open_subfolder(host, restrict=True) as folder:
                removed += sum(map(folder.remove, names))
    return removed > 0


def has_session_files(session: str, settings: Settings) -> bool:
    """Return whether something is kept for a session of a host."""
    with suppress(OSError), _open_pages(settings) as pages:
        for host in pages.list_names():
            with suppress(OSError), pages.open_subfolder(host, restrict=True) as folder:
                if folder.stat(f"{session}{PAGE}"):
                    return True
        return pages.stat(f"{session}{PAGE}") is not None
    return False


def _open_pages(settings: Settings, *, make: bool = False) -> StoreFolder:
    return open_folder(data_dir(settings), *_FOLDERS, make=make, restrict=True)


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
        return load_page(event, host, settings)
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
    earlier = load_page(event, host, settings)
    if not compaction.earlier:
        return earlier
    page = _extract_page_of(compaction.earlier, event.transcript, earlier, settings)
    keep_page(event, host, page, settings)
    return page


def _load(event: HookEvent, host: Host, settings: Settings) -> Delivery:
    """Return what is known of a session; a file that is broken is like none."""
    try:
        value = json.loads(read_file(event, host, _DELIVERY, settings))
        return Delivery(*(value[name] for name in Delivery._fields))
    except (ValueError, TypeError, KeyError):
        return Delivery()


def _save(event: HookEvent, host: Host, delivery: Delivery, settings: Settings) -> None:
    data = json.dumps(delivery._asdict()).encode()
    _keep_file(event, host, _DELIVERY, data, settings)
