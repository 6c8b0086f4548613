"""ctxkit count."""

from functools import partial

import click

from ctxkit.app.services import engines, sessions, workers
from ctxkit.core.count.amount import CountOptions, Input
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.tokens.budget import Budget
from ctxkit.edge import each_record, options, out, settings, source
from ctxkit.edge.command_group import Verb
from ctxkit.edge.file_counter import GROUPINGS, CountDisplay, FileCounter
from ctxkit.edge.format_option import make_format_option
from ctxkit.edge.option_types import option, renamed_option
from ctxkit.edge.option_values import vocabulary_of
from ctxkit.edge.request import Call, CliRequest

DEFAULT_TOKENIZER = "o200k"
"""Tokenizer where neither a model nor a tokenizer is named."""


class CountForm(NamedTuple):
    """How content is read, divided and counted, and how the counts are printed."""

    by: str | None
    most: int | None
    kind: Input
    format_name: str | None
    skip_bad: bool
    files_from: str | None
    wide: bool
    calibrate: str | None
    each: bool
    field: str | None
    id_path: str | None
    jobs: int | None
    as_json: bool


@click.command("count", cls=Verb)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@option("--by", type=click.Choice(GROUPINGS), help="Unit of each row.  [default: file]")
@option("--max", "most", type=options.token_count, metavar="N", help="Exit with status 1 above N tokens.")
@option("--input", "kind", type=click.Choice(["auto", "text", "chat"]), default="auto", help="Type of the input.")
@make_format_option("Format of conversations.")
@options.skip_bad_option
@options.make_files_from_option("Count the files listed in FILE, separated by line ends or NUL.")
@renamed_option(
    "--long", "wide", is_flag=True, renamed_from=("-l",), help="Also show lines, bytes, method and format."
)
@option(
    "--calibrate", metavar="RECEIPTS", help="Calibrate estimates for a model from usage that its API reported."
)
@options.add_each_options
@options.make_jobs_option("Count files in N processes.")
@options.add_size_options
@options.json_lines_option
@options.collect_values(CountForm, "form")
def command(files: tuple[str, ...], form: CountForm, request: CliRequest) -> Exit:
    """Count tokens of text and conversations, like wc.

    For stdin alone, count prints one number. For files it prints a table with a total.
    A conversation, in any format of agents and APIs, counts as its model reads it: with
    the markup around each message, tool definitions and pictures. If neither a model nor
    a tokenizer is named, the tokenizer is o200k. With --used, a column shows how much of the
    effective window is full with each content. With --each, the input is JSON lines, and
    count prints the object of --json for each record, or its error. A line number counts the
    records that this process reads, so give --id to join lines of several processes.

    \b
    $ seq 100 | ctxkit count
    $ ctxkit count README.md --model qwen3-30b --json
    $ echo '{"text": "one two"}' | ctxkit count --each --field text
    """
    _check_each(files, form)
    config = settings.load()
    paths = each_record.RecordPaths(form.field, form.id_path)
    each_record.check_each(Call(request, config), paths, form.each)
    request, _ = sessions.open_session(request, config, create_missing=False)
    call = Call(request, config)
    if form.calibrate is not None:
        return _calibrate(form.calibrate, call)
    names = [*files, *(source.read_names(form.files_from) if form.files_from else ())]
    count_options = _make_count_options(call, form, counts_much=form.each or len(names) > 1)
    alone, shares = not names and not form.files_from, request.used is not None
    display = CountDisplay(form.by or "file", alone, form.wide, form.as_json, _find_budget(call), shares)
    counter = FileCounter(count_options, display, partial(workers.answer_items, processes=form.jobs))
    if form.each:
        return each_record.answer_records((names or ["-"])[0], paths, counter.describe)
    return counter.count_files(["-"] if alone else names, form.most)


def _check_each(files: tuple[str, ...], form: CountForm) -> None:
    if form.each and (form.by or form.most is not None or form.files_from or len(files) > 1):
        raise UsageError("--each reads one file or stdin, and prints a line for each record")


def _calibrate(receipts: str, call: Call) -> Exit:
    from ctxkit.edge import settings_changes

    request, config = call
    model = request.model or request.tokenizer or config["model"] or config["tokenizer"]
    out.write_json(settings_changes.learn_from_receipts(receipts, config, model=model or None))
    return Exit.DONE


def _is_tokenizer_named(call: Call) -> bool:
    request, config = call
    return bool(request.model or request.tokenizer or config["model"] or config["tokenizer"])


def _make_count_options(call: Call, form: CountForm, *, counts_much: bool) -> CountOptions:
    request, config = call
    kind, format_name, by = form.kind, form.format_name or "", form.by or "file"
    if by == "line" and kind == "chat":
        raise UsageError("--by line counts text", hint="--by message counts a conversation")
    is_named = _is_tokenizer_named(call)
    vocabulary = request.vocabulary(config) if is_named else vocabulary_of(DEFAULT_TOKENIZER)
    model = request.model or ("" if request.tokenizer else config["model"])
    return CountOptions(
        vocabulary,
        engines.load_tokenizer(vocabulary, counts_much=counts_much),
        engines.parse_json,
        model or "",
        is_named,
        "chat" if format_name and kind == "auto" else kind,
        format_name,
        by == "message",
        workers.isolate,
        skip_bad=form.skip_bad,
    )


def _find_budget(call: Call) -> Budget | None:
    """Return the budget of a window that is known; counting needs none, but --used does."""
    request, config = call
    known = request.window or config["window"] or config["context_budget"] or request.known_model(config)
    if request.used is not None and not known:
        raise UsageError("--used needs the size of the window", hint="--window N or --model NAME gives it")
    return request.budget(config) if known else None
