"""ctxkit cache stat."""

import click

from ctxkit.app.services import stores
from ctxkit.core.errors import Exit
from ctxkit.core.text.quantity import format_size, pluralize
from ctxkit.edge import options, out, settings
from ctxkit.edge.command_group import Verb


@click.command("stat", cls=Verb)
@options.json_option
@options.store_option
def command(as_json: bool) -> Exit:
    """Show how much is stored, and where.

    \b
    $ ctxkit cache stat
    """
    config = settings.load()
    store = stores.open_store(config)
    sizes: dict[str, list[int]] = {store.place: []}
    for blob in store.blobs():
        sizes.setdefault(blob.place, []).append(blob.size)
    limits = {"max_age": config["cache_max_age"], "max_size": config["cache_max_size"]}
    if as_json:
        directories = [
            {"directory": place, "blobs": len(blob_sizes), "bytes": sum(blob_sizes)}
            for place, blob_sizes in sizes.items()
        ]
        every = [size for blob_sizes in sizes.values() for size in blob_sizes]
        total = {"blobs": len(every), "bytes": sum(every), "directory": store.place}
        out.write_json({**total, **limits, "stores": directories})
        return Exit.DONE
    for place, blob_sizes in sizes.items():
        out.write_listing(f"{pluralize(len(blob_sizes), 'blob')}, {format_size(sum(blob_sizes))}, in {place}\n")
    out.write_listing(f"kept for {limits['max_age']} after the last read, {limits['max_size']} at most\n")
    return Exit.DONE
