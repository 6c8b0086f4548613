"""ctxkit turn: its CPU time beside an exact count and beside ``import click``."""

import json
import sys
from collections.abc import Iterator
from functools import partial

from bench.corpus import short_text
from bench.figure import Figure, ms
from bench.place import Place
from bench.process import Run, Several, interleave, run

SUITE = "turn"
LARGE, SMALL = 200_000, 4_000
"""Tokens of the sessions, about: a message has four bytes a token."""
MESSAGE_BYTES = 4_000
COUNTS, IMPORTS = 2.0, 3.0
"""Times an exact count of the same bytes that a turn of the large session may take, and times ``import click`` plus the
load of the vocabulary that one of the small session may take."""
LOADING = "unusualwordhere and xqzyt"
"""Text whose count loads the whole vocabulary; splintr does not load it for a text that is one token."""
NEW = b'{"role": "user", "content": "and now?"}\n'


def figures(place: Place) -> Iterator[Figure]:
    """Yield the time of a turn over a large and over a small session."""
    yield _compare_large(place)
    yield _compare_small(place)


def _make_session(place: Place, name: str, tokens: int) -> str:
    """Make a session of about a number of tokens; return the file with its messages."""
    text = short_text(MESSAGE_BYTES).decode()
    roles = ("user", "assistant")
    messages = [
        {"role": roles[number % 2], "content": f"{number} {text[number % 97 :]}"}
        for number in range(max(4 * tokens // MESSAGE_BYTES, 2))
    ]
    path = place.path(f"{name}.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(message)}\n" for message in messages)
    run([*place.ctxkit, "session", "new", name, "--window", str(4 * tokens), "--tokenizer", "o200k"])
    run([*place.ctxkit, "session", "append", name, path])
    return path


def _compare_large(place: Place) -> Figure:
    path = _make_session(place, "large", LARGE // (10 if place.quick else 1))
    turn: Run = partial(run, [*place.ctxkit, "turn", "--session", "large"], data=NEW)
    count: Run = partial(run, [*place.ctxkit, "count", path, "--tokenizer", "o200k"])
    floor, timed = interleave([count, turn], place.times(11))
    return _make_figure(f"turn over {LARGE:,} tokens, CPU", timed, floor.cpu, "exact count", COUNTS)


def _compare_small(place: Place) -> Figure:
    _make_session(place, "small", SMALL)
    load = (
        "from ctxkit.core.tokens.vocabulary import find_vocabulary\n"
        "from ctxkit.app.services.engines import load_tokenizer\n"
    )
    count = f"load_tokenizer(find_vocabulary('o200k'))({LOADING!r})"
    runs: list[Run] = [
        partial(run, [sys.executable, "-c", "import click"]),
        partial(run, [sys.executable, "-c", f"import click\n{load}"]),
        partial(run, [sys.executable, "-c", f"import click\n{load}{count}"]),
        partial(run, [*place.ctxkit, "turn", "--session", "small"], data=NEW),
    ]
    floor, modules, loaded, timed = interleave(runs, place.times(15))
    vocabulary = max(loaded.cpu - modules.cpu, 0)
    what = f"turn over {SMALL:,} tokens, CPU, without the load of its vocabulary ({ms(vocabulary)})"
    rest = timed.cpu - vocabulary
    ratio = rest / floor.cpu
    figure = f"{ms(rest)} / {ms(floor.cpu)} import click"
    return Figure(SUITE, what, figure, ratio, f"<= {IMPORTS} x", ratio <= IMPORTS)


def _make_figure(what: str, timed: Several, floor: float, name: str, most: float) -> Figure:
    ratio = timed.cpu / floor
    return Figure(SUITE, what, f"{ms(timed.cpu)} / {ms(floor)} {name}", ratio, f"<= {most} x", ratio <= most)
