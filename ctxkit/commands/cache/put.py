"""ctxkit cache put."""

import click

from ctxkit.app.services import engines, stores
from ctxkit.core.errors import Exit
from ctxkit.core.store.label import Label, mask_title, shorten_ref
from ctxkit.core.store.store_interface import store_content
from ctxkit.edge import options, out, settings, source
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option
from ctxkit.edge.request import CliRequest


@click.command("put", cls=Verb)
@options.file_argument
@option("--name", default="", metavar="NAME", help="Name of the content in lists.")
@option("--tool", default="", metavar="NAME", help="Tool that returned the content.")
@option("--call", default="", metavar="ID", help="Id of the tool call that returned the content.")
@options.redact_option
@options.json_option
@options.store_option
@options.collect_values(Label, "label")
def command(file: str, label: Label, redact: bool, as_json: bool) -> Exit:
    """Store content and print its ref.

    \b
    $ seq 300 | ctxkit cache put --tool seq
    """
    config = settings.load()
    store = stores.open_store(config)
    redaction = CliRequest(redact=redact).redaction(config)
    name = label.name or ("" if file == "-" else file)
    label = Label(*map(mask_title, label._replace(name=name)))
    ref = store_content(store, redaction.apply(source.chunks(file)), label)
    redaction.note()
    if as_json:
        size = store.open(ref).lines.size
        out.write_json({"ref": shorten_ref(ref), "sha256": ref, "bytes": size, **redaction.facts()})
    else:
        out.write((f"{shorten_ref(ref)}\n".encode(),))
    engines.tidy_store(config, ref)
    return Exit.DONE
