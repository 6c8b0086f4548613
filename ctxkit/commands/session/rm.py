"""ctxkit session rm."""

from contextlib import ExitStack

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.ledger import checked
from ctxkit.core.ref import short
from ctxkit.core.trouble import NotHeld
from ctxkit.edge import settings
from ctxkit.edge.settings import Settings


@click.command("rm")
@click.argument("names", metavar="S...", nargs=-1, required=True)
def command(names: tuple[str, ...]) -> Exit:
    """Remove sessions, with all that is theirs alone.

    That is what they have used, their histories and snapshots, and the stored
    content that no other session booked and no file needs to undo an edit. Content
    that was stored again outside of them stays until a collection takes it. Either
    every S is there and goes, or nothing does.

    \b
    $ ctxkit session new review-7 --window 8192 && ctxkit session rm review-7
    """
    chosen = settings.load()
    for name in names:
        if not _is_there(chosen, checked(name)):
            raise NotHeld(f"no session {name}", hint="ctxkit session list shows those there are")
    ledger, histories = supply.ledger(chosen), supply.history(chosen)
    with ExitStack() as removals:
        for name in sorted(set(names)):
            removals.enter_context(histories.removal(name))
        ledger.remove_whole(set(names))
    elsewhere, held = ledger.referred(0)[1], supply.references(chosen).held()
    store = supply.local_store(chosen)
    own = [blob.ref for blob in store.blobs() if blob.label.session in names]
    for ref in own:
        if ref not in elsewhere and short(ref) not in held:
            store.remove(ref)
    return Exit.DONE


def _is_there(chosen: Settings, name: str) -> bool:
    """Tell whether there is anything of a session; of one whose ledger was damaged, the history is left."""
    return supply.ledger(chosen).find(name) is not None or supply.history(chosen).extent(name) is not None
