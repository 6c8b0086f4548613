"""ctxkit snapshot load."""

import click

from ctxkit import session_wiring
from ctxkit.core.errors import NotStoredError
from ctxkit.core.exit import Exit
from ctxkit.core.session.ledger import check_session_name
from ctxkit.edge import options, out, session_view, settings


@click.command("load")
@click.argument("name", metavar="S")
@options.json_option
def command(name: str, as_json: bool) -> Exit:
    """Write the snapshot of a session.

    load writes the snapshot byte for byte as it was saved. --json describes it instead.

    \b
    $ ctxkit session new s --window 8192 && ctxkit snapshot save s chat.jsonl && ctxkit snapshot load s
    """
    snapshot = session_wiring.snapshots(settings.load()).find(check_session_name(name))
    if snapshot is None:
        raise NotStoredError(f"no snapshot of session {name}", hint="ctxkit snapshot list shows all snapshots")
    if as_json:
        out.write_json(session_view.snapshot_facts(snapshot))
    else:
        out.write((snapshot.content,))
    return Exit.DONE
