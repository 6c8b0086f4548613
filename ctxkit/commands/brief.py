"""ctxkit brief."""

import click

from ctxkit import supply
from ctxkit.core.exit import Exit
from ctxkit.core.label import Label
from ctxkit.core.mapping import Mapped, Order, mapped
from ctxkit.core.ref import short
from ctxkit.core.store import Held, keep
from ctxkit.edge import options, out, say, settings, source
from ctxkit.edge.holding import on_disk, streams
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
    """
    chosen = settings.load()
    held = _held(file, chosen)
    vocabulary = asked.vocabulary(chosen)
    title = asked.title(source.name_of(file))
    hint = asked.hint_in(chosen, "ctxkit" if held.ref else "sed", title).at(short(held.ref), held.path)
    size = asked.target(chosen, TARGET) if target is None else target
    order = Order(size, title, hint, title, asked.kind())
    made = mapped(held, order, vocabulary, supply.tokenizer(vocabulary), supply.definitions)
    if made.briefing is None:
        say.say(made.envelope)
        return Exit.NO
    if made.briefing.doubt:
        say.warn(made.briefing.doubt)
    if as_json:
        out.write_json(_object(made, held, order))
    else:
        out.write_text(made.briefing.text)
    supply.tidy(chosen, held.ref)
    return Exit.DONE


def _held(file: str, chosen: Settings) -> Held:
    """Return access to a file where it is, or to stdin or a pipe once it is stored."""
    if source.name_of(file) != "stdin" and not streams(file):
        return on_disk(file)
    store = supply.local_store(chosen)
    return store.open(keep(store, source.chunks(file), Label()))


def _object(made: Mapped, held: Held, order: Order) -> dict[str, object]:
    briefing = made.briefing
    assert briefing is not None
    return {
        "kind": briefing.kind,
        "language": briefing.language,
        "confidence": round(briefing.confidence, 2),
        "lines": made.lines,
        "bytes": made.size,
        "tokens": briefing.tokens,
        "original": {"tokens": made.original.tokens, "method": made.original.method},
        "target": order.target,
        "ref": short(held.ref) or None,
        "content": briefing.text,
    }
