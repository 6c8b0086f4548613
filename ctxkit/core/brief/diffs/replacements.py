"""The word that most of the replaced lines of a diff change, and the lines that change something else."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from ctxkit.core.brief.generic.replaced_lines import Replacement, find_replacements
from ctxkit.core.brief.outline import Section, quote
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.quantity import pluralize

LEAST_PAIRS, LEAST_SHARE = 10, 0.6
"""Number of pairs, and share of them, that change one word in the same way before the others are listed."""
MAX_LISTED = 8
"""Number of other pairs that are quoted; of more, the change is no rename with exceptions."""
FIRST, LATER = 2, 500
"""Number of other pairs that precede the files, and the rank of the later ones: which files change matters more."""
MAX_PAIRS = 50_000
"""Number of pairs that are compared; of a larger diff, nothing is said."""


def make_exceptions(lines: IndexedLines) -> Section:
    """Return a section with the pairs that change more than the word that most pairs change, empty if there is none."""
    pairs = list(islice(find_replacements(lines.enumerate_lines()), MAX_PAIRS + 1))
    changes = [pair.find_words() for pair in pairs]
    counts = Counter(next(iter(words)) for words in changes if words and len(words) == 1)
    (old, new), count = next(iter(counts.most_common(1)), (("", ""), 0))
    usual = frozenset({(old, new)})
    others = [pair for pair, words in zip(pairs, changes, strict=True) if words != usual]
    if count < max(LEAST_PAIRS, LEAST_SHARE * len(pairs)) or not others or len(pairs) > MAX_PAIRS:
        return Section("", ())
    title = f"Of {len(pairs):,} replaced lines, {count:,} change only `{old}` to `{new}`; {_describe(others)}"
    shown = others[:MAX_LISTED]
    rows = [
        quote(*row, rank=1 if place < FIRST else LATER)
        for place, pair in enumerate(shown)
        for row in ((pair.old, f"-{pair.before}"), (pair.new, f"+{pair.after}"))
    ]
    return Section(title, tuple(rows), noun="lines")


def _describe(others: Sequence[Replacement]) -> str:
    verb = "does" if len(others) == 1 else "do"
    return f"{pluralize(len(others), 'line')} {verb} not"
