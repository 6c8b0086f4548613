"""Define the options that the commands share that edit a range of messages."""

import click

from ctxkit.edge import options
from ctxkit.edge.editing import EditRequest
from ctxkit.edge.format_option import format_option
from ctxkit.edge.option_types import MESSAGE_SPAN, option

_dry_run_option = option("--dry-run", is_flag=True, help="Print what the edit would free, and change nothing.")


def add_range_options(command: options.Command) -> options.Command:
    """Add A:B, FILE and the options of an edit, which the command gets as its argument ``edit_request``."""
    collected = options.collect_values(EditRequest, "edit_request")(command)
    added = options.add_edit_options(options.json_option(collected))
    shared = (options.skip_bad_option, format_option, options.in_place_option, options.expand_option)
    for decorate in (_dry_run_option, *shared):
        added = decorate(added)
    return click.argument("span", metavar="A:B", type=MESSAGE_SPAN)(options.file_argument(added))
