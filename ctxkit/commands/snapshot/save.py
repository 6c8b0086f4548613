"""ctxkit snapshot save."""

import click

from ctxkit import supply, workers
from ctxkit.core.chat.names import NAMES
from ctxkit.core.exit import Exit
from ctxkit.core.history import Extent
from ctxkit.core.ledger import checked
from ctxkit.core.snapshot import Snapshot
from ctxkit.core.trouble import NotHeld
from ctxkit.edge import conversations, options, out, settings, standing
from ctxkit.edge.request import Request
from ctxkit.edge.settings import Settings


@click.command("save")
@click.argument("name", metavar="S")
@options.source
@click.option("--format", "format_name", type=click.Choice(NAMES), metavar="NAME", help="Format of the conversation.")
@click.option("--covers", type=options.count, metavar="N", help="Lines of the history it is for.  [default: all]")
@click.option("--compacted", is_flag=True, help="Book it as a compaction: the ledger goes on from its tokens.")
@click.option("--strict", is_flag=True, help="Fail where tokens would otherwise be estimated, with a warning.")
@options.as_json
@options.voiced
@workers.own_process
def command(
    name: str, file: str, format_name: str | None, covers: int | None, compacted: bool, strict: bool, as_json: bool
) -> Exit:
    """Save a conversation as the snapshot of a session.

    It takes the place of an earlier one, and stands for the history as it is now:
    what is appended later comes after it when the session is resumed. compact
    --session saves one by itself.

    \b
    $ ctxkit session new s --window 8192 && ctxkit snapshot save s chat.jsonl --compacted
    """
    chosen = settings.load()
    ledger = supply.ledger(chosen)
    found = ledger.find(checked(name))
    if found is None:
        raise NotHeld(f"no session {name}", hint=f"ctxkit session new {name} --model NAME begins it")
    extent = _extent(chosen, name, covers)
    made = _snapshot(file, format_name, Request(strict=strict).within(found, chosen), chosen)
    made = supply.snapshots(chosen).save(made._replace(session=name, covers=extent))
    if compacted:
        ledger.compacted(name, made.tokens, 0 if made.method == "exact" else made.tokens)
    if as_json:
        out.write_json(standing.snapshot(made))
    return Exit.DONE


def _extent(chosen: Settings, name: str, covers: int | None) -> Extent:
    """Return the part of the history that a snapshot stands for."""
    histories = supply.history(chosen)
    if covers is None:
        return histories.extent(name) or Extent()
    lines = histories.open(name)
    total = lines.total if lines else 0
    if covers > total:
        raise NotHeld(f"the history of {name} has {total:,} lines", hint="--covers names how many of them it is for")
    return Extent(covers, lines.span(1, covers)[1] if lines and covers else 0)


def _snapshot(file: str, format_name: str | None, asked: Request, chosen: Settings) -> Snapshot:
    """Return a conversation with its tokens, as a snapshot of nothing yet."""
    from ctxkit.core.count.conversation import method_of, weight

    content = conversations.read_whole(file)
    transcript, order = conversations.parsed(content, file, format_name), supply.order(asked, chosen, "estimate")
    amount, messages = weight(transcript, order)
    return Snapshot("", content, transcript.format.NAME, messages, amount.tokens, method_of(amount, order), Extent())
