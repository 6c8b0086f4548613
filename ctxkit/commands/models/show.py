"""ctxkit models show."""

from collections.abc import Iterator

import click

from ctxkit.core.errors import Exit
from ctxkit.core.models import lookup
from ctxkit.core.models.offers import HostLimits, find_host_limits
from ctxkit.core.text.escapes import escape_line
from ctxkit.edge import model_facts, options, out, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.model_facts import ModelFact, ModelFacts
from ctxkit.edge.settings import Setting


@click.command("show", cls=Verb)
@click.argument("name", metavar="NAME")
@options.json_option
def command(name: str, as_json: bool) -> Exit:
    """Show a model's window, tokenizer and hosts, with the source of each number.

    NAME may have the spelling of a registry, a host or a file. Hosts offer one model with
    different windows. The settings override all of them.

    \b
    $ ctxkit models show qwen3-30b
    $ ctxkit models show anthropic/claude-sonnet-4.5 --json
    """
    config = settings.load()
    facts = model_facts.find_model_facts(name, config)
    known = lookup.find_model(name)
    hosts = find_host_limits(known.name) if known else []
    stated, exact = config.window(name), model_facts.is_exact(facts)
    if as_json:
        out.write_json(_make_object(facts, exact, hosts, stated))
    else:
        out.write_listing("".join(f"{escape_line(line)}\n" for line in _format_lines(facts, exact, hosts, stated)))
    return Exit.DONE


def _format_lines(facts: ModelFacts, exact: bool, hosts: list[HostLimits], stated: Setting) -> Iterator[str]:
    yield f"name        {facts.name}"
    yield f"window      {_format_number(facts.window)}"
    if _is_overruled(facts, stated):
        yield f"used        {stated.value:>10,}  {stated.source}"
    yield f"max output  {_format_number(facts.max_output)}"
    kind = "exact" if exact else "estimate"
    yield f"tokenizer   {facts.tokenizer.value:>10}  {kind}, {facts.tokenizer.source}"
    if hosts:
        yield f"hosts       {_format_range(hosts)}"
    for offer in hosts:
        answer = f" ({offer.max_output:,} out)" if offer.max_output else ""
        yield f"            {offer.window:>10,}  {', '.join(dict.fromkeys(host for host, _ in offer.hosts))}{answer}"


def _format_number(fact: ModelFact) -> str:
    return f"{fact.value:>10,}  {fact.source}" if fact.value else f"{'-':>10}  not known"


def _format_range(hosts: list[HostLimits]) -> str:
    least, most = hosts[0].window, hosts[-1].window
    return f"{least:>10,}" + (f" to {most:,}" if most > least else "") + " tokens are offered"


def _is_overruled(facts: ModelFacts, stated: Setting) -> bool:
    """Tell whether a setting for all models holds in place of the model's own window."""
    return bool(stated.value) and stated.source != facts.window.source


def _make_object(facts: ModelFacts, exact: bool, hosts: list[HostLimits], stated: Setting) -> dict[str, object]:
    pairs = zip(facts._fields[1:], facts[1:], strict=True)
    fields = {
        key: {"value": entry.value or None, "source": entry.source, "as_of": entry.as_of or None}
        for key, entry in pairs
    }
    in_force = {"value": stated.value, "source": stated.source}
    return {
        "name": facts.name,
        **fields,
        "exact": exact,
        "in_force": in_force if _is_overruled(facts, stated) else fields["window"],
        "hosts": [_make_offer_object(entry) for entry in hosts],
    }


def _make_offer_object(offer: HostLimits) -> dict[str, object]:
    hosts = [{"host": host, "registry": registry} for host, registry in offer.hosts]
    return {"window": offer.window, "max_output": offer.max_output or None, "hosts": hosts}
