"""Run a command, gate its output, and say which member of a pipeline failed before its last one."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from ctxkit.app.run.live_output import GateSetup, LiveOutput
from ctxkit.app.services import engines, sessions
from ctxkit.app.services.engines import list_comments, list_pipelines, parse_script
from ctxkit.core.errors import CtxkitError, SettingsError, UsageError
from ctxkit.core.gate.decision import REPLACEMENTS, UNCOUNTED, GateResult
from ctxkit.core.hosts.profiles import HostProfile
from ctxkit.core.hosts.wrap_script import find_command, remove_switch
from ctxkit.core.redaction.masking import mask_command, mask_script
from ctxkit.core.store.label import title_of
from ctxkit.core.text.shell import join_words
from ctxkit.core.text.shell_script import NO_FOCUS, FocusComment, find_program
from ctxkit.edge import bypass, progress, report, say, settings
from ctxkit.edge.child import CANNOT_RUN, KILL_AFTER, NOT_FOUND, Child, WrappedCommand
from ctxkit.edge.host_session import apply_host_limits, cap_briefing, cap_result
from ctxkit.edge.redaction import Redaction
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.settings import Settings

_SHELL_COMMANDS = frozenset(
    {".", "alias", "cd", "eval", "exec", "export", "for", "if", "set", "source", "ulimit", "unset", "while"}
)
"""Commands that are part of a shell; a program of that name is rare."""


class CommandLine(NamedTuple):
    """A command, and how it is run and reported.

    ``script`` is what a model typed, if the command is a shell that runs it. Times are in seconds. The limits of the
    ``host`` hold where neither options nor settings say otherwise.
    """

    argv: tuple[str, ...]
    script: str = ""
    timeout: float | None = None
    kill_after: float = KILL_AFTER
    events_full: bool = False
    host: HostProfile | None = None

    @property
    def title(self) -> str:
        """Return the command as typed, without the focus at its end, for its map."""
        return title_of(self.find_focus().remove_from(self.script) or join_words(self.argv), 80)

    def find_focus(self) -> FocusComment:
        """Return the focus that a comment of the script states."""
        if not any("focus:" in word.lower() for word in (self.script, *self.argv)):
            return NO_FOCUS
        from ctxkit.core.text.shell_script import find_focus_comment, find_script

        return find_focus_comment(self.script or find_script(self.argv), list_comments)

    @property
    def masked_line(self) -> str:
        """Return the command for lists and events, with secrets masked."""
        return mask_script(self.script) if self.script else mask_command(self.argv)

    @property
    def words(self) -> tuple[str, ...]:
        """Return the words that the user's patterns are compared with."""
        return ("sh", "-c", self.script) if self.script else self.argv


def run_gated(request: CliRequest, command: CommandLine, *, as_json: bool = False) -> int:
    """Run a command, write its output or a map of it, and return its exit status as a shell gives it."""
    if not as_json and command.timeout is None and bypass.is_disabled():
        return replace_process(command.argv)
    redaction, setup = _prepare_gate(request, command, exact=as_json)
    try:
        argv = add_pipe_notes(command.argv, setup.config) if setup is not None else command.argv
        child = Child(argv, command.timeout, command.kill_after)
    except OSError as error:
        return _report_failed_start(command.argv, error)
    _gate_output(GatedRun(command, child, redaction, setup, as_json), request)
    return child.wait()


def gate_wrapped(request: CliRequest, directory: str, shell: int, host: HostProfile) -> None:
    """Write the output of a command that a host's shell runs, or a map of it; see WrappedCommand."""
    child = WrappedCommand(directory, shell)
    command = CommandLine(("sh", "-c", child.script), find_command(child.script), host=host)
    _gate_output(GatedRun(command, child, *_prepare_gate(request, command, exact=False)), request)


class GatedRun(NamedTuple):
    """A command that runs, and how its output is written; without a setup nobody could decide, and it passes."""

    command: CommandLine
    child: Child | WrappedCommand
    redaction: Redaction
    setup: GateSetup | None
    as_json: bool = False

    def describe_command(self) -> dict[str, object]:
        """Return the command and its status, once it has ended."""
        words = [title_of(word, 10_000) for word in self.command.argv]
        return {**self.redaction.facts(), "command": words, "exit": self.child.wait()}

    def describe_event(self, name: str) -> dict[str, object]:
        """Return what the event says of the command: its name alone, unless the masked line is asked for."""
        program = find_program(self.command.script) or self.command.argv[0]
        words = title_of(self.command.masked_line, 10_000) if self.command.events_full else title_of(program)
        return {**self.describe_command(), "name": name or words, "command": words}


def _gate_output(run: GatedRun, request: CliRequest) -> None:
    setup = run.setup
    live = LiveOutput(run.child, run.redaction, setup, exact=run.as_json)
    output = progress.show_progress(live.read(), title_of(run.command.masked_line, 80))
    gate_result = None
    try:
        if setup is not None and setup.passes:
            gate_result = GateResult("raw", UNCOUNTED, output)
        elif setup is not None:
            gate_result = live.gate(output, request)
        _write_output(run, gate_result, output)
        run.redaction.note()
    except BrokenPipeError:  # nobody reads any more: the command finds its pipe closed, as it would without us
        live.abandon()
        raise
    except Exception as error:  # the command has run, and its status still stands
        if setup is not None and setup.policy.strict and gate_result is None:
            live.abandon()
            raise
        say.error(f"{'stdout' if gate_result else 'output'}: {getattr(error, 'strerror', None) or error}")
    live.close()


def replace_process(argv: tuple[str, ...]) -> int:
    """Become the command, with its terminal and its own stdout and stderr; return only if it cannot start."""
    import signal

    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores, and a command expects to end it
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(argv[0], argv)
    except (OSError, ValueError) as error:  # ValueError for an empty name
        return _report_failed_start(argv, error)


def record_disabled(request: CliRequest, typed: str) -> None:
    """Log that a command turned ctxkit off, so that it is known which maps were not wanted; the command runs anyway."""
    try:
        call = Call(request, settings.load_for_filter(session=request.session))
        if call.events_file:
            from ctxkit.edge import events

            command = CommandLine(("sh", "-c", remove_switch(typed)), remove_switch(typed))
            program = title_of(find_program(command.script))
            facts = {"name": program, "command": program, **_hash_command(command, call.settings)}
            events.record(call.events_file, "gate_disabled", {**call.describe(), **facts})
    except Exception as error:  # whatever it is, the user wants the command
        say.note(f"no event: {error or type(error).__name__}")


def _report_failed_start(argv: tuple[str, ...], error: OSError | ValueError) -> int:
    """Say why a command cannot start, and return the status that a shell gives."""
    name = argv[0] or "''"
    if not isinstance(error, OSError) or isinstance(error, FileNotFoundError):
        say.error(f"{name}: command not found", _suggest_shell(argv))
        return NOT_FOUND
    say.error(f"{name}: {error.strerror}")
    return CANNOT_RUN


def _suggest_shell(argv: tuple[str, ...]) -> str:
    """Return a hint if only a shell knows the command: a command line in one word, a variable or a built-in command."""
    from ctxkit.core.text.shell import quote

    if len(argv) == 1 and any(sign in argv[0].strip() for sign in " |&;<>"):
        return f"a command line needs a shell: ctxkit run -- sh -c {quote(argv[0])}"
    variable, is_assignment, value = argv[0].partition("=")
    if is_assignment and variable.isidentifier():
        words = [f"{variable}={quote(value)}", *map(quote, argv[1:])]
    elif argv[0] in _SHELL_COMMANDS:
        words = [argv[0], *map(quote, argv[1:])]
    else:
        return ""
    return f"only a shell knows {variable}: ctxkit run -- sh -c {quote(' '.join(words))}"


def _prepare_gate(request: CliRequest, command: CommandLine, *, exact: bool) -> tuple[Redaction, GateSetup | None]:
    """Return what masks secrets, and what to gate with.

    Where that fails on our side there is a warning and no gate: the command runs all the same.
    """
    strict, redaction = request.strict, Redaction(on=request.redact)
    try:
        config = settings.load_for_filter(strict=strict, session=request.session)
        call = Call(request, config)
        redaction, strict = request.redaction(config), call.is_strict
        return redaction, _make_setup(call, command, exact=exact)
    except Exception as error:
        is_asked_for = request.tokenizer and isinstance(error, CtxkitError)
        if strict or is_asked_for or isinstance(error, UsageError | SettingsError):
            raise
        say.warn(f"the output passes unchanged: {error}")
        return redaction, None


def _make_setup(call: Call, command: CommandLine, *, exact: bool) -> GateSetup:
    """Return what to gate with, in the session, under the limits of the host and of the settings."""
    request, config = call
    if command.host is not None:
        request = apply_host_limits(request, config, command.host)
    request, reservation = sessions.open_session(request, config, unknown_window="assume")
    limit, request = request.limit, cap_result(request, config)
    cap_note = f"more than result_cap, {request.limit:,} tokens" if request.limit != limit else ""
    events_file = call.events_file
    request = request.take_focus(command.find_focus())
    policy = request.gate_policy(config, command.title, display_name=title_of(command.masked_line, 80))
    if command.host is not None:
        policy = cap_briefing(policy, command.host)
    policy = policy._replace(exact=exact or bool(events_file) or say.is_verbose(), screen=True)
    services = engines.gate_services(config, store=not request.no_store, reservation=reservation)
    name = title_of(request.name) if request.name else ""
    reason = bypass.find_bypass(config, command.words, parse_script)
    if reason:
        say.note(reason)
    call_facts = {**request.describe_call(config), **_hash_command(command, config)} if events_file else {}
    return GateSetup(config, policy, services, events_file, name, bool(reason), call_facts, cap_note)


def _hash_command(command: CommandLine, config: Settings) -> dict[str, str]:
    """Return what lets an event recognize the same command."""
    from ctxkit.app.services.stores import data_dir
    from ctxkit.edge.events import hash_command

    words = command.find_focus().remove_from(command.script) or join_words(command.argv)
    digest = hash_command(words, data_dir(config))
    return {"command_hash": digest} if digest else {}


def _write_output(run: GatedRun, gate_result: GateResult | None, output: Iterable[bytes]) -> None:
    """Write what goes in, or the output as it is where nobody could decide, and report the command with it."""
    setup = run.setup
    if setup is None or gate_result is None:
        bypass.pass_content(output, as_json=run.as_json, extra_facts=run.describe_command)
        return
    describe_event = partial(run.describe_event, setup.name)
    terms = report.ReportTerms(run.as_json, setup.events_file, run.describe_command, describe_event, setup.call_facts)
    services = setup.services
    report.deliver_result(gate_result, setup.policy, terms, services.reservation, services.tokenizer)
    if run.command.host is not None and gate_result.result in REPLACEMENTS:
        from ctxkit.app.services.stores import data_dir
        from ctxkit.edge.host_session import record_map

        record_map(gate_result, run.command.host, data_dir(setup.config))
    engines.tidy_store(setup.config, gate_result.ref or gate_result.stored_ref)


def add_pipe_notes(argv: tuple[str, ...], settings: Settings) -> tuple[str, ...]:
    """Return a command line whose script also says which members failed; as it is unless it is one of bash or zsh.

    The setting ``pipe_notes`` turns it off.
    """
    if not settings["pipe_notes"] or not any("|" in word for word in argv[1:]):
        return argv
    from ctxkit.core.hosts.wrap_script import replace_command
    from ctxkit.core.text.shell_commands import SHELL_OPTION, note_pipelines
    from ctxkit.core.text.shell_script import find_script_place

    place = find_script_place(argv)
    if not place or any(map(SHELL_OPTION.fullmatch, argv[1:place])):
        return argv
    shell = argv[0].rpartition("/")[2]
    try:
        script = replace_command(argv[place], lambda typed: note_pipelines(typed, shell, list_pipelines, parse_script))
    except Exception as error:  # whatever it is, the command runs
        say.note(f"no notes on pipelines: {error or type(error).__name__}")
        return argv
    return (*argv[:place], script, *argv[place + 1 :])
