"""Merging of an earlier page and a new page of one conversation."""

import re
from collections.abc import Collection, Iterator, Sequence

from ctxkit.core.summary.demands import is_demand, is_standing_rule
from ctxkit.core.summary.template import MAX_BULLETS, Section, SummaryPage, apply_limits, bullet_key

LIST_LABELS = ("Changed", "Removed", "Moved", "Read", "Done", "Changed before", "Read before")
"""Labels of list bullets; those other than Changed stand in pages of earlier versions."""
_LIST_BULLET = re.compile(rf"({'|'.join(LIST_LABELS)})(?: in ([^:\n]*/))?: (.+?)(?: and others)?\.$", re.DOTALL)
_ATTEMPT = re.compile(r"(?:[\w.-]+ ){0,2}`[^`]+`")
"""The beginning of a bullet about a command, or about a tool and its target."""
_SUCCESS = re.compile(r": .*\b(?:passed|passes|passing|ok|OK)\b| (?:passed|ran)$")


def merge_pages(earlier_page: SummaryPage, new_page: SummaryPage) -> SummaryPage:
    """Return both pages merged within the limits; the new page wins if they differ.

    Finished work leaves Pending. Of two facts or errors about one command, the newer one stays. Errors get the
    resolution from the new page, and lists of paths are joined. In a full section, the oldest bullets are dropped first
    and the user's rules last. Extra sections and lines stay. A second merge of the same page changes nothing.
    """
    kept_page = carry_over(earlier_page, new_page)
    decisions = sorted([*kept_page.decisions, *new_page.decisions], key=lambda bullet: not is_demand(bullet))
    facts: dict[str, str] = {}
    for bullet in new_page.facts:
        key = parse_list(bullet)[0] or bullet
        own = (bullet,) if key in facts else ()
        facts[key] = merge_lists(facts.get(key, bullet), (*own, *earlier_page.facts))
    page = SummaryPage(
        task=new_page.task or earlier_page.task,
        decisions=_keep_latest(decisions),
        facts=tuple([*facts.values(), *kept_page.facts][:MAX_BULLETS]),
        pending=tuple([*new_page.pending, *kept_page.pending][:MAX_BULLETS]),
        errors=_keep_latest([*kept_page.errors, *new_page.errors]),
        done=tuple(dict.fromkeys((*earlier_page.done, *new_page.done))),
        extra=tuple(dict.fromkeys((*earlier_page.extra, *new_page.extra))),
    )
    return apply_limits(page)


def carry_over(earlier_page: SummaryPage, new_page: SummaryPage) -> SummaryPage:
    """Return the bullets of an earlier page that still hold and that the new page does not contain."""
    finished = {bullet_key(item) for item in (*new_page.done, *earlier_page.done)}
    return earlier_page._replace(
        decisions=tuple(_find_unsaid("Decisions", earlier_page, new_page)),
        facts=tuple(_find_unsaid("Facts", earlier_page, new_page)),
        pending=tuple(_find_unsaid("Pending", earlier_page, new_page, finished)),
        errors=tuple(_resolve_error(item, new_page) for item in _find_unsaid("Errors", earlier_page, new_page)),
    )


def _find_unsaid(
    section: Section, earlier_page: SummaryPage, new_page: SummaryPage, finished: Collection[str] = ()
) -> Iterator[str]:
    """Yield the bullets of a section that are not ``finished``, and about which the new page says nothing."""
    bullets = new_page.bullets(section)
    keys = {bullet_key(bullet) for bullet in bullets} | set(finished)
    subjects = {subject for bullet in bullets if (subject := _find_subject(bullet))} if section != "Decisions" else ()
    for bullet in earlier_page.bullets(section):
        if bullet_key(bullet) not in keys and _find_subject(bullet) not in subjects:
            yield bullet


def parse_list(bullet: str) -> tuple[str, list[str]]:
    """Return the label and the elements of a list bullet; the label is empty for any other bullet."""
    match = _LIST_BULLET.match(bullet)
    if not match:
        return "", []
    parts, folder = [part.strip() for part in match[3].split(", ")], match[2] or ""
    return match[1], [part if part.startswith(("/", "~")) else f"{folder}{part}" for part in parts if part]


def merge_lists(bullet: str, others: Sequence[str]) -> str:
    """Return a list bullet extended by the elements of other bullets with the same label."""
    label, things = parse_list(bullet)
    same = [other for other in others if label and parse_list(other)[0] == label]
    if not same:
        return bullet
    elements = dict.fromkeys([*things, *(thing for other in same for thing in parse_list(other)[1])])
    suffix = " and others" if any(line.endswith(" and others.") for line in (bullet, *same)) else ""
    return f"{label}: {', '.join(elements)}{suffix}."


def _find_subject(bullet: str) -> str:
    """Return what a bullet is about: the label of a list, or the command at its beginning; empty for any other."""
    if label := parse_list(bullet)[0]:
        return f"{label}:"
    match = _ATTEMPT.match(bullet)
    return match[0] if match else ""


def _resolve_error(error: str, new_page: SummaryPage) -> str:
    """Return an error with its resolution if the new page says that its command passed."""
    subject = _find_subject(error)
    if not subject or re.search(r"; (?:passed|passes|edited)", error):
        return error
    passed = any(fact.startswith(subject) and _SUCCESS.match(fact[len(subject) :]) for fact in new_page.facts)
    return f"{error}; passed later" if passed else error


def _keep_latest(bullets: Sequence[str]) -> tuple[str, ...]:
    """Return the bullets that fit a section; the oldest are dropped first, rules later, standing rules last."""
    kept = list(dict.fromkeys(bullets))
    order = sorted(range(len(kept)), key=lambda at: (is_demand(kept[at]) + is_standing_rule(kept[at]), at))
    dropped = frozenset(order[: max(len(kept) - MAX_BULLETS, 0)])
    return tuple(bullet for at, bullet in enumerate(kept) if at not in dropped)
