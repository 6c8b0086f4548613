"""ctxkit models show."""

from collections.abc import Iterator

import click

from ctxkit.core import models
from ctxkit.core.escapes import escape_line
from ctxkit.core.exit import Exit
from ctxkit.core.hosts import Offered, offered
from ctxkit.edge import figures, options, out, settings
from ctxkit.edge.figures import Figure, Figures
from ctxkit.edge.settings import Setting


@click.command("show")
@click.argument("name", metavar="NAME")
@options.as_json
def command(name: str, as_json: bool) -> Exit:
    """Say what is known of a model, and where each number comes from.

    NAME may be spelled as a registry, a host or a file spells it. Hosts offer
    one model with different windows: the settings' word is final.

    \b
    $ ctxkit models show qwen3-30b
    $ ctxkit models show anthropic/claude-sonnet-4.5 --json
    """
    chosen = settings.load()
    found = figures.figures(name, chosen)
    known = models.model_of(name)
    hosts = offered(known.name) if known else []
    stated, exact = chosen.window(name), figures.is_exact(found)
    if as_json:
        out.write_json(_object(found, exact, hosts, stated))
    else:
        out.write_listing("".join(f"{escape_line(line)}\n" for line in _lines(found, exact, hosts, stated)))
    return Exit.DONE


def _lines(found: Figures, exact: bool, hosts: list[Offered], stated: Setting) -> Iterator[str]:
    yield f"name        {found.name}"
    yield f"window      {_number(found.window)}"
    if _overruled(found, stated):
        yield f"in force    {stated.value:>10,}  {stated.source}"
    yield f"max output  {_number(found.max_output)}"
    kind = "exact" if exact else "estimate"
    yield f"tokenizer   {found.tokenizer.value:>10}  {kind}, {found.tokenizer.source}"
    if hosts:
        yield f"hosts       {_range(hosts)}"
    for one in hosts:
        answer = f" ({one.max_output:,} out)" if one.max_output else ""
        yield f"            {one.window:>10,}  {', '.join(dict.fromkeys(host for host, _ in one.hosts))}{answer}"


def _number(figure: Figure) -> str:
    return f"{figure.value:>10,}  {figure.source}" if figure.value else f"{'-':>10}  not known"


def _range(hosts: list[Offered]) -> str:
    least, most = hosts[0].window, hosts[-1].window
    return f"{least:>10,}" + (f" to {most:,}" if most > least else "") + " tokens are offered"


def _overruled(found: Figures, stated: Setting) -> bool:
    """Tell whether a setting for all models holds in place of the model's own window."""
    return bool(stated.value) and stated.source != found.window.source


def _object(found: Figures, exact: bool, hosts: list[Offered], stated: Setting) -> dict[str, object]:
    pairs = zip(found._fields[1:], found[1:], strict=True)
    said = {
        key: {"value": one.value or None, "source": one.source, "as_of": one.as_of or None} for key, one in pairs
    }
    in_force = {"value": stated.value, "source": stated.source}
    return {
        "name": found.name,
        **said,
        "exact": exact,
        "in_force": in_force if _overruled(found, stated) else said["window"],
        "hosts": [_offer(one) for one in hosts],
    }


def _offer(one: Offered) -> dict[str, object]:
    hosts = [{"host": host, "registry": registry} for host, registry in one.hosts]
    return {"window": one.window, "max_output": one.max_output or None, "hosts": hosts}
