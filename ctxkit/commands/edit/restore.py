"""ctxkit edit restore."""

from typing import TYPE_CHECKING, Any

import click

from ctxkit.app.services import engines, session_log, stores, workers
from ctxkit.core.errors import Exit
from ctxkit.core.store.label import shorten_ref
from ctxkit.edge import conversations, options, out, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.compaction import warn_of_unstored
from ctxkit.edge.option_types import option
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.stored_content import find_ref

if TYPE_CHECKING:
    from ctxkit.core.edit.edit import Undo


@click.command("restore", cls=Verb)
@options.file_argument
@option("--from", "record", metavar="REF", help="Undo this edit.  [default: the last edit of FILE]")
@options.in_place_option
@options.json_option
@options.add_edit_options
@workers.isolate_command
def command(file: str, record: str | None, in_place: bool, request: CliRequest, as_json: bool) -> Exit:
    """Restore the messages that an edit removed.

    restore writes the conversation as it was before the edit, byte for byte. Messages
    that were added at its end since then stay. Each call undoes one edit, the last first. With --session, the
    session resumes from the restored conversation.

    \b
    $ ctxkit edit restore shorter.jsonl > whole.jsonl
    """
    from ctxkit.core.edit.edit import undo_edit
    from ctxkit.core.edit.numbered_conversation import number_messages

    call = Call(request, settings.load())
    record_restored = session_log.make_restore_recorder(call)
    store = stores.open_store(call.settings)
    target = conversations.InPlaceFile(file) if in_place else None
    data = target.data if target else conversations.read_bytes(file)
    content, undo = undo_edit(data, store, find_ref(store, record) if record else "")
    if target:
        target.write(content)
    if record_restored is not None:
        transcript = conversations.parse_conversation(content, file, undo.format)
        record_restored(number_messages(transcript, engines.make_count_options(*call)))
    if as_json:
        facts = _make_facts(undo)
        out.write_json(facts if target else {**facts, **out.make_content_member(content)})
    elif not target:
        out.write((content,))
    warn_of_unstored((content,))
    say.note(f"restored messages {undo.taken[0]}:{undo.taken[1]}, {undo.tokens:,} tokens")
    return Exit.DONE


def _make_facts(undo: "Undo") -> dict[str, Any]:
    """Return the JSON object of a restored edit."""
    first, last = undo.taken
    restored = {"from": first, "to": last, "restored": last - first + 1}
    return {**restored, "tokens": undo.tokens, "ref": shorten_ref(undo.ref)}
