"""ctxkit run."""

import os
from collections.abc import Iterable
from typing import NamedTuple

import click

from ctxkit import session_wiring, wiring
from ctxkit.core.errors import CtxkitError, SettingsError, UsageError
from ctxkit.core.exit import Exit
from ctxkit.core.gate.gate_content import gate_content
from ctxkit.core.gate.policy import GatePolicy, GateServices
from ctxkit.core.gate.result import UNCOUNTED, GateResult
from ctxkit.core.redaction.masking import mask_command
from ctxkit.core.store.label import title_of
from ctxkit.core.text.shell import join_words
from ctxkit.edge import bypass, options, progress, report, say, settings
from ctxkit.edge.child import CANNOT_RUN, KILL_AFTER, NOT_FOUND, Child
from ctxkit.edge.option_types import AGE
from ctxkit.edge.redaction import Redaction
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import Settings


@click.command("run", context_settings={"allow_interspersed_args": False})
@options.add_gate_options
@click.option("--events-full", is_flag=True, help="Also log the command line, with secrets masked.")
@click.option("--timeout", type=AGE, metavar="S", help="Stop CMD after S seconds, or a time such as 5m; 0 means never.")
@click.option("--kill-after", type=AGE, metavar="S", help="Kill CMD if it still runs S seconds later.  [default: 5]")
@options.json_option
@click.argument("argv", metavar="CMD [ARG]...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    request: CliRequest,
    events_full: bool,
    timeout: float | None,
    kill_after: float | None,
    as_json: bool,
    argv: tuple[str, ...],
) -> Exit | int:
    """Run a command, gate its output, and keep its exit status.

    Stdout and stderr of CMD are gated as one text, in order. The exit status is that of
    CMD: 128+n after signal n, 126 or 127 if CMD cannot start, and 124 after --timeout.
    After --timeout, or a second SIGINT or SIGTERM, CMD and its process group have
    --kill-after seconds to end. If CMD fails, a map of its output begins with the status.

    \b
    $ ctxkit run --model qwen3-30b -- seq 3
    $ ctxkit run --window 8192 --timeout 60 -- make test
    """
    if not as_json and timeout is None and bypass.is_disabled():
        return _replace_process(argv)
    redaction, setup = _prepare_gate(request, argv, exact=as_json)
    try:
        child = Child(argv, timeout, KILL_AFTER if kill_after is None else kill_after)
    except OSError as error:
        return _report_failed_start(argv, error)
    output = redaction.apply(progress.show_progress(child.read_output(), title_of(mask_command(argv), 80)))
    gate_result = None
    try:
        if setup is not None and setup.passes:
            gate_result = GateResult("raw", UNCOUNTED, output)
        elif setup is not None:
            gate_result = gate_content(output, setup.policy._replace(preface=child.describe_failure), setup.services)
        _write_output(gate_result, output, setup, redaction, as_json, events_full, argv, child)
        redaction.note()
    except BrokenPipeError:
        raise
    except Exception as error:  # the command has run, and its status still stands
        if setup is not None and setup.policy.strict and gate_result is None:
            raise
        say.error(f"{'stdout' if gate_result else 'output'}: {getattr(error, 'strerror', None) or error}")
    return child.wait()


def _replace_process(argv: tuple[str, ...]) -> int:
    """Become the command, with its terminal and its own stdout and stderr; return only if it cannot start."""
    import signal

    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores, and a command expects to end it
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(argv[0], argv)
    except (OSError, ValueError) as error:  # ValueError for an empty name
        return _report_failed_start(argv, error)


def _report_failed_start(argv: tuple[str, ...], error: OSError | ValueError) -> int:
    """Say why a command cannot start, and return the status that a shell gives."""
    name = argv[0] or "''"
    if not isinstance(error, OSError) or isinstance(error, FileNotFoundError):
        say.error(f"{name}: command not found")
        return NOT_FOUND
    say.error(f"{name}: {error.strerror}")
    return CANNOT_RUN


class GateSetup(NamedTuple):
    """Hold what the output of a command is gated with, and whether it passes whatever its size."""

    config: Settings
    policy: GatePolicy
    services: GateServices
    events_file: str
    name: str
    passes: bool


def _prepare_gate(request: CliRequest, argv: tuple[str, ...], *, exact: bool) -> tuple[Redaction, GateSetup | None]:
    """Return what masks secrets, and what to gate with.

    Where that fails on our side there is a warning and no gate: the command runs all the same.
    """
    strict, redaction = request.strict, Redaction(on=request.redact)
    try:
        config = settings.load_for_filter(strict=strict, session=request.session)
        redaction = request.redaction(config)
        strict = strict or config["strict"]
        request, reservation = session_wiring.open_session(request, config, unknown_window="assume")
        events_file = request.events or config["events"]
        policy = request.gate_policy(
            config, title_of(join_words(argv), 80), display_name=title_of(mask_command(argv), 80)
        )
        policy = policy._replace(exact=exact or bool(events_file) or say.is_verbose())
        services = wiring.gate_services(config, store=not request.no_store, reservation=reservation)
        name = title_of(request.name) if request.name else ""
        reason = bypass.find_bypass(config, argv)
        if reason:
            say.note(reason)
        return redaction, GateSetup(config, policy, services, events_file, name, bool(reason))
    except Exception as error:
        if (
            strict
            or isinstance(error, UsageError | SettingsError)
            or (request.tokenizer and isinstance(error, CtxkitError))
        ):
            raise
        say.warn(f"the output passes unchanged: {error}")
        return redaction, None


def _write_output(
    gate_result: GateResult | None,
    output: Iterable[bytes],
    setup: GateSetup | None,
    redaction: Redaction,
    as_json: bool,
    events_full: bool,
    argv: tuple[str, ...],
    child: Child,
) -> None:
    """Write what goes in, or the output as it is where nobody could decide, and report the command with it."""

    def describe_command() -> dict[str, object]:
        """Return the command and its status, once it has ended."""
        return {**redaction.facts(), "command": [title_of(word, 10_000) for word in argv], "exit": child.wait()}

    def describe_event() -> dict[str, object]:
        """Return what the event says of the command: its name alone, unless the masked line is asked for."""
        words = title_of(mask_command(argv), 10_000) if events_full else title_of(argv[0])
        return {**describe_command(), "name": (setup.name if setup else "") or words, "command": words}

    if setup is None or gate_result is None:
        bypass.pass_content(output, as_json=as_json, extra_facts=describe_command)
        return
    report.deliver_result(
        gate_result,
        setup.policy,
        as_json=as_json,
        events_file=setup.events_file,
        extra_facts=describe_command,
        event_facts=describe_event,
        reservation=setup.services.reservation,
        tokenizer=setup.services.tokenizer,
    )
    wiring.tidy_store(setup.config, gate_result.ref)
