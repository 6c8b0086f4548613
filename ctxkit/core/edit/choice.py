"""Which messages may be taken out together: a range that leaves what the API of the format accepts."""

from collections.abc import Iterator
from itertools import pairwise, product

from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.pairing import side
from ctxkit.core.chat.record import Record
from ctxkit.core.compact.joints import joints
from ctxkit.core.edit.numbered import Numbered, stays
from ctxkit.core.span import Span
from ctxkit.core.trouble import Misuse, NotHeld

REACH = 4
"""Groups of messages by which a range is widened at most, on either side, to find one that may go."""
Range = tuple[int, int]
"""The first and last number of some messages, 1-based and inclusive."""


def chosen(found: Numbered, span: Span, *, expand: bool, replaced: bool = False) -> Range:
    """Return the range of messages that a span means, wider where it must be and may: ``expand``.

    With ``replaced`` something else will stand in its place. Raises NotHeld where the range begins beyond the end,
    Misuse where it may not go: with what has to stay, or without what belongs to it, naming the range that may.
    """
    first, last = _within(span, len(found.path))
    _check(found, first, last)
    wider = _wider(found, first, last, replaced=replaced)
    if wider == (first, last):
        return wider
    if wider is None:
        what = "nothing would be left" if _empties(found, first, last) else "the rest is no valid conversation"
        raise Misuse(f"without messages {spelled(first, last)} {what}", hint="ctxkit edit list shows which may go")
    if expand:
        return wider
    splits = _splits(found, first, last)
    why = "splits a call from its result, or a response" if splits else "leaves the wrong one to speak next"
    hint = f"messages {spelled(*wider)} may go together: --expand takes them"
    raise Misuse(f"the range {spelled(first, last)} {why}", hint=hint)


def spelled(first: int, last: int) -> str:
    """Return a range as it is given on a command line."""
    return f"{first}:{last}"


def _within(span: Span, total: int) -> Range:
    first, last = span.within(total)
    if first > total:
        raise NotHeld(f"messages from {first:,}: there {'is' if total == 1 else 'are'} {total:,}")
    return first, last


def _check(found: Numbered, first: int, last: int) -> None:
    for number in range(first, last + 1):
        if why := stays(found.path[number - 1]):
            raise Misuse(f"message {number} {why}", hint="ctxkit edit list shows which ranges may be taken out")


def _empties(found: Numbered, first: int, last: int) -> bool:
    return all(side(record) == "system" for record in (*found.path[: first - 1], *found.path[last:]))


def _splits(found: Numbered, first: int, last: int) -> bool:
    ends = {end for group in _groups(found) for end in group}
    return not {first - 1, last} <= ends


def _groups(found: Numbered) -> list[Range]:
    """Return the messages that stay or go together, as 0-based ranges whose end is exclusive."""
    places = joints(found.path, found.transcript.format.RULES)[:-1]
    cuts = [*(at for at, joint in enumerate(places) if joint == "free"), len(found.path)]
    return list(pairwise(cuts))


def _wider(found: Numbered, first: int, last: int, *, replaced: bool) -> Range | None:
    """Return the smallest range around one that may go, None where there is none near."""
    all_ = _groups(found)
    inside = [number for number, (start, end) in enumerate(all_) if start < last and end > first - 1]
    if not inside:
        return None
    for left, right in _steps(inside[0], len(all_) - 1 - inside[-1]):
        start, end = all_[inside[0] - left][0], all_[inside[-1] + right][1]
        if any(map(stays, found.path[start:end])):
            continue
        if replaced or _joins(found.path, start, end, found.transcript.format.RULES):
            return start + 1, end
    return None


def _steps(before: int, after: int) -> Iterator[tuple[int, int]]:
    """Yield by how many groups to widen a range on both sides, the smallest first, forwards before backwards."""
    steps = product(range(min(before, REACH) + 1), range(min(after, REACH) + 1))
    yield from sorted(steps, key=lambda step: (sum(step), step[0]))


def _joins(path: tuple[Record, ...], start: int, end: int, rules: Rules) -> bool:
    """Tell whether what stands before and after a range may stand next to each other."""
    before = next((side(record) for record in reversed(path[:start]) if _counts(record, rules)), "")
    after = next((side(record) for record in path[end:] if _counts(record, rules)), "")
    if not before and not after:
        return False  # nothing would be left
    if rules.opens and not before and after == "assistant":
        return False
    return not (rules.alternates and before == after)


def _counts(record: Record, rules: Rules) -> bool:
    """Tell whether it matters who sent a message."""
    if side(record) == "system":
        return False
    return rules.layout == "next" or not rules.alternates or not (record.calls or record.results)
