"""The rules that every bullet of a page keeps, each a function that says how a bullet breaks it."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ctxkit.core.context.instructions import is_instruction
from ctxkit.core.context.limits import MARKUP, bullet_key
from ctxkit.core.context.sentences import split_sentences
from ctxkit.core.context.template import MAX_BULLETS, SECTIONS, Section, SummaryPage, normalize_line

_SPANS = re.compile(r"`[^`]*`|https?://[^\s\"]+|(?<!\w)(?::-?|;-?|8-?)[)(]|(?<=\w)'(?=\w)")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^“”]*”|«[^«»]*»")
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("“", "”"), ("«", "»"))
_LIST_MARK = re.compile(r"^\W*(?:[A-Za-z]|\d{1,2})[.)] ")
_ATTEMPT = re.compile(r"(?:[\w.-]+ ){0,2}`[^`]+`(?: running `[^`]+`)?(?: \(repeatedly\))?(?::| failed| passed|$)")
"""The beginning of a bullet that quotes a tool: the command, or the tool and its target."""
_LIST_BULLET = re.compile(r"(?:Changed|Removed|Moved|Read|Done|Changed before|Read before)(?: in \S+/)?: ")
_OPEN_END = re.compile(
    r"(?:[,(\[{]|(?<!\w)(?:and|or|but|the|an|of|with|from|because|e\.g\.|i\.e\.)|[.!?] (?:\d{1,2}|[A-Za-z])[.)])$",
    re.IGNORECASE,
)
_LOWER_START = re.compile(
    r"^(?:[),;:\]}!?]|\.(?![\w./])|(?:and|or|but|which|that is|rather than|as well as|such as) [a-z])"
)
_BACK_REFERENCE = re.compile(r"\W*(?:After that|Before that|The (?:former|latter))\b")
"""The beginning of a sentence that continues one which is not there."""
_CODE_LABEL = re.compile(r"\W*(?:Command|Cmd|Fix|File|Output|Path): `[^`]*`\W*")
"""A label with code alone, from a list whose entry is not there."""
_RELATIVE = re.compile(r"^[a-z]+ (?:where|which|who|whose)\b")
_ARTICLE = re.compile(r"^(?:The|A|An|This|These) ")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|did|can|could|will|would|shall|should|may|might|must|\w+n['’]t"
    r"|(?!this\b|its\b|less\b|across\b|plus\b|versus\b|perhaps\b|always\b|\w+(?:ous|ss|ions|ments|ings|ties|errors|files)\b)\w{2,}s|\w+ed"
    r"|went|took|gave|made|found|got|came|said|saw|ran|wrote|built|broke|held|kept|left|lost|meant|put|read|sent|set"
    r"|stood|told|won|grew|fell|began|became|brought|cut|hit|let|knew|led|threw|chose|hung|shut)\b"
    r"|['’](?:re|ve|ll|d) \w",
    re.IGNORECASE,
)
"""What may be a finite verb in English."""
_WORD = re.compile(r"[^\W\d_]")
_PLAIN_WORD = re.compile(r"[^\W\d_]{2,}|[\u2E80-\U0010FFFF]{2}")
_NAMES = re.compile(r"`[^`]*`|(?<!\S)\S*/\S+|(?<![\w-])\w[\w-]*+\.[A-Za-z]\w{0,5}\b|https?://\S+")
_LIST_ENTRY = re.compile(r"`[^`]+` [-–—] [^.!]*$")
"""A name and what it is for, as in a list of files."""
_BRACKETS = re.compile(r"\([^()]*\)")
_DONE_MARK = re.compile(r"[✅✔☑]")
_CODE = re.compile(
    r"[{;]$|\)\s*=>\s*\S*$|^(?:[\w.]+ )?[\w.\[\]]+ (?::=|[-+*/|&]?=|==|=>) \S"
    r"|^(?:def|class|func|fn|import|return|const|let|var|pub|struct|enum|type|interface|package|public|private|static|if|for"
    r"|while|elif|else) [\w.(*&<\[].*[({:;=]"
    r"|^\w+ (?:int|int64|uint64|int32|uint32|float64|float32|bool|string|error|byte|rune|any|\[\]\S+|map\[\S+|\*\w+"
    r"|i32|u32|u64|usize"
    r"|i64|f64|str|void|char|long|double|float)(?: `.*)?$"
    r"|^[\w.]+\([^()]*\);?$|^</?\w[^<>]*>$|^<\w[^<>]*>.*</\w+>$"
    r"|^\d+ ?[|→]|^\(\d+ more lines|^\[File: |^[}\])]+[;,]?$|^@\w+(?:\(.*\))?$|^\|.*\|$"
)
_LABEL = re.compile(r"[:：][*_`\s]*$")
_TITLE = re.compile(r"\(commit [0-9a-f]{7,40}\):?$")
_NUMBER = re.compile(r"[*_`]*[A-Z]{1,3}[-.]?\d{1,4}[*_`]*[.:)]?$")
"""The number of an item without its words."""
_NOTHING = re.compile(
    r"[*_`(]*(?:none|nothing(?: yet)?|n/?a"
    r"|no (?:prior|previous|earlier|known|open|pending|further)(?: [a-z]+){1,2})[*_`]*(?: \([^()]{0,120}\))?[.)]*$",
    re.IGNORECASE,
)
"""What stands where a section of a summary has nothing to say."""
_TALK = re.compile(
    r"^(?:(?:okay|ok|sure|alright|certainly|hmm+|wait)\b[,.! ]"
    r"|(?:now,? |first,? |so,? )?(?:let me|let's)\b|I should\b|I need to\b)",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"error|exception|fail|fatal|cannot|can't|could ?n.t|no such|not found|denied|panic|abort|traceback|crash|broke"
    r"|missing"
    r"|invalid|wrong|unable|undefined|unexpected|mismatch|timed? ?out|bug|issue|problem|conflict|refus|reject|warn|hang"
    r"|leak"
    r"|not (?:work|exist|support|allow|find|import|recogni|install|defin)|does ?n.t|did ?n.t"
    r"|fehl|erreur|fallo|ошибк|错误|失败|エラー"
    r"|exit (?:code|status) [1-9]",
    re.IGNORECASE,
)
_PACKAGE_RESULT = re.compile(r"^`[^`]+`: ok\s+\S+(?:\s+(?:[\d.]+s|\(cached\)))?$")


class RuleBreach(NamedTuple):
    """A bullet, or the task, with the rule that it breaks."""

    section: Section
    bullet: str
    rule: str

    def __str__(self) -> str:
        """Return the breach as one line."""
        return f"{self.section} {self.rule}: {self.bullet[:80]}"


def is_tool_quotation(section: Section, bullet: str) -> bool:
    """Return whether a bullet quotes a command and its output, which stay as they are."""
    return section in ("Errors", "Facts") and bool(_ATTEMPT.match(bullet))


def check_sentence(section: Section, bullet: str) -> str:
    """Return "is more than one sentence" for a bullet of several sentences."""
    if _LIST_BULLET.match(bullet) or is_tool_quotation(section, bullet):
        return ""
    bare = _QUOTED.sub("x", _LIST_MARK.sub("", bullet))
    return "is more than one sentence" if len(list(split_sentences(bare))) > 1 else ""


def check_closed(section: Section, bullet: str) -> str:
    """Return how a bullet leaves code, a quotation or a bracket open."""
    if is_tool_quotation(section, bullet):
        return ""
    bare = _SPANS.sub("x", bullet)
    if bare.count("`") % 2:
        return "leaves code open"
    unbalanced = any(bare.count(opening) != bare.count(closing) for opening, closing in _PAIRS)
    if bare.count('"') % 2 or (unbalanced and not _LIST_MARK.match(bare)):
        return "leaves a quotation or bracket open"
    return ""


def check_label(section: Section, bullet: str) -> str:
    """Return "is a label" for a heading of lines that are not there."""
    if is_tool_quotation(section, bullet):
        return ""
    return "is a label" if _LABEL.search(bullet) or _TITLE.search(bullet) or _NUMBER.match(bullet) else ""


def check_content(section: Section, bullet: str) -> str:
    """Return "says nothing" for a bullet that only says that there is nothing to say."""
    return "says nothing" if section != "Task" and _NOTHING.match(bullet) else ""


def check_whole(section: Section, bullet: str) -> str:
    """Return "is a fragment" for the part of a sentence."""
    if is_tool_quotation(section, bullet):
        return ""
    bare = _SPANS.sub("x", bullet)
    open_end = _OPEN_END.search(bare) or (section != "Pending" and _LOWER_START.match(bare))
    if section == "Decisions" and _RELATIVE.match(bare):
        return "is a fragment"
    if section in ("Decisions", "Facts") and (_BACK_REFERENCE.match(bare) or _CODE_LABEL.fullmatch(bullet)):
        return "is a fragment"
    if section == "Facts" and not _LIST_BULLET.match(bullet) and _is_noun_phrase(bullet):
        return "is a fragment"
    return "is a fragment" if open_end or not (_WORD.search(bullet) or "`" in bullet) else ""


def _is_noun_phrase(bullet: str) -> bool:
    """Return whether a bullet only names something: an English phrase without a verb, or a path alone."""
    words = _PLAIN_WORD.findall(_NAMES.sub(" ", bullet))
    if not words:
        return bool(_NAMES.search(bullet))
    if _LIST_ENTRY.match(bullet) and not _VERB.search(_NAMES.sub("x", bullet)):
        return True
    is_open = len(words) > 1 and bullet[0].isupper() and bullet.isascii() and bullet[-1] not in ".!"
    return (is_open or bool(_ARTICLE.match(bullet))) and not _VERB.search(_BRACKETS.sub(" ", bullet))


def check_code(section: Section, bullet: str) -> str:
    """Return "is code" for a line of a program, a table or a document."""
    if section == "Task" or is_tool_quotation(section, bullet):
        return ""
    return "is code" if _CODE.search(bullet) else ""


def check_talk(section: Section, bullet: str) -> str:
    """Return "is talk" for thoughts and comments of a model about itself."""
    if MARKUP.search(bullet):
        return "has a mark of reasoning"
    return "is talk" if section not in ("Task", "Errors") and _TALK.match(bullet) else ""


def check_section(section: Section, bullet: str) -> str:
    """Return "is in the wrong section" for a question under Decisions or Facts, and for no error under Errors."""
    asks = bullet.endswith(("?", "？")) and not is_instruction(bullet)
    is_misplaced = (section in ("Decisions", "Facts") and asks) or (
        section == "Errors" and not _ATTEMPT.match(bullet) and not _TROUBLE.search(bullet)
    )
    return "is in the wrong section" if is_misplaced else ""


def check_open(section: Section, bullet: str) -> str:
    """Return "is done" for an open item with a mark that it is done."""
    return "is done" if section == "Pending" and _DONE_MARK.search(bullet) else ""


def check_result(section: Section, bullet: str) -> str:
    """Return "names one package of many" for the last line of a run over packages."""
    return "names one package of many" if section == "Facts" and _PACKAGE_RESULT.match(bullet) else ""


RULES: tuple[Callable[[Section, str], str], ...] = (
    check_sentence,
    check_closed,
    check_label,
    check_content,
    check_whole,
    check_code,
    check_talk,
    check_section,
    check_open,
    check_result,
)
"""The rules of a bullet, in the order in which they are checked."""


def find_fault(section: Section, bullet: str) -> str:
    """Return the first rule that a bullet breaks, empty if it keeps all.

    >>> find_fault("Facts", "Key files modified:")
    'is a label'
    """
    line = normalize_line(bullet)
    return next((fault for check in RULES if (fault := check(section, line))), "") if line else "is empty"


def find_rule_breaches(page: SummaryPage) -> Iterator[RuleBreach]:
    """Yield the breaches of a page: of each bullet, of its number of bullets, and of bullets that occur twice."""
    seen: set[str] = set()
    for section in SECTIONS:
        bullets = page.bullets(section)
        if len(bullets) > MAX_BULLETS:
            yield RuleBreach(section, bullets[MAX_BULLETS], f"has more than {MAX_BULLETS} bullets")
        for bullet in bullets:
            if fault := find_fault(section, bullet):
                yield RuleBreach(section, bullet, fault)
            key = f"{section} {bullet_key(bullet)}"
            if key in seen:
                yield RuleBreach(section, bullet, "occurs twice")
            seen.add(key)
