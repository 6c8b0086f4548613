"""ctxkit snapshot load."""

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.ledger import checked
from ctxkit.core.trouble import NotHeld
from ctxkit.edge import options, out, settings, standing


@click.command("load")
@click.argument("name", metavar="S")
@options.as_json
def command(name: str, as_json: bool) -> Exit:
    """Write the snapshot of a session.

    It is written byte for byte as it was saved; --json says what it is instead.

    \b
    $ ctxkit session new s --window 8192 && ctxkit snapshot save s chat.jsonl && ctxkit snapshot load s
    """
    found = supply.snapshots(settings.load()).find(checked(name))
    if found is None:
        raise NotHeld(f"no snapshot of session {name}", hint="ctxkit snapshot list shows those there are")
    if as_json:
        out.write_json(standing.snapshot(found))
    else:
        out.write((found.content,))
    return Exit.DONE
