"""ctxkit session rm."""

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.ledger import checked
from ctxkit.core.trouble import NotHeld
from ctxkit.edge import settings


@click.command("rm")
@click.argument("names", metavar="S...", nargs=-1, required=True)
def command(names: tuple[str, ...]) -> Exit:
    """Remove sessions, and the stored content that is theirs alone.

    Content that came to another session too, or was stored again outside of it,
    stays until a collection takes it. Either every S is there and goes, or
    nothing does.

    \b
    $ ctxkit session new review-7 --window 8192 && ctxkit session rm review-7
    """
    chosen = settings.load()
    ledger = supply.ledger(chosen)
    for name in names:
        if ledger.find(checked(name)) is None:
            raise NotHeld(f"no session {name}", hint="ctxkit session list shows those there are")
    for name in names:
        ledger.remove(name)
    elsewhere = ledger.referred(0)[1]
    store = supply.local_store(chosen)
    for blob in [blob for blob in store.blobs() if blob.label.session in names and blob.ref not in elsewhere]:
        store.remove(blob.ref)
    return Exit.DONE
