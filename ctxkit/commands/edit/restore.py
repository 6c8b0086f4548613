"""ctxkit edit restore."""

import click

from ctxkit import stores, workers
from ctxkit.core.exit import Exit
from ctxkit.core.store.ref import shorten_ref
from ctxkit.edge import conversations, options, out, say, settings
from ctxkit.edge.stored_content import find_ref


@click.command("restore")
@options.file_argument
@click.option("--from", "record", metavar="REF", help="Undo this edit.  [default: the last edit of FILE]")
@options.in_place_option
@options.json_option
@options.add_verbosity_options
@workers.isolate_command
def command(file: str, record: str | None, in_place: bool, as_json: bool) -> Exit:
    """Restore the messages that an edit removed.

    restore writes the conversation as it was before the edit, byte for byte. Messages
    that were added at its end since then stay. Each call undoes one edit, the last first.

    \b
    $ ctxkit edit remove 2:7 chat.jsonl > shorter.jsonl && ctxkit edit restore shorter.jsonl > whole.jsonl
    """
    from ctxkit.core.edit.edit import undo_edit

    config = settings.load()
    store = stores.local_store(config)
    target = conversations.InPlaceFile(file) if in_place else None
    data = target.data if target else conversations.read_bytes(file)
    content, undo = undo_edit(data, store, find_ref(store, record) if record else "")
    if target:
        target.write(content)
    first, last = undo.taken
    facts = {
        "from": first,
        "to": last,
        "restored": last - first + 1,
        "tokens": undo.tokens,
        "ref": shorten_ref(undo.ref),
    }
    if as_json:
        out.write_json(facts if target else {**facts, **out.make_content_member(content)})
    elif not target:
        out.write((content,))
    say.note(f"restored messages {first}:{last}, {undo.tokens:,} tokens")
    return Exit.DONE
