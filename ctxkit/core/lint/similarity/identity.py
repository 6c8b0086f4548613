"""Determine the identity of a statement: what it says, and what limits when and to what it applies.

Two statements are copies only if their identities are equal. A plain topic heading does not limit: a rule is the same
below "Memory" and below "Ground rules". A condition, a step, a parent bullet, the name of an endpoint, a date, a
branch of a template, a template or a checklist does.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument, Unit
from ctxkit.core.lint.document.normal import normalize_text
from ctxkit.core.lint.similarity.statement_traits import is_question
from ctxkit.core.lint.similarity.vocabulary import NEGATIVE_TITLE, POSITIVE_TITLE

MAX_TITLE_LENGTH = 400
"""Maximum characters of a title that are searched for what limits its section."""
_NUMBERING = compile_lazily(r"\W*(?:\d{1,3}(?:\.\d{1,3}){0,3}[.):]?|[A-Z][.)])\s+")
"""Matches the number of a section, which limits nothing: 2.1 Style."""
_LIMITING_TITLE = compile_lazily(
    r"\b(?:before|after|when|whenever|if|unless|until|during|while|for|in case|without|instead|on (?:success|failure)"
    r"|steps?|phases?|stages?|options?|variants?|cases?|scenarios?|branch(?:es)?|modes?|levels?|tiers?|types?"
    r"|examples?|samples?|templates?|schemas?|parameters?|arguments?|args|flags|inputs?|outputs?|requests?|responses?"
    r"|fields?|attributes|propert(?:y|ies)|columns?|returns|checklists?|check list|questions?|summary|overview|tl;?dr"
    r"|quick (?:reference|start)|cheat ?sheet|recap|mistakes?|pitfalls?|errors?|problems?|wrong|bad|good|correct"
    r"|always|legacy|old|new|changes?|changed|changelog|added|fixed|log|history|session|today|yesterday|updated?)\b"
    r"|首次|每次|如果|之前|之后|时$|前$|后$|步骤|阶段|场景|情况|示例|例子|模板|参数|清单|检查|总结|概述|变更|更新|日志|记录"
    r"|[\d→⇒]|->|=>|://|/\w|\w\(\)",
    re.IGNORECASE,
)
"""Matches a title that says when, in which case or for what its section applies, or that its section restates others.

A digit, a path or an arrow names one of several like things: a date, a version, an endpoint, a command.
"""
_NUMBERED = compile_lazily(r"[\s>]*(?:\d{1,4}[.)、．](?!\d)|[a-zA-Z][.)]\s)")
_BOX = compile_lazily(r"[\s>]*(?:[-*+•‣◦]|\d{1,4}[.)])\s+\[.?\]\s|[\s>|]*(?:☐|☑|✅|❌|\[[ xX]\])")
_FIELD = compile_lazily(
    r"[\s>]*(?:[-*+•‣◦]\s+)?(?:`[^`\n]{1,200}`(?:\s*\([^()\n]{0,80}\))?\s*(?:[-–—:：=|]|→|->|\()"
    r"|--?\w[\w-]*[\s,:=])"
)
"""Matches the explanation of a parameter, an option or a file, which belongs to its list."""
_RECORD = compile_lazily(
    r"[\s>]*(?:[-*+•‣◦]\s+)?(?:\*\*|__)?[^\s:：*_.!?]{1,30}(?: [^\s:：*_.!?]{1,30})?(?:\*\*|__)?[:：](?:\*\*|__)?(?=\s)"
)
"""Matches the label of a statement, of one or two words: Path: ..."""
MIN_RECORD_WORDS = 7
"""Minimum plain words after a label that make a statement more than an entry of a record."""
_BRANCH = compile_lazily(
    r"[\s>]*(?:[-*+•‣◦]\s+)?[*_]{0,3}(?:yes|no|true|false|else|otherwise|default|ja|nein|oui|non|sí|да|нет|是|否)\b"
    r"|[^\n→⇒]{1,60}(?:→|⇒|->|=>)",
    re.IGNORECASE,
)
"""Matches a branch of a decision: No -> ask the owner."""
_SIGNS = compile_lazily(r"`[^`\w\s]{1,20}`|\]\(([^()\s]{1,400})|[&^<>=+!~]|\\\||[?#@%$](?=[\w<{])")
_ANAPHORA = compile_lazily(
    r"[\s>]*(?:[-*+•‣◦]\s+)?[*_]{0,3}(?:(?:if|when|unless|once|after|then|until)\b,? ?"
    r"(?:it|this|that|they|not|no|yes|so|none|any|fail\w*|success\w*|pass\w*|needed|necessary|missing|found|empty|available)\b|repeat\b|same\b|again\b)",
    re.IGNORECASE,
)
"""Matches the beginning of a statement about what the statement above names: If it fails, ..."""
_ATTRIBUTION = compile_lazily(r"[\s>]*(?:[—–―]|--)[ \t]{0,3}[*_]{0,3}[^\W\d_][^\n.;]{0,120}$")
"""Matches the attribution of a quotation above: — Donald Knuth, 1974."""
_QUOTED = compile_lazily(r"[\s>]*(?:[-*+•‣◦]\s+)?[\"“„«「][^\n]{0,400}[\"”“»」]\s*$")
"""Matches a statement that is a quotation as a whole: a phrase of a user."""
_MODEL_DIRECTORY = compile_lazily(
    r"(?:[\w.-]{0,80}[_.-])?(?:templates?|examples?|samples?|fixtures?|snapshots?|scaffolds?|scaffolding|skeletons?"
    r"|boilerplates?|testdata|test-data|starters?|archived?|deprecated|legacy|old|backups?|__\w{1,80}__)",
    re.IGNORECASE,
)
"""Matches the name of a directory of files that are made for another project or kept from another time."""
_DEICTIC = compile_lazily(
    r"\bth(?:is|ese) (?:current )?(?:document|file|page|director(?:y|ies)|folder|packages?|module|section|guide"
    r"|skill|rules?|agent|command|prompt|crate|component)\b|\bthe (?:below|following)\b"
    r"|本(?:文件|文档|目录|文書|ファイル)|此(?:文件|文档|目录)|이 (?:문서|파일)|dieses? (?:Datei|Dokument|Verzeichnis)",
    re.IGNORECASE,
)
"""Matches words that mean the file of the statement: a copy in another file says something else."""
_CONDITION = compile_lazily(
    r"^[ \t>]{0,20}(?:\{\{[-~#/ ]{0,4}(?:if|else|elif|unless|end|case|when|each|with)\b"
    r"|\{%[-+ ]{0,4}(?:if|elif|else|endif|unless|case|when|for|endfor)\b"
    r"|</?(?:if|else|elif|case|when|switch|check|branch|condition)\b"
    r"|<[\w:-]{1,40} [^<>\n]{0,200}\b(?:if|unless|when|condition|test)=)",
    re.MULTILINE | re.IGNORECASE,
)
"""Matches a line that begins or ends a branch of a template: {{ if }}, {% else %}, <check if="...">."""
_CASE = compile_lazily(
    r"^[ \t>]{0,20}(?:[-*+][ \t]{1,4})?(?:\*\*|__)(?:if|when|unless|otherwise|else|without|with|for|in case|case|option"
    r"|scenario|variant)\b[^*_\n]{1,200}(?::(?:\*\*|__)|(?:\*\*|__):)",
    re.MULTILINE | re.IGNORECASE,
)
"""Matches a line that begins a case of a section: **If there is no access:**."""
_PLAIN = compile_lazily(r"[^\W\d_]+")


class Identity(NamedTuple):
    """What a statement says: its normalized text, its signs, and what limits it."""

    normal: str
    signs: str
    limits: tuple[str, ...]


def _is_part(unit: Unit) -> bool:
    """Return whether a statement is a copy only together with its neighbours.

    That is a step, a box of a checklist, a question, a block of code, or what refers to the text before it.
    """
    if unit.kind in ("code", "heading") or unit.is_intro or is_question(unit) or is_box(unit):
        return True
    return any(match(unit.text) for match in (_NUMBERED.match, _ANAPHORA.match, _ATTRIBUTION.match))


class IdentityReader:
    """Reads the identities of the statements of a document."""

    def __init__(self, document: MarkdownDocument) -> None:
        self._path = document.path
        self._place = find_model_directory(document.path)
        self._is_log = document.role is FileRole.DAILY
        tops = [heading.title for heading in document.headings if heading.level == 1]
        self._title = tops[0] if len(tops) == 1 else None
        heads = [unit for unit in document.units if unit.kind == "heading"]
        self._code_titles = frozenset(unit.normal for unit in heads if "`" in unit.text)
        titles = Counter(unit.normal for unit in heads)
        self._repeated_titles = frozenset(title for title, count in titles.items() if count > 1)
        self._is_procedure = document.role in (FileRole.SKILL, FileRole.COMMAND)
        self._head_lines = [unit.line for unit in heads]
        self._conditions = [match.start() for match in _CONDITION.finditer(document.text)]
        self._cases = [match.start() for match in _CASE.finditer(document.text)]
        self._heads = [unit.start for unit in heads]
        self._details = dict(_list_details(document))
        self._limits_by_section: dict[tuple[str, ...], tuple[str, ...]] = {}

    def read(self, unit: Unit) -> Identity | None:
        """Return the identity of a statement; None for a part of something larger that has none of its own.

        What a procedure quotes is what the agent says or asks at that point.
        """
        if _is_part(unit) or (self._is_procedure and unit.text.startswith(">")):
            return None
        limits = [*self._limit_section(unit.section), *map(_name_parent, unit.parents)]
        if unit.intro:
            limits.append(normalize_text(unit.intro[:MAX_TITLE_LENGTH]))
        if unit.start in self._details:
            limits.append(self._details[unit.start])
        if self._place:
            limits.append(self._place)
        if _DEICTIC.search(unit.text[:MAX_TITLE_LENGTH]):
            limits.append(self._path)
        if branch := bisect_right(self._conditions, unit.start):
            limits += [self._path, str(branch)]
        if (case := bisect_right(self._cases, unit.start)) and self._is_in_section(self._cases[case - 1], unit.start):
            limits += [self._path, str(case)]
        if self._is_log or _is_entry(unit):
            limits += [self._path, *unit.section, str(unit.list)]
        return Identity(unit.normal, _read_signs(unit), tuple(limits))

    def find_part(self, unit: Unit) -> int:
        """Return the number of the part of its file in which a statement can be a copy of another one there.

        Each section of a skill and of a command is a part: these are steps of a procedure. So is each of several
        sections of the same title. All others are the part 0.
        """
        if self._is_procedure or (unit.section and normalize_text(unit.section[-1]) in self._repeated_titles):
            return bisect_right(self._head_lines, unit.line)
        return 0

    def _is_in_section(self, before: int, place: int) -> bool:
        """Return whether no heading stands between two places of the document."""
        return bisect_right(self._heads, before) == bisect_right(self._heads, place)

    def _limit_section(self, section: tuple[str, ...]) -> tuple[str, ...]:
        """Return the titles above a statement that limit it; the title of the whole document does not."""
        limits = self._limits_by_section.get(section)
        if limits is None:
            below = section[1:] if section[:1] == (self._title,) else section
            normals = ((title, normalize_text(title)) for title in below)
            limits = tuple(name for title, name in normals if limits_section(title) or name in self._code_titles)
            self._limits_by_section[section] = limits
        return limits


def _list_details(document: MarkdownDocument) -> Iterator[tuple[int, str]]:
    """Yield the place of each bullet of a list that is indented below a line, without a blank between, and the line.

    Such a list says in detail what the line names, as the entries of an index of functions do.
    """
    above: Unit | None = None
    line = ""
    for unit in document.units:
        if unit.kind != "bullet":
            line = ""
        elif above is not None and above.kind == "paragraph" and above.end_line + 1 == unit.line:
            is_below = _find_indent(document, unit.line) > _find_indent(document, above.line)
            line = above.normal if is_below else ""
        if line:
            yield unit.start, line
        above = unit


def _find_indent(document: MarkdownDocument, number: int) -> int:
    line = document.at(number)
    return len(line) - len(line.lstrip())


def limits_section(title: str) -> bool:
    """Return whether a title limits when, in which case or for what the statements below it apply."""
    title = title[:MAX_TITLE_LENGTH]
    numbering = _NUMBERING.match(title)
    bare = title[numbering.end() :] if numbering else title
    return bool(_LIMITING_TITLE.search(bare) or NEGATIVE_TITLE.match(bare) or POSITIVE_TITLE.match(bare))


def find_model_directory(path: str) -> str:
    """Return the directory of templates, examples or archived files that contains a path, "" for none."""
    *names, _ = path.split("/")
    is_model = (
        _MODEL_DIRECTORY.fullmatch(name) or (name == "assets" and names[number - 2 : number - 1] == ["skills"])
        for number, name in enumerate(names)
    )
    place = next((number for number, is_one in enumerate(is_model, 1) if is_one), 0)
    return "/".join(names[:place])


def is_box(unit: Unit) -> bool:
    """Return whether a statement is a box of a checklist."""
    return _BOX.match(unit.text) is not None


def _name_parent(parent: str) -> str:
    """Return the text of a parent bullet; the number of a step belongs to it."""
    return parent.strip() if _NUMBERED.match(parent) else normalize_text(parent)


def _is_entry(unit: Unit) -> bool:
    """Return whether a statement belongs to its list: a row, a parameter, a branch of a decision, a labelled value."""
    return bool(unit.kind == "row" or _FIELD.match(unit.text) or _BRANCH.match(unit.text)) or _is_record(unit)


def _is_record(unit: Unit) -> bool:
    """Return whether a statement is a label with a short value."""
    match = _RECORD.match(unit.text)
    return match is not None and len(_PLAIN.findall(unit.text, match.end())) < MIN_RECORD_WORDS


def _read_signs(unit: Unit) -> str:
    """Return the operators and the targets of links of a statement, in order: a && b is not a || b.

    A statement in quotation marks is what somebody says, and no statement of the file.
    """
    quote = '"' if _QUOTED.match(unit.text) else ""
    return " ".join([quote, *(match[1] or match[0] for match in _SIGNS.finditer(unit.text))])
