"""The figures of a model, each with where it comes from: what the settings say of it, else the table."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ctxkit.core import models
from ctxkit.core.roster import DATES
from ctxkit.core.trouble import BadSettings, Misuse
from ctxkit.edge.request import vocabulary_of
from ctxkit.edge.settings import Settings


class Figure(NamedTuple):
    """Hold a value, where it comes from and the day of it, empty where there is none."""

    value: Any
    source: str
    as_of: str = ""


class Figures(NamedTuple):
    """Hold what is known of a model: window and longest answer in tokens, 0 where not known, and its tokenizer."""

    name: str
    window: Figure
    max_output: Figure
    tokenizer: Figure


def figures(name: str, settings: Settings) -> Figures:
    """Return the figures of a model; raises Misuse, with the nearest names, when neither settings nor table have it."""
    known, described = models.model_of(name), settings.described(name)
    if known is None and not described:
        raise Misuse(f"unknown model: {name}", hint=_like(name, settings))
    table = known or models.Model(described, 0, "estimate")
    given = {
        key: Figure(found.value, found.source) if (found := settings.of_model(name, key)) else _published(table, key)
        for key in ("window", "max_output", "tokenizer")
    }
    return Figures(described or table.name, **given)


def everything(settings: Settings) -> Iterator[Figures]:
    """Yield the figures of every model that is known by name, by name."""
    for name in sorted({*models.MODELS, *settings.models()}, key=str.lower):
        yield figures(name, settings)


def is_exact(found: Figures) -> bool:
    """Tell whether the tokenizer is the model's own; raises BadSettings when a setting names none that there is."""
    try:
        return vocabulary_of(found.tokenizer.value).exact
    except Misuse as trouble:
        raise BadSettings(f"{found.tokenizer.source}: {trouble}", hint=trouble.hint) from None


def explained(source: str) -> str:
    """Return where a figure of the table comes from, in words."""
    kind, _, who = source.partition(":")
    registries = [f"{name} ({DATES[name]})" for name in kind.split("+") if name in DATES]
    if kind == "hosts":
        return f"{who.replace('/', ' of ')} hosts, by {' and '.join(f'{name} ({day})' for name, day in DATES.items())}"
    if registries:
        return f"{who}, by {' and '.join(registries)}"
    return {"": "not known", "seed": "ctxkit's own table"}.get(source, source)


def _published(model: models.Model, key: str) -> Figure:
    if key == "tokenizer":
        return Figure(model.tokenizer, "by the model's family" if model.source else "no tokenizer is known")
    value = getattr(model, key)
    return Figure(value, explained(model.source if value else ""), model.as_of if value else "")


def _like(name: str, settings: Settings) -> str:
    from difflib import get_close_matches

    near = [*get_close_matches(name, settings.models(), 2), *models.nearest(name)][:3]
    return f"did you mean {' or '.join(near)}? " * bool(near) + "ctxkit models list shows those there are"
