"""One line of a compiler or linter: which file, how bad, which code, what it says."""

import re
from dataclasses import dataclass
from re import Match

from ctxkit.core.brief.builds.sentences import parse_sentence

ERROR, WARNING, NOTE = "error", "warning", "note"
MAX_PLACE_COLUMN = 400
"""Characters of a line in which the place of a finding is looked for."""
PLACE = re.compile(
    r":(\d+)(?::(\d+))?(?:-\d+(?::\d+)?)?(?= - |:(?!:)|, | )"
    r"|\((\d+)(?:,(\d+))?(?:,\d+,\d+)?\)(?= ?:)"
    r"|:\[(\d+),(\d+)\](?= )"
    r"|: line (\d+), col (\d+)(?=,)"
    r'|(?<="), line (\d+)(?=[:;,.] )|:\[(\d+)\](?= )'
)
"""Line and column as compilers write them: 12:3, (12,3), [12,3], line 12, col 3, "a.c", line 12."""
LEAD = re.compile(r"(?:\[(?:ERROR|WARNING|error|warn|warning|info)\] |vet: |([ew]): (?=file:|/)|##\[(error|warning)\])")
"""What a build tool puts before the line of a compiler."""
PATH = re.compile(r"(?:file://|[A-Za-z]:[\\/])?[^\s:*?\"'<>|=][^:*?\"'<>|=]*|<[a-z][a-z -]*>")
NAMED = re.compile(r"\.\w+$")
ROOTED = re.compile(r"[A-Za-z]:[\\/]")
"""A path of Windows, which may hold blanks, and end without an extension as headers of C++ do."""
RATED = re.compile(
    r"[(\[]?(?:(?i:fatal )?(?i:(error|warning|warn|note|remark|information|info|style|hint|help))\b)[)\]]?"
    r"(?:\[([\w:]+)\])?(?: \(?([A-Z]+\d+|#[A-Z\d-]+|\w+:\d+)\b\)?)?(?: ?(?:[:,-]|(?<=[)\]]))\s*|$)(.*)"
)
"""``error: ...``, ``error[E0425]: ...``, ``error TS2304: ...``, ``error #20: ...``, ``Error - ...``, ``[error]``."""
CODED = re.compile(r"([A-Z]{1,7}\d{2,5}|invalid-syntax)(:?) (?:(warning|error|info|style): )?(.*)")
"""A code first, as ruff, flake8, pylint and hadolint have it."""
COP = re.compile(r"([CWEFR]): (?:\[\w+\] )?([A-Z]\w+/[\w/]+): (.*)")
SIGN = re.compile(r"((?:lint|assist|suppressions|parse|format)(?:/\w+)*) .*\u2501{3}")
PARSEABLE = re.compile(r"\[([A-Z]\d{4})\([\w-]+\), [^\]]*\] (.*)")
GRADED = re.compile(r"(.*?)(?<! ) +\[([a-z_]+/[\w+]+)\] \[[0-5]\]")
"""A category and how sure it is at the end, as cpplint has them."""
RANKED = re.compile(r" ?\[[0-5]\] \((\w+)\) (.*)")
"""How risky it is and a category at the beginning, as flawfinder has them."""
LETTERED = re.compile(r"\[([CEFIRW])(\d{4})?(?:[(,][^\]]*)?\] (.*)")
"""A letter in brackets: pylint in the form that older tools parse."""
PARSER = re.compile(r"(?:[\w ]+ )?(?:parser|validity|namespace|encoding) (error|warning) : (.*)")
"""What libxml finds."""
NAMED_RULE = re.compile(r"([a-z][a-z0-9]*(?:-[a-z0-9]+)+|[a-z]+\[[\w-]+\]): (\S.*)")
"""A rule first, as ansible-lint has it."""
UNIX = re.compile(r"(.*) \[(Error|Warning)/?([^\]]{0,200})\]")
TRAIL = re.compile(r" ?\[(-W[\w+=-]+|SC\d+|[a-z][\w-]*)(?:,[^\]]{0,200})?\]$| \((report\w+|[@\w]+[/-][\w/-]+)\)$")
"""The code at the end of a message: [-Wunused], [name-defined], [SC2086], (reportMissingImports), (no-var)."""
RULE = re.compile(r" \(([\w@/-]+)\)$")
OPENED = re.compile(r"\[([A-Za-z][\w-]*)\] ")
LINTER = re.compile(r" \(([a-z][\w-]+)\)$")
SEVERITIES = {
    "error": ERROR,
    "warning": WARNING,
    "warn": WARNING,
    "information": WARNING,
    "info": WARNING,
    "style": WARNING,
}
QUOTED = re.compile(r"‘[^’‘]*’|`[^`]*`|“[^”“]*”|\"[^\"]*\"|'[^']*'|\d+")


@dataclass(slots=True)
class BuildFinding:
    """Hold what a tool says of one place in one file, and the lines of the log that say it.

    ``number`` is the line that gives the message, ``start`` to ``end`` all that belong to it; ``path`` is
    empty where no file is named. ``severity`` is error, warning or note.
    """

    path: str
    severity: str
    code: str
    message: str
    number: int
    text: str
    start: int = 0
    end: int = 0

    @property
    def message_form(self) -> str:
        """Return the message without what is quoted and counted in it: what stands for a code where there is none."""
        return QUOTED.sub("\u2026", self.message[:MAX_PLACE_COLUMN])


def parse_finding(text: str, number: int) -> BuildFinding | None:
    """Return the finding that a line begins with file and place, or None."""
    sentence = parse_sentence(text)
    if sentence:
        path, severity, message = sentence
        return BuildFinding(path, severity, "", message, number, text, number, number)
    place = PLACE.search(text, 0, MAX_PLACE_COLUMN)
    if not place:
        return None
    lead = LEAD.match(text)
    begin = lead.end() if lead and lead.end() <= place.start() else 0
    path = text[begin : place.start()]
    if path[:1] == '"' == path[-1:]:
        path = path[1:-1]
    if not _is_path(path):
        return None
    rest = text[place.end() :].lstrip(":-, ")
    rating = _parse_rating(rest, path, column=bool(place[2]), lead=text[:begin])
    if rating and place[7] and not rating[1]:
        rating = _parse_compact(*rating)
    return BuildFinding(path.removeprefix("file://"), *rating, number, text, number, number) if rating else None


def _parse_compact(severity: str, code: str, message: str) -> tuple[str, str, str]:
    """Take the rule from the end of a message of eslint in its compact form."""
    rule = RULE.search(message)
    return (severity, rule[1], message[: rule.start()]) if rule else (severity, code, message)


def _is_path(path: str) -> bool:
    """Tell whether what stands before a place names a file; one with blanks in it has an extension, or a drive."""
    if not path or len(path) > 300 or not PATH.fullmatch(path) or ("://" in path and not path.startswith("file://")):
        return False
    if " " in path or "\t" in path:
        named = NAMED.search(path) is not None or ROOTED.match(path) is not None
        return named and not path.startswith(("at ", "from ", "In file", "File ", "#"))
    return any(letter.isalpha() for letter in path)


def _parse_rating(rest: str, path: str, *, column: bool, lead: str) -> tuple[str, str, str] | None:
    """Return severity, code and message of what follows a place, or None when it is nobody's finding."""
    rated = RATED.match(rest)
    if rated:
        return _parse_rated(rated)
    coded = CODED.fullmatch(rest)
    if coded:
        code, colon, word, message = coded.groups()
        mild = colon and len(code) == 5 and code[0] in "CRWI"
        return (SEVERITIES[word] if word else WARNING if mild else ERROR), code, message
    return _parse_unusual(rest) or _parse_plain(rest, path, column=column, lead=lead)


def _parse_rated(rated: Match[str]) -> tuple[str, str, str]:
    severity = SEVERITIES.get(rated[1].lower(), NOTE)
    code, message = rated[2] or rated[3] or "", rated[4]
    if not code:
        code, message = _split_code(message)
    return severity, code, message


def _split_code(message: str) -> tuple[str, str]:
    """Take the code from a message that ends, or begins, with it in brackets."""
    trail = TRAIL.search(message)
    if trail:
        return trail[1] or trail[2], message[: trail.start()].rstrip()
    opened = OPENED.match(message)
    return (opened[1], message[opened.end() :]) if opened else ("", message)


def _parse_unusual(rest: str) -> tuple[str, str, str] | None:
    """Return the findings of tools that rate at the end of the line, or by a letter."""
    unix = UNIX.fullmatch(rest)
    if unix:
        return SEVERITIES[unix[2].lower()], unix[3], unix[1]
    parseable = PARSEABLE.fullmatch(rest)
    if parseable:
        return WARNING if parseable[1][0] in "CRWI" else ERROR, parseable[1], parseable[2]
    cop = COP.fullmatch(rest)
    if cop:
        return ERROR if cop[1] in "EF" else WARNING, cop[2], cop[3]
    return _parse_lettered(rest) or _parse_ruled(rest)


def _parse_lettered(rest: str) -> tuple[str, str, str] | None:
    """Return the findings of tools that rate by a letter in brackets, or by what kind of trouble it is."""
    lettered = LETTERED.fullmatch(rest)
    if lettered:
        return ERROR if lettered[1] in "EF" else WARNING, f"{lettered[1]}{lettered[2] or ''}", lettered[3]
    parser = PARSER.fullmatch(rest)
    return (SEVERITIES[parser[1]], "", parser[2]) if parser else None


def _parse_ruled(rest: str) -> tuple[str, str, str] | None:
    """Return the findings of tools that name a rule and do not rate it, or by a number."""
    graded = GRADED.fullmatch(rest)
    if graded:
        return WARNING, graded[2], graded[1]
    ranked = RANKED.fullmatch(rest)
    if ranked:
        return WARNING, ranked[1], ranked[2]
    sign = SIGN.match(rest)
    if sign:
        return ERROR, sign[1], sign[1]
    named = NAMED_RULE.fullmatch(rest)
    return (WARNING, named[1], named[2]) if named else None


def _parse_plain(rest: str, path: str, *, column: bool, lead: str) -> tuple[str, str, str] | None:
    """Return the findings of tools that state none but errors, or rate before the file."""
    if lead and ("vet" not in lead or path.endswith(".go")):
        severity = WARNING if "warn" in lead.lower() or lead[0] == "w" else NOTE if "info" in lead else ERROR
        return severity, *_split_code(rest)
    if column and path.endswith((".go", ".templ", ".proto")):
        linter = LINTER.search(rest)
        return ERROR, linter[1] if linter else "", rest[: linter.start()] if linter else rest
    return None
