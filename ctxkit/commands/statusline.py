"""ctxkit statusline."""

import sys
from collections.abc import Mapping

import click

from ctxkit.core.errors import Exit, UsageError
from ctxkit.edge import out, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import renamed_option
from ctxkit.edge.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.core.tokens.budget import Budget


@click.command("statusline", cls=Verb)
@renamed_option(
    "--show-prompt",
    is_flag=True,
    renamed_from=("--prompt",),
    help="Print the used tokens of the session for a shell prompt.",
)
def command(show_prompt: bool) -> Exit:
    """Print a status line: how full the context window is, and how much was kept out.

    stdin is the JSON object that Claude Code writes to its status line. The line has the
    model, the used tokens, the share of the window, the tokens that maps kept out, and how
    many tokens are left until ctxkit advises a compaction. It says when one is cheap: the
    provider no longer has the conversation in its cache. With --show-prompt, nothing is read,
    and the session is the one that CTXKIT_SESSION or a setting names. Without a session,
    --show-prompt prints nothing.

    \b
    $ echo '{"context_window": {"context_window_size": 200000}}' | ctxkit statusline
    $ ctxkit statusline --show-prompt
    """
    if show_prompt:
        return _print_prompt()
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("Claude Code calls this command", hint="--show-prompt is for shells")
    from ctxkit.core.hosts.host import MAX_EVENT, parse_event
    from ctxkit.core.text.escapes import escape_line

    line = _make_line(parse_event(sys.stdin.buffer.read(MAX_EVENT + 1)), settings.load_for_filter())
    if line:
        out.write_text(escape_line(line) + "\n")
    return Exit.DONE


def _make_line(value: "Mapping[str, JsonValue]", config: Settings) -> str:
    """Return the status line, "" if the input says nothing of a window."""
    from ctxkit.app.services.stores import data_dir
    from ctxkit.core.hosts.status_line import make_status_line, read_usage
    from ctxkit.edge.host_session import load_kept_tokens
    from ctxkit.edge.request import CliRequest

    usage = read_usage(value)
    budget = CliRequest(window=usage.window or None).budget(config) if usage.window else None
    kept = load_kept_tokens(usage.session, data_dir(config)) if usage.session else None
    cheap_from = _find_cheap_start(usage.transcript, budget, config) if budget and usage.transcript else None
    return make_status_line(usage, budget.compact_threshold if budget else 0, kept, cheap_from)


def _find_cheap_start(transcript: str, budget: "Budget", config: Settings) -> int | None:
    """Return the used tokens from which a compaction is worth it if the cache of the provider is cold, else None."""
    import time

    from ctxkit.app.hosts.usage_notice import read_tail
    from ctxkit.core.errors import CtxkitError
    from ctxkit.core.tokens.budget import find_cold_trigger, threshold_of
    from ctxkit.core.usage.last_usage import find_cold_time
    from ctxkit.edge.option_values import lookup_size

    try:
        cold_from = find_cold_time(read_tail(transcript))
    except (CtxkitError, OSError):
        return None
    if not 0 < cold_from <= time.time():
        return None
    return threshold_of(find_cold_trigger(budget.compact_trigger, lookup_size(config, "low_water")), budget.effective)


def _print_prompt() -> Exit:
    """Print the used tokens of the session, nothing without one."""
    from ctxkit.edge.request import CliRequest

    config = settings.load_for_filter()
    name = CliRequest().session_name(config)
    if not name:
        return Exit.DONE
    from ctxkit.app.services import sessions
    from ctxkit.core.hosts.status_line import make_prompt
    from ctxkit.edge.session_request import apply_session

    session = sessions.ledger(config).find(name)
    if session is not None:
        budget = apply_session(CliRequest(), session, config).budget(config)
        out.write_text(make_prompt(session.used, budget.effective, is_tight=budget.is_tight(0)) + "\n")
    return Exit.DONE
