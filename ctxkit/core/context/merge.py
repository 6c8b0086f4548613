"""Two pages of one conversation, the earlier and the new, made one."""

import re
from collections.abc import Collection, Iterator, Sequence

from ctxkit.core.context.limits import key_of, limited
from ctxkit.core.context.rules import is_rule
from ctxkit.core.context.sentences import sentences
from ctxkit.core.context.template import MOST, Context, Section, normal

LISTS = ("Changed", "Removed", "Moved", "Read", "Done", "Changed before", "Read before")
"""Labels of bullets that list many things."""
_LISTED = re.compile(rf"({'|'.join(LISTS)})(?: in (\S+/))?: (.+?)(?: and others)?\.$", re.DOTALL)
_COMMAND = re.compile(r"`([^`]+)`")
_TRIED = re.compile(r"(?:[\w.-]+ ){0,2}`[^`]+`")
"""What an error begins with: the command, or the tool and what it was given."""
_STATE = re.compile(r" \((?:in progress|no result yet)\)$")
_NUMBER = re.compile(r"\b[0-9a-f]{7,40}\b|\d+(?:[.,]\d+)*")
LONG = 16
"""Letters and digits of a bullet that is said where another holds it."""
_PASSED = re.compile(r": .*\b(?:passed|passes|passing|ok|OK)\b| (?:passed|ran)$")


def merge(earlier: Context, new: Context) -> Context:
    """Return what both pages say, within the limits, the new one being right where they differ.

    What is done leaves Pending; of two facts about one command, path or number the newer stands; errors get the
    resolution that the new page tells; lists of paths are joined. Where there is too much, the oldest falls first,
    rules of the user last. Extra sections and lines of either stay. Merging the same page again changes nothing.
    """
    held = carried(earlier, new)
    facts = [joined(bullet, earlier.facts) for bullet in _united(new.facts)]
    made = Context(
        task=new.task or earlier.task,
        decisions=_latest(_ruled([*held.decisions, *new.decisions])),
        facts=tuple([*facts, *held.facts][:MOST]),
        pending=tuple([*new.pending, *held.pending][:MOST]),
        errors=_latest([*held.errors, *new.errors]),
        done=tuple(dict.fromkeys((*earlier.done, *new.done))),
        extra=tuple(dict.fromkeys((*earlier.extra, *new.extra))),
    )
    return limited(made)


def carried(earlier: Context, new: Context) -> Context:
    """Return what of an earlier page still holds, and is not said by the new one."""
    finished = {_named(one) for one in (*new.done, *earlier.done, *_finished(new))}
    subjects = {subject for bullet in new.facts if (subject := subject_of(bullet))}
    failed = {tried for bullet in new.errors if (tried := _tried(bullet))}
    pending = _unsaid("Pending", earlier, new, finished)
    errors = _unsaid("Errors", earlier, new)
    return earlier._replace(
        decisions=tuple(_unsaid("Decisions", earlier, new)),
        facts=tuple(one for one in _unsaid("Facts", earlier, new) if subject_of(one) not in subjects),
        pending=tuple(pending),
        errors=tuple(resolved(one, new) for one in errors if _tried(one) not in failed),
    )


def _tried(error: str) -> str:
    """Return what failed, as an error begins with it."""
    found = _TRIED.match(error)
    return found[0] if found else subject_of(error)


def _named(bullet: str) -> str:
    return key_of(_STATE.sub("", bullet))


def _unsaid(section: Section, earlier: Context, new: Context, gone: Collection[str] = ()) -> Iterator[str]:
    """Yield what of a section is not ``gone``, and not in it on the new page; bullets of several are taken apart."""
    said = {_named(bullet) for bullet in new.bullets(section)} | set(gone)
    whole = "\n".join(said)
    for bullet in earlier.bullets(section):
        parts = _apart(section, bullet) if _named(bullet) not in said else [bullet]
        left = [part for part in parts if (key := _named(part)) not in said and not (len(key) >= LONG and key in whole)]
        yield from [bullet] if len(left) == len(parts) else left


def _apart(section: Section, bullet: str) -> list[str]:
    """Return what stands together in a bullet, as it does where a section was full."""
    if section == "Decisions":
        return [part for sentence in sentences(bullet) for part in sentence.split("; ")]
    if section == "Facts":
        return [bullet]
    return re.split(rf"; (?={_TRIED.pattern}[: ])" if section == "Errors" else "; ", bullet)


def _finished(context: Context) -> Iterator[str]:
    for bullet in context.facts:
        if bullet.startswith("Done: "):
            yield from listed(bullet)[1]


def listed(bullet: str) -> tuple[str, list[str]]:
    """Return the label of a bullet that lists things, and the things; no label for any other bullet."""
    found = _LISTED.match(bullet)
    if not found:
        return "", []
    separator = "; " if found[1] == "Done" else ", "
    parts = [part.strip() for part in found[3].split(separator)]
    folder = found[2] or ""
    return found[1], [
        f"{folder}{part}" if folder and not part.startswith(("/", "~")) else part for part in parts if part
    ]


def joined(bullet: str, others: Sequence[str]) -> str:
    """Return a bullet that lists things with those of the same label in other bullets, its own first."""
    label, things = listed(bullet)
    if not label:
        return bullet
    more = [thing for other in others if (found := listed(other))[0] == label for thing in found[1]]
    if not more:
        return bullet
    rest = (
        " and others"
        if any(listed(other)[0] == label and other.endswith(" and others.") for other in (bullet, *others))
        else ""
    )
    return f"{label}: {('; ' if label == 'Done' else ', ').join(dict.fromkeys([*things, *more]))}{rest}."


def _united(facts: Sequence[str]) -> Iterator[str]:
    """Yield facts with the lists of one label made one."""
    told: set[str] = set()
    for at, bullet in enumerate(facts):
        label = listed(bullet)[0]
        if not label:
            yield bullet
        elif label not in told:
            told.add(label)
            yield joined(bullet, facts[at + 1 :])


def subject_of(bullet: str) -> str:
    """Return what a fact is about: the label of a list, the command it begins with, else its words without numbers."""
    if label := listed(bullet)[0]:
        return f"{label}:"
    if found := _COMMAND.match(bullet):
        return found[0]
    bare = _NUMBER.sub("#", normal(bullet).lower())
    return bare if "#" in bare else ""


def resolved(error: str, new: Context) -> str:
    """Return an error with its resolution where the new page tells that its command passed."""
    found = _COMMAND.match(error)
    if not found or re.search(r"; (?:passed|passes|the next edit)", error):
        return error
    passed = any(fact.startswith(found[0]) and _PASSED.match(fact[len(found[0]) :]) for fact in new.facts)
    return f"{error}; passed later" if passed else error


def _ruled(bullets: Sequence[str]) -> list[str]:
    """Return bullets with the rules of the user first, in order."""
    return sorted(bullets, key=lambda bullet: not is_rule(bullet))


def _latest(bullets: Sequence[str]) -> tuple[str, ...]:
    """Return the bullets that a section may have: the oldest that is no rule falls first, then the oldest."""
    kept = list(dict.fromkeys(bullets))
    while len(kept) > MOST:
        kept.pop(next((at for at, bullet in enumerate(kept) if not is_rule(bullet)), 0))
    return tuple(kept)
