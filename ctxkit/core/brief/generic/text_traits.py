"""Traits of a line that its text alone shows: words, numbers, names of files, punctuation."""

from math import log2

from ctxkit.core.lazy_pattern import compile_lazily

READ_WIDTH = 240
"""Number of characters of a line that are measured."""
LONG, SHORT = 150, 12
"""Number of characters above which a line is long, and below which it is short."""
_WORDS = {
    "success": "passed passing ok success successful successfully succeeded skipped xfailed pending",
    "failure": "failed failing failure failures error errors warning warnings fatal broken",
    "result": "done finished complete completed elapsed took ran result results exit status returned duration time",
    "negation": "not no none never without",
    "advice": "required requires expected actual got instead must should cannot unable missing invalid because caused"
    " reason hint help note suggest suggested suggestion recommend recommended deprecated unused duplicate duplicates"
    " duplicated conflict conflicts differ differs different changed removed added upgrade vulnerable vulnerability"
    " vulnerabilities critical severe high danger dangerous unsafe leak leaks leaked lost denied refused killed timeout"
    " expired slow slowest",
}
WORD_GROUPS = {name: frozenset(words.split()) for name, words in _WORDS.items()}
"""Words that state a result or a reason in the output of any program."""
_PATTERNS = {
    "items": r"(?<![\d,])\d[\d,]*+\s+[a-z]{3}",
    "decimal": r"\d\.\d",
    "percent": r"\d\s?%",
    "unit": r"\d\s?(?:ms|s|sec|seconds|KB|kB|MB|GB|KiB|MiB|GiB|bytes|B|us|ns|m)\b",
    "equals value": r"\A\s*+\w[\w .-]{0,50}=>?\s*\S",
    "key value": r"\A\s*+[\w.(][\w .()/-]{1,40}:\s",
    "path": r"(?<![\w./@+-])[\w.@+-]*+/[\w.@+-]",
    "place": r"\.\w{1,5}:\d",
    "url": r"\w://\S",
    "hash": r"\b(?=[a-f]{0,64}\d)(?=\d{0,64}[a-f])[0-9a-f]{7,64}\b",
    "date": r"\d{4}-\d\d-\d\d",
    "quotation": r"[\"'`][^\"'`]{1,60}[\"'`]",
    "arrow": r"->|=>|\u2192|<-",
    "capitals": r"\b[A-Z]{3,60}\b",
    "tag": r"\A\s*+(?:\[[^\]]{1,30}\]|<[^>]{1,30}>)",
    "code": r"\A\s*+(?:def|class|return|if|for|while|import|from|fn|let|const|var)\b",
}
PATTERNS = {name: compile_lazily(text) for name, text in _PATTERNS.items()}
NEEDED = {
    "percent": "%",
    "equals value": "=",
    "key value": ":",
    "path": "/",
    "place": ":",
    "url": "://",
    "date": "-",
    "decimal": ".",
}
"""What a text contains if the pattern of that name occurs in it: quicker to look for than the pattern."""
NUMERIC = frozenset(("items", "decimal", "percent", "unit", "place", "hash", "date"))
"""Names of patterns that contain a digit."""
_WORD = compile_lazily(r"[^\W\d_]{2,40}+")
_COLUMN = compile_lazily(r"(?<=\S)(?:\s{2,}|\s?\|\s?)(?=\S)")
_ENDINGS = {":": "ends in colon", ";": "ends in brace", "{": "ends in brace", "}": "ends in brace"}


def list_words(text: str) -> set[str]:
    """Return the words of a text in lower case."""
    return set(_WORD.findall(text.lower()))


def measure_text(text: str) -> dict[str, float]:
    """Return the traits of a line that is not blank, from 0 to about 3 each; a trait that it lacks has no key."""
    text = text[:READ_WIDTH].rstrip() or text.strip()[:READ_WIDTH]
    words = list_words(text)
    traits = {name: 1.0 for name, group in WORD_GROUPS.items() if not words.isdisjoint(group)}
    has_digit = any(map(str.isdecimal, text))
    for name, pattern in PATTERNS.items():
        if NEEDED.get(name, "") in text and (has_digit or name not in NUMERIC) and pattern.search(text):
            traits[name] = 1.0
    if len(_COLUMN.findall(text)) > 1:
        traits["columns"] = 1.0
    traits |= _measure_characters(text.strip())
    traits["word count"] = log2(1 + len(words))
    return traits


def _measure_characters(text: str) -> dict[str, float]:
    """Return the length of a text and its shares of digits, letters, capitals and punctuation."""
    size = len(text)
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    capitals = sum(map(str.isupper, text)) / max(letters, 1)
    first = text[0]
    traits = {
        "length": log2(1 + size) / 3,
        "digit share": digits / size,
        "capital share": capitals,
        "mark share": 1 - sum(map(str.isalnum, text)) / size - text.count(" ") / size,
        "long": float(size > LONG),
        "short": float(size < SHORT),
        "number": float(digits > 0),
        "no word": float(letters < 2),
        "begins with capital": float(first.isupper()),
        "begins with small letter": float(first.islower()),
        "begins with digit": float(first.isdigit()),
    }
    if text[-1] in _ENDINGS:
        traits[_ENDINGS[text[-1]]] = 1.0
    return traits
