"""ctxkit gate."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ctxkit.app.services import engines, sessions
from ctxkit.app.services.engines import list_comments, parse_script
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.gate.decision import UNCOUNTED, GatePolicy, GateResult, GateServices
from ctxkit.core.gate.gate_content import check_fit, gate_content
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.stream import PeekableStream
from ctxkit.edge import options, report, say, settings, source
from ctxkit.edge.command_group import Filter
from ctxkit.edge.option_types import make_number_type, option
from ctxkit.edge.request import Call, CliRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctxkit.app.gate import GatedCall, MakePolicy
    from ctxkit.edge.each_record import RecordPaths
    from ctxkit.edge.redaction import Redaction
    from ctxkit.edge.settings import Settings


class CommandOutput(NamedTuple):
    """What is known of the command whose output is the content: its status, its host, and that its screen may pass."""

    status: int | None
    host: str | None
    screen: bool


class GateForm(NamedTuple):
    """How the answer of the gate is given: only as a status, for each record, as JSON."""

    check: bool
    each: bool
    field: str | None
    id_path: str | None
    as_json: bool


@click.command("gate", cls=Filter)
@options.file_argument
@options.add_gate_options
@option(
    "--status", type=make_number_type(0, 255), metavar="N", help="Exit status of the command that wrote the content."
)
@options.host_option
@option("--screen", is_flag=True, help="Pass the final screen of content that was drawn over.")
@option("--check", is_flag=True, help="Print nothing; exit with 0 if the content fits, and 1 if not.")
@options.add_each_options
@options.json_option
@options.collect_values(CommandOutput, "output")
@options.collect_values(GateForm, "form")
def command(file: str, request: CliRequest, output: CommandOutput, form: GateForm) -> Exit:
    """Pass content that fits, and map content that does not.

    Content comes from FILE or stdin. Content that fits the window passes byte for byte.
    Other content is stored, and a map replaces it. The map takes at most half of the
    tokens that are left, and ends with the command that reads a part. With --screen, the
    final screen of a terminal replaces content that was drawn over. Without a model,
    gate assumes a window of 32,768 tokens, and stderr says so. With --each, the content is
    JSON lines, and gate prints the object of --json for each record, or its error. --id copies a
    field of the record, as a key to join the lines of several processes.

    \b
    $ seq 5 | ctxkit gate --model qwen3-30b
    $ seq 9 | ctxkit gate --window 8192 --check
    $ seq 5 | ctxkit gate --model qwen3-30b --status 2 --name 'make test'
    $ echo '{"output": "ok"}' | ctxkit gate --model qwen3-30b --each --field output
    """
    check, each, field, id_path, as_json = form
    if each and check:
        raise UsageError("--each prints a line for each record, and --check none")
    if "CTXKIT_DISABLE" in os.environ and not (check or each):
        from ctxkit.edge import bypass

        if bypass.is_disabled():
            bypass.pass_content(source.chunks(file), as_json=as_json)
            return Exit.DONE
    config = settings.load() if check else settings.load_for_filter(strict=request.strict, session=request.session)
    paths = None
    if each or field is not None or id_path is not None:
        from ctxkit.edge.each_record import RecordPaths, check_each

        paths = RecordPaths(field, id_path)
        check_each(Call(request, config), paths, each)
    if output.host:
        request = _apply_host(request, config, output.host)
    request = _take_focus(request)
    task = GateTask(file, Call(request, config), check, paths, as_json)
    return _gate(task, partial(_make_policy, file, output))


class GateTask(NamedTuple):
    """What is asked of the gate: a file, of which each record is content if there are ``paths``, and for what."""

    file: str
    call: Call
    check: bool
    paths: RecordPaths | None
    as_json: bool


def _gate(task: GateTask, make_policy: MakePolicy) -> Exit:
    """Gate the content of a file or of stdin, or each of its records, within the session."""
    request, config = task.call
    redaction, stream, each = request.redaction(config), None, task.paths is not None
    if isinstance(config["store"], str) and not (task.check or each):
        stream = PeekableStream(redaction.apply(source.chunks(task.file)))
        gated = _gate_in_one_trip(stream, task.call, make_policy)
        if gated is not None:
            gate_result, call, policy, services = gated
            return _deliver(gate_result, task._replace(call=call), policy, services, redaction)
    request, reservation = sessions.open_session(
        request, config, create_missing=not task.check, unknown_window="assume", must_know=task.check
    )
    call = Call(request, config)
    task = task._replace(call=call)
    policy = make_policy(call)._replace(exact=task.as_json or each or bool(call.events_file) or say.is_verbose())
    services = engines.gate_services(config, store=not request.no_store, reservation=reservation, asks_server=not each)
    if task.paths is not None:
        return _gate_each(task, task.paths, policy, services)
    content = iter(redaction.apply(source.chunks(task.file))) if stream is None else stream.drain()
    if task.check:
        return _check_content(content, policy, services)
    gate_result = _gate_unless_bypassed(content, call, policy, services)
    return _deliver(gate_result, task, policy, services, redaction)


def _gate_in_one_trip(stream: PeekableStream, call: Call, make_policy: MakePolicy) -> GatedCall | None:
    """Return the call if one message to the server of the shared store admits its content."""
    from ctxkit.app.gate import gate_in_one_trip

    if _find_bypass(call):
        return None

    services = engines.gate_services(call.settings, store=not call.request.no_store)
    return gate_in_one_trip(stream, call, make_policy, services)


def _deliver(
    gate_result: GateResult, task: GateTask, policy: GatePolicy, services: GateServices, redaction: Redaction
) -> Exit:
    """Write a result and its report, and let the store collect old content."""
    call = task.call
    call_facts = _describe_call(call) if call.events_file else None
    terms = report.ReportTerms(task.as_json, call.events_file, redaction.facts, call_facts=call_facts)
    answer = report.deliver_result(gate_result, policy, terms, services.reservation, services.tokenizer)
    redaction.note()
    engines.tidy_store(call.settings, gate_result.ref or gate_result.stored_ref)
    return answer


def _describe_call(call: Call) -> dict[str, str]:
    """Return what an event says of the call, with the hash of the command that the request names."""
    from ctxkit.app.services.stores import data_dir
    from ctxkit.edge.events import hash_command

    name = call.request.name
    digest = hash_command(name, data_dir(call.settings)) if name else ""
    return {**call.describe(), **({"command_hash": digest} if digest else {})}


def _gate_each(task: GateTask, paths: RecordPaths, policy: GatePolicy, services: GateServices) -> Exit:
    """Print the report of each record."""
    from ctxkit.edge.each_record import answer_records

    call, call_facts = task.call, task.call.describe()

    def answer(text: bytes) -> dict[str, Any]:
        """Return the report of the text in a record."""
        content = call.request.redaction(call.settings).apply([text])
        gate_result = _gate_unless_bypassed(iter(content), call, policy, services)
        return report.report_result(gate_result, policy, services.tokenizer, call.events_file, call_facts)

    status = answer_records(task.file, paths, answer)
    engines.tidy_store(call.settings, "")
    return status


def _apply_host(request: CliRequest, config: Settings, host: str) -> CliRequest:
    """Return the request under the limits of a host, with the command that the model typed as its name."""
    from ctxkit.core.hosts.profiles import PROFILES
    from ctxkit.core.hosts.wrap_script import find_command
    from ctxkit.edge.host_session import apply_host_limits

    name = find_command(request.name) if request.name else None
    return apply_host_limits(request._replace(name=name), config, PROFILES[host])


def _take_focus(request: CliRequest) -> CliRequest:
    """Return the request with the focus that the command states which it names, and with a name without it."""
    if not request.name or "focus:" not in request.name.lower():
        return request
    from ctxkit.core.text.shell_script import find_focus_comment

    comment = find_focus_comment(request.name, list_comments)
    return request.take_focus(comment)._replace(name=comment.remove_from(request.name))


def _make_policy(file: str, output: CommandOutput, call: Call) -> GatePolicy:
    """Return the policy of the request, whose maps name the status and are as short as the host needs.

    A host reads the output of commands, whose screens may replace it.
    """
    preface = f"Exit status {output.status}" if output.status else ""
    policy = call.request.gate_policy(call.settings, source.path_of(file), lambda: preface)
    policy = policy._replace(screen=output.screen or bool(output.host))
    if not output.host:
        return policy
    from ctxkit.core.hosts.profiles import PROFILES
    from ctxkit.edge.host_session import cap_briefing

    return cap_briefing(policy, PROFILES[output.host])


def _check_content(content: Iterator[bytes], policy: GatePolicy, services: GateServices) -> Exit:
    """Read content to its end, and return whether it fits as an exit status."""
    decision = check_fit(content, policy, services)
    source.drain(content)
    return Exit.DONE if decision.fits else Exit.NO


def _gate_unless_bypassed(
    content: Iterator[bytes], call: Call, policy: GatePolicy, services: GateServices
) -> GateResult:
    """Return the result for content; the settings may let the output of the command that it names pass whole."""
    if reason := _find_bypass(call):
        say.note(reason)
        gate_result = GateResult("raw", UNCOUNTED, content)
    else:
        gate_result = gate_content(content, policy, services)
    return sessions.replace_repeated(gate_result, policy, services, *call)


def _find_bypass(call: Call) -> str:
    """Return why the output of the command that the request names passes whole, "" if the gate decides."""
    if not call.request.name:
        return ""
    from ctxkit.edge import bypass

    return bypass.find_bypass(call.settings, ("sh", "-c", call.request.name), parse_script)
