"""The suite ``det``: what kind of content an input is, without its name and with it.

Truth is where an input comes from (``python -m bench.brief.inputs`` gathers them) and, of traps, what they were made
as.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence

from bench.brief.inputs import Input, inputs
from bench.brief.traps import traps, variants
from bench.doors import count
from bench.figure import Figure
from bench.place import Place
from ctxkit.core.brief import kind_detection
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines

SUITE = "brief det"
NAMELESS, NAMED = 0.95, 0.99
"""Least shares that are right."""


def kind_of(item: Input, *, named: bool) -> str:
    """Return the kind that an input is taken for."""
    data = item.data
    document = InputDocument(
        lines.lines_from_bytes(data), lambda at, size: data[at : at + size], count, 2_000, name=item.name * named
    )
    return kind_detection.rank_kinds(document)[0][0].NAME


def list_known(item: Sequence[Input]) -> list[Input]:
    """Return the inputs of kinds that there are: one that names no kind here is plain text, which any may be."""
    names = {kind.NAME for kind in kind_detection.all_kinds()}
    return [case for case in item if set(case.kinds) & names]


def all_inputs() -> list[Input]:
    """Return what was gathered, the traps, and the variants of the former."""
    gathered = list(inputs())
    return list_known([*gathered, *traps(), *variants(gathered)])


def figures(place: Place) -> Iterator[Figure]:
    """Yield shares for inputs that were looked at while rules were written, for those held out, and for traps."""
    del place
    result = all_inputs()
    if not any(not case.trap for case in result):
        note = "there are no inputs; python -m bench.brief.inputs gathers them"
        yield Figure(SUITE, "inputs", "skipped", notes=(note,))
    for held_out in (False, True):
        half = [case for case in result if case.held_out == held_out and not case.trap]
        which = "held out" if held_out else "tuned on"
        yield _figure(f"without names, {which}", half, NAMELESS, named=False)
        yield _figure(f"with names, {which}", [case for case in half if case.name], NAMED, named=True)
    yield _figure("traps", [case for case in result if case.source.startswith("trap ")], 1.0, named=False)
    turned = [case for case in result if case.trap and not case.source.startswith("trap ")]
    yield _figure("with other line ends, colours, without the beginning", turned, NAMELESS, named=False)


def _figure(what: str, item: Sequence[Input], least: float, *, named: bool) -> Figure:
    began = time.process_time()
    wrong = list(_wrong(item, named=named))
    spent = (time.process_time() - began) * 1000 / max(len(item), 1)
    share = 1 - len(wrong) / max(len(item), 1)
    figure = f"{share:.3f} ({len(item) - len(wrong)} of {len(item)}), {spent:.1f} ms each"
    counts = Counter(f"{case.kinds[0]} taken for {got}" for case, got in wrong)
    return Figure(
        SUITE, what, figure, None, f">= {least}", share >= least, [f"{k} {n}x" for k, n in counts.most_common()]
    )


def _wrong(item: Sequence[Input], *, named: bool) -> Iterator[tuple[Input, str]]:
    for entry in item:
        got = kind_of(entry, named=named)
        if got not in entry.kinds:
            yield entry, got
