"""Models by name: how large their window is and how they tokenize.

The table is one string that is searched, never parsed as a whole: every command asks for one model, and
making six hundred objects would cost more than the search.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ctxkit.core.models.model_table import DATES, TABLE


class Model(NamedTuple):
    """Give a model's window in tokens and the name of its vocabulary.

    ``max_output`` is the longest answer in tokens, 0 where it is not known. ``source`` says where the
    figures come from: registries and the provider, ``hosts:5/7`` where five of seven hosts agree, the
    address of the publisher's page, or ``seed``.
    """

    name: str
    window: int
    tokenizer: str
    max_output: int = 0
    source: str = ""

    @property
    def as_of(self) -> str:
        """Return the day of the figures, empty where they are those the model was published with."""
        registries = self.source.partition(":")[0].split("+")
        if registries == ["hosts"]:
            return max(DATES.values())
        return max((DATES[name] for name in registries if name in DATES), default="")


def find_model(name: str) -> Model | None:
    """Return the model that a name means, however it is spelled; None when that is not certain.

    Letter case, separators, a provider's prefix, a date, a file's quantization are seen through. A
    name of another size, generation or variant is another model.
    """
    return _find_exact(name) or _find_by_spelling(name)


def find_similar_names(name: str) -> list[str]:
    """Return known names like ``name``, best first, at most three."""
    from difflib import get_close_matches

    from ctxkit.core.models.model_aliases import canonical_key

    plain = name.strip().lower().replace("\\", "/").rstrip("/").rpartition("/")[2]
    names = {model.name: canonical_key(model.name) for model in MODELS.values()}
    key = canonical_key(plain)
    starts = sorted((known for known, folded in names.items() if key and folded.startswith(key)), key=len)
    close = get_close_matches(key, names.values(), 3, 0.75)
    like = [known for folded in close for known, own in names.items() if own == folded]
    return list(dict.fromkeys([*starts, *like]))[:3]


class _Models(Mapping[str, Model]):
    """Show the table as a mapping from names to models, read only as far as somebody asks."""

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
"""Every model of the table by its own name, in the order of names."""


def _find_exact(name: str) -> Model | None:
    """Return the model that the table has under the very name."""
    at = TABLE.find(f" {name} ") if name and " " not in name and name != ">" else -1
    return _parse_row(at) if at >= 0 and TABLE[TABLE.rfind("\n", 0, at) + 1 : at].count(" ") == 0 else None


def _find_by_spelling(name: str) -> Model | None:
    """Return the model that a spelling leads to, the fullest first."""
    from ctxkit.core.models.model_aliases import generate_spellings

    for step, key in enumerate(generate_spellings(name)):
        model = key and (_find_by_key(key, step < _PACKAGING_STEPS) or _find_mixture(key))
        if model:
            return model
    return None


_PACKAGING_STEPS = 2
"""Steps of ``spellings`` that take nothing off but packaging."""


def _find_by_key(key: str, is_full_name: bool) -> Model | None:
    """Return the model under a key; where that is not of the whole name, not one that asks for its whole name."""
    at = TABLE.find(f"\n{key} ")
    if at < 0 and is_full_name:
        at = TABLE.find(f"\n={key} ")
    if at < 0:
        return None
    if TABLE.startswith("> ", at + len(key) + 2):
        return _find_by_key(_line_at(at + 1).split(" ")[2], is_full_name)
    return _parse_row(at + 1)


def _find_mixture(key: str) -> Model | None:
    """Return the mixture of experts whose active size the name leaves out, as in qwen3:30b for qwen3-30b-a3b."""
    at = TABLE.find(f"\n{key}a") if key.endswith("b") else -1
    if at < 0:
        return None
    active = _line_at(at + 1).partition(" ")[0].removeprefix(f"{key}a")
    return _parse_row(at + 1) if active[:-1].isdigit() and active[-1] == "b" else None


def _line_at(at: int) -> str:
    """Return the line of the table that ``at`` lies in."""
    start = TABLE.rfind("\n", 0, at) + 1
    return TABLE[start : TABLE.find("\n", start)]


def _parse_row(at: int) -> Model:
    _, name, window, output, tokenizer, source = _line_at(at).split(" ")
    return Model(name, int(window), tokenizer, int(output), source)
