"""Compare the models of a registry with those of a table."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ctxkit.core.models.registry_data import ModelEntry

State = Literal["added", "changed", "unchanged"]


class ModelChange(NamedTuple):
    """A model of a registry, the entry that it replaces, None for a new one, and what that means for the table."""

    entry: ModelEntry
    before: ModelEntry | None
    state: State


def compare_models(before: Mapping[str, ModelEntry], models: Mapping[str, ModelEntry]) -> list[ModelChange]:
    """Return what becomes of each model of a registry, sorted by name."""
    return [_compare(before.get(name), models[name]) for name in sorted(models)]


def _compare(before: ModelEntry | None, entry: ModelEntry) -> ModelChange:
    if before is None:
        return ModelChange(entry, None, "added")
    return ModelChange(entry, before, "unchanged" if before == entry else "changed")


def format_change(change: ModelChange) -> str:
    """Return a line for a change, with the figures that it replaces."""
    entry, before = change.entry, change.before
    if before is None:
        return f"+ {entry.name}  {_format_figures(entry)}"
    if change.state == "unchanged":
        return f"  {entry.name}  {_format_figures(entry)}"
    return f"~ {entry.name}  {_format_figures(before)} -> {_format_figures(entry)}"


def _format_figures(entry: ModelEntry) -> str:
    output = f", {entry.max_output:,} out" if entry.max_output else ""
    price = f", ${entry.input_price:g}" if entry.input_price else ""
    return f"{entry.window:,}{output}{price}"
