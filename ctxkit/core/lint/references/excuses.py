"""Recognize text in which a missing path is no fault: it says so, or speaks of other times or other projects."""

import re
from bisect import bisect_left
from functools import lru_cache

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.workspace import Workspace

_REMOVED_CONTEXT = compile_lazily(
    r"\b(?:delet\w*|remov\w*|renam\w*|mov(?:e|ed|es|ing)|formerly|previous(?:ly)?|used to|old|legacy|deprecated"
    r"|obsolete|replac\w*|no longer|any ?more|instead of|rather than|migrat\w*|superseded?\w*|supersedes|historical\w*"
    r"|archived?|dropped|retired|gone|now (?:in|at|under|lives?|called)"
    r"|was|were|had been|has been|split|extracted|merged|ported|absent|missing"
    r"|(?:not|n'?t|never) (?:\w+ ){0,2}exists?|re-?(?:create|add|introduce)\w*|restor\w*|bring(?:ing)? back"
    r"|resurrect\w*|scrubbed|purged|pruned|there (?:is|are) no|changelog|commit [0-9a-f]{7})\b"
    r"|~~|❌|✗|→|(?<!-)->|=>|已删除|已移除|不再|删除|移动|重命名|废弃|廃止|削除|移行|旧|삭제|제거|이전",
    re.IGNORECASE,
)
"""Words of a sentence that says that a path was removed or renamed."""
_OPTIONAL_CONTEXT = compile_lazily(
    r"\b(?:creat\w*|generat\w*|produc\w*|output\w*|emit\w*|dump\w*|export(?:s|ed|ing)? to|sav(?:e|es|ed|ing)"
    r"|stor(?:e|es|ed) (?:\w+ )?(?:in|to)|writ\w+ (?:[\w`'-]+ ){0,5}?(?:to|into|in)|written|new file"
    r"|add(?:s|ing)? (?:a|an|your|the) |cop(?:y|ied|ies)|compil\w+ (?:to|into)|build(?:s|ing)? (?:to|into)|built"
    r"|bundl\w* (?:\w+ ){0,2}(?:to|into|as|in)|download\w*|install(?:s|ed)"
    r"|if (?:it |they |one |there )?(?:is |are )?(?:needed|any|missing|available)"
    r"|will be|would|could|optional\w*|e\.g|examples?(?=\s*[:(])|for example|for instance|such as|like  "
    r"|gitignored?|ignored?|untracked|at run ?time|tempor\w+|cache[ds]?|local(?:ly)? only|artifacts?|artefacts?"
    r"|(?:(?:an)?other|that|their) repo\w*|upstream|downstream|external|planned|future|todo|tbd|propos\w*|hypothetical"
    r"|placeholder|pattern|naming|named|convention|scaffold\w*|template)\b|\b\w+ (?:package|repo|repository) ?:"
    r"|\bwrite (?:[\w`'-]+ ){1,5}\(|\bname (?:\w+ )?files?:"
    r"|生成|创建|例如|写入|保存|のような|たとえば|例えば|比如",
    re.IGNORECASE,
)
"""Words of a clause whose path may be absent: a later, optional, external or example file."""
_IF_EXISTS = compile_lazily(
    r"(?:\b(?:if|when|whenever|unless|where|falls|wenn|sofern|si|s'il|se|als|indien|jeśli|если|när|om|hvis|jos)\b"
    r"|如果|若|当|如|もし)[^.;!?。；！？\n]{0,200}?"
    r"(?:\bexist\w*|\bpresent\b|\bexistiert|\bvorhanden|\bprésente?\b|\bpresentes?\b|\bbestaat|\baanwezig|\bistniej"
    r"|\bсуществу|\bимеется|\bfinns\b|\bfinnes\b|\bvar\b|存在|有)|存在(?:时|的话|する場合)|があれば|있으면|존재하면",
    re.IGNORECASE,
)
"""Matches "if it exists" around a path, in the languages in which public instructions are written."""
_REJECTED_AFTER = compile_lazily(
    r"(?:\b(?:not|never|no|nicht|kein\w*|nie|pas|jamais|nunca|não)\b|(?<!可)不(?:是|要用|用|在)|并非)"
    r"(?:[\s,/*_~\"'(\[]{1,80}+|\b(?:or|nor|in|at|under|from|via|into|inside|to|with|the|an?|any|oder|ou|unter|aus)\b){0,12}+$",
    re.IGNORECASE,
)
"""Matches the words before a path that reject it: use `a`, **not** `b` or `c`."""
_UNUSED = compile_lazily(
    r"(?:\b(?:never|(?:do|must|should|may) not|avoid)|n['’]t)[ ]"
    r"(?:(?:be|ever|directly|[a-z]{2,20}[ ](?:or|and))[ ]){0,2}"
    r"(?:us|read|import|load|discover|consult|rely|look|trust|referenc)(?:e|ing|d|ed)?"
    r"(?:[ ](?:on|at|in|from|the|an?|any|files?|helpers?)){0,4}[\s/*_~\"'(\[]{0,8}$",
    re.IGNORECASE,
)
"""Matches the words before a path that nobody may use or read; one that nobody may edit should be there."""
_REJECTED_BEFORE = compile_lazily(r"[`*_~\"')\]]{0,4}[ ]?(?:ではな[いく]|じゃな[いく]|[이가] 아[니닌])")
"""Matches the words after a path that reject it, in languages that put them there."""
_BUILD_PATH = compile_lazily(
    r"(?:^|/)(?:dist|build|out|target|coverage|node_modules|\.next|\.cache|tmp|temp|logs?)(?:/|$)"
)
"""Directories that a build creates and removes."""
_CACHED = 8
"""Sentences whose answers are kept: several paths stand in one."""


@lru_cache(maxsize=_CACHED)
def says_gone(sentence: str) -> bool:
    """Return whether a sentence says that its paths were removed or renamed."""
    return _REMOVED_CONTEXT.search(sentence) is not None


def is_build_path(path: str) -> bool:
    """Return whether a path is in a directory that a build creates and removes."""
    return _BUILD_PATH.search(path) is not None


def rejects_path(before: str, after: str) -> bool:
    """Return whether the words directly around a path say that it is not the one to use."""
    is_rejected = _REJECTED_AFTER.search(before) is not None or _UNUSED.search(before[-_MAX_BEFORE:]) is not None
    return is_rejected or _REJECTED_BEFORE.match(after) is not None


_MAX_BEFORE = 120
"""Characters before a path that are searched for words that forbid its use."""


@lru_cache(maxsize=_CACHED)
def says_optional(clause: str) -> bool:
    """Return whether a clause says that its path may be missing: a later, optional, external or example file."""
    return _OPTIONAL_CONTEXT.search(clause) is not None or _IF_EXISTS.search(clause) is not None


_PAST_SECTION = compile_lazily(
    r"change ?log|history|migrat|removed|deleted|deprecat|legacy|archive|previous|release notes|roadmap|planned|todo"
    r"|future|proposal|post-?mortem|decision log|completed|done\b|progress|^\W*(?:19|20)\d\d[-/.]\d",
    re.IGNORECASE,
)
"""Titles of sections about the past or the future."""


class PastSections:
    """Index of the lines of a document that are in a section about the past or the future."""

    def __init__(self, document: MarkdownDocument) -> None:
        self._lines: list[int] = []
        self._is_past_section: list[bool] = []
        above: list[tuple[int, bool]] = []  # level of each open section, and whether it or a parent is about the past
        for heading in document.headings:
            while above and above[-1][0] >= heading.level:
                above.pop()
            around = above[-1][1] if above else False
            above.append((heading.level, around or bool(_PAST_SECTION.search(heading.title))))
            self._lines.append(heading.line)
            self._is_past_section.append(above[-1][1])

    def is_past(self, line: int) -> bool:
        """Return whether a line is in a section about the past or the future."""
        place = bisect_left(self._lines, line)
        return place > 0 and self._is_past_section[place - 1]


_EXCUSED = compile_lazily(
    r"\b(?:not|no longer|never|instead of|rather than|from|migrat(?:e[sd]?|ing)|migrations? (?:to|away|guide)"
    r"|upgrad\w*|drop\w*|legacy|older|before|until|since"
    r"|vs\.?|unlike|deprecated|removed|compat\w*|was|were|e\.g|example|only if|when|if|introduced|new in|added in"
    r"|prior|breaking|do not|don'?t|avoid|targets?|target)\b|n'?t\b|→|->",
    re.IGNORECASE,
)
"""Words of a line that tells of another version than the one in use."""


def speaks_of_another(line: str) -> bool:
    """Return whether a line tells of another version or another tool than the one in use."""
    return _EXCUSED.search(line) is not None


_PACKAGED = (FileRole.SKILL, FileRole.COMMAND)
"""Roles of files that may be made for other projects; one that no host loads here is."""


def find_packaged(workspace: Workspace) -> frozenset[str]:
    """Return the paths of the skills, commands and agents that no host loads in this workspace.

    They are in a plugin, or in a directory from which people copy them: most paths in them are those of other projects.
    """
    loaded = {path for load_set in workspace.load_sets for path in load_set.paths}
    return frozenset(
        document.path
        for document in workspace.documents
        if document.role in _PACKAGED and loaded.isdisjoint((document.path, *document.aliases))
    )
