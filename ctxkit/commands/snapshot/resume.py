"""ctxkit snapshot resume."""

import click

from ctxkit.app.services import session_log
from ctxkit.core.errors import Exit, NotStoredError
from ctxkit.core.session.ledger import check_session_name
from ctxkit.core.text.quantity import pluralize
from ctxkit.edge import options, out, say, settings
from ctxkit.edge.command_group import Verb


@click.command("resume", cls=Verb)
@click.argument("name", metavar="SESSION")
@options.json_option
@options.store_option
def command(name: str, as_json: bool) -> Exit:
    """Write the conversation that a session resumes from.

    That is the snapshot, followed by the messages that were appended after it was saved.
    They have the layout of the snapshot: elements of a list, or lines. A session without
    a snapshot resumes from its whole history, one message per line.

    \b
    $ ctxkit snapshot resume SESSION
    """
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
