"""Parse lines as findings of compilers and linters: the shapes of their headers, and what follows them."""

from collections.abc import Callable
from re import Match

from ctxkit.core.brief.builds.findings import (
    ERROR,
    NAMED,
    NOTE,
    SEVERITIES,
    WARNING,
    BuildEvent,
    BuildFinding,
    EmitItem,
    ReaderState,
    parse_finding,
)
from ctxkit.core.brief.builds.wordings import (
    ARROW,
    BOXED,
    CARETS,
    CELLS,
    CMAKE,
    CODED,
    FILE,
    HEAD,
    INSIDE,
    LINE,
    LINKER,
    LOOSE,
    ROW,
    RULE,
)
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass

_SEVERITY = r"(?i:fatal|error|err|warning|warn|info|information|note|notice|style|hint|convention|refactor|suggestion)"
_SIGNS = "\u2716\u2718\u2717\u00d7\u26a0\u2139!"
_RATING_WORDS = ("fatal", "error", "err", "warning", "warn", "e", "f", "w")
_RATING_SIGNS = "\u2716\u2718\u2717\u00d7\u26a0\u25b2!x"
_CODE = r"[A-Z][A-Z_]{0,11}\d{1,6}"
_WORDED = compile_lazily(
    rf"(?:(?P<path>[^\s:]\S{{0,300}}?)(?: - |: ))?(?P<severity>{_SEVERITY})(?: \d+)?(?::| -|) "
    r"(?P<message>[^\n]{1,400}?),? (?:(?:on |at )?line|in (?P<file>\S{1,200}) line) (?P<line>\d+)"
    r"(?P<rest>[,.:; ][^\n]*)?"
)
"""Pattern of a finding with its line at the end: ``a.pp - WARNING: text on line 4 (check: rule)``."""
LINED = compile_lazily(
    rf"line (?P<line>\d+),? col(?:umn)? (?P<column>\d+) - (?P<severity>{_SEVERITY}): (?P<message>.+)"
)
"""Pattern of a finding that begins with its line, as in tidy."""
_SPACED = compile_lazily(
    rf"(?P<path>[^\s:*?\"<>|][^:*?\"<>|]{{0,300}})(?::(?P<line>\d+)(?::(?P<column>\d+))?:?"
    rf"|(?<=\w\.(?:toml|json|yaml)):|(?<=\w\.(?:txt|yml|cfg)):) "
    rf"(?:(?P<severity>{_SEVERITY}):? )?(?:\[?(?P<code>{_CODE}(?:/[\w/-]+)?)\]?:?"
    r"|\[(?P<letter>[A-Z])\]) (?P<message>\S.*)"
)
"""Pattern of a place, a severity and a code, divided by blanks, as in markdownlint and hadolint."""
_NAMED_FILE = compile_lazily(rf"\[(?P<severity>{_SEVERITY})\] (?P<path>\S+\.\w{{1,12}}|(?:\S+/)+\S+)")
"""Pattern of a finding about a whole file, as in prettier."""
_TAGGED = compile_lazily(
    r"(?P<severity>[EWIPX]): (?P<path>[\w.+-]+(?: \w+)?): (?P<code>[a-z][a-z0-9]*(?:-[a-z0-9]+)+)(?: .*)?"
)
"""Pattern of a tag of a package, as in lintian: its letters are error, warning, information, pedantic, experimental."""
_TAG_LEVELS = {"E": ERROR, "W": WARNING}
_PLAIN = compile_lazily(
    r"(?P<path>[^\s:*?\"<>|=(){}][^:*?\"<>|={}]{0,300}?)"
    r"(?::(?P<line>\d+)(?::\d+)?:?|: line \d+, col \d+,) (?:- )?(?P<message>\S.*)"
)
"""Pattern of a place and a message, divided by a blank, which search results do not have."""
_INDENTED_PLACE = compile_lazily(r"\s+[^\s:]+:\d+:\d+:? (?!\u203a)\S")
"""Pattern of the beginning of such a finding that is indented, as in standard."""
_CHECKED = compile_lazily(r"\((?:check: ?|rule: ?)?([\w@][\w@/.:-]*)\)|\[(?:check: ?)?([\w@][\w@/.-]*)\]")
"""Pattern of a rule in brackets."""
_FINAL_SEVERITY = compile_lazily(rf" [(\[](?P<severity>{_SEVERITY})[)\]]$")
"""Pattern of a severity behind a message."""
_RULE_NAME = compile_lazily(r"[-/_]|^[a-z][a-z0-9]{2,}$")
"""Pattern of the name of a rule: of several words, or of one in small letters."""
_BARE = compile_lazily(r"[A-Z][a-z]+[A-Z]\w*|\w{0,40}file|README|LICEN[CS]E|COPYING|NEWS|AUTHORS|CHANGES|TODO")
"""Pattern of a file name without an extension."""
_LEVEL = compile_lazily(r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\]?:? ")
"""Pattern of a line that a logger writes."""
_NUMBERED = compile_lazily(_CODE)
_LOCATED = compile_lazily(r"(?P<path>\S[^:]{0,300}):(?P<line>\d+)(?::\d+)? (?:at|in) .*:")
"""Pattern of the place of a finding whose message follows, as in pydocstyle."""
_FOLLOWED = compile_lazily(rf"\s+(?P<code>{_CODE}): (?P<message>\S.*)")
_ANNOUNCED = compile_lazily(
    rf">> Issue: \[(?P<issue>[\w:-]+)\] (?P<text>.*)|Check: (?P<check>\w+): (?P<said>.*)"
    rf"|\s*(?P<severity>ERROR|WARN|WARNING|INFO)(?::| ) ?(?P<message>\S.*) \[(?P<rule>[\w-]+)\]"
    rf"|\s+(?P<sign>[{_SIGNS}x]) (?P<name>[\w-]+\([\w/-]+\)): (?P<stated>.*)"
    r"|(?P<ansible>[a-z][a-z-]*\[[\w-]+\]): (?P<about>\S.*)"
    r"|(?P<word>Error|Warning|Notice): (?P<block>\S.*)"
    rf"|[{_SIGNS}\u25b2] \[(?P<grade>{_SEVERITY})\] (?P<marked>\S.*)"
)
"""Pattern of a message whose place follows below: bandit, checkov, pyrefly, oxlint, ansible-lint, tflint, esbuild."""
_PLACED = compile_lazily(
    r"\s*(?:(?:Location|File|-->|at|in|on|,-\[|\u256d\u2500\[):? ?)?(?P<path>[^\s:\[\]]+):(?P<line>\d+)"
    r"(?:[:-]\d+){0,2}[\]:]?(?: [A-Z].*)?"
    r"|\s+on (?P<on>\S+) line (?P<row>\d+)(?:, in .*)?:"
)
"""Pattern of the place below such a message."""
PASSED = compile_lazily(r"\s+(?:PASSED|SKIPPED) for .*")
_HEADING = compile_lazily(r"== \[(?P<path>[^\]]+)\] \w+|FILE: (?P<file>\S.*)")
"""Pattern of a line that names the file of the rows below it, as in sqlfluff and phpcs."""
_SHAPE_ROW = compile_lazily(
    rf"(?:L: *)?(?P<line>\d+)(?::(?P<column>\d+))?(?:-\d+(?::\d+)?)?(?: *\| *P: *\d+)?(?: \| +|[ \t]+)"
    rf"(?:\u2713 )?(?:(?P<severity>{_SEVERITY}|[{_SIGNS}])(?: *\||:)?[ \t]+)?"
    r"(?:(?P<code>[A-Z][A-Z_]{0,11}\d{0,6}) \| )?(?P<message>\S.*)"
)
"""Pattern of a row below the name of its file."""
_RATED_ROW = compile_lazily(r"\d+:\d+(?:-\d+:\d+)? +(?:error|warning|info) +\S")
"""Pattern of the beginning of such a row at the left margin, as in remark."""
_SHAPE_CELLS = compile_lazily(r"(?P<message>\S(?:.{0,1000}\S)?) {2,}(?P<code>\(?[@\w][\w@/.-]*\)?)")
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


_LINKED = ("ld", ".o", ":(", " undefined reference")
"""Parts of a linker's lines: a cheap check before the pattern."""
_MESSAGE_SIGNS = "!x\u2716\u2718\u2717\u00d7\u26a0\u2139EW"
"""First characters of an indented message whose place follows."""


class FindingParser:
    """Parse lines to findings with the help of ``state``; ``finish`` completes the open finding.

    ``plain`` means that findings may have only a place and a message.
    """

    def __init__(self, state: ReaderState, emit: EmitItem, finish: Callable[[], None], *, plain: bool = False) -> None:
        self._state = state
        self._emit = emit
        self._finish = finish
        self._plain = plain

    def parse(self, text: str, number: int) -> BuildFinding | None:
        """Return the finding that a line begins or completes, or None."""
        if text[0] in " \t":
            return self._parse_indented(text, number)
        if text[0] in "│|":
            return self._parse_boxed(text, number)
        finding = parse_finding(text, number)
        if finding:
            return finding if finding.severity != NOTE else None
        return self._parse_worded(text, number) or self._parse_shaped(text, number)

    def _parse_shaped(self, text: str, number: int) -> BuildFinding | None:
        """Return a finding in a shape that many tools share, or remember its place and return None."""
        if self._state.head is not None and self._state.head.number == number:
            return None
        if text[0] == "^":
            return self._parse_carets(text, number)
        if self._state.file and (text.startswith("L:") or _RATED_ROW.match(text)):
            return parse_row(text, self._state.file, number)
        finding = parse_shape(text, number)
        if finding is None and text[-1] == ":":
            located = _LOCATED.fullmatch(text)
            if located:
                self._finish()
                self._state.file, self._state.line = located["path"], number
        return finding or (parse_plain(text, number) if self._plain else None)

    def _parse_carets(self, text: str, number: int) -> BuildFinding | None:
        """Return shellcheck's finding below the line of a script, or None."""
        carets = CARETS.fullmatch(text) if self._state.line else None
        if carets is None:
            return None
        severity = ERROR if carets[2] == "error" else WARNING
        return BuildFinding(self._state.file, severity, carets[1], carets[3], number, text, self._state.line, number)

    def _parse_indented(self, text: str, number: int) -> BuildFinding | None:
        head = self._state.head
        path = _find_place(text) if head else ""
        if path:
            return self._complete_head(path, number)
        if head and PASSED.match(text):
            self._emit_passed(head, number, text)
            return None
        bared = text.strip()
        if self._state.file and _begins_row(bared):
            return self._parse_file_row(text, bared, number)
        followed = self._parse_followed(text, number) if self._state.line else None
        if followed or (head is None and bared[0] in _MESSAGE_SIGNS and self._remember_message(text, number)):
            return followed
        return self._parse_nested(text, bared, number)

    def _parse_nested(self, text: str, bared: str, number: int) -> BuildFinding | None:
        """Return a finding that is indented like an item of a list, or one that has only a place and a message."""
        if " - " in text or text.startswith(("    error", "    warning")):
            finding = parse_finding(bared, number)
            if finding and finding.severity != NOTE and len(text) - len(bared) <= 2:
                finding.text = text
                return finding
        return parse_plain(text, number) if self._plain else None

    def _emit_passed(self, head: BuildFinding, number: int, text: str) -> None:
        """Emit the lines of a check that is not a finding."""
        self._state.head = None
        self._finish()
        self._emit(BuildEvent("passed", head.number, head.text))
        self._emit(BuildEvent("passed", number, text))
        self._state.passed = number

    def _parse_followed(self, text: str, number: int) -> BuildFinding | None:
        """Return a finding below the line of a script or below its place, or None."""
        if "^" in text:
            return self._parse_carets(text, number)
        followed = _FOLLOWED.fullmatch(text) if number == self._state.line + 1 else None
        if followed is None:
            return None
        code, message = followed.groups()
        return BuildFinding(self._state.file, ERROR, code, message, number, text, self._state.line, number, rated=False)

    def _parse_file_row(self, text: str, bared: str, number: int) -> BuildFinding | None:
        """Return a finding in a row below the name of its file, in one of two layouts, or None."""
        row = ROW.fullmatch(bared)
        finding = self._parse_row(row[3], row[4], text, number) if row else None
        return finding or parse_row(text, self._state.file, number)

    def _parse_row(self, severity: str | None, rest: str, text: str, number: int) -> BuildFinding | None:
        """Return a finding below the name of its file."""
        if severity is None:
            coded = CODED.fullmatch(rest)
            if coded is None:
                return None
            return BuildFinding(self._state.file, ERROR, coded[1], coded[2], number, text, number, number, rated=False)
        cells = CELLS.fullmatch(rest)
        message, code = (cells[1], cells[2] or "") if cells else (rest, "")
        return BuildFinding(
            self._state.file, ERROR if severity == "error" else WARNING, code, message, number, text, number, number
        )

    def _parse_boxed(self, text: str, number: int) -> BuildFinding | None:
        box = BOXED.fullmatch(text)
        if box:
            return BuildFinding("", box[1].lower(), "", box[2], number, text, number, number)
        inside = INSIDE.fullmatch(text)
        if inside and self._state.last and not self._state.last.path:
            self._state.last.path = inside[1]
        return None

    def _parse_worded(self, text: str, number: int) -> BuildFinding | None:
        """Return a finding that does not begin with its file, or remember its head and return None."""
        if text[0] in "-╭┌":
            return self._parse_arrow(text, number)
        if self._state.head and number - self._state.head.number <= 1:
            placed = parse_place(text)
            if placed:
                return self._complete_head(placed, number)
        head = HEAD.fullmatch(text) if text[0] in "ew" else None
        if head:
            self._remember_head(BuildFinding("", head[1], head[2] or "", head[3], number, text, number, number))
            return None
        if text.startswith("CMake "):
            return self._parse_cmake(text, number)
        within = LINE.fullmatch(text) if text.startswith("In ") else None
        if within:
            self._finish()
            self._state.file, self._state.line = within[1], number
            return None
        return self._parse_message(text, number)

    def _parse_arrow(self, text: str, number: int) -> BuildFinding | None:
        arrow = ARROW.fullmatch(text) if self._state.head else None
        return self._complete_head(arrow[1], number) if arrow else None

    def _parse_message(self, text: str, number: int) -> BuildFinding | None:
        """Return a finding without a file, or remember the file or the message of the lines below and return None."""
        if self._is_file_heading(text, number) or self._remember_message(text, number):
            return None
        rule = RULE.fullmatch(text)
        if rule:
            rule_head = BuildFinding("", ERROR, rule[1], rule[2], number, text, number, number, rated=False)
            self._remember_head(rule_head, sure=False)
            return None
        return self._parse_unplaced(text, number)

    def _parse_cmake(self, text: str, number: int) -> BuildFinding | None:
        match = CMAKE.fullmatch(text)
        if not match:
            return None
        severity = ERROR if match[1] == "Error" else WARNING
        return BuildFinding(match[2] or "", severity, "", text, number, text, number, number)

    def _parse_unplaced(self, text: str, number: int) -> BuildFinding | None:
        linker = LINKER.fullmatch(text) if any(part in text for part in _LINKED) else None
        if linker:
            if linker["function"] is not None:
                return None  # the place of the errors below
            message = _pick(linker, "message", "other")
            return BuildFinding(linker["path"] or "", ERROR, "", message, number, text, number, number)
        loose = LOOSE.fullmatch(text) if text[0] in "EeFfn[" else None
        if loose and not (self._state.last and text.startswith("npm ") and self._state.last.text.startswith("npm ")):
            return BuildFinding("", ERROR, "", _pick(loose, 1, 2, 3), number, text, number, number)
        return None

    def _is_file_heading(self, text: str, number: int) -> bool:
        """Return whether a line names the file of the rows below it."""
        heading = _HEADING.fullmatch(text) if text[0] in "=F" else None
        if not heading and " " in text and "/" not in text and "\\" not in text:
            return False
        if not heading and (len(text) > 300 or not FILE.fullmatch(text)):
            return False
        self._finish()
        path = (heading["path"] or heading["file"]) if heading else text.rstrip(":")
        self._state.file, self._state.heading, self._state.line = path, number, 0
        return True

    def _remember_message(self, text: str, number: int) -> bool:
        """Remember a message whose place follows, and return whether the line is one."""
        message = parse_message_head(text) if len(text) <= MAX_LINE_LENGTH else None
        if message is None:
            return False
        severity = ERROR if message.severity == ERROR else WARNING
        code, rated = message.code, message.rated
        head = BuildFinding("", severity, code, message.message, number, text, number, number, rated)
        self._remember_head(head, sure=False)
        return True

    def _remember_head(self, head: BuildFinding, *, sure: bool = True) -> None:
        """Remember a message whose place follows."""
        self._finish()
        self._state.head, self._state.sure = head, sure

    def _complete_head(self, path: str, number: int) -> BuildFinding | None:
        """Return the remembered finding with its place."""
        head, self._state.head = self._state.head, None
        if head:
            head.path, head.end = path, max(head.end, number)
        return head


def _pick(match: Match[str], *groups: str | int) -> str:
    """Return the first of some groups that has text, or an empty string."""
    return next(filter(None, map(match.group, groups)), "")


def _find_place(text: str) -> str:
    """Return the path of a line that is an arrow to a place, or only a place; an empty string for others."""
    arrow = ARROW.fullmatch(text)
    return arrow[1] if arrow else parse_place(text)


def _begins_row(text: str) -> bool:
    """Return whether a text below the name of a file begins with a line number."""
    return text[0].isdigit() or text.startswith("L:")


def _rate(word: str | None) -> str:
    """Return the severity of the word, letter or sign that a tool prints."""
    text = (word or "").lower()
    if text in ("", "e", "f", "err", "fatal", "x") or text in "\u2716\u2718\u2717\u00d7":
        return ERROR
    return SEVERITIES.get(text, WARNING)


def _is_rated(word: str | None) -> bool:
    """Return whether the word, letter or sign that a tool prints says that a finding is an error or a warning."""
    text = (word or "").lower()
    return bool(text) and (text in _RATING_WORDS or text in _RATING_SIGNS)


def parse_shape(text: str, number: int) -> BuildFinding | None:
    """Return the finding of a complete line in one of the common shapes, or None."""
    shape = _read_shape(text) if len(text) <= MAX_LINE_LENGTH else None
    return _make(*shape, text, number) if shape else None


def _read_shape(text: str) -> tuple[str, MessageHead] | None:
    """Return the path and the message of a line in one of the common shapes, or None."""
    spaced = _SPACED.fullmatch(text)
    if spaced:
        return spaced["path"], _rate_message(_pick(spaced, "severity", "letter"), spaced["code"], spaced["message"])
    if text[0] == "[":
        named = _NAMED_FILE.fullmatch(text)
        return (named["path"], _rate_message(named["severity"], "", "")) if named else None
    worded = _WORDED.fullmatch(text) if " line " in text else None
    if worded:
        code, message = _split_rule(worded["message"], worded["rest"] or "")
        return _pick(worded, "path", "file"), _rate_message(worded["severity"], code, message)
    lined = LINED.fullmatch(text) if text.startswith("line ") else None
    if lined:
        return "", _rate_message(lined["severity"], "", lined["message"])
    tagged = _TAGGED.fullmatch(text) if text[1:3] == ": " else None
    if tagged is None:
        return None
    letter = tagged["severity"]  # X is experimental here, not a cross
    return tagged["path"], MessageHead(_TAG_LEVELS.get(letter, WARNING), tagged["code"], "", letter in _TAG_LEVELS)


def parse_plain(text: str, number: int) -> BuildFinding | None:
    """Return a finding that has only a place and a message, or None; an indented one has a line and a column."""
    match = _PLAIN.fullmatch(text.lstrip() if _INDENTED_PLACE.match(text) else text)
    path = match["path"] if match else ""
    if match is None or not _is_file_name(path) or _LEVEL.match(text) or _LOCATED.fullmatch(text):
        return None
    message, severity = match["message"], _FINAL_SEVERITY.search(match["message"][-20:])
    if severity is None:
        return _make(path, MessageHead(ERROR, _find_rule(message), message, False), text, number)
    rule = _find_rule(message[: -len(severity[0])])
    return _make(path, _rate_message(severity["severity"], rule, message), text, number)


def _find_rule(message: str) -> str:
    """Return the name of the rule in brackets at the end of a message, empty without one."""
    rules = _CHECKED.findall(message[-80:]) if message[-1:] in ")]" else []
    rule = next((last or first for first, last in reversed(rules)), "")
    return rule if _RULE_NAME.search(rule) or _NUMBERED.fullmatch(rule) else ""


def _is_file_name(path: str) -> bool:
    """Return whether a text may name a file; with blanks it needs an extension, as ``2024-03-01 18`` has none."""
    if " " in path or "\t" in path:
        return NAMED.search(path) is not None
    return "." in path or "/" in path or _BARE.fullmatch(path) is not None


def _split_rule(message: str, rest: str) -> tuple[str, str]:
    """Return the rule in brackets after a message, and the message without it."""
    for text in (rest, message):
        rule = _CHECKED.search(text)
        if rule:
            return rule[1] or rule[2], message.replace(rule[0], "").strip()
    return "", message


def parse_message_head(text: str) -> MessageHead | None:
    """Return the message of a finding whose place follows, or None."""
    match = _ANNOUNCED.fullmatch(text)
    if match is None:
        return None
    code = _pick(match, "issue", "check", "rule", "name", "ansible")
    message = _pick(match, "text", "said", "message", "stated", "about", "block", "marked")
    if match["block"] or match["marked"]:
        code, message = _split_rule(message, "")
    return _rate_message(_pick(match, "severity", "sign", "word", "grade"), code, message)


def parse_place(text: str) -> str:
    """Return the path of a line that is only a place, or an empty string."""
    match = _PLACED.fullmatch(text)
    if match is None:
        return ""
    path = match["path"] or match["on"]
    return path if "." in path or "/" in path else ""


def parse_row(text: str, path: str, number: int) -> BuildFinding | None:
    """Return a finding in a row below the name of its file, or None."""
    match = _SHAPE_ROW.fullmatch(text.strip())
    if match is None or not (match["column"] or match["severity"] or match["code"]):
        return None
    code, message = match["code"] or "", match["message"]
    cells = _SHAPE_CELLS.fullmatch(message)
    if cells and not code:
        code, message = cells["code"].strip("()"), cells["message"]
    if not (match["severity"] or code):
        return None
    return _make(path, _rate_message(match["severity"], code, message), text, number)


def _rate_message(word: str | None, code: str | None, message: str) -> MessageHead:
    """Return a message with the severity of the word, letter or sign that a tool prints, an error without one."""
    return MessageHead(_rate(word), code or "", message, _is_rated(word))


def _make(path: str, head: MessageHead, text: str, number: int) -> BuildFinding:
    return BuildFinding(path, head.severity, head.code, head.message, number, text, number, number, head.rated)
