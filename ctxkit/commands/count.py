"""ctxkit count."""

import click

from ctxkit import supply, workers
from ctxkit.core.budget import Budget
from ctxkit.core.chat.names import NAMES
from ctxkit.core.count.order import Input, Order
from ctxkit.core.exit import Exit
from ctxkit.core.trouble import Misuse
from ctxkit.edge import inputs, options, out, settings
from ctxkit.edge.counts import BY, Counts, Shown
from ctxkit.edge.request import Request, vocabulary_of
from ctxkit.edge.settings import Settings

DEFAULT = "o200k"
"""Tokenizer where neither a model nor a tokenizer is named."""


@click.command("count")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--by", type=click.Choice(BY), help="What each row is about.  [default: file]")
@click.option("--max", "most", type=options.count, metavar="N", help="Answer 1 when it is more than N tokens.")
@click.option("--input", "kind", type=click.Choice(["auto", "text", "chat"]), default="auto", help="What content is.")
@click.option("--format", "format_name", type=click.Choice(NAMES), metavar="NAME", help="Format of conversations.")
@click.option("--files-from", metavar="F", help="Count the files that F names, one a line, or NUL between them.")
@click.option("-l", "--long", "wide", is_flag=True, help="Show lines, bytes, method and format too.")
@click.option("--calibrate", metavar="RECEIPTS", help="Learn how a model counts from usage that its API reported.")
@options.sized
@options.as_json_lines
def command(
    files: tuple[str, ...],
    by: str | None,
    most: int | None,
    kind: Input,
    format_name: str | None,
    files_from: str | None,
    wide: bool,
    calibrate: str | None,
    asked: Request,
    as_json: bool,
) -> Exit:
    """Count tokens, as wc counts words.

    Stdin alone gives one number, files a table with a total. A conversation, in
    any format that agents and APIs write, is counted as its model reads it: with
    what stands around each message, tool definitions and pictures. Where neither
    model nor tokenizer is named, the tokenizer is o200k.

    \b
    $ seq 100 | ctxkit count
    $ ctxkit count README.md --model qwen3-30b --json
    """
    chosen = settings.load()
    asked, _ = supply.seated(asked, chosen, opens=False)
    if calibrate is not None:
        return _calibrated(calibrate, chosen, asked)
    names = [*files, *(inputs.named_in(files_from) if files_from else ())]
    if by == "line" and kind == "chat":
        raise Misuse("--by line counts text", hint="--by message counts a conversation")
    order = _order(chosen, asked, kind, format_name, rows=by == "message")
    alone = not names and not files_from
    shown = Shown(by or "file", alone=alone, wide=wide, as_json=as_json, budget=_budget(chosen, asked))
    return Counts(order, shown).of(["-"] if alone else names, most)


def _calibrated(receipts: str, chosen: Settings, asked: Request) -> Exit:
    from ctxkit.edge import calibrate

    model = asked.model or asked.tokenizer or chosen["model"] or chosen["tokenizer"]
    out.write_json(calibrate.learn(receipts, chosen, model=model or None))
    return Exit.DONE


def _named(chosen: Settings, asked: Request) -> bool:
    return bool(asked.model or asked.tokenizer or chosen["model"] or chosen["tokenizer"])


def _order(chosen: Settings, asked: Request, kind: Input, forced: str | None, *, rows: bool) -> Order:
    named = _named(chosen, asked)
    vocabulary = asked.vocabulary(chosen) if named else vocabulary_of(DEFAULT)
    model = asked.model or ("" if asked.tokenizer else chosen["model"])
    return Order(
        vocabulary,
        supply.tokenizer(vocabulary),
        supply.parse,
        model or "",
        named,
        "chat" if forced and kind == "auto" else kind,
        forced or "",
        rows,
        workers.isolate,
    )


def _budget(chosen: Settings, asked: Request) -> Budget | None:
    """Return the budget of a window that is known; counting needs none."""
    known = asked.window or chosen["window"] or chosen["context_budget"] or asked.known_model(chosen)
    return asked.budget(chosen) if known else None
