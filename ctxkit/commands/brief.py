"""ctxkit brief."""

import os
from itertools import chain

import click

from ctxkit.app.brief import (
    BriefingOutput,
    DirectoryTask,
    SizedBriefing,
    brief_directory,
    explain_small_target,
    make_briefing_object,
    record_briefing_event,
)
from ctxkit.app.services import engines, sessions, stores, workers
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.gate.briefing import BriefingServices, make_isolated_briefing
from ctxkit.core.gate.briefing_messages import BriefingRequest
from ctxkit.core.gate.content_ranges import read_bytes
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.session.account import SessionReservation
from ctxkit.core.store.label import Label, mask_title, shorten_ref
from ctxkit.core.store.store_interface import StoredContent, store_content
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.tokens.token_count import count_tokens
from ctxkit.edge import each_record, options, settings, source
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option
from ctxkit.edge.redaction import Redaction
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.stored_content import is_stream, open_file_content, transform_content

TARGET = 2000
"""Tokens of a map when neither --target nor a window says otherwise."""


def _read_nothing(_offset: int, _size: int) -> bytes:
    return b""


EMPTY = StoredContent("", "", _read_nothing, IndexedLines(_read_nothing, 0, (), 0))
"""Content of an empty pipe, which is not stored."""


class MapOptions(NamedTuple):
    """The size of a map, whether it is explained, made of each record, by how many processes, and printed as JSON."""

    target: int | None
    explain: bool
    each: bool
    field: str | None
    id_path: str | None
    jobs: int | None
    as_json: bool


@click.command("brief", cls=Verb)
@options.file_argument
@options.add_brief_options
@option("--target", type=options.token_count, metavar="N", help=f"Limit the map to N tokens.  [default: {TARGET}]")
@option("--explain", is_flag=True, help="Say on stderr which kind or rule made the map, and why.")
@options.add_each_options
@options.make_jobs_option("Read the files of a directory in N processes.")
@options.json_option
@options.collect_values(MapOptions, "map_options")
def command(file: str, request: CliRequest, map_options: MapOptions) -> Exit:
    """Print the map of a file, of a directory or of stdin.

    The map of FILE refers to the file, and nothing is stored. If FILE is a directory, the map
    names its files, and first the definitions that most other files use, with their lines.
    Content from stdin is stored, and its map refers to the ref. If the target is too small for
    even one line, the exit status is 1, with one line on stderr. The input is JSON lines with
    --each: brief prints the object of --json for each record, or its error. --id copies a
    field of the record, as a key to join the lines of several processes.

    \b
    $ ctxkit brief README.md --target 300
    $ ctxkit brief . --target 1000
    $ cargo test 2>&1 | ctxkit brief --model qwen3-30b
    $ ctxkit brief README.md --focus "exit status"
    $ ctxkit brief README.md --explain
    $ echo '{"log": "ok"}' | ctxkit brief --each --field log
    """
    config = settings.load()
    target, explain, each, field, id_path, jobs, as_json = map_options
    paths = each_record.RecordPaths(field, id_path)
    call = Call(request, config)
    each_record.check_each(call, paths, each)
    if os.path.isdir(file):
        return _brief_directory(DirectoryTask(file, call, target, TARGET, as_json, explain, jobs), each=each)
    request, reservation = sessions.open_session(*call)
    call = Call(request, config)
    if each:
        return _brief_each(file, paths, call, target)
    return _brief_content(file, call, reservation, map_options)


def _brief_directory(task: DirectoryTask, *, each: bool) -> Exit:
    """Print the map of a directory; raise UsageError if records were asked for."""
    if each:
        raise UsageError("--each reads records", hint=f"{task.path} is a directory")
    return brief_directory(task)


def _brief_content(file: str, call: Call, reservation: SessionReservation | None, map_options: MapOptions) -> Exit:
    """Print the map of a file or of stdin, and charge the session."""
    target, explain, as_json = map_options.target, map_options.explain, map_options.as_json
    request, config = call
    redaction = request.redaction(config)
    stored = _open_content(file, call, redaction)
    if not stored.lines.size and not as_json:
        return Exit.DONE
    vocabulary = request.vocabulary(config)
    count = engines.load_tokenizer(vocabulary)
    briefing_request = _make_request(call, stored, source.path_of(file), explain=explain)
    services = BriefingServices(vocabulary, count, engines.find_definitions, workers.isolate)

    def make_briefing_within(size: int) -> SizedBriefing:
        """Return the map within a number of tokens."""
        sized_request = replace(briefing_request, target=size)
        result = make_isolated_briefing(stored, sized_request, services, strict=call.is_strict)
        return SizedBriefing(result, size)

    if reservation is not None:
        sized_briefing = reservation.make_within_target(target, make_briefing_within, SizedBriefing.tokens)
    else:
        sized_briefing = make_briefing_within(request.briefing_target(config, TARGET) if target is None else target)
    output = BriefingOutput(sized_briefing, stored, mask_title(briefing_request.title), redaction.facts())
    answer = output.write(reservation, lambda data: count_tokens((data,), vocabulary, count), as_json=as_json)
    record_briefing_event(output, call)
    redaction.note()
    engines.tidy_store(config, stored.ref)
    return answer


def _brief_each(file: str, paths: each_record.RecordPaths, call: Call, target: int | None) -> Exit:
    """Print the object of each record."""
    request, config = call
    vocabulary, store = request.vocabulary(config), stores.open_store(config)
    count = engines.load_tokenizer(vocabulary)
    size = request.briefing_target(config, TARGET) if target is None else target

    def answer(text: bytes) -> dict[str, object]:
        """Return the object for the text in a record."""
        redaction = request.redaction(config)
        stored = store.open(store_content(store, redaction.apply([text]), Label()))
        unsized = _make_request(call, stored, source.path_of("-"), explain=False)
        briefing_request = replace(unsized, target=size)
        services = BriefingServices(vocabulary, count, engines.find_definitions, workers.isolate)
        result = make_isolated_briefing(stored, briefing_request, services, strict=call.is_strict)
        if result.briefing is None:
            raise UsageError(explain_small_target(size, result.envelope))
        return {**make_briefing_object(result, result.briefing, stored, size), **redaction.facts()}

    status = each_record.answer_records(file, paths, answer)
    engines.tidy_store(config, "")
    return status


def _make_request(call: Call, stored: StoredContent, path: str, *, explain: bool) -> BriefingRequest:
    """Return the request for a map of a file or of stdin; its target is set later."""
    request, config = call
    title, rule = request.title(path), request.find_kind_rule(config, path)
    hint = request.resolve_hint(config, "ctxkit" if stored.ref else "sed", path)
    return BriefingRequest(
        TARGET,
        title,
        hint.with_location(shorten_ref(stored.ref), stored.path),
        title,
        request.resolve_content_type() or (rule.content_type if rule else ""),
        focus=request.focus or "",
        rule=rule,
        explain=explain,
    )


def _open_content(file: str, call: Call, redaction: Redaction) -> StoredContent:
    """Return access to a file where it is, or to stdin or a pipe once it is stored.

    A file with secrets is stored without them if they are redacted: the map must not lead back to the file. A file
    whose name is no word to paste is stored too, unless nothing may be stored.
    """
    if file in ("", "-") or is_stream(file):
        content = iter(redaction.apply(source.chunks(file)))
        first = next(filter(None, content), b"")
        if not first:
            return EMPTY
        content = chain((first,), content)
    else:
        original = open_file_content(file)
        can_refer = bool(original.path) or not call.stores
        if not redaction.on and can_refer:
            return original
        copy = transform_content(original, redaction.apply) if redaction.on else original
        if not redaction.count and can_refer:
            return original
        content = read_bytes(copy.read, copy.lines.size)
    store = stores.open_store(call.settings)
    return store.open(store_content(store, content, Label(session=call.request.session or "")))
