"""ctxkit cache rm."""

from collections import defaultdict
from collections.abc import Iterable

import click

from ctxkit.app.services import stores
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.store.store_interface import Blob, Store
from ctxkit.core.text.escapes import escape_line
from ctxkit.core.text.quantity import format_size, pluralize
from ctxkit.edge import options, out, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.notices import ask, is_terminal
from ctxkit.edge.option_types import option
from ctxkit.edge.stored_content import find_ref


@click.command("rm", cls=Verb)
@click.argument("refs", metavar="REF...", nargs=-1)
@option("--all", "everything", is_flag=True, help="Remove all content.")
@option("-y", "--yes", "confirmed", is_flag=True, help="Do not ask before --all removes content.")
@option("--dry-run", is_flag=True, help="Print what would be removed, and remove nothing.")
@options.store_option
def command(refs: tuple[str, ...], everything: bool, confirmed: bool, dry_run: bool) -> Exit:
    """Remove stored content.

    If one REF does not exist, rm removes nothing. --all empties one store: the server that
    --store or the settings name, else the directories of this home on this machine, with the
    search index and the record of warnings. It asks on a terminal, and needs --yes elsewhere.
    It also removes content that an active session or a manifest refers to, which ctxkit cache
    gc keeps.

    \b
    $ ctxkit cache rm 3f9a2c81d0b47e65
    $ ctxkit cache rm --all --dry-run
    """
    if bool(refs) == everything:
        raise UsageError("name the refs to remove, or --all")
    config = settings.load()
    if everything:
        return _remove_all(stores.open_emptied_store(config), confirmed=confirmed, dry_run=dry_run)
    store = stores.open_store(config)
    for ref in [find_ref(store, ref) for ref in refs]:
        if dry_run:
            out.write_listing(f"would remove {shorten_ref(ref)}\n")
        else:
            store.remove(ref)
    return Exit.DONE


def _remove_all(store: Store, *, confirmed: bool, dry_run: bool) -> Exit:
    """Remove all content; say so if some of it was not where content is usually kept."""
    if dry_run:
        lines = (f"would remove {escape_line(line)}\n" for line in _sum_places(store.blobs()))
        out.write_listing("".join(lines) or "nothing is stored\n")
        return Exit.DONE
    if not confirmed:
        if not is_terminal():
            hint = "--dry-run prints what it would remove"
            raise UsageError("--all needs --yes if stdin is not a terminal", hint=hint)
        sizes = _sum_places(store.blobs())
        if sizes and not ask(f"Remove {' and '.join(sizes)}?"):
            return Exit.NO
    for line in _sum_places(store.remove_all()):
        (say.note if line.endswith(f" from {store.place}") else say.inform)(f"removed {line}")
    return Exit.DONE


def _sum_places(blobs: Iterable[Blob]) -> list[str]:
    """Return for each place how much of it blobs are."""
    sizes: defaultdict[str, list[int]] = defaultdict(list)
    for blob in blobs:
        sizes[blob.place].append(blob.size)
    return [f"{pluralize(len(part), 'blob')}, {format_size(sum(part))}, from {place}" for place, part in sizes.items()]
