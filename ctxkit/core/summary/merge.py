"""Merging of an earlier page and a new page of one conversation."""

import re
from collections.abc import Collection, Iterator, Sequence

from ctxkit.core.summary.demands import is_demand, is_standing_rule
from ctxkit.core.summary.limits import apply_limits, bullet_key
from ctxkit.core.summary.sentences import split_sentences
from ctxkit.core.summary.template import MAX_BULLETS, Section, SummaryPage, normalize_line

LIST_LABELS = ("Changed", "Removed", "Moved", "Read", "Done", "Changed before", "Read before")
"""Labels of list bullets."""
_LIST_BULLET = re.compile(rf"({'|'.join(LIST_LABELS)})(?: in (\S+/))?: (.+?)(?: and others)?\.$", re.DOTALL)
_COMMAND = re.compile(r"`([^`]+)`")
_ATTEMPT = re.compile(r"(?:[\w.-]+ ){0,2}`[^`]+`(?: running `[^`]+`)?")
"""The beginning of an error bullet: the command, or the tool and its target."""
_STATE = re.compile(r" \((?:in progress|no result yet)\)$")
_NUMBER = re.compile(r"\b[0-9a-f]{7,40}\b|\d+(?:[.,]\d+)*")
MIN_CONTAINED = 16
"""Minimum letters and digits for a bullet to count as repeated inside another one."""
_SUCCESS = re.compile(r": .*\b(?:passed|passes|passing|ok|OK)\b| (?:passed|ran)$")


def merge_pages(earlier_page: SummaryPage, new_page: SummaryPage) -> SummaryPage:
    """Return both pages merged within the limits; the new page wins if they differ.

    Finished work leaves Pending. Of two facts about one command, path or number, the newer one stays. Errors get the
    resolution from the new page, and lists of paths are joined. In a full section, the oldest bullets are dropped first
    and the user's rules last. Extra sections and lines stay. A second merge of the same page changes nothing.
    """
    kept_page = carry_over(earlier_page, new_page)
    facts = [merge_lists(bullet, earlier_page.facts) for bullet in _unite_lists(new_page.facts)]
    page = SummaryPage(
        task=new_page.task or earlier_page.task,
        decisions=_keep_latest(_put_rules_first([*kept_page.decisions, *new_page.decisions])),
        facts=tuple([*facts, *kept_page.facts][:MAX_BULLETS]),
        pending=tuple([*new_page.pending, *kept_page.pending][:MAX_BULLETS]),
        errors=_keep_latest([*kept_page.errors, *new_page.errors]),
        done=tuple(dict.fromkeys((*earlier_page.done, *new_page.done))),
        extra=tuple(dict.fromkeys((*earlier_page.extra, *new_page.extra))),
    )
    return apply_limits(page)


def carry_over(earlier_page: SummaryPage, new_page: SummaryPage) -> SummaryPage:
    """Return the valid bullets of an earlier page that the new page does not contain."""
    finished = {_bullet_state_key(item) for item in (*new_page.done, *earlier_page.done, *_find_finished(new_page))}
    subjects = {subject for bullet in new_page.facts if (subject := find_subject(bullet))}
    failed = {attempt for bullet in new_page.errors if (attempt := _find_attempt(bullet))}
    pending = _find_unsaid("Pending", earlier_page, new_page, finished)
    errors = _find_unsaid("Errors", earlier_page, new_page)
    return earlier_page._replace(
        decisions=tuple(_find_unsaid("Decisions", earlier_page, new_page)),
        facts=tuple(
            item for item in _find_unsaid("Facts", earlier_page, new_page) if find_subject(item) not in subjects
        ),
        pending=tuple(pending),
        errors=tuple(resolve_error(item, new_page) for item in errors if _find_attempt(item) not in failed),
    )


def _find_attempt(error: str) -> str:
    """Return the failed attempt at the beginning of an error bullet."""
    match = _ATTEMPT.match(error)
    return match[0] if match else find_subject(error)


def _bullet_state_key(bullet: str) -> str:
    return bullet_key(_STATE.sub("", bullet))


def _find_unsaid(
    section: Section, earlier_page: SummaryPage, new_page: SummaryPage, excluded: Collection[str] = ()
) -> Iterator[str]:
    """Yield the bullets of a section that are neither ``excluded`` nor on the new page; shared bullets are split."""
    keys = {_bullet_state_key(bullet) for bullet in new_page.bullets(section)} | set(excluded)
    joined_keys = "\n".join(keys)
    for bullet in earlier_page.bullets(section):
        parts = _split_bullet(section, bullet) if _bullet_state_key(bullet) not in keys else [bullet]
        left = [
            part
            for part in parts
            if (key := _bullet_state_key(part)) not in keys and not (len(key) >= MIN_CONTAINED and key in joined_keys)
        ]
        yield from [bullet] if len(left) == len(parts) else left


def _split_bullet(section: Section, bullet: str) -> list[str]:
    """Return the parts of a shared bullet."""
    if section == "Decisions":
        return [part for sentence in split_sentences(bullet) for part in sentence.split("; ")]
    if section == "Facts":
        return [bullet]
    return re.split(rf"; (?={_ATTEMPT.pattern}[: ])" if section == "Errors" else "; ", bullet)


def _find_finished(page: SummaryPage) -> Iterator[str]:
    for bullet in page.facts:
        if bullet.startswith("Done: "):
            yield from parse_list(bullet)[1]


def parse_list(bullet: str) -> tuple[str, list[str]]:
    """Return the label and the elements of a list bullet; the label is empty for any other bullet."""
    match = _LIST_BULLET.match(bullet)
    if not match:
        return "", []
    separator = "; " if match[1] == "Done" else ", "
    parts = [part.strip() for part in match[3].split(separator)]
    folder = match[2] or ""
    return match[1], [
        f"{folder}{part}" if folder and not part.startswith(("/", "~")) else part for part in parts if part
    ]


def merge_lists(bullet: str, others: Sequence[str]) -> str:
    """Return a list bullet extended by the elements of other bullets with the same label."""
    label, things = parse_list(bullet)
    if not label:
        return bullet
    other_things = [thing for other in others if (parsed := parse_list(other))[0] == label for thing in parsed[1]]
    if not other_things:
        return bullet
    suffix = (
        " and others"
        if any(parse_list(other)[0] == label and other.endswith(" and others.") for other in (bullet, *others))
        else ""
    )
    return f"{label}: {('; ' if label == 'Done' else ', ').join(dict.fromkeys([*things, *other_things]))}{suffix}."


def _unite_lists(facts: Sequence[str]) -> Iterator[str]:
    """Yield facts with one list for each label."""
    seen: set[str] = set()
    for at, bullet in enumerate(facts):
        label = parse_list(bullet)[0]
        if not label:
            yield bullet
        elif label not in seen:
            seen.add(label)
            yield merge_lists(bullet, facts[at + 1 :])


def find_subject(bullet: str) -> str:
    """Return the subject of a fact: a list label, its leading command, or its text with numbers masked."""
    if label := parse_list(bullet)[0]:
        return f"{label}:"
    if match := _COMMAND.match(bullet):
        return match[0]
    bare = _NUMBER.sub("#", normalize_line(bullet).lower())
    return bare if "#" in bare else ""


def resolve_error(error: str, new_page: SummaryPage) -> str:
    """Return an error with its resolution if the new page says that its command passed."""
    match = _COMMAND.match(error)
    if not match or re.search(r"; (?:passed|passes|the next edit)", error):
        return error
    passed = any(fact.startswith(match[0]) and _SUCCESS.match(fact[len(match[0]) :]) for fact in new_page.facts)
    return f"{error}; passed later" if passed else error


def _put_rules_first(bullets: Sequence[str]) -> list[str]:
    """Return bullets in order, with the user's rules first."""
    return sorted(bullets, key=lambda bullet: not is_demand(bullet))


def _keep_latest(bullets: Sequence[str]) -> tuple[str, ...]:
    """Return the bullets that fit a section; the oldest are dropped first, rules later, standing rules last."""
    kept = list(dict.fromkeys(bullets))
    if len(kept) <= MAX_BULLETS:
        return tuple(kept)
    order = sorted(range(len(kept)), key=lambda at: (is_demand(kept[at]) + is_standing_rule(kept[at]), at))
    dropped = frozenset(order[: len(kept) - MAX_BULLETS])
    return tuple(bullet for at, bullet in enumerate(kept) if at not in dropped)
