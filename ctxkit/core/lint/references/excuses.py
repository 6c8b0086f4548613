"""Recognize sentences that say that a path is gone, and clauses that say that it may be missing."""

import re
from functools import lru_cache

from ctxkit.core.lazy_pattern import compile_lazily

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
CACHED = 8
"""Sentences whose answers are kept: several paths stand in one."""


@lru_cache(maxsize=CACHED)
def says_gone(sentence: str) -> bool:
    """Return whether a sentence says that its paths were removed or renamed."""
    return _REMOVED_CONTEXT.search(sentence) is not None


def is_build_path(path: str) -> bool:
    """Return whether a path is in a directory that a build creates and removes."""
    return _BUILD_PATH.search(path) is not None


def rejects_path(before: str, after: str) -> bool:
    """Return whether the words directly around a path say that it is not the one to use."""
    is_rejected = _REJECTED_AFTER.search(before) is not None or _UNUSED.search(before[-MAX_BEFORE:]) is not None
    return is_rejected or _REJECTED_BEFORE.match(after) is not None


MAX_BEFORE = 120
"""Characters before a path that are searched for words that forbid its use."""


@lru_cache(maxsize=CACHED)
def says_optional(clause: str) -> bool:
    """Return whether a clause says that its path may be missing: a later, optional, external or example file."""
    return _OPTIONAL_CONTEXT.search(clause) is not None or _IF_EXISTS.search(clause) is not None
