"""Candidates for quotation: all lines of a short text; of a longer one, its ends, trouble, rare forms, and a sample."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from ctxkit.core.brief.generic.forms import LineForms

END_SHARE, TROUBLE_SHARE, RARE_SHARE = 10, 20, 30
"""Percentage of the candidates from each end of a long text, by severity of trouble, and of the rarest forms."""
SAMPLED_FORMS = 16
"""Number of forms for each candidate that are sorted by their rarity."""


def list_candidates(forms: LineForms, most: int) -> list[int]:
    """Return the numbers of at most ``most`` lines that are not blank, in order."""
    total = forms.total
    if total <= most:
        numbers = set(range(1, total + 1))
    else:
        end = most * END_SHARE // 100
        numbers = {*range(1, end + 1), *range(total + 1 - end, total + 1)}
        numbers.update(_iter_trouble(forms, most * TROUBLE_SHARE // 100))
        numbers.update(islice(_iter_rare(forms, most), most * RARE_SHARE // 100))
        left = most - len(numbers)
        numbers.update(1 + total * place // left for place in range(left))
    return sorted(number for number in numbers if forms.form_of(number))


def _iter_trouble(forms: LineForms, most: int) -> Iterator[int]:
    """Yield the first lines that state trouble, the most severe first."""
    groups: dict[int, list[int]] = {}
    for number, severity in forms.iter_trouble():
        group = groups.setdefault(severity, [])
        if len(group) < most:
            group.append(number)
    yield from islice((number for severity in sorted(groups, reverse=True) for number in groups[severity]), most)


def _iter_rare(forms: LineForms, most: int) -> Iterator[int]:
    """Yield the first line of each form, those of rare shapes first; of each shape, the rarest form first."""
    sizes = [forms.shape_counts[shape] for shape in forms.shapes]
    ids = sorted(range(1, len(forms.counts)), key=lambda form: (sizes[form], forms.counts[form]))
    places = Counter[int]()
    keys = []
    for form in ids[: most * SAMPLED_FORMS]:
        places[forms.shapes[form]] += 1
        keys.append((sizes[form] * places[forms.shapes[form]], forms.counts[form], forms.firsts[form]))
    return (first for _, _, first in sorted(keys))
