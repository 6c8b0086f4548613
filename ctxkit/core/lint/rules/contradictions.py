"""Find statements with similar words that contradict each other (CON)."""

import re
from collections.abc import Iterator, Set

from ctxkit.core.lint.document.finding import LineRange, LintFinding
from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.rule import WARNING, Rule
from ctxkit.core.lint.document.unit import Unit
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.similarity.duplicate_groups import StatementConflict
from ctxkit.core.lint.similarity.form_fields import read_field_label
from ctxkit.core.lint.similarity.heading_polarity import has_opposite_polarity, is_negated_by_heading
from ctxkit.core.lint.similarity.statement_conflict import has_opposite
from ctxkit.core.lint.similarity.statement_traits import NUMERALS, is_question
from ctxkit.core.lint.similarity.vocabulary import NEGATIVE

RULES = (
    Rule(
        "CON001",
        "contradiction",
        WARNING,
        "none",
        "Two statements in the same window differ in a number, or one allows what the other forbids.",
        "An agent that reads both may follow either. Contradictory pairs look like duplicates to any similarity "
        "measure, so the linter detects them first and never offers to remove them.",
        "AGENTS.md:   - Retry a failed upload 3 times.\nMEMORY.md:   - Retry a failed upload 5 times.",
        "AGENTS.md:   - Retry a failed upload 3 times.",
        "Of pairs changed only in a number, a path or a negation, likeness of words alone took every one for a "
        "duplicate; copies that diverge are what maintainers complain of most (wshobson/agents 643).",
    ),
)
MIN_SIMILARITY = 0.74
"""Minimum word similarity of two statements about the same subject."""
MIN_WORDS = 6
"""Minimum words of two statements under different headings of a file; shorter ones are entries of two lists."""
_COUNTED = re.compile(r"\b[A-Z][a-z]+ #?\d{1,2}\b(?!\s*(?:%|[a-z]+s\b))")
"""Matches a numbered item, such as Chart 2 or Phase 3."""
_DATE = re.compile(r"\b(?:19|20)\d\d[-./年]\d\d?\b")
_EVENT_TIME = re.compile(r"[(\[]\d\d?:\d\d(?::\d\d)?[^()\[\]]{0,12}[)\]]|^[\s*+>-]*\[?\d\d?:\d\d\b")
"""Matches the time of an event, in brackets or at the beginning; a time elsewhere may be a rule."""
_ANSWER = re.compile(r"[\"'“‘`](?:no|not|never)[\"'”’`]|\b(?:is|answers?|says?|returns?|=) \W?(?:NO|no)\b(?! \w)")
"""Matches a negative word that is an answer or a value, and negates nothing."""
_PREFERENCE = re.compile(r"\b(?:rather than|instead of)\b", re.IGNORECASE)
"""Matches words that negate what follows them, as "not" does."""
_BOX = re.compile(r"\W{0,3}\[[ xX]\]\s")
"""Matches a checkbox item: a checklist may state the opposite of a list of problems."""
_CONDITION = re.compile(
    r"[\s*_>#-]*(?:\d{1,3}[.)]\s*)?[*_]*((?:on|if|when|whenever|unless|while|until|before|after|for|in|during)\s[^:,.;\n]{1,60})[:,]",
    re.IGNORECASE,
)
"""Matches the condition at the beginning of a statement: statements about different conditions may differ."""
PHRASES = {"number": "give different numbers", "negation": "say yes and no", "contrary": "say the opposite"}


def find_contradictions(workspace: Workspace, conflicts: tuple[StatementConflict, ...]) -> Iterator[LintFinding]:
    """Yield a finding for each pair of contradicting statements about the same subject, at the later statement."""
    for conflict in conflicts:
        if conflict.similarity.conflict in PHRASES and _has_same_subject(workspace, conflict):
            first, second = conflict.first, conflict.second
            phrase = PHRASES[conflict.similarity.conflict]
            yield LintFinding(
                "CON001",
                WARNING,
                second.path,
                second.line,
                second.end_line,
                f"{second.path} and {first.path} {phrase} about the same subject"
                if second.path != first.path
                else f"lines {first.line} and {second.line} {phrase} about the same subject",
                related=(LineRange(first.path, first.line, first.end_line),),
                concept=second.text.strip(),
                score=round(conflict.similarity.score, 2),
                essence=f"{first.normal}\n{second.normal}",
            )


def _has_same_subject(workspace: Workspace, conflict: StatementConflict) -> bool:
    """Return whether two statements have the same subject and differ only in the conflict.

    Items of one list describe different things, so these have different subjects.
    """
    first, second, similarity = conflict
    if is_question(first) or is_question(second) or _find_condition(first) != _find_condition(second):
        return False
    if is_negated_by_heading(first) != is_negated_by_heading(second):
        return has_opposite_polarity(first, second) and first.normal == second.normal and _is_long(first)
    bare = similarity.conflict == "negation" and not _has_content_word(similarity.left | similarity.right)
    if first.path == second.path and first.list and first.list == second.list and not bare:
        return False
    if similarity.score < MIN_SIMILARITY or _has_daily_note(workspace, conflict) or "row" in (first.kind, second.kind):
        return False
    if not _differs_in_conflict_alone(conflict):
        return False
    if first.section[-1:] != second.section[-1:] and first.path == second.path:
        return _is_long(first) and not (
            read_field_label(first) or read_field_label(second) or "`" in first.text + second.text
        )
    return True


def _is_long(unit: Unit) -> bool:
    """Return whether a statement is too long for an entry of a list."""
    return len(unit.normal.split()) >= MIN_WORDS


def _differs_in_conflict_alone(conflict: StatementConflict) -> bool:
    """Return whether the difference of two statements is their conflict, and that is one of rules."""
    first, second, similarity = conflict
    left = {word for word in similarity.left if not word[0].isdigit()} - NUMERALS
    right = {word for word in similarity.right if not word[0].isdigit()} - NUMERALS
    if similarity.conflict == "number":
        is_counted = bool(_COUNTED.search(first.text) and _COUNTED.search(second.text))
        return not (left or right or _is_log_entry(first) or _is_record(first, second) or is_counted)
    if similarity.conflict == "negation" and (
        _negates_nothing(first) or _negates_nothing(second) or has_opposite(left - NEGATIVE, right - NEGATIVE)
    ):
        return False
    return max(_count_words(left), _count_words(right)) <= 2


def _negates_nothing(unit: Unit) -> bool:
    """Return whether a negative word in a statement is an answer, a box to tick, or a preference."""
    return bool(_BOX.match(unit.text) or _ANSWER.search(unit.text) or _PREFERENCE.search(unit.text))


def _find_condition(unit: Unit) -> str:
    """Return the condition that begins a statement, such as "on fail", in lower case, "" if there is none."""
    match = _CONDITION.match(unit.text)
    return match[1].lower() if match else ""


def _is_log_entry(unit: Unit) -> bool:
    """Return whether a unit states a date or the time of an event, which differs in each entry of a log."""
    return bool(_DATE.search(unit.normal) or _EVENT_TIME.search(unit.text))


def _is_record(first: Unit, second: Unit) -> bool:
    """Return whether two units of a document are fields of two records, each below a line of its own."""
    return first.path == second.path and first.intro != second.intro and bool(first.intro and second.intro)


def _has_content_word(words: frozenset[str]) -> bool:
    """Return whether any word is more than a negation."""
    return any(word not in NEGATIVE for word in words)


def _count_words(words: Set[str]) -> int:
    """Return the number of words.

    In scripts without spaces, words are pairs of characters; one different character changes up to three pairs, so
    count two pairs as one word.
    """
    pairs = sum(not word.isascii() and len(word) == 2 for word in words)
    return len(words) - pairs + pairs // 2


def _has_daily_note(workspace: Workspace, conflict: StatementConflict) -> bool:
    """Return whether one of two statements is in a daily note, which a later note may revise."""
    documents = (workspace.document(conflict.first.path), workspace.document(conflict.second.path))
    return any(document is None or document.role is FileRole.DAILY for document in documents)
