"""CON: statements that are alike in words and say different things."""

import re
from collections.abc import Iterator, Set

from ctxkit.core.lint.document import Kind
from ctxkit.core.lint.finding import Finding, Place
from ctxkit.core.lint.frame import label
from ctxkit.core.lint.rule import WARNING, Rule
from ctxkit.core.lint.traits import NUMERALS, polar, turned
from ctxkit.core.lint.twins import Clash
from ctxkit.core.lint.vocabulary import NEGATIVE
from ctxkit.core.lint.workspace import Workspace

RULES = (
    Rule(
        "CON001",
        "contradiction",
        WARNING,
        "none",
        "Two statements that are in the window together differ in a number or in whether they allow something.",
        "An agent that reads both follows either one, and nobody can tell which. Such pairs look like duplicates "
        "to every measure of likeness, so they are told apart first and never offered for removal.",
        "AGENTS.md:   - Retry a failed upload 3 times.\nMEMORY.md:   - Retry a failed upload 5 times.",
        "AGENTS.md:   - Retry a failed upload 3 times.",
        "Of pairs changed only in a number, a path or a negation, likeness of words alone took every one for a "
        "duplicate; copies that diverge are what maintainers complain of most (wshobson/agents 643).",
    ),
)
ALIKE = 0.74
"""How alike the words of two statements must be to speak of the same thing."""
SPOKEN = 6
"""Words of statements under different headings of a file that are more than entries of two lists."""
_COUNTED = re.compile(r"\b[A-Z][a-z]+ #?\d{1,2}\b(?!\s*(?:%|[a-z]+s\b))")
"""A number that names one of several: Chart 2, Phase 3."""
_DATE = re.compile(r"\b(?:19|20)\d\d[-./年]\d\d?\b")
_BOX = re.compile(r"\W{0,3}\[[ xX]\]\s")
"""An item to tick names what is to be found so, next to a list of what may be wrong."""
SAID = {"number": "give different numbers", "negation": "say yes and no", "contrary": "say opposite things"}


def contradictions(workspace: Workspace, clashes: tuple[Clash, ...]) -> Iterator[Finding]:
    """Yield a finding for each clash of statements about the same thing, at the later one."""
    for clash in clashes:
        if clash.likeness.clash in SAID and _same_matter(workspace, clash):
            one, two = clash.one, clash.two
            said = SAID[clash.likeness.clash]
            yield Finding(
                "CON001",
                WARNING,
                two.path,
                two.line,
                two.end_line,
                f"{two.path} and {one.path} {said} about the same thing"
                if two.path != one.path
                else f"lines {one.line} and {two.line} {said} about the same thing",
                related=(Place(one.path, one.line, one.end_line),),
                concept=two.text.strip(),
                score=round(clash.likeness.score, 2),
                essence=f"{one.normal}\n{two.normal}",
            )


def _same_matter(workspace: Workspace, clash: Clash) -> bool:
    """Say whether two statements speak of one thing: no list sets them side by side, nothing else differs."""
    one, two, likeness = clash
    if turned(one) != turned(two):
        return polar(one, two) and one.normal == two.normal and len(one.normal.split()) >= SPOKEN
    bare = likeness.clash == "negation" and not _telling(likeness.left | likeness.right)
    if one.path == two.path and one.list and one.list == two.list and not bare:
        return False
    if likeness.score < ALIKE or _dated(workspace, clash) or "row" in (one.sort, two.sort):
        return False
    left = {word for word in likeness.left if not word[0].isdigit()} - NUMERALS
    right = {word for word in likeness.right if not word[0].isdigit()} - NUMERALS
    if likeness.clash == "number" and (left or right or _DATE.search(f"{one.normal} {two.normal}")):
        return False
    if likeness.clash == "negation" and (_BOX.match(one.text) or _BOX.match(two.text)):
        return False
    if likeness.clash != "number" and max(_count(left), _count(right)) > 2:
        return False
    if _COUNTED.search(one.text) and _COUNTED.search(two.text) and likeness.clash == "number":
        return False
    if one.section[-1:] != two.section[-1:] and one.path == two.path:
        return not (label(one) or label(two) or "`" in one.text + two.text) and len(one.normal.split()) >= SPOKEN
    return True


def _telling(words: frozenset[str]) -> bool:
    """Say whether words hold any that does more than say yes or no."""
    return any(word not in NEGATIVE for word in words)


def _count(words: Set[str]) -> int:
    """Return how many words there are; where words are pairs of characters, one that differs makes up to three."""
    pairs = sum(not word.isascii() and len(word) == 2 for word in words)
    return len(words) - pairs + pairs // 2


def _dated(workspace: Workspace, clash: Clash) -> bool:
    """Say whether one of two statements is a note of its day, which a later one may well change."""
    documents = (workspace.document(clash.one.path), workspace.document(clash.two.path))
    return any(document is None or document.kind is Kind.DAILY for document in documents)
