"""ctxkit snapshot save."""

import click

from ctxkit.app.services import engines, sessions, workers
from ctxkit.core.errors import Exit, NotStoredError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.session.history import HistoryExtent, Snapshot
from ctxkit.core.session.ledger import check_session_name
from ctxkit.edge import conversations, options, out, session_view, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.format_option import format_option
from ctxkit.edge.option_types import option
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.session_request import apply_session
from ctxkit.edge.settings import Settings


class SaveOptions(NamedTuple):
    """The format of a snapshot, the lines that it covers, whether it is of a compaction, and what is printed."""

    format_name: str | None
    covers: int | None
    compacted: bool
    strict: bool
    as_json: bool


@click.command("save", cls=Verb)
@click.argument("name", metavar="SESSION")
@options.file_argument
@format_option
@option(
    "--covers",
    type=options.token_count,
    metavar="N",
    help="Number of history lines that the snapshot replaces.  [default: all]",
)
@option("--compacted", is_flag=True, help="Count a compaction, and set the ledger to the snapshot's tokens.")
@option("--strict", is_flag=True, help="Fail instead of estimating tokens.")
@options.json_option
@options.store_option
@workers.isolate_command
@options.collect_values(SaveOptions, "save_options")
def command(name: str, file: str, save_options: SaveOptions) -> Exit:
    """Save a conversation as the snapshot of a session.

    The snapshot replaces the history up to now. A session that resumes gets the snapshot,
    then the messages that were appended later. compact --session saves a snapshot by itself.
    The last ten snapshots of a session stay: S, S@2 for the one before it, and so on.

    \b
    $ ctxkit snapshot save SESSION chat.jsonl --compacted
    """
    config = settings.load()
    format_name, covers, compacted, strict, as_json = save_options
    ledger = sessions.ledger(config)
    session = ledger.find(check_session_name(name))
    if session is None:
        raise NotStoredError(f"no session {name}", hint=f"ctxkit session new {name} --model NAME starts it")
    extent = _find_extent(config, name, covers)
    request = apply_session(CliRequest(strict=strict), session, config)
    snapshot = _make_snapshot(file, format_name, Call(request, config))
    snapshot = sessions.snapshots(config).save(snapshot._replace(session=name, covers=extent))
    if compacted:
        ledger.record_compaction(name, snapshot.tokens, 0 if snapshot.method == "exact" else snapshot.tokens)
    if as_json:
        out.write_json(session_view.snapshot_facts(snapshot))
    return Exit.DONE


def _find_extent(config: Settings, name: str, covers: int | None) -> HistoryExtent:
    """Return the part of the history that a snapshot stands for."""
    histories = sessions.history(config)
    if covers is None:
        return histories.extent(name) or HistoryExtent()
    lines = histories.open(name)
    total = lines.total if lines else 0
    if covers > total:
        raise NotStoredError(f"the history of {name} has {total:,} lines", hint="--covers cannot be larger")
    return HistoryExtent(covers, lines.span(1, covers)[1] if lines and covers else 0)


def _make_snapshot(file: str, format_name: str | None, call: Call) -> Snapshot:
    """Return a conversation with its tokens, as a snapshot of nothing yet."""
    from ctxkit.core.count.conversation import count_transcript, method_of

    content = conversations.read_bytes(file)
    transcript, count_options = (
        conversations.parse_conversation(content, file, format_name),
        engines.make_count_options(*call, "estimate"),
    )
    amount, messages = count_transcript(transcript, count_options)
    return Snapshot(
        "", content, transcript.format.NAME, messages, amount.tokens, method_of(amount, count_options), HistoryExtent()
    )
