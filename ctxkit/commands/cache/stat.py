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
    sizes: dict[str, list[int]] = {store.place: []}
    for blob in store.blobs():
        sizes.setdefault(blob.place, []).append(blob.size)
    limits = {"max_age": chosen["cache_max_age"], "max_size": chosen["cache_max_size"]}
    if as_json:
        stores = [{"directory": place, "blobs": len(own), "bytes": sum(own)} for place, own in sizes.items()]
        every = [size for own in sizes.values() for size in own]
        total = {"blobs": len(every), "bytes": sum(every), "directory": store.place}
        out.write_json({**total, **limits, "stores": stores})
        return Exit.DONE
    for place, own in sizes.items():
        out.write_listing(f"{plural(len(own), 'blob')}, {size_of(sum(own))}, in {place}\n")
    out.write_listing(f"kept for {limits['max_age']} after the last read, {limits['max_size']} at most\n")
    return Exit.DONE
