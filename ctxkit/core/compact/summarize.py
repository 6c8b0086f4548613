"""The second stage: the older part leaves, and a page stands in for it."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from ctxkit.core.chat.message import Message, Part
from ctxkit.core.chat.record import Record
from ctxkit.core.compact.draft import Case, Draft, Page, front
from ctxkit.core.compact.joints import joints
from ctxkit.core.compact.lead import earlier, instructs, is_summary
from ctxkit.core.compact.policy import SUMMARY_CAP
from ctxkit.core.compact.seating import seams_right, seatable
from ctxkit.core.compact.writing import Write, continued, pinned
from ctxkit.core.context.extract.requests import requests
from ctxkit.core.context.matter import Matter
from ctxkit.core.context.summary import framed
from ctxkit.core.context.template import render

WORTHWHILE = 0.5
"""Share of what a cut inside a loop of calls would keep, below which a cut outside of any is not preferred."""
LONGEST = 0.5
"""Share of what is kept of the newest messages that a single one may take: a longer one can still be shortened."""
HOPELESS = 4
"""Times the effective window above which the newest messages are taken to be too large to be shortened."""
SMALLEST = 180
"""Tokens of a summary at least, with its frame, however little room there is."""
FRAME = 60
"""Tokens of what stands around a page: the mark, the way back, its message."""


class Cut(NamedTuple):
    """Hold a place where the older part may end, what stays of it, and the size of what is left: its tail, and all."""

    at: int
    inside: bool
    stay: frozenset[int]
    tail: int
    size: int


def summarize(case: Case, draft: Draft, write: Write, ref: str, memo: str) -> Draft:
    """Return the draft with a page in place of the older part, unchanged where there is no older part.

    ``ref`` names what is stored of it, ``memo`` is a page from elsewhere that the new one continues.
    """
    cut = _chosen(case, draft)
    if cut is None:
        return draft
    dropped = {
        record.at: "earlier summary" if is_summary(record) else "summarized"
        for at, record in enumerate(case.path)
        if at < cut.at and at not in cut.stay
    }
    if all(reason == "earlier summary" for reason in dropped.values()):
        return draft
    page = page_of(case, cut.at, write, ref, memo, cut.size)
    return draft._replace(dropped={**draft.dropped, **dropped}, page=page)


def page_of(case: Case, cut: int, write: Write, ref: str, memo: str, size: int) -> Page:
    """Return the page of a conversation whose first ``cut`` messages leave; ``size`` is what the others take."""
    policy = case.policy
    most = max(policy.effective - size, SMALLEST)
    target = max(min(SUMMARY_CAP, policy.goal - size), min(policy.page, most)) - FRAME
    before = continued(memo, earlier(case.path, case.leads))
    made = write(Matter(case.path, cut, before, case.policy.pins, target, case.balance.size))
    context = pinned(made.context, case.policy.pins)
    text = framed(render(context), ref)
    role = case.policy.role or case.transcript.format.RULES.summary
    cost = case.balance.row(Message(role, (Part("text", text),))).amount.high
    key = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Page(text, key, made._replace(context=context), cost)


def last_request(case: Case) -> int:
    """Return the place in the path of what the user asked for last, -1 where there is nothing."""
    found = requests(case.path)
    return found[-1].at if found else -1


def _chosen(case: Case, draft: Draft) -> Cut | None:
    """Return the cut that keeps the most of what may be kept, else the one that keeps the least."""
    cuts = list(_cuts(case, draft))
    if not cuts:
        return None
    explicit = case.policy.last is not None or case.policy.recent is not None
    if case.policy.last is not None:
        wanted = len(case.path) - case.policy.last
        return max((cut for cut in cuts if cut.at <= wanted), key=lambda cut: (cut.at, not cut.inside), default=None)
    within = [
        cut
        for cut in cuts
        if cut.at < len(case.path)
        and cut.tail <= case.policy.kept and (explicit or cut.size + case.policy.page <= case.policy.goal)
    ]
    if not within:
        return _least(case, cuts)
    widest = max(within, key=lambda cut: cut.tail)
    outside = max((cut for cut in within if not cut.inside), key=lambda cut: cut.tail, default=None)
    return outside if outside is not None and outside.tail >= WORTHWHILE * widest.tail else widest


def _least(case: Case, cuts: Sequence[Cut]) -> Cut:
    """Return the cut that keeps the least, but for the newest messages, where they can still be shortened to fit."""
    some = [cut for cut in cuts if cut.at < len(case.path)]
    least = min(some or cuts, key=lambda cut: (cut.size, cut.inside))
    return least if least.size <= HOPELESS * case.policy.effective else min(cuts, key=lambda cut: cut.size)


def _cuts(case: Case, draft: Draft) -> Iterator[Cut]:
    """Yield every place where the older part may end and the API takes what is left, with a summary before it."""
    path, begin, asked = case.path, front(case.path), last_request(case)
    costs = [_cost(case, draft, record) for record in path]
    always = frozenset(at for at, record in enumerate(path) if instructs(record) or record.sealed)
    with_request = always | {asked}
    places = joints(path, case.transcript.format.RULES)
    fits = _seated(case, with_request)
    tail, size = 0, case.fixed + sum(costs[at] for at in always if at != asked)
    for at in range(len(path), begin, -1):
        if at < len(path):
            tail += costs[at]
            size += costs[at] if at == asked or at not in always else 0
        old = begin <= asked < at
        if places[at] == "closed" or (at == len(path) and not old):
            continue
        if fits(at):
            stay = with_request if old else always
            yield Cut(at, places[at] == "loop", stay, tail, size + (costs[asked] if old else 0))


def _cost(case: Case, draft: Draft, record: Record) -> int:
    """Return what a message takes, where it is very long no more than it does once it is shortened."""
    cost = case.balance.cost(record) - gained(draft, record.at)
    long = "truncate" in case.policy.stages and (record.passages or record.results) and not record.sealed
    return min(cost, max(int(LONGEST * case.policy.kept), 1)) if long and not instructs(record) else cost


def _seated(case: Case, stay: Iterable[int]) -> Callable[[int], bool]:
    """Return what tells whether the messages that stay before a cut may stand beside those that follow it.

    A summary goes before them. What holds of all cuts is found out once: each message may be a place to cut.
    """
    path, rules = case.path, case.transcript.format.RULES
    begin = front(path)
    talk = [(at, path[at]) for at in sorted(stay) if at >= begin and not instructs(path[at])]
    places = [at for at, _ in talk]
    right = next((end for end in range(1, len(talk)) if not seams_right(talk[end - 1 : end + 1], rules)), len(talk))

    def fits(cut: int) -> bool:
        before = bisect_left(places, cut)
        following = [(cut, path[cut])] if cut < len(path) and not instructs(path[cut]) else []
        seam = [*talk[max(before - 1, 0) : before], *following]
        first = talk[0] if before else next(iter(following), None)
        return before <= right and seams_right(seam, rules) and seatable(case, first[1] if first else None)

    return fits


def gained(draft: Draft, at: int) -> int:
    """Return what was shortened in an entry, in tokens."""
    return sum(edit.gain for edit in draft.shortened.get(at, {}).values())
