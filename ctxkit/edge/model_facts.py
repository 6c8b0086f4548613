"""Look up facts about a model with their sources: the settings first, then the table."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ctxkit.core.errors import SettingsError, UnknownNameError, UsageError
from ctxkit.core.models import lookup
from ctxkit.core.models.model_table import DATES
from ctxkit.edge.option_values import vocabulary_of
from ctxkit.edge.settings import Setting, Settings


class ModelFact(NamedTuple):
    """A value, its source and its date, "" if there is none."""

    value: Any
    source: str
    as_of: str = ""


class ModelFacts(NamedTuple):
    """Facts about a model: window and output limit in tokens, 0 if unknown, and its tokenizer."""

    name: str
    window: ModelFact
    max_output: ModelFact
    tokenizer: ModelFact


def find_model_facts(name: str, settings: Settings) -> ModelFacts:
    """Return the facts about a model.

    Raise UnknownNameError with similar names if neither settings nor table know it.
    """
    known, settings_name = lookup.find_model(name), settings.find_model_name(name)
    if known is None and not settings_name:
        raise UnknownNameError(f"unknown model: {name}", hint=_suggest_names(name, settings))
    table = known or lookup.Model(settings_name, 0, "estimate")
    given = {
        key: ModelFact(setting.value, setting.source, _find_day(name, setting, settings))
        if (setting := settings.lookup_for_model(name, key))
        else _read_table_fact(table, key)
        for key in ("window", "max_output", "tokenizer")
    }
    return ModelFacts(settings_name or table.name, **given)


def _find_day(name: str, setting: Setting, settings: Settings) -> str:
    """Return the day on which a figure entered the user's table, "" for one of a file."""
    day = settings.lookup_for_model(name, "as_of")
    return str(day.value) if day and day.source == setting.source else ""


def list_model_facts(settings: Settings) -> Iterator[ModelFacts]:
    """Yield the facts about every known model, sorted by name."""
    for name in sorted({*lookup.MODELS, *settings.models()}, key=str.lower):
        yield find_model_facts(name, settings)


def is_exact(facts: ModelFacts) -> bool:
    """Return whether the tokenizer is the model's own; raise SettingsError for an unknown tokenizer in a setting."""
    try:
        return vocabulary_of(facts.tokenizer.value).exact
    except UsageError as error:
        raise SettingsError(f"{facts.tokenizer.source}: {error}", hint=error.hint) from None


def explain_source(source: str) -> str:
    """Return the source of a figure of the table in words."""
    kind, _, who = source.partition(":")
    registries = [f"{name} ({DATES[name]})" for name in kind.split("+") if name in DATES]
    if kind == "hosts":
        return f"{who.replace('/', ' of ')} hosts, by {' and '.join(f'{name} ({day})' for name, day in DATES.items())}"
    if registries:
        return f"{who}, by {' and '.join(registries)}"
    return {"": "not known", "seed": "ctxkit's own table"}.get(source, source)


def _read_table_fact(model: lookup.Model, key: str) -> ModelFact:
    if key == "tokenizer":
        return ModelFact(model.tokenizer, "by the model's family" if model.source else "no tokenizer is known")
    value = getattr(model, key)
    return ModelFact(value, explain_source(model.source if value else ""), model.as_of if value else "")


def _suggest_names(name: str, settings: Settings) -> str:
    from difflib import get_close_matches

    near = [*get_close_matches(name, settings.models(), 2), *lookup.find_similar_names(name)][:3]
    return f"did you mean {' or '.join(near)}? " * bool(near) + "ctxkit models list shows all models"
