"""Shapes of findings that many linters share: any severity word, any place for the rule, in one line or two."""

from ctxkit.core.brief.builds.findings import ERROR, NAMED, SEVERITIES, WARNING, BuildFinding
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass

_SEVERITY = r"(?i:fatal|error|err|warning|warn|info|information|note|notice|style|hint|convention|refactor|suggestion)"
_SIGNS = "\u2716\u2718\u2717\u00d7\u26a0\u2139!"
_RATING_WORDS = ("fatal", "error", "err", "warning", "warn", "e", "f", "w")
_RATING_SIGNS = "\u2716\u2718\u2717\u00d7\u26a0\u25b2!x"
_CODE = r"[A-Z][A-Z_]{0,11}\d{1,6}"
WORDED = compile_lazily(
    rf"(?:(?P<path>[^\s:]\S{{0,300}}?)(?: - |: ))?(?P<severity>{_SEVERITY})(?: \d+)?(?::| -|) "
    r"(?P<message>[^\n]{1,400}?),? (?:(?:on |at )?line|in (?P<file>\S{1,200}) line) (?P<line>\d+)"
    r"(?P<rest>[,.:; ][^\n]*)?"
)
"""Pattern of a finding with its line at the end: ``a.pp - WARNING: text on line 4 (check: rule)``."""
LINED = compile_lazily(
    rf"line (?P<line>\d+),? col(?:umn)? (?P<column>\d+) - (?P<severity>{_SEVERITY}): (?P<message>.+)"
)
"""Pattern of a finding that begins with its line, as in tidy."""
SPACED = compile_lazily(
    rf"(?P<path>[^\s:*?\"<>|][^:*?\"<>|]{{0,300}})(?::(?P<line>\d+)(?::(?P<column>\d+))?:?"
    rf"|(?<=\w\.(?:toml|json|yaml)):|(?<=\w\.(?:txt|yml|cfg)):) "
    rf"(?:(?P<severity>{_SEVERITY}):? )?(?:\[?(?P<code>{_CODE}(?:/[\w/-]+)?)\]?:?"
    r"|\[(?P<letter>[A-Z])\]) (?P<message>\S.*)"
)
"""Pattern of a place, a severity and a code, divided by blanks, as in markdownlint and hadolint."""
NAMED_FILE = compile_lazily(rf"\[(?P<severity>{_SEVERITY})\] (?P<path>\S+\.\w{{1,12}}|(?:\S+/)+\S+)")
"""Pattern of a finding about a whole file, as in prettier."""
TAGGED = compile_lazily(
    r"(?P<severity>[EWIPX]): (?P<path>[\w.+-]+(?: \w+)?): (?P<code>[a-z][a-z0-9]*(?:-[a-z0-9]+)+)(?: .*)?"
)
"""Pattern of a tag of a package, as in lintian: its letters are error, warning, information, pedantic, experimental."""
TAG_LEVELS = {"E": ERROR, "W": WARNING}
PLAIN = compile_lazily(
    r"(?P<path>[^\s:*?\"<>|=(){}][^:*?\"<>|={}]{0,300}?)"
    r"(?::(?P<line>\d+)(?::\d+)?:?|: line \d+, col \d+,) (?:- )?(?P<message>\S.*)"
)
"""Pattern of a place and a message, divided by a blank, which search results do not have."""
INDENTED_PLACE = compile_lazily(r"\s+[^\s:]+:\d+:\d+:? (?!\u203a)\S")
"""Pattern of the beginning of such a finding that is indented, as in standard."""
CHECKED = compile_lazily(r"\((?:check: ?|rule: ?)?([\w@][\w@/.:-]*)\)|\[(?:check: ?)?([\w@][\w@/.-]*)\]")
"""Pattern of a rule in brackets."""
FINAL_SEVERITY = compile_lazily(rf" [(\[](?P<severity>{_SEVERITY})[)\]]$")
"""Pattern of a severity behind a message."""
RULE_NAME = compile_lazily(r"[-/_]|^[a-z][a-z0-9]{2,}$")
"""Pattern of the name of a rule: of several words, or of one in small letters."""
BARE = compile_lazily(r"[A-Z][a-z]+[A-Z]\w*|\w{0,40}file|README|LICEN[CS]E|COPYING|NEWS|AUTHORS|CHANGES|TODO")
"""Pattern of a file name without an extension."""
LEVEL = compile_lazily(r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\]?:? ")
"""Pattern of a line that a logger writes."""
NUMBERED = compile_lazily(_CODE)
LOCATED = compile_lazily(r"(?P<path>\S[^:]{0,300}):(?P<line>\d+)(?::\d+)? (?:at|in) .*:")
"""Pattern of the place of a finding whose message follows, as in pydocstyle."""
FOLLOWED = compile_lazily(rf"\s+(?P<code>{_CODE}): (?P<message>\S.*)")
ANNOUNCED = compile_lazily(
    rf">> Issue: \[(?P<issue>[\w:-]+)\] (?P<text>.*)|Check: (?P<check>\w+): (?P<said>.*)"
    rf"|\s*(?P<severity>ERROR|WARN|WARNING|INFO)(?::| ) ?(?P<message>\S.*) \[(?P<rule>[\w-]+)\]"
    rf"|\s+(?P<sign>[{_SIGNS}x]) (?P<name>[\w-]+\([\w/-]+\)): (?P<stated>.*)"
    r"|(?P<ansible>[a-z][a-z-]*\[[\w-]+\]): (?P<about>\S.*)"
    r"|(?P<word>Error|Warning|Notice): (?P<block>\S.*)"
    rf"|[{_SIGNS}\u25b2] \[(?P<grade>{_SEVERITY})\] (?P<marked>\S.*)"
)
"""Pattern of a message whose place follows below: bandit, checkov, pyrefly, oxlint, ansible-lint, tflint, esbuild."""
PLACED = compile_lazily(
    r"\s*(?:(?:Location|File|-->|at|in|on|,-\[|\u256d\u2500\[):? ?)?(?P<path>[^\s:\[\]]+):(?P<line>\d+)"
    r"(?:[:-]\d+){0,2}[\]:]?(?: [A-Z].*)?"
    r"|\s+on (?P<on>\S+) line (?P<row>\d+)(?:, in .*)?:"
)
"""Pattern of the place below such a message."""
PASSED = compile_lazily(r"\s+(?:PASSED|SKIPPED) for .*")
HEADING = compile_lazily(r"== \[(?P<path>[^\]]+)\] \w+|FILE: (?P<file>\S.*)")
"""Pattern of a line that names the file of the rows below it, as in sqlfluff and phpcs."""
ROW = compile_lazily(
    rf"(?:L: *)?(?P<line>\d+)(?::(?P<column>\d+))?(?:-\d+(?::\d+)?)?(?: *\| *P: *\d+)?(?: \| +|[ \t]+)"
    rf"(?:\u2713 )?(?:(?P<severity>{_SEVERITY}|[{_SIGNS}])(?: *\||:)?[ \t]+)?"
    r"(?:(?P<code>[A-Z][A-Z_]{0,11}\d{0,6}) \| )?(?P<message>\S.*)"
)
"""Pattern of a row below the name of its file."""
RATED_ROW = compile_lazily(r"\d+:\d+(?:-\d+:\d+)? +(?:error|warning|info) +\S")
"""Pattern of the beginning of such a row at the left margin, as in remark."""
CELLS = compile_lazily(r"(?P<message>\S(?:.{0,1000}\S)?) {2,}(?P<code>\(?[@\w][\w@/.-]*\)?)")

MAX_LINE_LENGTH = 2_000
"""Maximum number of characters of a line that is read."""


@dataclass(frozen=True, slots=True)
class MessageHead:
    """Hold the severity, the code and the message of a finding whose place follows.

    ``rated`` means that the tool states the severity.
    """

    severity: str
    code: str
    message: str
    rated: bool


def rate(word: str | None) -> str:
    """Return the severity of the word, letter or sign that a tool prints."""
    text = (word or "").lower()
    if text in ("", "e", "f", "err", "fatal", "x") or text in "\u2716\u2718\u2717\u00d7":
        return ERROR
    return SEVERITIES.get(text, WARNING)


def is_rated(word: str | None) -> bool:
    """Return whether the word, letter or sign that a tool prints says that a finding is an error or a warning."""
    text = (word or "").lower()
    return bool(text) and (text in _RATING_WORDS or text in _RATING_SIGNS)


def parse_shape(text: str, number: int) -> BuildFinding | None:
    """Return the finding of a complete line in one of the common shapes, or None."""
    if len(text) > MAX_LINE_LENGTH:
        return None
    spaced = SPACED.fullmatch(text)
    if spaced:
        code, letter = spaced["code"], spaced["letter"]
        severity = rate(spaced["severity"] or letter)
        rated = is_rated(spaced["severity"] or letter)
        return _make(text, number, spaced["path"], severity, code or "", spaced["message"], rated=rated)
    if text[0] == "[":
        named = NAMED_FILE.fullmatch(text)
        return _make_rated(text, number, named["path"], named["severity"], "", "") if named else None
    if " line " in text:
        worded = WORDED.fullmatch(text)
        if worded:
            path = worded["path"] or worded["file"] or ""
            code, message = split_rule(worded["message"], worded["rest"] or "")
            return _make_rated(text, number, path, worded["severity"], code, message)
    lined = LINED.fullmatch(text) if text.startswith("line ") else None
    if lined:
        return _make_rated(text, number, "", lined["severity"], "", lined["message"])
    tagged = TAGGED.fullmatch(text) if text[1:3] == ": " else None
    if tagged is None:
        return None
    letter = tagged["severity"]  # X is experimental here, not a cross
    severity, rated = TAG_LEVELS.get(letter, WARNING), letter in TAG_LEVELS
    return _make(text, number, tagged["path"], severity, tagged["code"], "", rated=rated)


def parse_plain(text: str, number: int) -> BuildFinding | None:
    """Return a finding that has only a place and a message, or None; an indented one has a line and a column."""
    match = PLAIN.fullmatch(text.lstrip() if INDENTED_PLACE.match(text) else text)
    path = match["path"] if match else ""
    if match is None or not _is_file_name(path) or LEVEL.match(text) or LOCATED.fullmatch(text):
        return None
    message, severity = match["message"], FINAL_SEVERITY.search(match["message"][-20:])
    if severity is None:
        return _make(text, number, path, ERROR, _find_rule(message), message, rated=False)
    rule = _find_rule(message[: -len(severity[0])])
    return _make_rated(text, number, path, severity["severity"], rule, message)


def _find_rule(message: str) -> str:
    """Return the name of the rule in brackets at the end of a message, empty without one."""
    rules = CHECKED.findall(message[-80:]) if message[-1:] in ")]" else []
    rule = next((last or first for first, last in reversed(rules)), "")
    return rule if RULE_NAME.search(rule) or NUMBERED.fullmatch(rule) else ""


def _is_file_name(path: str) -> bool:
    """Return whether a text may name a file; with blanks it needs an extension, as ``2024-03-01 18`` has none."""
    if " " in path or "\t" in path:
        return NAMED.search(path) is not None
    return "." in path or "/" in path or BARE.fullmatch(path) is not None


def split_rule(message: str, rest: str) -> tuple[str, str]:
    """Return the rule in brackets after a message, and the message without it."""
    for text in (rest, message):
        rule = CHECKED.search(text)
        if rule:
            return rule[1] or rule[2], message.replace(rule[0], "").strip()
    return "", message


def parse_message_head(text: str) -> MessageHead | None:
    """Return the message of a finding whose place follows, or None."""
    match = ANNOUNCED.fullmatch(text)
    if match is None:
        return None
    code = match["issue"] or match["check"] or match["rule"] or match["name"] or match["ansible"] or ""
    message = match["text"] or match["said"] or match["message"] or match["stated"] or match["about"] or match["block"]
    message = message or match["marked"]
    if match["block"] or match["marked"]:
        code, message = split_rule(message, "")
    word = match["severity"] or match["sign"] or match["word"] or match["grade"] or ""
    return MessageHead(rate(word), code, message or "", rated=is_rated(word))


def parse_place(text: str) -> str:
    """Return the path of a line that is only a place, or an empty string."""
    match = PLACED.fullmatch(text)
    if match is None:
        return ""
    path = match["path"] or match["on"]
    return path if "." in path or "/" in path else ""


def parse_row(text: str, path: str, number: int) -> BuildFinding | None:
    """Return a finding in a row below the name of its file, or None."""
    match = ROW.fullmatch(text.strip())
    if match is None or not (match["column"] or match["severity"] or match["code"]):
        return None
    code, message = match["code"] or "", match["message"]
    cells = CELLS.fullmatch(message)
    if cells and not code:
        code, message = cells["code"].strip("()"), cells["message"]
    if not (match["severity"] or code):
        return None
    severity = rate(match["severity"]) if match["severity"] else ERROR
    return _make(text, number, path, severity, code, message, rated=is_rated(match["severity"]))


def _make_rated(text: str, number: int, path: str, word: str, code: str, message: str) -> BuildFinding:
    return _make(text, number, path, rate(word), code, message, rated=is_rated(word))


def _make(
    text: str, number: int, path: str, severity: str, code: str, message: str, *, rated: bool
) -> BuildFinding:
    return BuildFinding(path, severity, code, message, number, text, number, number, rated)
