"""Keep the facts of a host's session over its compaction."""

from ctxkit.app.hosts.summary_files import keep_page, load_page
from ctxkit.app.services import engines
from ctxkit.app.services.engines import parse_script
from ctxkit.core.chat.branches.active_path import find_active_path
from ctxkit.core.compact.summary_writer import make_summary_writer
from ctxkit.core.compact.unstored import leave_out_results
from ctxkit.core.hosts.events import MAX_CONTEXT
from ctxkit.core.hosts.host import HookEvent, Host
from ctxkit.core.summary.record import build_record
from ctxkit.core.summary.summary_input import SummaryInput
from ctxkit.core.summary.template import render_page
from ctxkit.edge import bypass, conversations, say
from ctxkit.edge.redaction import Redaction
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings

PAGE_TOKENS = 1_500
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
    return extract_page_of(conversations.read_session(transcript_path), transcript_path, earlier_page, settings)


def extract_page_of(data: bytes, name: str, earlier_page: str, settings: Settings) -> str:
    """Return the facts of a transcript's bytes as a page; raise CtxkitError if they are no conversation."""
    transcript = conversations.parse_conversation(data, name, None, skip_bad=True)
    if is_unstored := bypass.make_unstored_check(settings, parse_script):
        transcript = leave_out_results(transcript, is_unstored).transcript
    records = tuple(transcript.records[place] for place in find_active_path(transcript))
    count = engines.load_tokenizer(CliRequest().vocabulary(settings))
    write = make_summary_writer("extract", None, say.warn)
    summary_input = SummaryInput(records, len(records), earlier_page, (), PAGE_TOKENS, count)
    text = _add_record(render_page(write(summary_input).page), summary_input)
    redacted = b"".join(Redaction(on=settings["redact"]).apply([text.encode("utf-8", "replace")]))
    return redacted.decode("utf-8", "replace")[:MAX_CONTEXT]


def _add_record(page: str, summary_input: SummaryInput) -> str:
    """Return a page with the record below it, as far as a host's context has space: nothing else brings that back."""
    record = build_record(summary_input, page, MAX_CONTEXT - len(page) - len("\n\n"), len)
    return f"{page.rstrip()}\n\n{record}\n" if record else page
