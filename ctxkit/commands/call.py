"""ctxkit call."""

import os

import click

from ctxkit.app.services import engines, sessions, workers
from ctxkit.core.errors import Exit, MissingInputError, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.store.label import shorten_ref
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.core.text.stream import PeekableStream
from ctxkit.core.tools.builtin import CallError, CallResult, FunctionCall, make_error_result, parse_call
from ctxkit.edge import options, out, settings, source
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option
from ctxkit.edge.request import Call, CliRequest

MAX_CALL = 1 << 20
"""Maximum bytes of a call."""


@click.command("call", cls=Verb)
@click.argument("function", required=False, default="", metavar="[NAME]")
@option("--tools", "tool_files", multiple=True, metavar="F", help="Let tool_search find the definitions in F.")
@option("--root", default=".", metavar="DIR", help="Let read_file read only below DIR.  [default: .]")
@options.add_call_options
@options.json_option
def command(function: str, tool_files: tuple[str, ...], root: str, request: CliRequest, as_json: bool) -> Exit:
    """Answer a function call of a model.

    NAME is one of the functions that tools builtin defines, and stdin has its arguments
    as a JSON object. stdin may also be the call itself, as OpenAI, Anthropic or Gemini
    send it; then NAME is optional. The result is on stdout, and fits the window. An error is
    a result too: it begins with "error:", and the exit status is 0.

    \b
    $ echo '{"path": "README.md", "lines": "1:20"}' | ctxkit call read_file
    $ echo '{}' | ctxkit call list_context --json
    """
    config = settings.load_for_filter(strict=request.strict, session=request.session)
    if not os.path.isdir(root):
        raise MissingInputError(f"{root} is not a directory", hint="--root names a directory")
    files = CallInputs(tool_files, root)
    call = Call(request, config)
    try:
        function_call = _read_call(function)
    except CallError as error:
        return _deliver_result(error.to_result(), FunctionCall(function, {}), call, as_json=as_json)
    if not function_call.name:
        raise UsageError("no function is named", hint="ctxkit call NAME, or a call with its name on stdin")
    from ctxkit.app.calls.functions import ISOLATED

    if function_call.name not in ISOLATED:
        return _answer(function_call, files, call, as_json=as_json)
    try:
        return workers.run_in_worker(
            lambda: _answer(function_call, files, call, as_json=as_json), MAX_CALL
        )
    except WorkerDiedError as error:
        result = make_error_result(f"{function_call.name} failed: {error}", "go on without this result")
        return _deliver_result(result, function_call, call, as_json=as_json)


def _read_call(name: str) -> FunctionCall:
    """Return the call on stdin; raise CallError if it is not one."""
    stream = PeekableStream(source.chunks("-"))
    data = stream.peek(MAX_CALL + 1)
    if len(data) > MAX_CALL:
        source.drain(stream.drain())
        raise CallError(f"the call has more than {MAX_CALL:,} bytes", hint="send shorter arguments")
    try:
        value = engines.parse_json(data) if data.strip() else {}
    except ValueError as error:
        hint = 'send an object such as {"path": "a.py"}'
        raise CallError(f"the arguments are not JSON: {str(error)[:80]}", hint=hint) from None
    return parse_call(value, name)


class CallInputs(NamedTuple):
    """The files with definitions that a call may search, and the directory whose files it may read."""

    tools: tuple[str, ...]
    root: str


def _answer(function_call: FunctionCall, files: CallInputs, call: Call, *, as_json: bool) -> Exit:
    from ctxkit.app.calls.functions import CallContext, answer_call, record_result
    from ctxkit.edge.tool_files import ToolFiles

    request, reservation = sessions.open_session(*call, create_missing=False, unknown_window="assume")
    if reservation is not None:
        request = request._replace(session=reservation.name)
    tools = ToolFiles(files.tools).read() if files.tools and function_call.name == "tool_search" else None
    context = CallContext(request, call.settings, reservation, files.root, tools, function_call.id)
    result = answer_call(function_call, context)
    try:
        return _deliver_result(result, function_call, context.call, as_json=as_json)
    finally:
        record_result(result, function_call, context)
        engines.tidy_store(call.settings, result.ref)


def _deliver_result(result: CallResult, function_call: FunctionCall, call: Call, *, as_json: bool) -> Exit:
    """Write a result, and log its events."""
    _write_result(result, function_call, as_json=as_json)
    if call.events_file:
        from ctxkit.app.calls.reading import record_call

        record_call(result, function_call, call)
    return Exit.DONE


def _write_result(result: CallResult, function_call: FunctionCall, *, as_json: bool) -> None:
    if not as_json:
        out.write((result.content,))
        return
    facts = {
        "name": function_call.name,
        **({"call": function_call.id} if function_call.id else {}),
        "content": result.content.decode("utf-8", "replace"),
        "is_error": result.is_error,
        **({"ref": shorten_ref(result.ref)} if result.ref else {}),
        **result.facts,
    }
    out.write_json(facts)
