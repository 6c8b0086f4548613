"""ctxkit cache gc."""

import click

from ctxkit.app.services import stores
from ctxkit.core.errors import Exit
from ctxkit.core.text.quantity import format_size, parse_duration, parse_size, pluralize
from ctxkit.edge import options, out, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import DURATION, SIZE, option


@click.command("gc", cls=Verb)
@option("--max-age", type=DURATION, metavar="DURATION", help="Remove content not read for DURATION, as in 24h or 7d.")
@option(
    "--max-size", type=SIZE, metavar="SIZE", help="Then remove the least recently read content above SIZE, as in 1GB."
)
@options.json_option
@options.store_option
def command(max_age: float | None, max_size: int | None, as_json: bool) -> Exit:
    """Remove old content, and content above the size limit.

    Without options, the settings apply (cache_max_age 7d, cache_max_size 2GB). ctxkit
    collects by itself after it stores content, at most once an hour. Content that was
    stored or read in the last ten minutes stays unless the disk is full. gc collects on this
    machine only: content on a shared store expires there.

    \b
    $ ctxkit cache gc --max-age 24h --max-size 1GB
    """
    config = settings.load()
    age = parse_duration(config["cache_max_age"]) if max_age is None else max_age
    size = parse_size(config["cache_max_size"]) if max_size is None else max_size
    swept = stores.open_store(config).collect(age, size)
    if as_json:
        out.write_json({"removed": swept.blobs, "bytes": swept.size, "young": swept.young})
    else:
        left = f"; left {swept.young:,} stored or read in the last ten minutes" if swept.young else ""
        out.write_listing(f"removed {pluralize(swept.blobs, 'blob')}, {format_size(swept.size)}{left}\n")
    return Exit.DONE
