"""Candidates for labelling: ``python -m bench.lint.sampling CLONES OUT`` writes pairs of statements to be judged.

The method is plain and no detector's: the share of words or of letter triples that two statements have in common.
Pairs are drawn in layers of that share, so that hard ones are there, at most a few of each repository in a layer.
"""

import json
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from bench.lint.loads import loads, together
from bench.lint.sources import Source, sources
from bench.lint.units import Unit, normal, units, words

LAYERS = (0.3, 0.42, 0.54, 0.66, 0.78, 0.9)
"""Where the layers of likeness begin."""
EACH = 70
"""Pairs wanted of each layer."""
MOST = 5
"""Pairs of one repository in a layer."""
COMMON = 60
"""A word in more statements than this leads to no candidates."""
SEED = 20260917


@dataclass(frozen=True)
class Said:
    """Hold a statement with its file and the words and letter triples it is compared by."""

    path: str
    unit: Unit
    normal: str
    words: Counter[str]
    triples: Counter[str]


def likeness(item: Said, other: Said) -> float:
    """Return the larger of two shares: of words (Jaccard) and of letter triples (Dice)."""
    shared = (item.words & other.words).total() / max(1, (item.words | other.words).total())
    dice = 2 * (item.triples & other.triples).total() / max(1, item.triples.total() + other.triples.total())
    return max(shared, dice)


def describe(path: str, text: str) -> Iterator[Said]:
    """Yield the statements of a file that have at least five words."""
    for unit in units(text):
        plain = normal(unit.text)
        if len(words(unit.text)) >= 5:
            triples = Counter(plain[place : place + 3] for place in range(len(plain) - 2))
            yield Said(path, unit, plain, Counter(words(unit.text)), triples)


def candidates(files: dict[str, str]) -> Iterator[tuple[float, Said, Said]]:
    """Yield pairs that some agent loads together, that share a rare word and are not the same."""
    sets = loads(files)
    everything = [item for path, text in sorted(files.items()) for item in describe(path, text)]
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for number, item in enumerate(everything):
        for word in item.words:
            by_word[word].append(number)
    pairs = {pair for value in by_word.values() if len(value) <= COMMON for pair in combinations(value, 2)}
    for first, second in sorted(pairs):
        item, other = everything[first], everything[second]
        if item.normal != other.normal and together(sets, item.path, other.path):
            score = likeness(item, other)
            if score >= LAYERS[0]:
                yield score, item, other


def layer(score: float) -> int:
    """Return the number of the layer of a score."""
    return sum(score >= start for start in LAYERS) - 1


def draw(rows: list[tuple[Source, float, Said, Said]]) -> list[tuple[Source, float, Said, Said]]:
    """Return a sample: no statement twice, so many of each layer, few of each repository in it."""
    chance = random.Random(SEED)
    chance.shuffle(rows)
    sizes: Counter[int] = Counter()
    shares: Counter[tuple[int, str]] = Counter()
    seen: set[str] = set()
    kept = []
    for source, score, item, other in rows:
        deep = layer(score)
        if sizes[deep] >= EACH or shares[deep, source.repo] >= MOST or {item.normal, other.normal} & seen:
            continue
        sizes[deep] += 1
        shares[deep, source.repo] += 1
        seen |= {item.normal, other.normal}
        kept.append((source, score, item, other))
    return kept


def main() -> int:
    """Write the sample as JSONL, with the texts: it is for the one who labels, and is not kept."""
    clones, out = sys.argv[1:]
    items = []
    for source in sources(os.environ.get("CTXKIT_CORPORA"), clones):
        items += [(source, *candidate) for candidate in candidates(source.files())]
        print(source.repo, len(items), file=sys.stderr)
    with open(out, "w", encoding="utf-8") as file:
        for source, score, item, other in draw(items):
            sides = [
                {"path": s.path, "line": s.unit.line, "end_line": s.unit.end_line, "text": s.unit.text}
                for s in (item, other)
            ]
            row = {"repo": source.repo, "commit": source.commit, "from": source.kind, "score": round(score, 3)}
            file.write(json.dumps(row | {"sides": sides}, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
