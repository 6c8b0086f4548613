"""ctxkit brief."""

from collections.abc import Callable
from typing import NamedTuple

import click

from ctxkit import supply, workers
from ctxkit.core.account import Account
from ctxkit.core.brief import Briefing
from ctxkit.core.exit import Exit
from ctxkit.core.label import Label, listed_title
from ctxkit.core.ledger import Item
from ctxkit.core.mapping import Mapped, Order, safely_mapped
from ctxkit.core.part import octets
from ctxkit.core.ref import short
from ctxkit.core.store import Held, keep
from ctxkit.core.tally import Tally, tally
from ctxkit.edge import options, out, say, settings, source
from ctxkit.edge.holding import on_disk, rewritten, streams
from ctxkit.edge.redacting import Redaction
from ctxkit.edge.request import Request
from ctxkit.edge.settings import Settings

TARGET = 2000
"""Tokens of a map when neither --target nor a window says otherwise."""


@click.command("brief")
@options.source
@options.brief
@click.option("--target", type=options.count, metavar="N", help=f"Tokens the map may take.  [default: {TARGET}]")
@options.as_json
def command(file: str, asked: Request, target: int | None, as_json: bool) -> Exit:
    """Print the map of a content, whatever its size.

    The map of FILE points back at the file, and nothing is stored. Content from
    stdin is stored, and its map points at the ref. Answers 1, with one line on
    stderr, when the target is too small even for one line.

    \b
    $ ctxkit brief README.md --target 300
    $ cargo test 2>&1 | ctxkit brief --model qwen3-30b
    $ ctxkit brief README.md --focus "exit status"
    """
    chosen = settings.load()
    asked, account = supply.seated(asked, chosen)
    redaction = asked.redaction(chosen)
    held = _held(file, asked, chosen, redaction)
    vocabulary = asked.vocabulary(chosen)
    count = supply.tokenizer(vocabulary)
    title = asked.title(source.path_of(file))
    hint = asked.hint_in(chosen, "ctxkit" if held.ref else "sed", source.path_of(file)).at(short(held.ref), held.path)
    kind = asked.kind()
    strict = asked.strict or chosen["strict"]

    def map_within(size: int) -> Sized:
        order = Order(size, title, hint, title, kind, focus=asked.focus or "")
        made = safely_mapped(held, order, vocabulary, count, supply.definitions, None, workers.isolate, strict=strict)
        return Sized(made, size)

    if account is not None:
        sized = account.fit(target, map_within, Sized.tokens)
    else:
        sized = map_within(asked.target(chosen, TARGET) if target is None else target)
    more, listed = redaction.facts(), listed_title(title)
    answer = _deliver(sized, held, as_json, account, lambda text: tally((text,), vocabulary, count), listed, more)
    redaction.note()
    supply.tidy(chosen, held.ref)
    return answer


class Sized(NamedTuple):
    """Hold a map with the target it was made for."""

    made: Mapped
    target: int

    def tokens(self) -> int | None:
        """Return the tokens that the map takes at most, None when there is none."""
        return self.made.briefing.tokens if self.made.briefing else None


def _deliver(
    sized: Sized,
    held: Held,
    as_json: bool,
    account: Account | None,
    count: Callable[[bytes], Tally],
    title: str,
    more: dict[str, int],
) -> Exit:
    """Write the map, and book it where a session is named."""
    briefing = sized.made.briefing
    if briefing is None:
        say.say(sized.made.envelope)
        return Exit.NO
    if briefing.doubt:
        say.warn(briefing.doubt)
    try:
        if as_json:
            out.write_json({**_object(sized.made, briefing, held, sized.target), **more})
        else:
            out.write_text(briefing.text)
    finally:  # what a reader that left has not read may have gone in all the same
        if account is not None:
            tokens = count(briefing.text.encode("utf-8", "replace"))
            tight = account.budget.tight(tokens.tokens)
            account.book(Item(title, tokens.tokens, tokens.method, "briefing", tight, held.ref))
    return Exit.DONE


def _held(file: str, asked: Request, chosen: Settings, redaction: Redaction) -> Held:
    """Return access to a file where it is, or to stdin or a pipe once it is stored.

    A file in which something is to be redacted is stored without that: the map must not lead back to it.
    """
    if file in ("", "-") or streams(file):
        content = redaction.apply(source.chunks(file))
    else:
        found = on_disk(file)
        if not redaction.on:
            return found
        copy = rewritten(found, redaction.apply)
        if not redaction.count:
            return found
        content = octets(copy.read, copy.lines.size)
    store = supply.local_store(chosen)
    return store.open(keep(store, content, Label(session=asked.session or "")))


def _object(made: Mapped, briefing: Briefing, held: Held, target: int) -> dict[str, object]:
    return {
        "kind": briefing.kind,
        "language": briefing.language,
        "confidence": round(briefing.confidence, 2),
        "lines": made.lines,
        "bytes": made.size,
        "tokens": briefing.tokens,
        "original": {"tokens": made.original.tokens, "method": made.original.method},
        "target": target,
        "ref": short(held.ref) or None,
        "content": briefing.text,
    }
