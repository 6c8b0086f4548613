"""ctxkit cache rm."""

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.trouble import Misuse
from ctxkit.edge import settings
from ctxkit.edge.holding import ref_of


@click.command("rm")
@click.argument("refs", metavar="REF...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Remove everything that is stored.")
def command(refs: tuple[str, ...], everything: bool) -> Exit:
    """Remove stored content. Either every REF is there and goes, or nothing does.

    \b
    $ ctxkit cache rm 3f9a2c81d0b4
    """
    if bool(refs) == everything:
        raise Misuse("name the refs to remove, or --all")
    store = supply.local_store(settings.load())
    for ref in [blob.ref for blob in store.blobs()] if everything else [ref_of(store, ref) for ref in refs]:
        store.remove(ref)
    return Exit.DONE
