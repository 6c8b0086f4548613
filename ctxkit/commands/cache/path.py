"""ctxkit cache path."""

import click

from ctxkit.app.services import stores
from ctxkit.core.errors import Exit
from ctxkit.edge import options, out, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.stored_content import find_ref


@click.command("path", cls=Verb)
@click.argument("ref", metavar="REF")
@options.store_option
def command(ref: str) -> Exit:
    """Print the path of the file that holds the content of a ref.

    \b
    $ sed -n 46,200p "$(ctxkit cache path 3f9a2c81d0b47e65)"
    """
    store = stores.open_store(settings.load())
    out.write_text(store.path(find_ref(store, ref)) + "\n")
    return Exit.DONE
