"""ctxkit cache verify."""

import click

from ctxkit.app.services import stores
from ctxkit.core.errors import Exit
from ctxkit.core.store.label import shorten_ref
from ctxkit.edge import options, out, settings
from ctxkit.edge.command_group import Verb


@click.command("verify", cls=Verb)
@options.json_lines_option
@options.store_option
def command(as_json: bool) -> Exit:
    """Check that stored content matches its ref.

    verify prints a line for each blob that does not match. The exit status is 1 if there
    is one.

    \b
    $ ctxkit cache verify
    """
    bad = False
    for ref, problem in stores.open_store(settings.load()).verify():
        bad = True
        if as_json:
            out.write_json({"ref": shorten_ref(ref), "sha256": ref, "problem": problem})
        else:
            out.write_listing(f"{shorten_ref(ref)}  {problem}\n")
    return Exit.NO if bad else Exit.DONE
