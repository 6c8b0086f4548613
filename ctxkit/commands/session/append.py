"""ctxkit session append."""

from typing import TYPE_CHECKING

import click

from ctxkit.app.services import engines, session_log, sessions, workers
from ctxkit.core.errors import CtxkitError, Exit, NotStoredError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.session.ledger import LedgerEntry, check_session_name
from ctxkit.edge import conversations, options, out, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.format_option import make_format_option
from ctxkit.edge.option_types import option
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings

if TYPE_CHECKING:
    from ctxkit.core.chat.reading.transcript import Transcript
    from ctxkit.core.count.amount import CountOptions
    from ctxkit.core.session.account import SessionReservation


class AppendOptions(NamedTuple):
    """The format of the messages, whether they are counted, and strictly, and what is printed."""

    format_name: str | None
    no_count: bool
    strict: bool
    as_json: bool


@click.command("append", cls=Verb)
@click.argument("name", metavar="SESSION")
@options.file_argument
@make_format_option("Format of the messages.")
@option("--no-count", is_flag=True, help="Do not add to the ledger; it has these tokens already.")
@option("--strict", is_flag=True, help="Fail if the tokens cannot be added to the ledger.")
@options.json_option
@workers.isolate_command
@options.store_option
@options.collect_values(AppendOptions, "append_options")
def command(name: str, file: str, append_options: AppendOptions) -> Exit:
    """Add messages to the history of a session.

    FILE or stdin contains one message, a list of messages or JSON lines, in any format of
    agents and APIs. Each message is added as it is written, on its own line. The tokens
    that a model reads of it are added to the ledger of the session.

    \b
    $ ctxkit session append SESSION chat.jsonl
    """
    config = settings.load()
    format_name, no_count, strict, as_json = append_options
    request = CliRequest(session=check_session_name(name), strict=strict or config["strict"])
    _require_session(config, name, strict=request.strict)
    transcript = conversations.read_conversation(file, format_name)
    reservation = None
    if not no_count:
        request, reservation = sessions.open_session(request, config, create_missing=False)
    count_options = engines.make_count_options(request, config, "estimate") if reservation else None
    from ctxkit.core.session.history import encode_entries

    _warn_of_other_format(config, name, transcript)
    added = sessions.history(config).append(name, encode_entries(transcript))
    if added.torn_line:
        say.warn(f"line {added.torn_line:,} of the history was cut short; it stays in the file, and commands skip it")
    if transcript.head:
        say.warn("the history does not include what is beside the messages, such as a system prompt or tools")
    session_log.record_tool_uses(config, name, transcript)
    entry = (
        _record_messages(reservation, count_options, transcript, whole=added.first == 1)
        if reservation and count_options
        else None
    )
    if as_json:
        counted = {"tokens": entry.tokens if entry else None, "method": entry.method if entry else None}
        extent = {"first": added.first, "lines": added.extent.lines, "bytes": added.extent.size}
        out.write_json({"session": name, "added": len(transcript.records), **extent, **counted})
    return Exit.DONE


def _warn_of_other_format(config: Settings, name: str, transcript: "Transcript") -> None:
    """Warn that a history is in another format than the messages: they cannot be read together."""
    from ctxkit.core.gate.content_ranges import read_rows
    from ctxkit.core.session.history import SNIFFED_LINES, find_format_conflict, read_lines

    history = sessions.history(config).open(name)
    lines = read_lines(read_rows(history, 1, min(SNIFFED_LINES, history.total)), engines.parse_json) if history else ()
    if other := find_format_conflict((engines.parse_json(line.data) for line in lines if line.complete), transcript):
        say.warn(f"the history is in {other}, and the input in {transcript.format.NAME}: they cannot be read together")


def _require_session(config: Settings, name: str, *, strict: bool) -> None:
    """Raise NotStoredError if the session has not begun; a ledger that cannot be read is no reason to add nothing."""
    try:
        session = sessions.ledger(config).find(name)
    except (CtxkitError, OSError):
        if strict:
            raise
        return
    if session is None:
        raise NotStoredError(f"no session {name}", hint=f"ctxkit session new {name} --model NAME starts it")


def _record_messages(
    reservation: "SessionReservation", count_options: "CountOptions", transcript: "Transcript", *, whole: bool
) -> LedgerEntry | None:
    """Record the tokens of messages in the ledger; with the first ones, those of system prompt and tools, too."""
    from ctxkit.core.count.conversation import count_transcript, method_of

    amount, messages = count_transcript(transcript, count_options, whole=whole)
    if not messages:
        return None
    entry = LedgerEntry(
        "history", amount.tokens, method_of(amount, count_options), "raw", reservation.budget.is_tight(amount.tokens)
    )
    reservation.record(entry, messages)
    return entry
