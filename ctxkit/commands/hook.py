"""ctxkit hook."""

import signal
import sys

import click

from ctxkit.core.exit import Exit
from ctxkit.core.hosts.claude_hook import MAX_EVENT, HookEvent, make_session_start, parse_event
from ctxkit.edge import bypass, options, out, say, settings

HOSTS = ("claude-code",)
DEADLINE = 9
"""Seconds until the hook gives up: the host waits for ten."""


@click.command("hook")
@click.argument("host", metavar="HOST", type=click.Choice(HOSTS))
@options.add_verbosity_options
def command(host: str) -> Exit:
    """Answer an event of an agent host, read from stdin.

    ctxkit init puts this command into the settings of HOST, which is claude-code. Before
    the host compacts a conversation, the hook keeps the facts of its transcript, and it
    returns them when the session goes on. The answer is JSON or empty. On any trouble it is
    empty, and the status is 0.

    \b
    $ echo '{}' | ctxkit hook claude-code
    """
    del host
    if bypass.is_disabled():
        return Exit.DONE
    signal.signal(signal.SIGALRM, _raise_timeout)
    signal.alarm(DEADLINE)
    try:
        event = parse_event(sys.stdin.buffer.read(MAX_EVENT + 1)) if sys.stdin is not None else None
        answer = _handle_event(event) if event is not None else {}
        if answer:
            out.write_json(answer)
    except Exception as error:  # whatever it is, the host goes on
        say.note(f"no answer: {error or type(error).__name__}")
    finally:
        signal.alarm(0)
    return Exit.DONE


def _handle_event(event: HookEvent) -> dict[str, object]:
    from ctxkit import host_memory

    config = settings.load_for_filter()
    if event.name == "PreCompact":
        host_memory.save_page(event, config)
    if event.name == "SessionStart" and event.source == "compact":
        return make_session_start(host_memory.load_page(event, config))
    return {}


def _raise_timeout(_number: int, _frame: object) -> None:
    raise TimeoutError(f"{DEADLINE} s have passed")
