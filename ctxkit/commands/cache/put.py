"""ctxkit cache put."""

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.label import Label, title_of
from ctxkit.core.ref import short
from ctxkit.core.store import keep
from ctxkit.edge import options, out, settings, source


@click.command("put")
@options.source
@click.option("--name", default="", metavar="NAME", help="Name to list it by.")
@click.option("--tool", default="", metavar="NAME", help="Tool whose result it is.")
@click.option("--call", default="", metavar="ID", help="Id of the tool call that it answers.")
@options.as_json
def command(file: str, name: str, tool: str, call: str, as_json: bool) -> Exit:
    """Store content and print its ref.

    \b
    $ seq 300 | ctxkit cache put --tool seq
    """
    chosen = settings.load()
    store = supply.local_store(chosen)
    label = Label(*map(title_of, (name or ("" if file == "-" else file), tool, call)))
    ref = keep(store, source.chunks(file), label)
    if as_json:
        out.write_json({"ref": short(ref), "sha256": ref, "bytes": store.open(ref).lines.size})
    else:
        out.write((f"{short(ref)}\n".encode(),))
    supply.tidy(chosen, ref)
    return Exit.DONE
