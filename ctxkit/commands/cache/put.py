"""ctxkit cache put."""

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.label import Label, listed_title
from ctxkit.core.ref import short
from ctxkit.core.store import keep
from ctxkit.edge import options, out, settings, source
from ctxkit.edge.request import Request


@click.command("put")
@options.source
@click.option("--name", default="", metavar="NAME", help="Name to list it by.")
@click.option("--tool", default="", metavar="NAME", help="Tool whose result it is.")
@click.option("--call", default="", metavar="ID", help="Id of the tool call that it answers.")
@options.redact
@options.as_json
@options.voiced
def command(file: str, name: str, tool: str, call: str, redact: bool, as_json: bool) -> Exit:
    """Store content and print its ref.

    \b
    $ seq 300 | ctxkit cache put --tool seq
    """
    chosen = settings.load()
    store = supply.local_store(chosen)
    redaction = Request(redact=redact).redaction(chosen)
    label = Label(*map(listed_title, (name or ("" if file == "-" else file), tool, call)))
    ref = keep(store, redaction.apply(source.chunks(file)), label)
    redaction.note()
    if as_json:
        size = store.open(ref).lines.size
        out.write_json({"ref": short(ref), "sha256": ref, "bytes": size, **redaction.facts()})
    else:
        out.write((f"{short(ref)}\n".encode(),))
    supply.tidy(chosen, ref)
    return Exit.DONE
