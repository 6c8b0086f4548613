"""Look up models by name: their window and tokenizer.

The table is a string that is searched, never parsed as a whole. Every command looks up one model, and creating six
hundred objects would cost more than the search.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ctxkit.core.models.model_table import DATES, TABLE


class Model(NamedTuple):
    """A model: its window in tokens and the name of its vocabulary.

    ``max_output`` is the output limit in tokens, 0 if unknown. ``source`` is the origin of the figures: registries and
    the provider, ``hosts:5/7`` if five of seven hosts agree, the URL of the publisher's page, or ``seed``.
    """

    name: str
    window: int
    tokenizer: str
    max_output: int = 0
    source: str = ""

    @property
    def as_of(self) -> str:
        """Return the date of the figures, empty if they are those of the model's publication."""
        registries = self.source.partition(":")[0].split("+")
        if registries == ["hosts"]:
            return max(DATES.values())
        return max((DATES[name] for name in registries if name in DATES), default="")


def find_model(name: str) -> Model | None:
    """Return the model with a name in any spelling; None if it is not certain.

    Ignore case, separators, a provider's prefix, a date and a file's quantization. A name with another size, generation
    or variant is another model; one with an effort is not.
    """
    return _find_exact(name) or _find_by_spelling(name) or _find_offer(name)


def find_similar_names(name: str) -> list[str]:
    """Return up to three known names similar to ``name``, best first."""
    from difflib import get_close_matches

    from ctxkit.core.models.model_aliases import canonical_key

    plain = name.strip().lower().replace("\\", "/").rstrip("/").rpartition("/")[2]
    names = {model.name: canonical_key(model.name) for model in MODELS.values()}
    key = canonical_key(plain)
    starts = sorted((known for known, folded in names.items() if key and folded.startswith(key)), key=len)
    close = get_close_matches(key, names.values(), 3, 0.75)
    like = [known for folded in close for known, own in names.items() if own == folded]
    return list(dict.fromkeys([*starts, *like]))[:3]


def list_windows() -> Iterator[tuple[str, int]]:
    """Yield the name and the window in tokens of every model of the table, sorted by name."""
    rows = (row.split(" ", 3) for row in TABLE.split("\n") if row and " > " not in row)
    return ((name, int(window)) for _, name, window, _ in rows)


class _Models(Mapping[str, Model]):
    """The table as a mapping from names to models, parsed on demand."""

    def __getitem__(self, name: str) -> Model:
        model = _find_exact(name)
        if model is None:
            raise KeyError(name)
        return model

    def __iter__(self) -> Iterator[str]:
        return (row.split(" ", 2)[1] for row in TABLE.split("\n") if row and " > " not in row)

    def __len__(self) -> int:
        return sum(1 for _ in self)


MODELS: Mapping[str, Model] = _Models()
"""Every model of the table by its name, sorted by name."""


def _find_exact(name: str) -> Model | None:
    """Return the model with exactly this name in the table."""
    at = TABLE.find(f" {name} ") if name and " " not in name and name != ">" else -1
    return _parse_row(at) if at >= 0 and TABLE[TABLE.rfind("\n", 0, at) + 1 : at].count(" ") == 0 else None


def _find_by_spelling(name: str) -> Model | None:
    """Return the model of the first matching spelling, the most complete first."""
    from ctxkit.core.models.model_aliases import generate_spellings

    for step, key in enumerate(generate_spellings(name)):
        model = key and (_find_by_key(key, step < _PACKAGING_STEPS) or _find_mixture(key))
        if model:
            return model
    return None


def _find_offer(name: str) -> Model | None:
    """Return the model of a name that also says how it is offered: with a long window, an effort, or for free."""
    from ctxkit.core.models.model_aliases import LONG_WINDOW, LONG_WINDOW_MARK, strip_offer

    if name.endswith(LONG_WINDOW_MARK):
        model = find_model(name.removesuffix(LONG_WINDOW_MARK))
        return model._replace(window=LONG_WINDOW) if model else None
    base = strip_offer(name)
    return find_model(base) if base != name else None


_PACKAGING_STEPS = 2
"""Number of steps of ``generate_spellings`` that strip only packaging."""


def _find_by_key(key: str, is_full_name: bool) -> Model | None:
    """Return the model under a key; skip models that require their full name unless ``is_full_name``."""
    at = TABLE.find(f"\n{key} ")
    if at < 0 and is_full_name:
        at = TABLE.find(f"\n={key} ")
    if at < 0:
        return None
    if TABLE.startswith("> ", at + len(key) + 2):
        return _find_by_key(_line_at(at + 1).split(" ")[2], is_full_name)
    return _parse_row(at + 1)


def _find_mixture(key: str) -> Model | None:
    """Return the mixture of experts whose active size the name omits, such as qwen3:30b for qwen3-30b-a3b."""
    at = TABLE.find(f"\n{key}a") if key.endswith("b") else -1
    if at < 0:
        return None
    active = _line_at(at + 1).partition(" ")[0].removeprefix(f"{key}a")
    return _parse_row(at + 1) if active[:-1].isdigit() and active[-1] == "b" else None


def _line_at(at: int) -> str:
    """Return the line of the table that contains the offset ``at``."""
    start = TABLE.rfind("\n", 0, at) + 1
    return TABLE[start : TABLE.find("\n", start)]


def _parse_row(at: int) -> Model:
    _, name, window, output, tokenizer, source = _line_at(at).split(" ")
    return Model(name, int(window), tokenizer, int(output), source)
