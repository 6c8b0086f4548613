"""ctxkit snapshot rm."""

import click

from ctxkit.app.services import sessions
from ctxkit.core.errors import Exit, NotStoredError
from ctxkit.core.session.ledger import check_session_name
from ctxkit.edge import options, settings
from ctxkit.edge.command_group import Verb


@click.command("rm", cls=Verb)
@click.argument("names", metavar="SESSION...", nargs=-1, required=True)
@options.store_option
def command(names: tuple[str, ...]) -> Exit:
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
