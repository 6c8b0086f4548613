"""ctxkit models and its verbs."""

from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import click

from ctxkit.core.errors import Exit, MalformedInputError, SettingsError, UnknownNameError, UsageError
from ctxkit.core.models import lookup
from ctxkit.core.models.model_table import DATES
from ctxkit.core.models.offers import HostLimits, find_host_limits
from ctxkit.core.models.registry_data import (
    ModelChange,
    ModelEntry,
    RegistryData,
    compare_models,
    format_change,
    read_registry,
)
from ctxkit.core.redaction.masking import hide_keys
from ctxkit.core.text.escapes import escape_line
from ctxkit.core.text.quantity import pluralize
from ctxkit.edge import options, out, say, settings, user_dirs
from ctxkit.edge.command_group import CommandGroup, Verb
from ctxkit.edge.option_types import option, renamed_option
from ctxkit.edge.option_values import vocabulary_of
from ctxkit.edge.settings import Setting, Settings
from ctxkit.edge.user_models import UserModel, UserModels, write_models
from ctxkit.registry import MODELS


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


command = CommandGroup(
    MODELS,
    name="models",
    help="""List known models, show one with the source of each number, or change your own.

\b
$ ctxkit models list qwen3
$ ctxkit models show qwen3-30b
""",
)
HEAD = ("name", "window", "max output", "tokenizer", "as of")
_NUMBERS = (1, 2)
"""The columns that are numbers."""


@command.command("list", cls=Verb)
@click.argument("pattern", required=False, default="", metavar="[PATTERN]")
@options.json_lines_option
def list_models(pattern: str, as_json: bool) -> Exit:
    """List known models.

    PATTERN is a part of the name, or a shell pattern such as 'qwen3-*b'. A model from a
    settings file is listed with the file and line. The exit status is 1 if no name matches.

    \b
    $ ctxkit models list qwen3
    $ ctxkit models list 'claude-*-5' --json
    """
    matches = [
        facts
        for facts in list_model_facts(settings.load())
        if _matches(facts.name.lower(), pattern.lower())
    ]
    if as_json:
        for facts in matches:
            out.write_json(_make_row_object(facts))
    elif matches:
        out.write_listing(_format_table([HEAD, *map(_format_row, matches)]))
    return Exit.DONE if matches else Exit.NO


def _matches(name: str, pattern: str) -> bool:
    if any(sign in pattern for sign in "*?["):
        return fnmatchcase(name, pattern)
    return pattern in name


def _format_row(facts: ModelFacts) -> tuple[str, ...]:
    output = f"{facts.max_output.value:,}" if facts.max_output.value else "-"
    window = f"{facts.window.value:,}" if facts.window.value else "-"
    name, tokenizer, day = map(escape_line, (facts.name, facts.tokenizer.value, _format_day(facts) or "-"))
    return name, window, output, tokenizer, day


def _format_day(facts: ModelFacts) -> str:
    """Return the day of the window, or where the settings state it."""
    stated = ":" in facts.window.source and not facts.window.source.startswith("http")
    return facts.window.as_of or (facts.window.source if stated else "")


def _format_table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join("  ".join(_pad_cells(row, widths)).rstrip() + "\n" for row in rows)


def _pad_cells(row: tuple[str, ...], widths: list[int]) -> Iterator[str]:
    for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
        yield cell.rjust(width) if column in _NUMBERS else cell.ljust(width)


def _make_row_object(facts: ModelFacts) -> dict[str, object]:
    return {
        "name": facts.name,
        "window": facts.window.value or None,
        "max_output": facts.max_output.value or None,
        "tokenizer": facts.tokenizer.value,
        "as_of": facts.window.as_of or None,
        "source": facts.window.source,
    }


@command.command("show", cls=Verb)
@click.argument("name", metavar="NAME")
@options.json_option
def show_model(name: str, as_json: bool) -> Exit:
    """Show a model's window, tokenizer and hosts, with the source of each number.

    NAME may have the spelling of a registry, a host or a file. Hosts offer one model with
    different windows. The settings override all of them.

    \b
    $ ctxkit models show qwen3-30b
    $ ctxkit models show anthropic/claude-sonnet-4.5 --json
    """
    config = settings.load()
    facts = find_model_facts(name, config)
    known = lookup.find_model(name)
    hosts = find_host_limits(known.name) if known else []
    stated, exact = config.window(name), _is_exact(facts)
    if as_json:
        out.write_json(_make_facts_object(facts, exact, hosts, stated))
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


def _make_facts_object(facts: ModelFacts, exact: bool, hosts: list[HostLimits], stated: Setting) -> dict[str, object]:
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


MOST_MODELS = 50_000
"""Number of models of a registry that are too many; models.dev has 5,000."""
_HINT = "models.dev, litellm, OpenRouter and /v1/models of a server state windows"


@command.command("update", cls=Verb)
@click.argument("file", metavar="FILE")
@renamed_option("--dry-run", is_flag=True, renamed_from=("-n",), help="Print the changes, and write nothing.")
@options.json_option
def update_models(file: str, dry_run: bool, as_json: bool) -> Exit:
    """Add the windows and prices of models to your own table.

    FILE is the data of a registry, such as models.dev, litellm or OpenRouter, or the answer
    of a server to /v1/models. FILE may also be the address of a server, which is then asked
    for the windows of its models; no key in the address is written anywhere. Your settings
    override the table, and the table overrides what ctxkit knows.

    \b
    $ echo '[{"id": "house-7b", "context_length": 24576}]' | ctxkit models update - --dry-run
    """
    registry = _read_server(file) if _is_address(file) else _read_file(file)
    if not registry.models:
        raise MalformedInputError(f"{_name(file)}: no model states its window", hint=_HINT)
    table = UserModels(user_dirs.models_file())
    changes = compare_models(_read_entries(table), registry.models)
    if not dry_run:
        _write_table(table, changes, file)
    _report(changes, registry, file, dry_run=dry_run, as_json=as_json)
    return Exit.DONE


def _is_address(file: str) -> bool:
    return file.startswith(("http://", "https://"))


def _name(file: str) -> str:
    """Return the name of what is read for messages and the table: an address without keys."""
    return "stdin" if file == "-" else hide_keys(file) if _is_address(file) else file


def _read_file(file: str) -> RegistryData:
    from ctxkit.app.services import engines
    from ctxkit.core.text.json_value import fits_memory
    from ctxkit.core.text.limits import PARSED
    from ctxkit.edge import conversations

    data = conversations.read_bytes(file, "a registry has some megabytes")
    if not fits_memory(data, PARSED):
        raise MalformedInputError(f"{_name(file)}: it holds more values than fit in memory", hint=_HINT)
    try:
        value = engines.parse_json(data)
    except (ValueError, RecursionError) as error:
        raise MalformedInputError(f"{_name(file)} is not JSON: {error}", hint=_HINT) from None
    return _read_value(value, file)


def _read_value(value: object, file: str) -> RegistryData:
    registry = read_registry(value)
    if registry is None:
        raise MalformedInputError(f"{_name(file)} is not a list of models", hint=_HINT)
    if len(registry.models) > MOST_MODELS:
        raise MalformedInputError(f"{_name(file)}: more than {MOST_MODELS:,} models", hint="pass a part of it")
    return registry


def _read_server(address: str) -> RegistryData:
    """Return the models of a server; a window with which a model runs replaces the largest one of the model."""
    from ctxkit.engines.model_server import fetch_models

    first, *others = (_read_value(value, address) for value in fetch_models(address))
    for registry in others:
        running = registry.models
        if len(first.models) == len(running) == 1:  # llama.cpp names its only model in two ways
            name, window = next(iter(first.models)), next(iter(running.values())).window
            running = {name: first.models[name]._replace(window=window)}
        first = first._replace(models={**first.models, **running}, format=registry.format)
    return first


def _read_entries(table: UserModels) -> dict[str, ModelEntry]:
    return {model.name: ModelEntry(*model[:4]) for model in table.models()}


def _write_table(table: UserModels, changes: list[ModelChange], file: str) -> None:
    """Write the table with the changed models; the others stay."""
    from datetime import UTC, datetime

    day, source = datetime.now(UTC).date().isoformat(), _name(file)
    models = {model.name: model for model in table.models()}
    models.update({change.entry.name: UserModel(*change.entry, day, source) for change in changes})
    write_models(table.path, models)


def _report(changes: list[ModelChange], registry: RegistryData, file: str, *, dry_run: bool, as_json: bool) -> None:
    counts = Counter(change.state for change in changes)
    if as_json:
        out.write_json(_make_changes_object(changes, registry, file, dry_run=dry_run))
        return
    if dry_run:
        lines = (format_change(change) for change in changes if change.state != "unchanged")
        out.write_listing("".join(f"{escape_line(line)}\n" for line in lines))
    skipped = f", {registry.skipped:,} without a window" if registry.skipped else ""
    verb = "would be added" if dry_run else "added"
    say.inform(
        f"{_name(file)}: {pluralize(counts['added'], 'model')} {verb}, {counts['changed']:,} changed, "
        f"{counts['unchanged']:,} unchanged{skipped}"
    )


def _make_changes_object(
    changes: list[ModelChange], registry: RegistryData, file: str, *, dry_run: bool
) -> dict[str, Any]:
    counts = Counter(change.state for change in changes)
    return {
        "source": _name(file),
        "format": registry.format,
        "table": user_dirs.models_file(),
        "dry_run": dry_run,
        "added": counts["added"],
        "changed": counts["changed"],
        "unchanged": counts["unchanged"],
        "skipped": registry.skipped,
        "models": [
            {
                "name": change.entry.name,
                "state": change.state,
                "window": change.entry.window,
                "max_output": change.entry.max_output or None,
                "input_price": change.entry.input_price or None,
            }
            for change in changes
        ],
    }


@command.command("rm", cls=Verb)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@option("--dry-run", is_flag=True, help="Print what would be removed, and write nothing.")
@options.json_option
def remove_models(names: tuple[str, ...], dry_run: bool, as_json: bool) -> Exit:
    """Remove models from your own table.

    NAME is a model that models update added, in any spelling. The models that ctxkit knows, and
    those of settings files, stay. If your table has no model with one of the names, nothing is
    removed, and the exit status is 1.

    \b
    $ ctxkit models rm house-7b
    """
    table = UserModels(user_dirs.models_file())
    models = {model.name: model for model in table.models()}
    removed = sorted({_find_name(name, table) for name in names})
    if not dry_run:
        write_models(table.path, {name: model for name, model in models.items() if name not in removed})
    if as_json:
        out.write_json({"table": table.path, "dry_run": dry_run, "removed": removed})
    else:
        verb = "would be removed" if dry_run else "removed"
        say.inform(f"{pluralize(len(removed), 'model')} {verb}: {', '.join(removed)}")
    return Exit.DONE


def _find_name(name: str, table: UserModels) -> str:
    """Return the name in the table; raise UnknownNameError if it has none."""
    known = table.find_name(name)
    if not known:
        raise UnknownNameError(f"your table has no model {name}", hint="ctxkit models update adds models to it")
    return known


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


def _is_exact(facts: ModelFacts) -> bool:
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
