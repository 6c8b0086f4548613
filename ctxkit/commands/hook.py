"""ctxkit hook."""

import os
import signal
import sys

import click

from ctxkit.core.errors import Exit
from ctxkit.core.hosts.host import MAX_EVENT, Answer, EventKind, HookEvent, Host, change_commands, parse_event
from ctxkit.core.hosts.profiles import MODULES, load_host
from ctxkit.edge import bypass, out, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.settings import Settings

DEADLINE = 9
"""Seconds until the hook gives up: the host waits for ten."""
COMMAND_DEADLINE = 2
"""Seconds for the event before a command, which waits meanwhile."""
OTHER_SHELLS = ("fish", "nu", "pwsh", "elvish", "xonsh", "tcsh", "csh")
"""Shells that cannot read a script for sh."""


@click.command("hook", cls=Verb)
@click.argument("host", metavar="HOST", type=click.Choice(list(MODULES)))
def command(host: str) -> Exit:
    """Answer an event of an agent host (plumbing that init sets up).

    ctxkit init puts this command into the settings of HOST, such as codex. Before the host
    runs a command, the hook puts a script in front of it that gates the output. In Claude
    Code, opencode and pi, a map replaces a long result of an MCP server, of a search, of a
    web page or of a subagent, and in Claude Code also a lock file or generated code that is
    read whole. Before the host compacts a conversation, the hook keeps the facts of its
    transcript, and it returns them when the session goes on. It adds a note to a prompt when
    more than 80 % of the effective window is used. The answer is JSON or empty. If anything
    goes wrong, it is empty. The status is 0.

    \b
    $ echo '{}' | ctxkit hook claude-code
    """
    if bypass.is_disabled():
        return Exit.DONE
    signal.signal(signal.SIGALRM, _raise_timeout)
    signal.alarm(DEADLINE)
    try:
        value = parse_event(sys.stdin.buffer.read(MAX_EVENT + 1)) if sys.stdin is not None else {}
        profile = load_host(host)
        event = profile.read_event(value)
        answer = _answer_event(profile, event) if event is not None else {}
        if answer:
            out.write_json(dict(answer))
    except Exception as error:  # whatever it is, the host goes on
        say.note(f"no answer: {error or type(error).__name__}")
    finally:
        signal.alarm(0)
    return Exit.DONE


def _answer_event(host: Host, event: HookEvent) -> Answer:
    config = settings.load_for_filter()
    if event.kind is EventKind.COMMAND:
        signal.alarm(COMMAND_DEADLINE)
        return _rewrite_command(host, event, config)
    if event.kind is EventKind.RESULT:
        return _replace_result(host, event, config)
    if event.kind is EventKind.TURN:
        return _add_context(host, event, config)
    if event.kind is EventKind.COMPACTION:
        from ctxkit.app.hosts import compaction

        page = compaction.save_page(event, host, config)
        compaction.mark_page_due(event, host, config)
        return host.make_summary(page)
    from ctxkit.app.hosts.compaction import load_page

    return host.make_resumption(load_page(event, host, config))


def _add_context(host: Host, event: HookEvent, config: Settings) -> Answer:
    """Return the answer that adds the page of a compaction, or to a prompt the note that the window is nearly full."""
    from ctxkit.app.hosts import compaction
    from ctxkit.core.hosts.host import make_context

    context = make_context(compaction.take_page(event, host, config))
    if event.is_prompt and not context:
        from ctxkit.app.hosts.usage_notice import make_host_note

        context = make_host_note(event.transcript or compaction.find_transcript(event, host, config), config)
    return host.make_addition(context) if context else {}


def _replace_result(host: Host, event: HookEvent, config: Settings) -> Answer:
    """Return the answer that replaces the text of a result by maps; {} if all of it fits."""
    from ctxkit.app.gate import gate_result_blocks

    blocks = gate_result_blocks(event, host.name, config)
    return {} if blocks == list(event.blocks) else host.make_result(event, blocks)


def _rewrite_command(host: Host, event: HookEvent, config: Settings) -> Answer:
    """Return the answer that puts the wrapping script in front of commands; {} if no output may be touched."""
    from ctxkit.app.services.stores import data_dir
    from ctxkit.core.hosts.wrap_script import WRAP, make_source_command

    wrap = os.path.join(data_dir(config), "hosts", host.name, WRAP)
    shell = os.path.basename(os.environ.get("SHELL", "")) if host.uses_login_shell else ""
    if shell in OTHER_SHELLS or not os.access(wrap, os.R_OK):
        return {}
    source = make_source_command(wrap, os.environ.get("HOME", "") if host.names_home else "")

    def put_in_front(typed: str) -> str:
        """Return a command behind the script, or as it is."""
        return typed if typed.startswith(source) or _must_pass(typed, config) else source + typed

    changed = change_commands(event.tool_input, put_in_front)
    return {} if changed == event.tool_input else host.make_rewrite(changed)


def _must_pass(typed: str, config: Settings) -> bool:
    """Return whether the output of a command passes: the user says so, or it needs a terminal."""
    from ctxkit.app.services.engines import parse_script
    from ctxkit.core.hosts.wrap_script import is_disabled, is_interactive

    if is_disabled(typed):
        from ctxkit.app.run.gated_command import record_disabled
        from ctxkit.edge.request import CliRequest

        record_disabled(CliRequest(), typed)
        return True
    is_bypassed = bool(bypass.find_bypass(config, ("sh", "-c", typed), parse_script))
    return is_bypassed or is_interactive(typed, parse_script)


def _raise_timeout(_number: int, _frame: object) -> None:
    raise TimeoutError("the time is up")
