"""ctxkit models update."""

from collections import Counter
from typing import Any

import click

from ctxkit.core.errors import Exit, MalformedInputError
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
from ctxkit.edge import options, out, say, user_dirs
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import renamed_option
from ctxkit.edge.user_models import UserModel, UserModels, write_models

MOST_MODELS = 50_000
"""Number of models of a registry that are too many; models.dev has 5,000."""
_HINT = "models.dev, litellm, OpenRouter and /v1/models of a server state windows"


@click.command("update", cls=Verb)
@click.argument("file", metavar="FILE")
@renamed_option("--dry-run", is_flag=True, renamed_from=("-n",), help="Print the changes, and write nothing.")
@options.json_option
def command(file: str, dry_run: bool, as_json: bool) -> Exit:
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
        out.write_json(_make_object(changes, registry, file, dry_run=dry_run))
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


def _make_object(changes: list[ModelChange], registry: RegistryData, file: str, *, dry_run: bool) -> dict[str, Any]:
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
