"""ctxkit session rm."""

from contextlib import ExitStack

import click

from ctxkit.app.hosts import compaction
from ctxkit.app.services import sessions, stores
from ctxkit.core.errors import Exit, NotStoredError
from ctxkit.core.session.ledger import check_session_name
from ctxkit.core.store.label import make_held_ref
from ctxkit.edge import options, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.host_session import remove_record
from ctxkit.edge.settings import Settings


@click.command("rm", cls=Verb)
@click.argument("names", metavar="SESSION...", nargs=-1, required=True)
@options.store_option
def command(names: tuple[str, ...]) -> Exit:
    """Remove sessions, and the data that only they use.

    rm removes their ledgers, histories and snapshots, and what a hook kept of a session of
    that name. It also removes their stored content unless another session has it on its
    ledger or a file needs it to undo an edit. Content that was stored again outside of them
    stays until a collection removes it. If one S does not exist, rm removes nothing.

    \b
    $ ctxkit session rm SESSION
    """
    config = settings.load()
    for name in names:
        if not _has_session(config, check_session_name(name)):
            raise NotStoredError(f"no session {name}", hint="ctxkit session list shows all sessions")
    ledger, histories = sessions.ledger(config), sessions.history(config)
    with ExitStack() as removals:
        for name in sorted(set(names)):
            removals.enter_context(histories.removal(name))
        ledger.remove_whole(set(names))
        for name in names if isinstance(config["store"], str) else ():
            sessions.snapshots(config).remove(name)  # a shared ledger does not have them
    for name in names:
        compaction.remove_session_files(name, config)
        remove_record(name, stores.data_dir(config))
    elsewhere, held_refs = ledger.find_references(0)[1], sessions.references(config).list_held()
    store = stores.open_store(config)
    session_refs = [blob.ref for blob in store.blobs() if blob.label.session in names]
    for ref in session_refs:
        if ref not in elsewhere and make_held_ref(ref) not in held_refs:
            store.remove(ref)
    return Exit.DONE


def _has_session(config: Settings, name: str) -> bool:
    """Return whether a session has a ledger entry, a history, as after damage of the ledger, or pages of a host."""
    if sessions.ledger(config).find(name) is not None:
        return True
    return sessions.history(config).extent(name) is not None or compaction.has_session_files(name, config)
