"""Read the models of a registry (models.dev, litellm, OpenRouter) and of the servers that run models.

Only stated figures are taken: an entry without a window in tokens is skipped. Prices are in US dollars for a million
input tokens.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

_MOST_TOKENS = 10**9
"""Largest window that is a figure and no error."""
LONGEST_NAME = 200
"""Maximum characters of a name."""
_WINDOWS = (
    *("context_length", "max_model_len", "loaded_context_length", "context_window", "max_context_length"),
    *("max_input_tokens", "inputTokenLimit"),
)
"""Members that state a window: OpenRouter, Together and Ollama; vLLM; LM Studio; Groq; Mistral; Anthropic; Gemini."""
_OUTPUTS = ("max_completion_tokens", "max_output_tokens", "outputTokenLimit")


class ModelEntry(NamedTuple):
    """A model: its name, window and output limit in tokens, and the price of a million input tokens; 0 if unknown."""

    name: str
    window: int
    max_output: int = 0
    input_price: float = 0.0


class RegistryData(NamedTuple):
    """The format of a registry's data, its models by name, and how many entries state no window or no usable name."""

    format: str
    models: Mapping[str, ModelEntry]
    skipped: int = 0


def read_registry(value: object) -> RegistryData | None:
    """Return the models of a JSON value, None if it is in no known format."""
    for name, find in _FORMATS.items():
        candidates = find(value)
        if candidates is not None:
            return _collect(name, candidates)
    return None


_Candidates = list[ModelEntry | None]
"""The entries of a registry, None for one that states no window."""


def _collect(name: str, candidates: _Candidates) -> RegistryData:
    usable = [entry for entry in candidates if entry and _is_usable(entry.name)]
    return RegistryData(name, {entry.name: entry for entry in reversed(usable)}, len(candidates) - len(usable))


def _is_usable(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and name.isprintable()


def _find_properties(value: object) -> _Candidates | None:
    """Return the model of llama.cpp's /props, with the window of one of its slots."""
    generation = _get_table(value, "default_generation_settings")
    if not generation or not isinstance(value, dict):
        return None
    path = _get_name(value, "model_alias") or _get_name(value, "model_path")
    name = path.replace("\\", "/").rpartition("/")[2]
    return [_make_entry(name, _read_tokens(generation.get("n_ctx")))]


def _find_listed(value: object) -> _Candidates | None:
    """Return the models of a list, as /v1/models, /api/ps and Gemini's models have it."""
    rows = value
    if isinstance(value, dict):
        rows = next((value[key] for key in ("data", "models") if isinstance(value.get(key), list)), None)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    return [_read_row(row) for row in rows]


def _read_row(row: Mapping[str, object]) -> ModelEntry | None:
    name = next((name for key in ("id", "model", "name") if (name := _get_name(row, key))), "")
    meta, provider = _get_table(row, "meta"), _get_table(row, "top_provider")
    stated = [*(row.get(key) for key in _WINDOWS), meta.get("n_ctx"), meta.get("n_ctx_train")]
    window = next(filter(None, map(_read_tokens, stated)), 0)
    outputs = (_read_tokens(table.get(key)) for table in (row, provider) for key in _OUTPUTS)
    limit = next(filter(None, outputs), 0)
    return _make_entry(name.removeprefix("models/"), window, limit, _read_row_price(_get_table(row, "pricing")))


def _read_row_price(pricing: Mapping[str, object]) -> float:
    """Return the price of OpenRouter (for a token) or of Together (for a million)."""
    return _read_price(pricing.get("prompt"), 1e6) or _read_price(pricing.get("input"))


def _find_models_dev(value: object) -> _Candidates | None:
    """Return the models of models.dev: each with its provider's prefix, and without one if all providers agree."""
    if not isinstance(value, dict) or not any(_get_table(provider, "models") for provider in value.values()):
        return None
    candidates: _Candidates = []
    offers: dict[str, list[ModelEntry]] = defaultdict(list)
    for provider, name, model in _list_offers(value):
        limit, cost = _get_table(model, "limit"), _get_table(model, "cost")
        window, answer = _read_tokens(limit.get("context")), _read_tokens(limit.get("output"))
        entry = _make_entry(f"{provider}/{name}", window, answer, _read_price(cost.get("input")))
        candidates.append(entry)
        if entry and "/" not in name:
            offers[name].append(entry)
    return [*candidates, *_merge_offers(offers)]


def _list_offers(providers: Mapping[str, object]) -> Iterator[tuple[str, str, object]]:
    for provider, table in providers.items():
        for name, model in _get_table(table, "models").items():
            yield provider, name, model


def _merge_offers(offers: Mapping[str, list[ModelEntry]]) -> Iterator[ModelEntry]:
    """Yield the models whose providers all state the same window, with the other figures on which they agree."""
    for name, entries in offers.items():
        windows, outputs, prices = ({entry[at] for entry in entries} for at in (1, 2, 3))
        if len(windows) == 1:
            output, price = (values.pop() if len(values) == 1 else 0 for values in (outputs, prices))
            yield ModelEntry(name, entries[0].window, int(output), float(price))


def _find_litellm(value: object) -> _Candidates | None:
    if not isinstance(value, dict) or not any("litellm_provider" in row for row in _list_tables(value.values())):
        return None
    rows = ((name, row) for name, row in value.items() if isinstance(row, dict) and name != "sample_spec")
    return [
        _make_entry(
            name,
            _read_tokens(row.get("max_input_tokens")),
            _read_tokens(row.get("max_output_tokens")),
            _read_price(row.get("input_cost_per_token"), 1e6),
        )
        for name, row in rows
    ]


def _make_entry(name: str, window: int, max_output: int = 0, input_price: float = 0.0) -> ModelEntry | None:
    return ModelEntry(name, window, max_output, input_price) if name and window else None


def _get_table(value: object, key: str) -> Mapping[str, object]:
    """Return a member that is an object, else an empty one."""
    member = value.get(key) if isinstance(value, dict) else None
    return member if isinstance(member, dict) else {}


def _list_tables(values: Iterable[object]) -> Iterator[Mapping[str, object]]:
    return (value for value in values if isinstance(value, dict))


def _get_name(row: Mapping[str, object], key: str) -> str:
    name = row.get(key)
    return name if isinstance(name, str) else ""


def _read_tokens(value: object) -> int:
    """Return a number of tokens, 0 if a value is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= _MOST_TOKENS:
        return 0
    return int(value)


def _read_price(value: object, factor: float = 1.0) -> float:
    """Return a price, which OpenRouter writes as text; 0 if it is free or no price."""
    if isinstance(value, bool) or not isinstance(value, int | float | str) or len(str(value)[:40]) > 30:
        return 0.0
    try:
        price = float(value) * factor
    except (ValueError, OverflowError):
        return 0.0
    return round(price, 6) if 0 < price < 1e6 else 0.0


_FORMATS: Mapping[str, Callable[[object], _Candidates | None]] = {
    "llama.cpp": _find_properties,
    "list": _find_listed,
    "models.dev": _find_models_dev,
    "litellm": _find_litellm,
}
"""The formats in the order in which they are tried."""
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
