"""ctxkit compact."""

from collections.abc import Iterable

import click

from ctxkit.app.services import engines, sessions, stores, workers
from ctxkit.app.services.compaction import compaction_services
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.text.limits import EDITABLE, WorkerDiedError
from ctxkit.core.text.stream import PeekableStream
from ctxkit.edge import options, out, settings, source
from ctxkit.edge.command_group import Verb
from ctxkit.edge.compact_options import CompactOptions
from ctxkit.edge.format_option import format_option
from ctxkit.edge.option_types import FACTOR, SHARE, option
from ctxkit.edge.request import Call, CliRequest
from ctxkit.edge.settings import Settings


@click.command("compact", cls=Verb)
@options.file_argument
@format_option
@option("--trigger", type=SHARE, metavar="SHARE", help="Compact at or above this share of the effective window.")
@option(
    "--low-water", type=SHARE, metavar="SHARE", help="Target size, as a share of the effective window.  [default: 0.5]"
)
@option("--force", is_flag=True, help="Compact whatever the size; below the low-water mark, only clear old results.")
@option("--keep-recent", type=options.token_count, metavar="N", help="Keep N tokens of the newest messages.")
@option("--keep-last", type=options.positive_count, metavar="N", help="Keep the newest N messages instead.")
@option(
    "--keep-observations",
    type=options.token_count,
    metavar="M",
    help="Only clear tool results, all but the newest M.",
)
@option("--stages", metavar="LIST", help="Run these stages.  [default: clear,summarize,truncate]")
@option("--summarizer", metavar="S", help="Summarizer: extract, llama[:FILE], http(s)://... or cmd:PROGRAM.")
@option("--summary-role", type=click.Choice(["system", "developer", "user"]), help="Role of the summary message.")
@option(
    "--page-tokens", type=options.positive_count, metavar="N", help="Limit the page of the summary to N tokens."
)
@option("--pin", "pins", multiple=True, metavar="TEXT", help="Keep TEXT verbatim; may be repeated.")
@option("--context-md", metavar="FILE", help="Also write the summary to FILE, and start from its content.")
@option("--manifest", metavar="FILE", help="List every change in FILE, for --restore.")
@option("--restore", metavar="MANIFEST", help="Write the conversation as it was before the compaction.")
@option("--check", is_flag=True, help="Print the API rules that the conversation breaks; exit with 1 if any.")
@options.skip_bad_option
@option(
    "--leaf", default="", metavar="ID", help="Compact the branch that ends in this entry.  [default: the newest]"
)
@option("--cache-aware", is_flag=True, help="Compact only if the savings pay for the lost prompt cache.")
@option(
    "--turns",
    type=options.token_count,
    metavar="N",
    help="Number of turns that count for --cache-aware.  [default: 20]",
)
@option(
    "--cache-write", type=FACTOR, metavar="X", help="Price of a cache write, relative to input."
)
@option(
    "--cache-read", type=FACTOR, metavar="X", help="Price of a cache read, relative to input."
)
@option("--explain", is_flag=True, help="Report what was removed, why, and how to read it.")
@option("--report", metavar="FILE", help="Write a JSON report to FILE.")
@option("--json", "as_json", is_flag=True, help="Print a JSON report to stderr.")
@options.add_compact_options
@options.collect_values(CompactOptions, "compaction_options")
def command(restore: str | None, check: bool, request: CliRequest, compaction_options: CompactOptions) -> Exit:
    """Make a conversation smaller in its own format.

    Below the trigger, the conversation passes byte for byte. From the trigger on, compact stores and
    clears old tool results, then summarizes older messages, then truncates long texts,
    until the conversation is below the low-water mark. The other messages keep their
    bytes, and the result is valid for the same API.

    \b
    $ echo '[{"role": "user", "content": "hello"}]' | ctxkit compact --model qwen3-30b
    $ echo '[{"role": "user", "content": "hello"}]' | ctxkit compact --check
    """
    config = settings.load() if check else settings.load_for_filter(strict=request.strict, session=request.session)
    if check and restore:
        raise UsageError("--check and --restore cannot be combined")
    if restore:
        return _restore(restore, compaction_options.file, config)
    if check:
        return _check(compaction_options)
    return _compact(Call(request, config), compaction_options)


def _restore(manifest: str, file: str, config: Settings) -> Exit:
    """Write the conversation as it was before the compaction that a manifest describes."""
    from ctxkit.edge import compaction

    def restore() -> Exit:
        """Restore it with the content of the store."""
        return compaction.restore_conversation(
            manifest, file, engines.parse_json, lambda: stores.open_store(config)
        )

    return workers.run_in_worker(restore)


def _check(compaction_options: CompactOptions) -> Exit:
    """Print the API rules that the conversation breaks."""
    from ctxkit.edge import compaction

    return workers.run_in_worker(
        lambda: compaction.check_conversation(compaction_options), source.preload(compaction_options.file)
    )


def _compact(call: Call, compaction_options: CompactOptions) -> Exit:
    """Compact a conversation that fits in memory, and write it; a larger one passes unchanged."""
    from ctxkit.edge import compaction, conversations
    from ctxkit.edge.compaction import CompactionJob
    from ctxkit.edge.conversations import read_chunks

    config = call.settings
    request, _ = sessions.open_session(call.request, config, unknown_window="pass")
    call = Call(request, config)
    compaction_options.make_policy(call)  # a wrong command line is told before input is read
    services = compaction_services(call, compaction_options.summarizer)
    redaction = request.redaction(config)
    file = compaction_options.file
    if request.assumed:  # whether it is due is not known
        out.write(redaction.apply(read_chunks(file)))
        return Exit.DONE
    stream = PeekableStream(redaction.apply(conversations.session_chunks(file)))
    data = stream.peek(EDITABLE)
    redaction.note()

    def read_original() -> Iterable[bytes]:
        """Return all of the input, also where only a part of a large session was read."""
        if conversations.is_large_session(file):
            return request.redaction(config).apply(read_chunks(file))
        return stream.drain()

    if not compaction.fits_in_memory(stream, data):
        return compaction.pass_oversized(read_original(), stream.size, compaction_options, strict=call.is_strict)

    def run_compaction() -> Exit:
        """Compact the conversation and write it."""
        job = CompactionJob(compaction_options, call, services, redaction.facts())
        answer, ref = compaction.compact_conversation(
            job, data, read_original, lambda: engines.make_count_options(request, config)
        )
        engines.tidy_store(config, ref)
        return answer

    try:
        return workers.run_in_worker(run_compaction, len(data), answers_once=True)
    except WorkerDiedError as error:
        return compaction.pass_unchanged(read_original(), error, strict=call.is_strict)
