"""ctxkit cache list."""

from datetime import datetime

import click

from ctxkit.app.services import stores
from ctxkit.core.errors import Exit
from ctxkit.core.store.label import shorten_ref, title_of
from ctxkit.core.store.store_interface import Blob
from ctxkit.core.text.escapes import escape_name
from ctxkit.core.text.quantity import format_size
from ctxkit.edge import options, out, settings
from ctxkit.edge.command_group import Verb


@click.command("list", cls=Verb)
@options.json_lines_option
@options.store_option
def command(as_json: bool) -> Exit:
    """List stored content, newest first.

    Each line gives ref, size, time, tool and name. It also gives the directory if that is
    not the usual one. --json prints one object per line.

    \b
    $ ctxkit cache list
    """
    store = stores.open_store(settings.load())
    for blob in sorted(store.blobs(), key=lambda blob: (-blob.created, blob.ref)):
        if as_json:
            out.write_json(_make_object(blob))
        else:
            out.write_listing(_format_row(blob, store.place) + "\n")
    return Exit.DONE


def _format_row(blob: Blob, usual: str) -> str:
    stamp = datetime.fromtimestamp(blob.created).strftime("%Y-%m-%d %H:%M:%S")
    label_text = "  ".join(title_of(word) for word in (blob.label.tool, blob.label.call, blob.label.name) if word)
    where = "" if blob.place == usual else f"  (in {escape_name(blob.place)})"
    return f"{shorten_ref(blob.ref)}  {format_size(blob.size):>10}  {stamp}  {label_text}".rstrip() + where


def _make_object(blob: Blob) -> dict[str, object]:
    label_facts = {"name": blob.label.name, "tool": blob.label.tool, "call": blob.label.call}
    known = {key: value for key, value in label_facts.items() if value}
    times = {"created": round(blob.created, 3), "read": round(blob.read, 3)}
    return {
        "ref": shorten_ref(blob.ref),
        "sha256": blob.ref,
        "bytes": blob.size,
        "directory": blob.place,
        **times,
        **known,
    }
