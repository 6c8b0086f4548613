"""What fits passes as it is: every file of the corpora, byte for byte; and how many of them fit."""

from collections.abc import Iterator
from functools import cache

from bench.doors import Gate, available, count, text_of
from bench.figure import Figure
from bench.place import Place
from bench.process import CommandError, run
from ctxkit.core.models.lookup import find_model
from ctxkit.core.tokens.estimate import estimate_tokens
from ctxkit.core.tokens.vocabulary import find_vocabulary

SUITE = "passing"
COMMANDS = 80
"""Files that go through the command itself and a pipe."""
WIDE = 100_000_000
SHARE = 0.95
"""Share of tool outputs that pass a window of 200,000."""
WINDOWS = ((200_000, "o200k"), (200_000, "qwen3"), (32_768, "qwen3"), (8_192, "qwen3"), (4_096, "qwen3"))
"""Windows with the vocabulary to count by. No model of 200,000 tokens counts each digit, as qwen3 does."""
ESTIMATED = ("opus", "sonnet", "haiku")
"""Models whose tokens are estimated."""
ESTIMATED_SHARE = 0.98
"""Share that passes of the outputs whose most likely count fits."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield whether content passes unchanged, at ease and just so; then the share that does."""
    paths = place.inputs()
    if not paths:
        yield Figure(SUITE, "corpora", "skipped", notes=("there are no corpora; CTXKIT_CORPORA names their directory",))
        return
    paths = paths[:: 8 if place.quick else 1]
    gate = Gate()
    counted = cache(lambda path: count(text_of(place.data(path))))
    yield _all("unchanged in a wide window", paths, [p for p in paths if not _same(place, gate, p, WIDE)])
    some = paths[:: max(len(paths) // (COMMANDS // 4 if place.quick else COMMANDS), 1)]
    yield _all("unchanged through the command and a pipe", some, [p for p in some if not _is_piped(place, p)])
    sized = [path for path in paths if counted(path) > 0]
    exact = [path for path in sized if not _same(place, gate, path, counted(path))]
    yield _all("unchanged where exactly its tokens are free", sized, exact)
    over = [p for p in sized if counted(p) > 1 and _same(place, gate, p, counted(p) - 1)]
    yield _all("held back where one token less is free", sized, over)
    outputs = place.inputs("tool_outputs")[:: 8 if place.quick else 1]
    for window, vocabulary in WINDOWS:
        yield _share(place, gate, outputs, window, vocabulary)
    for model in ESTIMATED:
        yield _share_estimated(place, gate, outputs, model)


def _same(place: Place, gate: Gate, path: str, window: int) -> bool:
    """Tell whether a file passes as it is where ``window`` tokens are free."""
    data = place.data(path)
    admission = gate.admit(data, window, reserve="0")
    return admission.result in ("raw", "tight") and b"".join(admission.content) == data and not admission.warning


def _is_piped(place: Place, path: str) -> bool:
    argv = [*place.ctxkit, "gate", "--window", str(WIDE), "--tokenizer", "qwen3"]
    try:
        return run(argv, file=f"{place.corpora}/{path}", keep=True).out == place.data(path)
    except CommandError:
        return False


def _all(what: str, paths: list[str], failed: list[str]) -> Figure:
    figure = f"{len(paths) - len(failed)} of {len(paths)} files"
    return Figure(SUITE, what, figure, None, "all", not failed, failed)


def _share(place: Place, gate: Gate, paths: list[str], window: int, vocabulary: str) -> Figure:
    """Return how many files pass a window, and those that pass or do not against an independent count."""
    passed, wrong, value = 0, [], []
    ranks = "o200k_base" if vocabulary == "o200k" else vocabulary
    for path in paths:
        admission = gate.admit(place.data(path), window, tokenizer=vocabulary)
        passes = admission.result in ("raw", "tight")
        passed += passes
        tokens = count(text_of(place.data(path)), ranks)
        if not passes:
            value.append(f"{path}: {tokens:,} tokens where {available(window, 0):,} are free")
        if passes != (tokens <= available(window, 0)):
            wrong.append(f"{path}: {admission.result}, {tokens} tokens in a window of {window}")
    share = passed / len(paths)
    figure = f"{share:.1%} ({passed} of {len(paths)}) pass"
    what = f"tool outputs in a window of {window:,}, by {vocabulary}"
    if (window, vocabulary) != WINDOWS[0]:
        return Figure(SUITE, what, figure, None, "decided right" if wrong else "", False if wrong else None, wrong)
    return Figure(SUITE, what, figure, None, f">= {SHARE:.0%}", share >= SHARE and not wrong, wrong or value)


def _share_estimated(place: Place, gate: Gate, paths: list[str], model: str) -> Figure:
    """Return how many files pass of those whose most likely count fits a window of 200,000, by an estimated model."""
    window = WINDOWS[0][0]
    entry = find_model(model)
    vocabulary = find_vocabulary(entry.tokenizer if entry else "estimate")
    room, fitting, refused = available(window, 0), 0, []
    for path in paths:
        estimate = estimate_tokens(text_of(place.data(path)), vocabulary)
        if estimate.tokens <= room:
            fitting += 1
            if gate.admit(place.data(path), window, tokenizer=vocabulary.name).result not in ("raw", "tight"):
                size = f"{estimate.tokens:,} tokens, at most {estimate.high:,}"
                refused.append(f"{path}: {size}, where {room:,} are free")
    share = 1 - len(refused) / fitting
    what = f"tool outputs in a window of {window:,}, as estimated for {model}"
    figure = f"{share:.1%} ({fitting - len(refused)} of {fitting} that are likely to fit) pass"
    return Figure(SUITE, what, figure, None, f">= {ESTIMATED_SHARE:.0%}", share >= ESTIMATED_SHARE, refused)
