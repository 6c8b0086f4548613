"""ctxkit cache rm."""

from collections import Counter

import click

from ctxkit import stores
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.store.store_interface import Store
from ctxkit.core.text.measure import pluralize
from ctxkit.edge import options, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option
from ctxkit.edge.stored_content import find_ref


@click.command("rm", cls=Verb)
@click.argument("refs", metavar="REF...", nargs=-1)
@option("--all", "everything", is_flag=True, help="Remove all content.")
@options.store_option
def command(refs: tuple[str, ...], everything: bool) -> Exit:
    """Remove stored content.

    If one REF does not exist, rm removes nothing.

    \b
    $ ctxkit cache rm 3f9a2c81d0b4
    """
    if bool(refs) == everything:
        raise UsageError("name the refs to remove, or --all")
    store = stores.open_store(settings.load())
    if everything:
        _remove_all(store)
        return Exit.DONE
    for ref in [find_ref(store, ref) for ref in refs]:
        store.remove(ref)
    return Exit.DONE


def _remove_all(store: Store) -> None:
    """Remove all content; say so if some of it was not where content is usually kept."""
    places = Counter(blob.place for blob in store.remove_all())
    for place, number in places.items():
        (say.note if place == store.place else say.inform)(f"removed {pluralize(number, 'blob')} from {place}")
