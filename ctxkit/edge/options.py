"""Options that several verbs share, spelled once."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from ctxkit.edge import say
from ctxkit.edge.request import CliRequest

Command = Callable[..., Any]

file_argument = click.argument("file", required=False, default="-", metavar="[FILE]", type=str)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
json_lines_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per line.")
MOST = 10**12
"""Tokens past which a number is a slip of the hand."""
token_count = click.IntRange(min=0, max=MOST)
positive_count = click.IntRange(min=1, max=MOST)


def _make_verbosity_callback(by: int) -> Callable[[click.Context, click.Parameter, bool], None]:
    return lambda _ctx, _param, given: say.change_verbosity(by) if given else None


redact_option = click.option(
    "--redact", is_flag=True, help="Mask keys and passwords before content is printed or stored."
)
_VERBOSITY = (
    click.option(
        "-q",
        "--quiet",
        is_flag=True,
        expose_value=False,
        callback=_make_verbosity_callback(-1),
        help="Do not print warnings.",
    ),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        expose_value=False,
        callback=_make_verbosity_callback(1),
        help="Print decisions to stderr.",
    ),
)
_MODEL = click.option("--model", metavar="NAME", help="Model that sets the window and the tokenizer (CTXKIT_MODEL).")
_TOKENIZER = click.option(
    "--tokenizer", metavar="NAME", help="Count with this tokenizer: a name, tokenizer.json or GGUF."
)
_SIZE = (
    _MODEL,
    click.option("--window", type=positive_count, metavar="N", help="Tokens in the window; overrides the model."),
    click.option("--reserve", metavar="N|N%", help="Keep N tokens or N% of the window for the answer.  [default: 20%]"),
    click.option("--used", type=token_count, metavar="N", help="Number of tokens already in context."),
    _TOKENIZER,
)
_WINDOW = (
    *_SIZE,
    click.option("--session", metavar="S", help="Charge this session's budget (CTXKIT_SESSION)."),
)
_BRIEFING = (
    click.option("--name", metavar="NAME", help="Name of the content in its map."),
    click.option(
        "--type", "content_type", metavar="TYPE", help="Type or language of the content; detected if not given."
    ),
    click.option("--focus", metavar="TEXT", help="Put lines and names that match TEXT first in the map."),
    click.option("--hint", metavar="TEMPLATE", help="Command that reads a part: ctxkit, sed, read_file or a template."),
)
_GATE = (
    click.option("--limit", type=token_count, metavar="N", help="Admit at most N tokens in this call."),
    click.option("--no-store", is_flag=True, help="Store nothing; truncate content that does not fit."),
    click.option("--strict", is_flag=True, help="Fail instead of passing content with a warning."),
    click.option("--events", metavar="FILE", help="Append each decision to FILE as a JSON line."),
    redact_option,
)

_ADMIT = (click.option("--admit", is_flag=True, help="Pass content that fits even if hard_block is reached."),)


def add_count_options(command: Command) -> Command:
    """Add the options that say how tokens are counted."""
    return _add_request_options((_MODEL, _TOKENIZER, *_VERBOSITY), command)


def add_verbosity_options(command: Command) -> Command:
    """Add the options that say how much to say."""
    for option in reversed(_VERBOSITY):
        command = option(command)
    return command


def add_size_options(command: Command) -> Command:
    """Add the options that say how large a window is."""
    return _add_request_options(_SIZE + _VERBOSITY, command)


def add_window_options(command: Command) -> Command:
    """Add the options that say how large the window is and how it is counted."""
    return _add_request_options(_WINDOW + _VERBOSITY, command)


def add_gate_options(command: Command) -> Command:
    """Add the options of the window and of the gate."""
    return _add_request_options(_WINDOW + _BRIEFING + _GATE[:1] + _ADMIT + _GATE[1:] + _VERBOSITY, command)


def add_compact_options(command: Command) -> Command:
    """Add the options of the window and those that say what is kept and told."""
    return _add_request_options(_WINDOW + _GATE[1:] + _VERBOSITY, command)


def add_brief_options(command: Command) -> Command:
    """Add the options of the window and of a map."""
    return _add_request_options((*_WINDOW, *_BRIEFING, redact_option, *_VERBOSITY), command)


def _add_request_options(options: tuple[Callable[[Command], Command], ...], command: Command) -> Command:
    """Add options whose values reach the command together, as its argument ``request``."""

    @wraps(command)
    def run_command(**values: Any) -> Any:
        request_values = {name: values.pop(name) for name in CliRequest._fields if name in values}
        return command(request=CliRequest(**request_values), **values)

    added: Command = run_command
    for option in reversed(options):
        added = option(added)
    return added
