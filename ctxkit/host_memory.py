"""Keep the facts of a host's session over its compaction."""

import os
from contextlib import suppress
from time import time

from ctxkit import wiring
from ctxkit.core.chat.branches.active_path import find_active_path
from ctxkit.core.compact.summary_writer import make_summary_writer
from ctxkit.core.context.summary_input import SummaryInput
from ctxkit.core.context.template import render_page
from ctxkit.core.context.unstored import leave_out_results
from ctxkit.core.hosts.events import MAX_CONTEXT
from ctxkit.core.hosts.host import HookEvent
from ctxkit.edge import atomic_file, bypass, conversations, say
from ctxkit.edge.redaction import Redaction
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings
from ctxkit.stores import data_dir

PAGE_TOKENS = 1_500
"""Maximum size of a page in tokens."""
MAX_AGE = 30 * 24 * 3600
"""Seconds after which the page of a session is removed."""


def save_page(event: HookEvent, settings: Settings) -> None:
    """Extract the facts of a session from its transcript, and keep them until its next start."""
    if not settings["store"]:
        return
    path = _find_page(event, settings)
    page = extract_page(event.transcript, atomic_file.read(path), settings)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    _remove_old_pages(os.path.dirname(path))
    atomic_file.write(path, page.encode())


def load_page(event: HookEvent, settings: Settings) -> str:
    """Return the kept facts of a session, "" if there are none."""
    return atomic_file.read(_find_page(event, settings))


def extract_page(transcript_path: str, earlier_page: str, settings: Settings) -> str:
    """Return the facts of a transcript as a page; raise CtxkitError if it cannot be read."""
    transcript = conversations.read_conversation(transcript_path, None, skip_bad=True)
    if is_unstored := bypass.make_unstored_check(settings):
        transcript = leave_out_results(transcript, is_unstored).transcript
    records = tuple(transcript.records[place] for place in find_active_path(transcript))
    count = wiring.load_tokenizer(CliRequest().vocabulary(settings))
    write = make_summary_writer("extract", None, say.warn)
    page = render_page(write(SummaryInput(records, len(records), earlier_page, (), PAGE_TOKENS, count)).page)
    redacted = b"".join(Redaction(on=settings["redact"]).apply([page.encode("utf-8", "replace")]))
    return redacted.decode("utf-8", "replace")[:MAX_CONTEXT]


def _find_page(event: HookEvent, settings: Settings) -> str:
    return os.path.join(data_dir(settings), "hosts", "pages", f"{event.session}.md")


def _remove_old_pages(directory: str) -> None:
    """Remove pages of sessions that compacted long ago."""
    with os.scandir(directory) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.name.endswith(".md") and time() - entry.stat(follow_symlinks=False).st_mtime > MAX_AGE:
                    os.unlink(entry.path)
