"""ctxkit turn."""

import click

from ctxkit.app.services import workers
from ctxkit.core.errors import Exit, UsageError
from ctxkit.edge import conversations, options, out, prompts, say, settings, source
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import SHARE, ParsedOption, option
from ctxkit.edge.prompts import NOTES, PROVIDERS, PromptFiles, TurnOptions
from ctxkit.edge.request import Call, CliRequest


def _parse_exit_status(text: str) -> tuple[str, int]:
    call, _, number = text.rpartition("=")
    if not (number.isascii() and number.isdigit() and int(number) < 256):
        raise ValueError(f"{number!r} is not a number from 0 to 255")
    return call, int(number)


@click.command("turn", cls=Verb)
@prompts.add_turn_section_options
@prompts.add_file_option("--tools", "tools", "JSON definitions of tools.")
@option("--to", "provider", type=click.Choice(PROVIDERS), help="API of the request.  [default: as the messages]")
@option("--prune", type=SHARE, metavar="SHARE", help="Clear old tool results at this share of the window.")
@option(
    "--note", type=click.Choice(NOTES), default="short", show_default=True, help="Note on the window for the model."
)
@option("--pin", "pins", multiple=True, metavar="TEXT", help="Keep TEXT verbatim; may be repeated.")
@option(
    "--exit-status",
    "exit_statuses",
    multiple=True,
    type=ParsedOption("[ID=]N", _parse_exit_status),
    metavar="[ID=]N",
    help="Exit status of the command of a call; the result tells if not given.",
)
@option("--summarizer", metavar="S", help="Summarizer: extract, llama[:FILE], http(s)://... or cmd:PROGRAM.")
@option("--response", is_flag=True, help="Read the answer of a provider, and add it to the history.")
@options.add_turn_options
@options.json_option
@options.collect_values(PromptFiles, "prompt_files")
@options.collect_values(TurnOptions, "turn_options")
def command(response: bool, as_json: bool, request: CliRequest, turn_options: TurnOptions) -> Exit:
    """Prepare the next request of a session, or record its answer.

    stdin contains the new messages, one JSON object on a line. turn adds them to the
    history of the session, compacts the conversation if it is due, selects the tools, and
    prints the request to send. Large tool results are stored, and a map replaces them. A map
    names the command of its call, and the status with which the command failed.
    With --response, stdin is the answer of the provider instead.

    \b
    $ echo '{"role": "user", "content": "hello"}' | ctxkit turn --session s --window 8192
    $ echo '{"role": "user", "content": "and now?"}' | ctxkit turn --session s --window 8192 --json
    """
    config = settings.load_for_filter(strict=request.strict, session=request.session)
    call = Call(request, config)
    if not request.session_name(config):
        raise UsageError("turn needs a session", hint="give --session NAME, or set CTXKIT_SESSION")
    if response:
        return workers.run_in_worker(lambda: _take_answer(call), source.preload("-"))
    sizes = sum(map(source.preload, {"-", *turn_options.file_names}))
    return workers.run_in_worker(lambda: _make_request(call, turn_options, as_json=as_json), sizes)


def _make_request(call: Call, turn_options: TurnOptions, *, as_json: bool) -> Exit:
    from ctxkit.app.turn import next_request

    outcome = next_request.run_turn(next_request.read_input(turn_options), turn_options, call)
    facts = outcome.report.make_facts()
    if as_json:
        import orjson

        body = outcome.content.rstrip(b"\n") or b"null"
        out.write((b'{"request":', body, b",", orjson.dumps(facts)[1:], b"\n"))
    elif outcome.content:
        out.write((outcome.content,))
    for repair in outcome.report.repairs:
        say.warn(f"the request is repaired: {repair}")
    if outcome.reason:
        say.error(outcome.reason, "a larger --window, a shorter prompt, or ctxkit edit makes it fit")
        return Exit.NO
    return Exit.DONE


def _take_answer(call: Call) -> Exit:
    from ctxkit.app.turn.answer import take_answer

    answer = take_answer(conversations.read_bytes("-"), call)
    out.write_json(answer.make_facts())
    if answer.message:
        say.error(f"the provider answers with an error: {answer.message}")
    return Exit.NO if answer.stop_reason == "error" else Exit.DONE
