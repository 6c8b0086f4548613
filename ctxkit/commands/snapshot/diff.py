"""ctxkit snapshot diff."""

import os
from typing import TYPE_CHECKING

import click

from ctxkit.app.services import sessions, workers
from ctxkit.core.errors import Exit, MissingInputError, UsageError
from ctxkit.core.session.history import parse_snapshot_name
from ctxkit.edge import conversations, options, out, settings
from ctxkit.edge.command_group import Verb

if TYPE_CHECKING:
    from ctxkit.core.edit.conversation_diff import MessageChange


@click.command("diff", cls=Verb)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B", required=False)
@options.json_option
@options.store_option
def command(first: str, second: str | None, as_json: bool) -> Exit:
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


def _make_object(change: "MessageChange") -> dict[str, object]:
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
