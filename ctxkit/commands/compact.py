"""ctxkit compact."""

import click

from ctxkit import wiring, workers
from ctxkit.core.errors import UsageError
from ctxkit.core.exit import Exit
from ctxkit.core.text.isolation import WorkerDiedError
from ctxkit.core.text.limits import EDITABLE
from ctxkit.core.text.stream import PeekableStream
from ctxkit.edge import options, out, settings, source
from ctxkit.edge.compact_options import CompactOptions
from ctxkit.edge.request import CliRequest

_SHARE = click.FloatRange(min=0, max=1, min_open=True)


@click.command("compact")
@options.file_argument
@options.format_option
@click.option("--trigger", type=_SHARE, metavar="SHARE", help="Compact from this share of the effective window on.")
@click.option("--low-water", type=_SHARE, metavar="SHARE", help="Share of it that is aimed at.  [default: 0.5]")
@click.option("--force", is_flag=True, help="Compact now, as far as the newest messages, whatever the size.")
@click.option("--keep-recent", type=options.token_count, metavar="N", help="Tokens of the newest messages that stay.")
@click.option(
    "--keep-last", type=options.positive_count, metavar="N", help="How many of the newest messages stay, instead."
)
@click.option("--stages", metavar="LIST", help="Stages to run.  [default: clear,summarize,truncate]")
@click.option("--summarizer", metavar="S", help="Who sums up: extract, llama[:FILE], http(s)://... or cmd:PROGRAM.")
@click.option("--summary-role", type=click.Choice(["system", "developer", "user"]), help="Who speaks the summary.")
@click.option("--pin", "pins", multiple=True, metavar="TEXT", help="Words that must stay verbatim; may be repeated.")
@click.option("--context-md", metavar="FILE", help="Write the summary to FILE too, and go on from what it says.")
@click.option("--manifest", metavar="FILE", help="List in FILE what left, and how to have it back.")
@click.option("--restore", metavar="MANIFEST", help="Write the conversation as it was before a compaction.")
@click.option("--check", is_flag=True, help="Print which rules of the API are broken; answer 1 if any is.")
@options.skip_bad_option
@click.option("--leaf", default="", metavar="ID", help="Entry that a branch ends in.  [default: the newest]")
@click.option("--cache-aware", is_flag=True, help="Compact only where that pays for the prompt cache it breaks.")
@click.option("--turns", type=options.token_count, metavar="N", help="Turns over which it must pay.  [default: 20]")
@click.option("--cache-write", type=click.FloatRange(min=0), metavar="X", help="Price of a token written to the cache.")
@click.option("--cache-read", type=click.FloatRange(min=0), metavar="X", help="Price of a token read from it.")
@click.option("--report", metavar="FILE", help="Write the report to FILE, as JSON.")
@click.option("--json", "as_json", is_flag=True, help="Report as one JSON object on stderr.")
@options.add_compact_options
@options.collect_values(CompactOptions, "compaction_options")
def command(restore: str | None, check: bool, request: CliRequest, compaction_options: CompactOptions) -> Exit:
    """Make a conversation smaller, in the format it has.

    Below the trigger it passes byte for byte. From there on, old tool results are
    stored and cleared, then the older part is summarized, then long texts are
    shortened, until it is below the low-water mark; what stays keeps its bytes,
    and the API it is sent to still takes it.

    \b
    $ echo '[{"role": "user", "content": "hello"}]' | ctxkit compact --model qwen3-30b
    $ echo '[{"role": "user", "content": "hello"}]' | ctxkit compact --check
    """
    from ctxkit.edge import compaction

    config = settings.load() if check else settings.load_for_filter(strict=request.strict, session=request.session)
    if check and restore:
        raise UsageError("--check and --restore do not go together")
    if restore:
        return workers.run_in_worker(
            lambda: compaction.restore_conversation(restore, wiring.parse_json, lambda: wiring.local_store(config))
        )
    if check:
        return workers.run_in_worker(
            lambda: compaction.check_conversation(compaction_options), source.preload(compaction_options.file)
        )
    request, _ = wiring.open_session(request, config, unknown_window="pass")
    compaction_options.make_policy(request, config)  # a wrong command line is told before input is read
    services = wiring.compaction_services(config, request, compaction_options.summarizer)
    redaction = request.redaction(config)
    content = redaction.apply(source.chunks(compaction_options.file))
    if request.assumed:  # whether it is due is not known
        out.write(content)
        return Exit.DONE
    stream = PeekableStream(content)
    data = stream.peek(EDITABLE)
    redaction.note()
    strict = request.strict or config["strict"]
    if not compaction.fits_in_memory(stream, data):
        return compaction.pass_oversized(stream, compaction_options, strict=strict)

    def run_compaction() -> Exit:
        facts = redaction.facts()
        answer, ref = compaction.compact_conversation(
            compaction_options,
            data,
            request,
            config,
            lambda: wiring.make_count_options(request, config),
            services,
            facts,
        )
        wiring.tidy_store(config, ref)
        return answer

    try:
        return workers.run_in_worker(run_compaction, len(data), answers_once=True)
    except WorkerDiedError as error:
        return compaction.pass_unchanged(data, error, strict=strict)
