"""ctxkit snapshot load."""

import click

from ctxkit.app.services import sessions
from ctxkit.core.errors import Exit, NotStoredError
from ctxkit.core.session.history import parse_snapshot_name
from ctxkit.edge import options, out, session_view, settings
from ctxkit.edge.command_group import Verb


@click.command("load", cls=Verb)
@click.argument("name", metavar="SESSION")
@options.json_option
@options.store_option
def command(name: str, as_json: bool) -> Exit:
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
