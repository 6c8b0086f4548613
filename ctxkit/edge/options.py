"""Define the options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from ctxkit.edge.option_types import make_number_type, option
from ctxkit.edge.request import CliRequest

Command = Callable[..., Any]

file_argument = click.argument("file", required=False, default="-", metavar="[FILE]", type=str)
json_option = option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
json_lines_option = option("--json", "as_json", is_flag=True, help="Print JSON, one object per line.")
_EACH = option("--each", is_flag=True, help="Read records of JSON lines; print a JSON line for each, in order.")
_FIELD = option("--field", metavar="PATH", help="Field of a record with its text, as in message.content.0.text.")
_ID = option("--id", "id_path", metavar="PATH", help="Copy this field of each record into its line, as a key.")
skip_bad_option = option("--skip-bad", is_flag=True, help="Skip unreadable lines; what is written has them unchanged.")
in_place_option = option("--in-place", is_flag=True, help="Write the conversation back to FILE.")
HOSTS = "claude-code", "cline", "codex", "copilot", "cursor", "gemini", "mini-swe-agent", "opencode", "pi", "qwen"
"""Names of the agent hosts whose limits are known (core/hosts/profiles.py), which most calls do not load."""
host_option = option(
    "--host", metavar="HOST", type=click.Choice(HOSTS), help="Use the limits of this agent host."
)
expand_option = option("--expand", is_flag=True, help="Widen the range so that no call loses its result.")
MOST = 10**12
"""Maximum number of tokens; a larger one is a typing error."""
token_count = make_number_type(0, MOST)
positive_count = make_number_type(1, MOST)


def make_jobs_option(help_text: str) -> Callable[[Command], Command]:
    """Return the option that sets the number of processes."""
    number = make_number_type(1, 64)
    return option("-j", "--jobs", type=number, metavar="N", help=f"{help_text}  [default: cores]")


def make_files_from_option(help_text: str) -> Callable[[Command], Command]:
    """Return the option that names a list of files, which ``file_lists`` reads."""
    return option("--files-from", metavar="FILE", help=help_text)


redact_option = option(
    "--redact", is_flag=True, help="Mask keys and passwords before content is printed or stored."
)
events_option = option("--events", metavar="FILE", help="Append each decision to FILE as a JSON line.")
STORE_VARIABLE = "CTXKIT_STORE"


def _set_store(ctx: click.Context, _param: click.Parameter, given: str | None) -> None:
    """Set the store for this process and those that it starts, until the command ends."""
    if given is None:
        return
    from ctxkit.edge.setting_definitions import read_store

    try:
        read_store(given)
    except ValueError as error:
        from ctxkit.core.redaction.masking import mask_secrets

        raise click.BadParameter(f"{mask_secrets(given)[:80]!r} {error}") from None
    before = os.environ.get(STORE_VARIABLE)
    os.environ[STORE_VARIABLE] = given or "false"
    ctx.call_on_close(lambda: _restore_variable(before))


def _restore_variable(value: str | None) -> None:
    if value is None:
        os.environ.pop(STORE_VARIABLE, None)
    else:
        os.environ[STORE_VARIABLE] = value


store_option = option(
    "--store",
    metavar="URL",
    expose_value=False,
    callback=_set_store,
    help="Store content and sessions on this Redis or Valkey server (CTXKIT_STORE).",
)
_MODEL = option(
    "--model", metavar="NAME", help="Model that sets the window and the tokenizer: a name or GGUF (CTXKIT_MODEL)."
)
_TOKENIZER = option(
    "--tokenizer", metavar="NAME", help="Count with this tokenizer: a name, bytes/N, chars/N, tokenizer.json or GGUF."
)
_SIZE = (
    _MODEL,
    option("--window", type=positive_count, metavar="N", help="Tokens in the window, as in 128k; overrides the model."),
    option("--reserve", metavar="N|N%", help="Keep N tokens or N% of the window for the answer.  [default: 20%]"),
    option("--used", type=token_count, metavar="N", help="Number of tokens already in context."),
    _TOKENIZER,
)
_WINDOW = (
    *_SIZE,
    option("--session", metavar="SESSION", help="Count the content against this session (CTXKIT_SESSION)."),
    store_option,
)
_NAME = option("--name", metavar="NAME", help="Name of the content in its map.")
_HINT = option(
    "--hint", metavar="TEMPLATE", help="Show how to read a part with ctxkit, sed, read_file, read_result or a template."
)
_BRIEFING = (
    _NAME,
    option(
        "--type", "content_type", metavar="TYPE", help="Type or language of the content; detected if not given."
    ),
    option("--focus", metavar="TEXT", help="Put lines and names that match TEXT first in the map."),
    _HINT,
)
_GATE = (
    option("--limit", type=token_count, metavar="N", help="Pass at most N tokens in this call, such as 8k."),
    option("--no-store", is_flag=True, help="Store nothing; truncate content that does not fit."),
    option("--strict", is_flag=True, help="Fail instead of passing content with a warning."),
    events_option,
    redact_option,
)

_ADMIT = (
    option("--admit", is_flag=True, help="Pass content that fits, even if the setting hard_block would refuse it."),
    option("--again", is_flag=True, help="Pass content in full, even if the session already has it in context."),
)


def add_count_options(command: Command) -> Command:
    """Add the options for counting tokens."""
    return _add_request_options((_MODEL, _TOKENIZER), command)


def add_edit_options(command: Command) -> Command:
    """Add the options for counting, and for the session that an edit belongs to."""
    session = option("--session", metavar="SESSION", help="Record the edit in this session.")
    return _add_request_options((_MODEL, _TOKENIZER, session), command)


def add_size_options(command: Command) -> Command:
    """Add the options for the size of the window."""
    return _add_request_options(_SIZE, command)


def add_window_options(command: Command) -> Command:
    """Add the options for the window and the session."""
    return _add_request_options(_WINDOW, command)


def add_retrieval_options(command: Command) -> Command:
    """Add the options of the window, the session and the events."""
    return _add_request_options((*_WINDOW, events_option), command)


def add_each_options(command: Command) -> Command:
    """Add the options for records."""
    return _EACH(_FIELD(_ID(command)))


def add_gate_options(command: Command) -> Command:
    """Add the options of the window and of the gate."""
    return _add_request_options(_WINDOW + _BRIEFING + _GATE[:1] + _ADMIT + _GATE[1:], command)


def add_compact_options(command: Command) -> Command:
    """Add the options of the window and of a compaction."""
    return _add_request_options((*_WINDOW, _HINT, *_GATE[1:]), command)


def add_prompt_options(command: Command) -> Command:
    """Add the options of the window and of the gate for the sections of a prompt."""
    return _add_request_options((*_SIZE[:3], _TOKENIZER, _HINT, *_GATE[:3]), command)


def add_call_options(command: Command) -> Command:
    """Add the options of the window, and of what a call reads and stores."""
    return _add_request_options((*_WINDOW, *_GATE[1:]), command)


def add_wrap_options(command: Command) -> Command:
    """Add the options of the window, and of the gate for the results of a server."""
    help_text = "Replace a result of more than N tokens by a map, such as 8k.  [default: result_cap]"
    limit = option("--limit", type=positive_count, metavar="N", help=help_text)
    return _add_request_options((*_WINDOW, limit, *_GATE[1:]), command)


def add_turn_options(command: Command) -> Command:
    """Add the options of the window, the session and the gate for the results of a turn."""
    return _add_request_options((*_SIZE[:3], _TOKENIZER, *_WINDOW[-2:], _HINT, *_GATE[1:4]), command)


def add_proxy_options(command: Command) -> Command:
    """Add the options of the window, of the gate for tool results, and of what is stored."""
    help_text = "Replace tool results of more than N tokens by maps.  [default: 1/4 of what the prompt leaves]"
    limit = option("--limit", type=positive_count, metavar="N", help=help_text)
    return _add_request_options((*_SIZE[:3], _TOKENIZER, store_option, limit, _HINT, *_GATE[1:]), command)


def add_truncate_options(command: Command) -> Command:
    """Add the options for counting, naming and storing content that is truncated."""
    return _add_request_options((_MODEL, _TOKENIZER, _NAME, _HINT, *_GATE[1:]), command)


def add_brief_options(command: Command) -> Command:
    """Add the options of the window and of a briefing."""
    return _add_request_options((*_WINDOW, *_BRIEFING, redact_option), command)


def _add_request_options(options: tuple[Callable[[Command], Command], ...], command: Command) -> Command:
    """Add options whose values the command gets as its argument ``request``."""
    added = collect_values(CliRequest, "request")(command)
    for add_option in reversed(options):
        added = add_option(added)
    return added


def collect_values(values_type: type[tuple[Any, ...]], argument: str) -> Callable[[Command], Command]:
    """Hand a command the values of its options together, as one ``argument`` that is a named tuple of a type."""
    named_tuple: Any = values_type

    def decorate(command: Command) -> Command:
        """Wrap a command."""

        @wraps(command)
        def run_command(**values: Any) -> Any:
            """Call the command with its values collected."""
            collected = {name: values.pop(name) for name in named_tuple._fields if name in values}
            return command(**{argument: named_tuple(**collected)}, **values)

        return run_command

    return decorate
