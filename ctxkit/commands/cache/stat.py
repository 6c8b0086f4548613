"""ctxkit cache stat."""

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.measure import plural, size_of
from ctxkit.edge import options, out, settings


@click.command("stat")
@options.as_json
def command(as_json: bool) -> Exit:
    """Say how much is stored, and where.

    \b
    $ ctxkit cache stat
    """
    chosen = settings.load()
    store = supply.local_store(chosen)
    sizes = [blob.size for blob in store.blobs()]
    limits = {"max_age": chosen["cache_max_age"], "max_size": chosen["cache_max_size"]}
    if as_json:
        out.write_json({"blobs": len(sizes), "bytes": sum(sizes), "directory": store.place, **limits})
    else:
        kept = f"kept for {limits['max_age']} after the last read, {limits['max_size']} at most"
        out.write_listing(f"{plural(len(sizes), 'blob')}, {size_of(sum(sizes))}, in {store.place}\n{kept}\n")
    return Exit.DONE
