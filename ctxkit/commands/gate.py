"""ctxkit gate."""

import click

from ctxkit import supply
from ctxkit.core.admit import admit, fits
from ctxkit.core.exit import Exit
from ctxkit.edge import options, report, say, settings, source
from ctxkit.edge.request import Request


@click.command("gate")
@options.source
@options.gate
@click.option("--check", is_flag=True, help="Print nothing; answer 0 if it fits, 1 if not.")
@options.as_json
def command(file: str, asked: Request, check: bool, as_json: bool) -> Exit:
    """Pass content that fits the window; map what does not.

    Content comes from FILE or stdin. What fits leaves byte for byte as it came.
    What does not is stored whole, and a map of at most half the room that is
    left goes in its place, ending in the command that reads any part back.
    Without a model, a window of 32,768 tokens is assumed, and stderr says so.

    \b
    $ seq 5 | ctxkit gate --model qwen3-30b
    $ seq 9 | ctxkit gate --window 8192 --check
    """
    chosen = settings.load() if check else settings.load_for_filter(strict=asked.strict, session=asked.session)
    asked, account = supply.seated(asked, chosen, opens=not check, unknown="assume", answers=check)
    events = asked.events or chosen["events"]
    terms = asked.terms(chosen, source.path_of(file))._replace(exact=as_json or bool(events) or say.is_verbose())
    engines = supply.engines(chosen, store=not asked.no_store, account=account)
    redaction = asked.redaction(chosen)
    content = iter(redaction.apply(source.chunks(file)))
    if check:
        verdict = fits(content, terms, engines)
        source.drain(content)
        return Exit.DONE if verdict.fits else Exit.NO
    admission = admit(content, terms, engines)
    answer = report.deliver(
        admission,
        terms,
        as_json=as_json,
        events_file=events,
        more=redaction.facts,
        account=account,
        tokenizer=engines.tokenizer,
    )
    redaction.note()
    supply.tidy(chosen, admission.ref)
    return answer
