"""ctxkit cache list."""

from datetime import datetime

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.label import title_of
from ctxkit.core.measure import size_of
from ctxkit.core.ref import short
from ctxkit.core.store import Blob
from ctxkit.edge import options, out, settings


@click.command("list")
@options.as_json_lines
def command(as_json: bool) -> Exit:
    """List what is stored, the newest first.

    Each line gives ref, size, time, tool and name, and the directory if it is not
    the usual one; --json prints one object a line.

    \b
    $ ctxkit cache list
    """
    store = supply.local_store(settings.load())
    for blob in sorted(store.blobs(), key=lambda blob: (-blob.created, blob.ref)):
        if as_json:
            out.write_json(_object(blob))
        else:
            out.write_listing(_row(blob, store.place) + "\n")
    return Exit.DONE


def _row(blob: Blob, usual: str) -> str:
    stamp = datetime.fromtimestamp(blob.created).strftime("%Y-%m-%d %H:%M:%S")
    said = "  ".join(title_of(word) for word in (blob.label.tool, blob.label.call, blob.label.name) if word)
    where = "" if blob.place == usual else f"  (in {title_of(blob.place)})"
    return f"{short(blob.ref)}  {size_of(blob.size):>10}  {stamp}  {said}".rstrip() + where


def _object(blob: Blob) -> dict[str, object]:
    said = {"name": blob.label.name, "tool": blob.label.tool, "call": blob.label.call}
    known = {key: value for key, value in said.items() if value}
    times = {"created": round(blob.created, 3), "read": round(blob.read, 3)}
    return {"ref": short(blob.ref), "sha256": blob.ref, "bytes": blob.size, "directory": blob.place, **times, **known}
