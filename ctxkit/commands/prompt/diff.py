"""ctxkit prompt diff."""

from typing import TYPE_CHECKING

import click

from ctxkit.app.services import engines
from ctxkit.core.errors import Exit
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.edge import options, out, prompt_view, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import FACTOR, option
from ctxkit.edge.request import CliRequest

if TYPE_CHECKING:
    from ctxkit.core.compact.policy import CachePrices


class PriceFactors(NamedTuple):
    """What a cache write and a cache read cost, relative to input."""

    cache_write: float | None
    cache_read: float | None


@click.command("diff", cls=Verb)
@click.argument("old")
@click.argument("new")
@option(
    "--cache-write", type=FACTOR, metavar="X", help="Price of a cache write, relative to input."
)
@option(
    "--cache-read", type=FACTOR, metavar="X", help="Price of a cache read, relative to input."
)
@options.add_count_options
@options.json_option
@options.collect_values(PriceFactors, "prices")
def command(old: str, new: str, prices: PriceFactors, request: CliRequest, as_json: bool) -> Exit:
    """Show where a new prompt leaves the cached prefix, and what that costs.

    OLD and NEW are texts, or what prompt build --json printed; then only a prefix up to a
    breakpoint is cached. The exit status is 1 if the prompts differ.

    \b
    $ ctxkit prompt diff old-prompt.md new-prompt.md
    $ ctxkit prompt diff old-prompt.md new-prompt.md --model claude-sonnet-4-5 --json
    """
    from ctxkit.core.prompt import find_cache_minimum, find_difference
    from ctxkit.core.tokens.token_count import upper_bound_tokenizer

    config = settings.load()
    old_prompt, new_prompt = prompt_view.read_prompt(old), prompt_view.read_prompt(new)
    count_options = engines.make_count_options(request, config)
    known = request.known_model(config)
    model = known.name if known else request.model_name(config)
    difference = find_difference(
        old_prompt.text,
        new_prompt.text,
        upper_bound_tokenizer(count_options.count, count_options.vocabulary),
        breakpoints=old_prompt.breakpoints,
        minimum=find_cache_minimum(model, prompt_view.find_provider(model)),
    )
    rates = _make_prices(*prices)
    facts = prompt_view.make_difference(difference, old_prompt, new_prompt, rates, count_options.vocabulary)
    if as_json:
        out.write_json(facts)
    else:
        out.write_listing(prompt_view.format_difference(facts))
    return Exit.DONE if facts["same"] else Exit.NO


def _make_prices(write: float | None, read: float | None) -> "CachePrices":
    """Return the prices of the options, with defaults for those that are not given."""
    from ctxkit.core.compact.policy import CachePrices

    default = CachePrices()
    return CachePrices(default.write if write is None else write, default.read if read is None else read)
