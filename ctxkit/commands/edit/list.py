"""ctxkit edit list."""

import click

from ctxkit import supply, workers
from ctxkit.core.chat.names import NAMES
from ctxkit.core.exit import Exit
from ctxkit.edge import conversations, edits, options, out, settings
from ctxkit.edge.request import Request

BY = ("task", "message")


@click.command("list")
@options.source
@click.option("--by", type=click.Choice(BY), default=BY[0], help="What each row is about.  [default: task]")
@click.option("--format", "format_name", type=click.Choice(NAMES), metavar="NAME", help="Format of the conversation.")
@click.option("--skip-bad", is_flag=True, help="Keep lines that cannot be read as they are.")
@options.counted
@options.as_json_lines
@workers.own_process
def command(file: str, by: str, format_name: str | None, skip_bad: bool, asked: Request, as_json: bool) -> Exit:
    """List the ranges of a conversation and what each costs.

    Each request of the user begins a range, which holds all that it led to. A row
    gives the numbers of its messages, their tokens, and how it begins; those that
    have to stay are marked.

    \b
    $ ctxkit edit list chat.jsonl
    """
    from ctxkit.core.edit.numbered import beside, by_message, by_task, numbered

    chosen = settings.load()
    asked, _ = supply.seated(asked, chosen, opens=False)
    found = numbered(conversations.read(file, format_name, skip_bad=skip_bad), supply.order(asked, chosen))
    rows = by_task(found) if by == "task" else by_message(found)
    if as_json:
        for row in rows:
            out.write_json(edits.row_object(row, found.method(row.amount)))
        out.write_json(edits.total_object(len(found.path), beside(found), found))
    else:
        out.write_listing(edits.table(rows, len(found.path), beside(found), found))
    return Exit.DONE
