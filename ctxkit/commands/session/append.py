"""ctxkit session append."""

from typing import TYPE_CHECKING

import click

from ctxkit import supply, workers
from ctxkit.core.chat.names import NAMES
from ctxkit.core.exit import Exit
from ctxkit.core.ledger import Item, checked
from ctxkit.core.trouble import NotHeld, Trouble
from ctxkit.edge import conversations, options, out, say, settings
from ctxkit.edge.request import Request
from ctxkit.edge.settings import Settings

if TYPE_CHECKING:
    from ctxkit.core.account import Account
    from ctxkit.core.chat.transcript import Transcript
    from ctxkit.core.count.order import Order


@click.command("append")
@click.argument("name", metavar="S")
@options.source
@click.option("--format", "format_name", type=click.Choice(NAMES), metavar="NAME", help="Format of the messages.")
@click.option("--no-count", is_flag=True, help="Book nothing: what comes is on the ledger already.")
@click.option("--strict", is_flag=True, help="Fail where nothing would be booked, with a warning.")
@options.as_json
@options.voiced
@workers.own_process
def command(name: str, file: str, format_name: str | None, no_count: bool, strict: bool, as_json: bool) -> Exit:
    """Add messages to the history of a session.

    One message, a list of them or JSON lines come from FILE or stdin, in any
    format that agents and APIs write. Each is added on a line of its own, as it
    is written; what a model reads of it is booked on the session's ledger.

    \b
    $ ctxkit session new s --window 8192 && ctxkit session append s chat.jsonl
    """
    chosen = settings.load()
    asked = Request(session=checked(name), strict=strict or chosen["strict"])
    _known(chosen, name, strict=asked.strict)
    transcript = conversations.read(file, format_name)
    asked, account = (asked, None) if no_count else supply.seated(asked, chosen, opens=False)
    order = supply.order(asked, chosen, "estimate") if account else None
    from ctxkit.core.history import lines_of

    _warn_of_others(chosen, name, transcript)
    added = supply.history(chosen).append(name, lines_of(transcript))
    if added.torn:
        say.warn(f"line {added.torn:,} of the history had been cut short; it stays, and whoever reads it skips it")
    if transcript.head:
        say.warn("what stands beside the messages, such as a system prompt or tools, is no part of the history")
    item = _booked(account, order, transcript, whole=added.first == 1) if account and order else None
    if as_json:
        counted = {"tokens": item.tokens if item else None, "method": item.method if item else None}
        extent = {"first": added.first, "lines": added.extent.lines, "bytes": added.extent.size}
        out.write_json({"session": name, "added": len(transcript.records), **extent, **counted})
    return Exit.DONE


def _warn_of_others(chosen: Settings, name: str, transcript: "Transcript") -> None:
    """Say that a history holds another format, which nobody reads together with the one of the messages."""
    from ctxkit.core.history import SNIFFED, other_format, read
    from ctxkit.core.part import rows

    found = supply.history(chosen).open(name)
    lines = read(rows(found, 1, min(SNIFFED, found.total)), supply.parse) if found else ()
    if other := other_format((supply.parse(line.data) for line in lines if line.whole), transcript):
        say.warn(f"the history holds {other}, and this is {transcript.format.NAME}: they are not read together")


def _known(chosen: Settings, name: str, *, strict: bool) -> None:
    """Raise NotHeld where the session has not begun; a ledger that cannot be read is no reason to add nothing."""
    try:
        found = supply.ledger(chosen).find(name)
    except (Trouble, OSError):
        if strict:
            raise
        return
    if found is None:
        raise NotHeld(f"no session {name}", hint=f"ctxkit session new {name} --model NAME begins it")


def _booked(account: "Account", order: "Order", transcript: "Transcript", *, whole: bool) -> Item | None:
    """Book what a model reads of messages; with the first ones, what stands beside and around them too."""
    from ctxkit.core.count.conversation import method_of, weight

    amount, messages = weight(transcript, order, whole=whole)
    if not messages:
        return None
    item = Item("history", amount.tokens, method_of(amount, order), "raw", account.budget.tight(amount.tokens))
    account.book(item)
    return item
