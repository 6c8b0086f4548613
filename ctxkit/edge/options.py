"""Options that several verbs share, spelled once."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from ctxkit.edge import say
from ctxkit.edge.request import Request

Command = Callable[..., Any]

source = click.argument("file", required=False, default="-", metavar="[FILE]", type=str)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
as_json_lines = click.option("--json", "as_json", is_flag=True, help="Print JSON instead, one object a line.")
MOST = 10**12
"""Tokens past which a number is a slip of the hand."""
count = click.IntRange(min=0, max=MOST)
size = click.IntRange(min=1, max=MOST)



def _turn(by: int) -> Callable[[click.Context, click.Parameter, bool], None]:
    return lambda _ctx, _param, given: say.turn(by) if given else None


redact = click.option("--redact", is_flag=True, help="Mask keys and passwords before anything enters or is stored.")
_VOICE = (
    click.option("-q", "--quiet", is_flag=True, expose_value=False, callback=_turn(-1), help="Do not warn."),
    click.option("-v", "--verbose", is_flag=True, expose_value=False, callback=_turn(1), help="Say what was decided."),
)
_MODEL = click.option("--model", metavar="NAME", help="Model whose window and tokenizer hold (CTXKIT_MODEL).")
_TOKENIZER = click.option(
    "--tokenizer", metavar="NAME", help="Tokenizer to count with: a name, tokenizer.json or GGUF."
)
_SIZE = (
    _MODEL,
    click.option("--window", type=size, metavar="N", help="Tokens in the window, whatever the model."),
    click.option("--reserve", metavar="N|N%", help="Tokens kept for the answer.  [default: 20%]"),
    click.option("--used", type=count, metavar="N", help="Tokens already in context."),
    _TOKENIZER,
)
_WINDOW = (
    *_SIZE,
    click.option("--session", metavar="S", help="Session whose room is used, and booked (CTXKIT_SESSION)."),
)
_MAP = (
    click.option("--name", metavar="NAME", help="Name of the content, for its map."),
    click.option("--type", "forced", metavar="TYPE", help="Kind or language of the content; detected otherwise."),
    click.option("--focus", metavar="TEXT", help="What is looked for: lines and names that match come first."),
    click.option("--hint", metavar="TEMPLATE", help="How to read a part: ctxkit, sed, read_file or a template."),
)
_GATE = (
    click.option("--limit", type=count, metavar="N", help="Tokens that this one call may admit at most."),
    click.option("--no-store", is_flag=True, help="Keep nothing on disk; cut what does not fit."),
    click.option("--strict", is_flag=True, help="Fail where content would otherwise pass with a warning."),
    click.option("--events", metavar="FILE", help="Append what was decided to FILE, as JSON lines."),
    redact,
)

_ADMIT = (click.option("--admit", is_flag=True, help="Let content that fits pass although hard_block is reached."),)


def counted(command: Command) -> Command:
    """Add the options that say how tokens are counted."""
    return _asking((_MODEL, _TOKENIZER, *_VOICE), command)


def voiced(command: Command) -> Command:
    """Add the options that say how much to say."""
    for option in reversed(_VOICE):
        command = option(command)
    return command


def sized(command: Command) -> Command:
    """Add the options that say how large a window is."""
    return _asking(_SIZE + _VOICE, command)


def window(command: Command) -> Command:
    """Add the options that say how large the window is and how it is counted."""
    return _asking(_WINDOW + _VOICE, command)


def gate(command: Command) -> Command:
    """Add the options of the window and of the gate."""
    return _asking(_WINDOW + _MAP + _GATE[:1] + _ADMIT + _GATE[1:] + _VOICE, command)


def compact(command: Command) -> Command:
    """Add the options of the window and those that say what is kept and told."""
    return _asking(_WINDOW + _GATE[1:] + _VOICE, command)


def brief(command: Command) -> Command:
    """Add the options of the window and of a map."""
    return _asking((*_WINDOW, *_MAP, redact, *_VOICE), command)


def _asking(options: tuple[Callable[[Command], Command], ...], command: Command) -> Command:
    """Add options whose values reach the command together, as its argument ``asked``."""

    @wraps(command)
    def packed(**given: Any) -> Any:
        asked = {name: given.pop(name) for name in Request._fields if name in given}
        return command(asked=Request(**asked), **given)

    added: Command = packed
    for option in reversed(options):
        added = option(added)
    return added
