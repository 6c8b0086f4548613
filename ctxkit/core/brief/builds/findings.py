"""Findings of compilers and linters in one line, the sentences of their messages, and the state of who reads them."""

from collections.abc import Callable
from re import Match

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass

_SENTENCE = compile_lazily(
    r"\d+\. (?P<eclipse>ERROR|WARNING) in (?P<source>\S.*) \(at line (?P<row>\d+)\)"
    r"|(?:PHP )?(?P<php>(?:Parse|Fatal|Compile|Core|Recoverable fatal) error|Warning|Notice|Deprecated):"
    r" +(?P<said>\S.*) in (?P<script>[^:*?\"<>|]\S*|[A-Z]:\\[^:*?\"<>|]+) on line (?P<line>\d+)"
    r"|(?:(?P<policy>[^\s:]+): )?(?P<told>\S.*) at (?:(?P<module>\S+\.(?:pl|pm|t|cgi|psgi)) )?line (?P<perl>\d+)"
    r"(?:, column (?P<column>\d+)\.|, near .*|\.).*"
)
"""Pattern of the complete sentence of a compiler."""
MAX_LINE_LENGTH = 1_000
"""Maximum number of characters of such a sentence."""
ERROR, WARNING, NOTE = "error", "warning", "note"
_MAX_PLACE_COLUMN = 400
"""Number of characters of a line that are searched for the place of a finding."""
PLACE = compile_lazily(
    r":(\d+)(?::(\d+))?(?:-\d+(?::\d+)?)?(?= - |:(?!:)|, | )"
    r"|\((\d+)(?:,(\d+))?(?:,\d+,\d+)?\)(?= ?:)"
    r"|:\[(\d+),(\d+)\](?= )"
    r"|: line (\d+), col (\d+)(?=,)"
    r'|(?<="), line (\d+)(?=[:;,.] )|:\[(\d+)\](?= )'
    r"|(?<=\.\w{2})(?=: (?:WARNING|ERROR|CRITICAL|SEVERE): )|(?<=\.\w{3})(?=: (?:WARNING|ERROR|CRITICAL|SEVERE): )"
)
"""Line and column as compilers write them: 12:3, (12,3), [12,3], line 12, col 3, "a.c", line 12; none before a level,
where the finding is about a whole file, as in Sphinx."""
_LEAD = compile_lazily(
    r"(?:\[(?:ERROR|WARNING|WARN|error|warn|warning|info)\] |vet: |([ew]): (?=file:|/)|##\[(error|warning)\])"
)
"""Pattern of prefixes that build tools put before a compiler's line."""
_BULLET = compile_lazily(r"(?:[-*\u2022] +)+")
"""Pattern of the list marks before a place, which are not part of its path."""
PATH = compile_lazily(r"(?:file://|[A-Za-z]:[\\/])?[^\s:*?\"'<>|=][^:*?\"'<>|=]*|<[a-z][a-z -]*>")
NAMED = compile_lazily(r"\.\w+$")
_ROOTED = compile_lazily(r"[A-Za-z]:[\\/]")
"""Pattern of a Windows path, which may contain blanks and have no extension, as C++ headers do."""
_RATED = compile_lazily(
    r"[(\[]?(?:(?i:fatal )?(?i:(error|warning|warn|note|remark|information|info|style|hint|help))\b)(?:/\d)?[)\]]?"
    r"(?:\[([\w:]+)\])?(?: \(?([A-Z]+\d+|#[A-Z\d-]+|\w+:\d+)\b\)?)?(?: ?(?:[:,-]|(?<=[)\]]))\s*|$)(.*)"
)
"""``error: ...``, ``error[E0425]: ...``, ``error TS2304: ...``, ``error #20: ...``, ``Error - ...``, ``[error]``."""
CODED = compile_lazily(r"([A-Z]{1,7}\d{2,5}|invalid-syntax)(:?) (?:(warning|error|info|style): )?(.*)")
"""Pattern of a leading code, as in ruff, flake8, pylint and hadolint."""
_COP = compile_lazily(r"([CWEFR]): (?:\[\w+\] )?([A-Z]\w+/[\w/]+): (.*)")
_SIGN = compile_lazily(r"((?:lint|assist|suppressions|parse|format)(?:/\w+)*) .*\u2501{3}")
_PARSEABLE = compile_lazily(r"\[([A-Z]\d{4})\([\w-]+\), [^\]]*\] (.*)")
_GRADED = compile_lazily(r"(.*?)(?<! ) +\[([a-z_]+/[\w+]+)\] \[[0-5]\]")
"""Pattern of a final category and confidence, as in cpplint."""
_RANKED = compile_lazily(r" ?\[[0-5]\] \((\w+)\) (.*)")
"""Pattern of a leading risk level and category, as in flawfinder."""
_LETTERED = compile_lazily(r"\[([CEFIRW])(\d{4})?(?:[(,][^\]]*)?\] (.*)")
"""Pattern of a letter in brackets, as in pylint's parseable format for older tools."""
_PARSER = compile_lazily(
    r"(?:element [^\s:]{1,200}: )?(?:[\w ]+ )?(?:parser|validity|namespace|encoding) (error|warning) : (.*)"
)
"""Pattern of findings of libxml."""
_NAMED_RULE = compile_lazily(r"([a-z][a-z0-9]*(?:-[a-z0-9]+)+|[a-z]+\[[\w-]+\]): (\S.*)")
"""Pattern of a leading rule name, as in ansible-lint."""
_UNIX = compile_lazily(r"(.*) \[(Error|Warning)/?([^\]]{0,200})\]")
_TRAIL = compile_lazily(
    r" ?\[(-W[\w+=-]+|SC\d+|[a-z][\w-]*(?:\.[a-z][\w-]*)?|[A-Z][a-z]+[A-Z]\w*)(?:,[^\]]{0,200})?\]$"
    r"| \((report\w+|[@\w]+[/-][\w/-]+|[A-Z]\d{3,4})\)$"
)
"""Pattern of a final code: [-Wunused], [name-defined], [SC2086], (reportMissingImports), (no-var)."""
_NUMBERED_CODE = compile_lazily(r"[A-Z]{1,4}\d{3,5}")
"""Pattern of a code that makes a note a finding of its own, as in shellcheck."""
RULE = compile_lazily(r" \(([\w@/-]+)\)$")
_OPENED = compile_lazily(r"\[([A-Za-z][\w-]*)\] ")
_LINTER = compile_lazily(r" \(([a-z][\w-]+)\)$")
SEVERITIES = {
    "error": ERROR,
    "warning": WARNING,
    "warn": WARNING,
    "information": WARNING,
    "info": WARNING,
    "style": WARNING,
}
_COUNTED = ("error", "warning", "warn")
"""Severities that are counted by their name; findings of others are counted as findings."""
QUOTED = compile_lazily(r"‘[^’‘]*’|`[^`]*`|“[^”“]*”|\"[^\"]*\"|'[^']*'|\d+")


@dataclass(slots=True)
class BuildFinding:
    """Hold a finding about one place in one file, and its lines in the log.

    ``number`` is the line of the message, ``start`` to ``end`` all lines of the finding. ``path`` is empty if no file
    is named. ``severity`` is error, warning or note; ``rated`` means that the tool states it. ``grade`` is the word
    that the tool states instead, such as style.
    """

    path: str
    severity: str
    code: str
    message: str
    number: int
    text: str
    start: int = 0
    end: int = 0
    rated: bool = True
    grade: str = ""

    @property
    def message_form(self) -> str:
        """Return the message without quoted names and numbers, which replaces a missing code."""
        return QUOTED.sub("\u2026", self.message[:_MAX_PLACE_COLUMN])


def parse_finding(text: str, number: int) -> BuildFinding | None:
    """Return the finding of a line that begins with a file and a place, or None."""
    sentence = parse_sentence(text)
    if sentence:
        path, severity, message = sentence
        return BuildFinding(path, severity, "", message, number, text, number, number)
    place = PLACE.search(text, 0, _MAX_PLACE_COLUMN)
    if not place:
        return None
    lead, path = _split_path(text, place.start())
    if not _is_path(path):
        return None
    rest = text[place.end() :].lstrip(":-, ")
    rating = _parse_rating(rest, path, column=bool(place[2]), lead=lead)
    if rating and place[7] and not rating[1]:
        rating = _parse_compact(*rating)
    if rating is None:
        return None
    grade = _find_grade(rest)
    rated = grade in _COUNTED if grade else _is_rated(rest, rating[1], lead=lead)
    grade = "" if rated else grade
    return BuildFinding(path.removeprefix("file://"), *rating, number, text, number, number, rated, grade)


def _split_path(text: str, end: int) -> tuple[str, str]:
    """Return the prefix of a build tool before the place at ``end``, and the path between them without its quotes."""
    lead = _LEAD.match(text)
    begin = lead.end() if lead and lead.end() <= end else 0
    path = _BULLET.sub("", text[begin:end], count=1)
    return text[:begin], path[1:-1] if path[:1] == '"' == path[-1:] else path


def _is_rated(rest: str, code: str, *, lead: str) -> bool:
    """Return whether the text after a place, without a severity of its own, states an error or a warning.

    ``lead`` is the severity or tool before the place, empty for none.
    """
    if code and rest.startswith(code):
        coded = CODED.fullmatch(rest)
        return bool(lead) or (coded is not None and coded[3] is not None)
    cop = _COP.fullmatch(rest)
    if cop:
        return cop[1] in "EFW"  # the others are conventions and hints to refactor
    if _GRADED.fullmatch(rest) or _RANKED.fullmatch(rest):
        return False
    return bool(lead) or _parse_unusual(rest) is not None


def _find_grade(rest: str) -> str:
    """Return the severity at the beginning of the text after a place, before or behind a code; empty for none."""
    stated = _RATED.match(rest)
    if stated:
        return stated[1].lower()
    coded = CODED.fullmatch(rest)
    return coded[3] or "" if coded else ""


def _parse_compact(severity: str, code: str, message: str) -> tuple[str, str, str]:
    """Split the rule from the end of a message in eslint's compact format."""
    rule = RULE.search(message)
    return (severity, rule[1], message[: rule.start()]) if rule else (severity, code, message)


def _is_path(path: str) -> bool:
    """Return whether the text before a place is a path; a path with blanks needs an extension or a drive."""
    if not path or len(path) > 300 or not PATH.fullmatch(path) or ("://" in path and not path.startswith("file://")):
        return False
    if " " in path or "\t" in path:
        named = NAMED.search(path) is not None or _ROOTED.match(path) is not None
        return named and not path.startswith(("at ", "from ", "In file", "File ", "#"))
    return any(letter.isalpha() for letter in path)


def _parse_rating(rest: str, path: str, *, column: bool, lead: str) -> tuple[str, str, str] | None:
    """Return severity, code and message of the text after a place, or None if no known tool writes it."""
    rated = _RATED.match(rest)
    if rated:
        return _parse_rated(rated)
    coded = CODED.fullmatch(rest)
    if coded and not (path.endswith(".go") and not coded[2]):
        code, colon, word, message = coded.groups()
        mild = colon and len(code) == 5 and code[0] in "CRWI"
        return (SEVERITIES[word] if word else WARNING if mild else ERROR), code, message
    return _parse_unusual(rest) or _parse_plain(rest, path, column=column, lead=lead)


def _parse_rated(rated: Match[str]) -> tuple[str, str, str]:
    severity = SEVERITIES.get(rated[1].lower(), NOTE)
    code, message = rated[2] or rated[3] or "", rated[4]
    if not code:
        code, message = _split_code(message)
    if severity == NOTE and _NUMBERED_CODE.fullmatch(code):
        severity = WARNING
    return severity, code, message


def _split_code(message: str) -> tuple[str, str]:
    """Split the code in brackets from the end or the beginning of a message."""
    trail = _TRAIL.search(message)
    if trail:
        return trail[1] or trail[2], message[: trail.start()].rstrip()
    opened = _OPENED.match(message)
    return (opened[1], message[opened.end() :]) if opened else ("", message)


def _parse_unusual(rest: str) -> tuple[str, str, str] | None:
    """Return a finding of a tool that gives the severity at the end of the line or by a letter, or None."""
    unix = _UNIX.fullmatch(rest)
    if unix:
        return SEVERITIES[unix[2].lower()], unix[3], unix[1]
    parseable = _PARSEABLE.fullmatch(rest)
    if parseable:
        return WARNING if parseable[1][0] in "CRWI" else ERROR, parseable[1], parseable[2]
    cop = _COP.fullmatch(rest)
    if cop:
        return ERROR if cop[1] in "EF" else WARNING, cop[2], cop[3]
    return _parse_lettered(rest) or _parse_ruled(rest)


def _parse_lettered(rest: str) -> tuple[str, str, str] | None:
    """Return a finding with a letter in brackets as its severity, or a parser error of libxml, or None."""
    lettered = _LETTERED.fullmatch(rest)
    if lettered:
        return ERROR if lettered[1] in "EF" else WARNING, f"{lettered[1]}{lettered[2] or ''}", lettered[3]
    parser = _PARSER.fullmatch(rest)
    return (SEVERITIES[parser[1]], "", parser[2]) if parser else None


def _parse_ruled(rest: str) -> tuple[str, str, str] | None:
    """Return a finding of a tool that names a rule without a severity, or gives a number, or None."""
    graded = _GRADED.fullmatch(rest)
    if graded:
        return WARNING, graded[2], graded[1]
    ranked = _RANKED.fullmatch(rest)
    if ranked:
        return WARNING, ranked[1], ranked[2]
    sign = _SIGN.match(rest)
    if sign:
        return ERROR, sign[1], sign[1]
    named = _NAMED_RULE.fullmatch(rest)
    return (WARNING, named[1], named[2]) if named else None


def _parse_plain(rest: str, path: str, *, column: bool, lead: str) -> tuple[str, str, str] | None:
    """Return a finding without a severity, or with the severity before the file, or None."""
    if lead and ("vet" not in lead or path.endswith(".go")):
        severity = WARNING if "warn" in lead.lower() or lead[0] == "w" else NOTE if "info" in lead else ERROR
        return severity, *_split_code(rest)
    if column and path.endswith((".go", ".templ", ".proto")):
        linter = _LINTER.search(rest)
        return ERROR, linter[1] if linter else "", rest[: linter.start()] if linter else rest
    return None


def parse_sentence(text: str) -> tuple[str, str, str] | None:
    """Return the file, the severity (error or warning) and the message of a sentence, or None."""
    match = _SENTENCE.fullmatch(text) if " line " in text and len(text) <= MAX_LINE_LENGTH else None
    if match is None:
        return None
    if match["eclipse"]:
        return match["source"], match["eclipse"].lower(), ""
    if match["php"]:
        return match["script"], "error" if "error" in match["php"] else "warning", match["said"]
    if match["module"]:
        return match["module"], "error", match["told"]
    return (match["policy"], "warning", match["told"]) if match["policy"] and match["column"] else None


@dataclass(slots=True)
class BuildEvent:
    """Hold a line of type ``closing``, ``step``, ``passed`` or ``other`` if it belongs to no finding."""

    kind: str
    number: int
    text: str


EmitItem = Callable[[BuildFinding | BuildEvent], None]


@dataclass(slots=True)
class ReaderState:
    """Hold what the lines above say about the next line.

    ``last`` is the open finding, and ``closed`` means that a line which does not belong to it followed. ``head`` is a
    message whose place may follow; ``sure`` means that it is a finding without a place too. ``file`` is named in the
    line ``heading``, and ``line`` is the line of a place whose finding follows. ``lead`` is the first line that
    introduces a finding, ``passed`` the last line of a check that passed.
    """

    last: BuildFinding | None = None
    head: BuildFinding | None = None
    file: str = ""
    heading: int = 0
    line: int = 0
    lead: int = 0
    passed: int = -1
    sure: bool = True
    closed: bool = False
