"""Two pages of one conversation, the earlier and the new, made one."""

import re
from collections.abc import Collection, Iterator, Sequence

from ctxkit.core.context.limits import apply_limits, bullet_key
from ctxkit.core.context.rules import is_rule
from ctxkit.core.context.sentences import split_sentences
from ctxkit.core.context.template import MAX_BULLETS, Section, SummaryPage, normalize_line

LIST_LABELS = ("Changed", "Removed", "Moved", "Read", "Done", "Changed before", "Read before")
"""Labels of bullets that list many things."""
_LIST_BULLET = re.compile(rf"({'|'.join(LIST_LABELS)})(?: in (\S+/))?: (.+?)(?: and others)?\.$", re.DOTALL)
_COMMAND = re.compile(r"`([^`]+)`")
_ATTEMPT = re.compile(r"(?:[\w.-]+ ){0,2}`[^`]+`")
"""What an error begins with: the command, or the tool and what it was given."""
_STATE = re.compile(r" \((?:in progress|no result yet)\)$")
_NUMBER = re.compile(r"\b[0-9a-f]{7,40}\b|\d+(?:[.,]\d+)*")
MIN_CONTAINED = 16
"""Letters and digits of a bullet that is said where another holds it."""
_SUCCESS = re.compile(r": .*\b(?:passed|passes|passing|ok|OK)\b| (?:passed|ran)$")


def merge_pages(earlier_page: SummaryPage, new_page: SummaryPage) -> SummaryPage:
    """Return what both pages say, within the limits, the new one being right where they differ.

    What is done leaves Pending; of two facts about one command, path or number the newer stands; errors get the
    resolution that the new page tells; lists of paths are joined. Where there is too much, the oldest falls first,
    rules of the user last. Extra sections and lines of either stay. Merging the same page again changes nothing.
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
    """Return what of an earlier page still holds, and is not said by the new one."""
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
    """Return what failed, as an error begins with it."""
    match = _ATTEMPT.match(error)
    return match[0] if match else find_subject(error)


def _bullet_state_key(bullet: str) -> str:
    return bullet_key(_STATE.sub("", bullet))


def _find_unsaid(
    section: Section, earlier_page: SummaryPage, new_page: SummaryPage, excluded: Collection[str] = ()
) -> Iterator[str]:
    """Yield the bullets of a section that are not ``excluded`` and not on the new page; joint bullets are split."""
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
    """Return what stands together in a bullet, as it does where a section was full."""
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
    """Return the label of a bullet that lists things, and the things; no label for any other bullet."""
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
    """Return a bullet that lists things with those of the same label in other bullets, its own first."""
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
    """Yield facts with the lists of one label made one."""
    seen: set[str] = set()
    for at, bullet in enumerate(facts):
        label = parse_list(bullet)[0]
        if not label:
            yield bullet
        elif label not in seen:
            seen.add(label)
            yield merge_lists(bullet, facts[at + 1 :])


def find_subject(bullet: str) -> str:
    """Return what a fact is about: the label of a list, the command it begins with, else its words without numbers."""
    if label := parse_list(bullet)[0]:
        return f"{label}:"
    if match := _COMMAND.match(bullet):
        return match[0]
    bare = _NUMBER.sub("#", normalize_line(bullet).lower())
    return bare if "#" in bare else ""


def resolve_error(error: str, new_page: SummaryPage) -> str:
    """Return an error with its resolution where the new page tells that its command passed."""
    match = _COMMAND.match(error)
    if not match or re.search(r"; (?:passed|passes|the next edit)", error):
        return error
    passed = any(fact.startswith(match[0]) and _SUCCESS.match(fact[len(match[0]) :]) for fact in new_page.facts)
    return f"{error}; passed later" if passed else error


def _put_rules_first(bullets: Sequence[str]) -> list[str]:
    """Return bullets with the rules of the user first, in order."""
    return sorted(bullets, key=lambda bullet: not is_rule(bullet))


def _keep_latest(bullets: Sequence[str]) -> tuple[str, ...]:
    """Return the bullets that a section may have: the oldest that is no rule falls first, then the oldest."""
    kept = list(dict.fromkeys(bullets))
    while len(kept) > MAX_BULLETS:
        kept.pop(next((at for at, bullet in enumerate(kept) if not is_rule(bullet)), 0))
    return tuple(kept)
