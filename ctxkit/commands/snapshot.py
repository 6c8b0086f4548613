"""ctxkit snapshot and its verbs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from ctxkit.app.services import engines, sessions, workers
from ctxkit.core.errors import CtxkitError, Exit, MissingInputError, NotStoredError, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.session.history import HistoryExtent, Snapshot, parse_snapshot_name
from ctxkit.core.session.ledger import check_session_name
from ctxkit.core.text.quantity import pluralize
from ctxkit.edge import options, out, say, session_view, settings
from ctxkit.edge.command_group import CommandGroup, Verb
from ctxkit.edge.format_option import format_option
from ctxkit.edge.option_types import option
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.session_request import apply_session
from ctxkit.edge.settings import Settings
from ctxkit.registry import SNAPSHOT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctxkit.core.edit.conversation_diff import MessageChange
    from ctxkit.core.lint.promotion import Promotion

    Wording = Callable[[Sequence[Promotion]], list[Promotion]]

command = CommandGroup(
    SNAPSHOT,
    name="snapshot",
    help="""Save and restore a session's compacted conversation.

Compaction does not shorten the history of a session, which may exceed the window.
The snapshot is the conversation after compaction, and the session resumes from it.

\b
$ ctxkit snapshot save SESSION chat.jsonl
$ ctxkit snapshot load SESSION
$ ctxkit snapshot list
""",
)


class SaveOptions(NamedTuple):
    """The format of a snapshot, the lines that it covers, whether it is of a compaction, and what is printed."""

    format_name: str | None
    covers: int | None
    compacted: bool
    strict: bool
    as_json: bool


@command.command("save", cls=Verb)
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
def save_snapshot(name: str, file: str, save_options: SaveOptions) -> Exit:
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
    from ctxkit.edge import conversations

    content = conversations.read_bytes(file)
    transcript, count_options = (
        conversations.parse_conversation(content, file, format_name),
        engines.make_count_options(*call, "estimate"),
    )
    amount, messages = count_transcript(transcript, count_options)
    return Snapshot(
        "", content, transcript.format.NAME, messages, amount.tokens, method_of(amount, count_options), HistoryExtent()
    )


@command.command("load", cls=Verb)
@click.argument("name", metavar="SESSION")
@options.json_option
@options.store_option
def load_snapshot(name: str, as_json: bool) -> Exit:
    """Write a snapshot of a session.

    load writes the newest snapshot byte for byte as it was saved, and with S@2 the one before
    it, up to S@10. --json describes it instead.

    \b
    $ ctxkit snapshot load SESSION
    """
    session, number = parse_snapshot_name(name)
    snapshot = sessions.snapshots(settings.load()).find(session, number)
    if snapshot is None:
        what = "no snapshot of session" if number == 1 else "no snapshot"
        raise NotStoredError(f"{what} {name}", hint="ctxkit snapshot list --all shows all snapshots")
    if as_json:
        out.write_json(session_view.snapshot_facts(snapshot))
    else:
        out.write((snapshot.content,))
    return Exit.DONE


@command.command("resume", cls=Verb)
@click.argument("name", metavar="SESSION")
@options.json_option
@options.store_option
def resume_session(name: str, as_json: bool) -> Exit:
    """Write the conversation that a session resumes from.

    That is the snapshot, followed by the messages that were appended after it was saved.
    They have the layout of the snapshot: elements of a list, or lines. A session without
    a snapshot resumes from its whole history, one message per line.

    \b
    $ ctxkit snapshot resume SESSION
    """
    from ctxkit.app.services import session_log

    config = settings.load()
    resumed = session_log.read_resumed(config, check_session_name(name))
    if resumed is None:
        raise NotStoredError(
            f"session {name} has neither a snapshot nor a history", hint="ctxkit session append adds to a history"
        )
    snapshot = resumed.snapshot
    facts = {
        "session": name,
        "from": "snapshot" if snapshot else "history",
        "covers": snapshot.covers.lines if snapshot else 0,
    }
    appended = pluralize(resumed.appended, "line")
    say.note(f"{name}: resumed from its {facts['from']}, {appended} of the history after it")
    if as_json:
        created = snapshot.created if snapshot else None
        content = out.make_content_member(resumed.content)
        out.write_json({**facts, "created": created, "appended": resumed.appended, **content})
    else:
        out.write((resumed.content,))
    return Exit.DONE


@command.command("list", cls=Verb)
@option("--all", "lists_all", is_flag=True, help="Also list the earlier snapshots of each session.")
@options.json_lines_option
@options.store_option
def list_snapshots(lists_all: bool, as_json: bool) -> Exit:
    """List snapshots, newest first.

    Each line gives session, tokens, messages, time, format and the number of history
    lines that the snapshot replaces. --json prints one object per line.

    \b
    $ ctxkit snapshot list
    """
    snapshots = sessions.snapshots(settings.load())
    newest = list(reversed(snapshots.all()))
    rows = [row for first in newest for row in (first, *snapshots.earlier(first.session))] if lists_all else newest
    for snapshot in rows:
        view = session_view.snapshot_facts(snapshot)
        if as_json:
            out.write_json(view)
        else:
            out.write_listing(session_view.format_snapshot_row(view))
    return Exit.DONE


@command.command("diff", cls=Verb)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B", required=False)
@options.json_option
@options.store_option
def diff_snapshots(first: str, second: str | None, as_json: bool) -> Exit:
    """Compare two snapshots or files.

    A and B are snapshots, such as S, or S@2 for the one before it, or files of conversations. With
    only one snapshot S@N, it is compared with the newest one, and S alone with S@2. The output is
    a diff in the unified format with a header for each message. The status is 1 if they differ.

    \b
    $ ctxkit snapshot diff SESSION chat.jsonl
    """
    names = (first, second) if second is not None else _pair_with_other(first)
    contents = [_read_content(name) for name in names]
    return workers.run_in_worker(lambda: _compare(names, contents, as_json=as_json), sum(map(len, contents)))


def _compare(names: tuple[str, str], contents: list[bytes], *, as_json: bool) -> Exit:
    """Print the difference of two conversations."""
    from ctxkit.core.edit.conversation_diff import find_changes, format_changes, list_diff_messages
    from ctxkit.edge import conversations

    before, after = (
        list_diff_messages(conversations.parse_conversation(content, name, None))
        for name, content in zip(names, contents, strict=True)
    )
    changes = list(find_changes(before, after))
    if as_json:
        kept = len(before) - sum(change.before is not None for change in changes)
        rows = [_make_object(change) for change in changes]
        out.write_json({"from": names[0], "to": names[1], "kept": kept, "changes": rows})
    else:
        out.write(line.encode("utf-8", "surrogateescape") for line in format_changes(changes, *names))
    return Exit.NO if changes else Exit.DONE


def _pair_with_other(name: str) -> tuple[str, str]:
    """Return the names of the earlier and the later snapshot if only one is named."""
    session, number = parse_snapshot_name(name)
    if os.path.exists(name) and sessions.snapshots(settings.load()).find(session, number) is None:
        raise UsageError(f"{name} is a file", hint="name two files, or a snapshot beside it")
    return (f"{session}@{max(number, 2)}", session)


def _read_content(name: str) -> bytes:
    """Return the content of a snapshot, or of a file if there is no snapshot with its name."""
    from ctxkit.edge import conversations

    try:
        session, number = parse_snapshot_name(name)
    except UsageError:
        return conversations.read_bytes(name)
    snapshot = sessions.snapshots(settings.load()).find(session, number)
    if snapshot is not None:
        return snapshot.content
    if os.path.exists(name):
        return conversations.read_bytes(name)
    raise MissingInputError(
        f"{name}: neither a snapshot nor a file", hint="ctxkit snapshot list --all shows all snapshots"
    )


def _make_object(change: MessageChange) -> dict[str, object]:
    """Return the documented object of a change."""
    message = change.after or change.before
    return {
        "change": change.kind,
        "role": message.role if message else "",
        "before": change.before.number if change.before else None,
        "after": change.after.number if change.after else None,
        "before_text": "\n".join(change.before.lines) if change.before else None,
        "after_text": "\n".join(change.after.lines) if change.after else None,
    }


class ProposalForm(NamedTuple):
    """The sessions that must state a fact, and whether lines are appended, or what was found printed as an object."""

    min_sessions: int
    write: bool
    as_json: bool


@command.command("promote", cls=Verb)
@click.argument("directory", default=".", metavar="[DIR]")
@option("--write", is_flag=True, help="Append the lines to MEMORY.md instead of printing a patch.")
@option(
    "--min-sessions",
    type=options.positive_count,
    default=2,
    metavar="N",
    help="Number of sessions that must state a fact.  [default: 2]",
)
@option("--summarizer", metavar="S", help="Word the lines with llama[:FILE], http(s)://... or cmd:PROGRAM.")
@options.json_option
@options.store_option
@options.collect_values(ProposalForm, "form")
def promote_facts(directory: str, summarizer: str | None, form: ProposalForm) -> Exit:
    """Propose repeated facts of snapshots for MEMORY.md.

    promote reads the snapshots of the sessions that were started in DIR or below it. It proposes
    the decisions and facts that several of their summaries state, unless a file that agents load
    already states them. It prints a patch, and writes nothing without --write. With --summarizer, a
    model phrases the lines; a phrasing that changes the meaning is not used.

    \b
    $ ctxkit snapshot promote
    $ ctxkit snapshot promote --write
    """
    root = os.path.realpath(directory)
    if not os.path.isdir(root):
        raise MissingInputError(f"{directory}: no such directory")
    config = settings.load()
    word = _make_wording(summarizer, config)
    return workers.run_in_worker(lambda: _promote(root, config, word, form), 0)


def _make_wording(summarizer: str | None, config: Settings) -> Wording:
    """Return the function that words promotions; it returns them as they are without a model, or if it fails."""
    from ctxkit.app.services import compaction

    if summarizer is None:
        return list
    from ctxkit.core.lint.promotion import GRAMMAR, word_promotions

    connect = compaction.connect_chat_model(summarizer, config, GRAMMAR, typed=True)

    def word(promotions: Sequence[Promotion]) -> list[Promotion]:
        """Return the promotions in the words of the model."""
        try:
            return word_promotions(promotions, connect().ask) if connect and promotions else list(promotions)
        except CtxkitError as error:
            say.warn(f"the lines stay as they are, because the summarizer failed: {error}")
            return list(promotions)

    return word


def _promote(root: str, config: Settings, word: Wording, form: ProposalForm) -> Exit:
    from ctxkit.core.lint.loading.assemble import WorkspaceOptions
    from ctxkit.core.lint.promotion import find_promotions
    from ctxkit.edge.promotion import change_memory, write_memory

    pages = _read_pages(root, config)
    workspace = engines.gather_workspace(root, len, WorkspaceOptions(), ())
    promotions = word(find_promotions(pages, workspace, form.min_sessions))
    change = change_memory(workspace, promotions)
    if promotions and form.write:
        write_memory(root, change)
    if form.as_json:
        proposals = [{**row._asdict(), "original": row.original or None} for row in promotions]
        facts = {"directory": root, "summaries": len(pages), "file": change.path, "proposals": proposals}
        out.write_json({**facts, "written": bool(promotions and form.write)})
    elif promotions and not form.write:
        out.write(line.encode("utf-8", "surrogateescape") for line in change.diff())
    elif promotions:
        say.inform(f"{pluralize(len(promotions), 'line')} appended to {change.path}")
    else:
        say.inform(f"Nothing to propose: {pluralize(len(pages), 'session')} with a summary.")
    return Exit.DONE


def _read_pages(root: str, config: Settings) -> dict[str, Any]:
    """Return the summaries of the sessions of a directory, the newest first."""
    from ctxkit.edge.promotion import read_summary

    names = sessions.session_directories(config).sessions_in(root)
    snapshots = sessions.snapshots(config)
    newest = (snapshot.session for snapshot in reversed(snapshots.all()) if snapshot.session in names)
    contents = ((name, snapshots.find(name)) for name in newest)
    pages = ((name, read_summary(snapshot)) for name, snapshot in contents if snapshot)
    return {name: page for name, page in pages if page}


@command.command("rm", cls=Verb)
@click.argument("names", metavar="SESSION...", nargs=-1, required=True)
@options.store_option
def remove_snapshots(names: tuple[str, ...]) -> Exit:
    """Remove the snapshots of sessions.

    All snapshots of a session are removed. Sessions and histories stay. A session without a
    snapshot resumes from its whole history. If one S has no snapshot, rm removes nothing.

    \b
    $ ctxkit snapshot rm SESSION
    """
    snapshots = sessions.snapshots(settings.load())
    saved = {snapshot.session for snapshot in snapshots.all()}
    for name in names:
        if check_session_name(name) not in saved:
            raise NotStoredError(f"no snapshot of session {name}", hint="ctxkit snapshot list shows all snapshots")
    for name in names:
        snapshots.remove(name)
    return Exit.DONE
