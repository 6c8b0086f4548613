"""Output that a user pasted into a message, apart from the user's own words before, between and after it."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ctxkit.core.context.extract.error_lines import find_error_lines, has_error_word
from ctxkit.core.context.extract.reference import is_status
from ctxkit.core.context.extract.reply import is_prompt_line, is_record_line
from ctxkit.core.context.extract.request_text import clip_closed, find_terminal
from ctxkit.core.context.instructions import is_instruction
from ctxkit.core.context.other_languages import OTHER_LETTER
from ctxkit.core.context.pasted_text import is_pasted
from ctxkit.core.context.sentences import split_sentences

_FATAL = re.compile(r"\W{0,3}(?:FATAL|CRITICAL|panic)\b\W+\w")
"""A line that names the error which ended a program."""
_DATA = re.compile(r"[\]\[{}(),;]+\s*$|[\[{]+\"|\"[^\"]{1,80}\" ?:|[│┃├└╭╰▲●◆❯✓✗×⎯═]")
_CODE = re.compile(
    r".*[{;]$|(?:import|from|const|let|var|def|class|return|export|#include)\b(?! (?:the|a|an)\b).*[\w)'\"]$"
)
"""The beginning of a line of data, and a line of code."""
_CAUSE = re.compile(
    r"\b(?:could not|cannot|can['’]t|unable to|no such|not found|does not exist|undefined"
    r"|denied|refused|missing|invalid|unexpected)\b"
    r"|\w(?:Error|Exception)\b: ",
    re.IGNORECASE,
)
"""What a line says that tells the cause of a failure."""
_TEST_COUNT = re.compile(
    r"(?:Tests?|Suites?|Files|Snapshots|Start at|Time|Duration)\b[^.?!]{0,40}"
    r"\d+ ?(?:passed|failed|total|:\d\d|m?s\b)"
)
"""A line with which a runner of tests ends."""
_COMMAND_LINE = re.compile(
    r"(?:go|npm|npx|yarn|pnpm|make|python3?|pip3?|cargo|docker|git|kubectl|uv|bun|node|curl|cd|ls|cat|ssh|sudo|export)"
    r" (?!(?:the|a|an|it|this|that|to|and|with|on|in|for|ahead|through|sure)\b)[^?!,]{1,200}(?<![.:])"
)
"""A line that only runs a program."""
_ASSIGNMENT = re.compile(
    r"(?:(?:(?i:set|setx|export) |\$env:)[A-Za-z_]\w{1,60}(?: = |=)|[A-Z][A-Z0-9_]{2,60}=)"
    r"(?:\"[^\"\n]*\"|'[^'\n]*'|\S+)"
)
"""A line that sets a variable of the environment, often to a secret."""
_CODE_SIGNS = frozenset("[]{}(),;\"")
"""The first signs of lines of code and of data."""
_MARKED = re.compile(r"#{1,6} |[-*+•] |\d{1,2}(?:\.\d{1,2})*[.)]? |>|```|-{3,}$|\*\*")
"""The beginning of a line of prose in Markdown, which may be the user's own."""
_LABELLED_LINE = re.compile(r"\[[A-Za-z][\w .-]{0,39}\] [^\[\]]*[a-z] [^\[\]]*")
"""A sentence after the name of its sender, as chats write it."""
_SHELL_LINE = re.compile(r"(?:\([\w.-]{1,40}\) )?(?:~|/)?[^\s$❯➜⚡#]{0,80} ?[$❯➜⚡] \S")
_QUESTION = re.compile(r".{3,120}[(\[](?:y(?:es)?/n(?:o)?)[)\]]|Last login: \w{3} ", re.IGNORECASE)
_PROMPT_END = re.compile(r"(?P<prompt>\S{0,80} ?[$#%>❯➜]) +(?P<words>\S.*)")
"""A command after the prompt of a shell, the question or greeting of a program, and words after a prompt."""
_BANNER = re.compile(r"\d\.\d|\.{3}$| {2,}|\|  |^[^\w\s\"'(\[`*#@/-]|://")
"""What the lines of a program have and the words before a copy do not: a version, columns, a sign."""
_SPEECH = re.compile(r"\b(?:you|your|please|pls|we|let['’]?s|i|i['’]m|my|me)\b", re.IGNORECASE)
_HELP = re.compile(r"\byou (?:can|may|have|must)\b|^\W*(?:see|try|run|use)\b|\bconsidered\b", re.IGNORECASE)
"""Words of a speaker to a hearer, and those with which programs advise their user."""
_PROSE = re.compile(r"(?:[A-Za-z'’]{1,20}[,.]? ){5,60}[A-Za-z'’]{1,20}[.?!]*")
"""A sentence of plain words."""
_INLINE = re.compile(
    r"([^\n:]{8,200}?[^\W\d_]) ?:[ \t]+(?=\S)|((?:[A-Za-z'’,]{1,20} ){3,40})(?=\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:)"
)
"""The user's words, up to the colon or the time after which output follows on the same line."""
MIN_LINES, MIN_SHARE, MIN_OUTPUT_SHARE, MIN_LETTERS = 4, 0.5, 0.35, 3
"""Minimum lines of output, minimum share of pasted lines and of lines that only a program writes, and letters."""
SCRIPT_SHARE = 0.2
"""Maximum share of lines in another script than the Latin one that a person wrote between those of a program."""
MIN_LABELS = 3
"""Minimum lines that begin with the same word, as those of a program do."""
MAX_BELOW = 6
"""Lines below the heading of an error among which one names its cause."""
MAX_TEXT, MAX_LINE = 60_000, 600
"""Maximum characters of a message whose lines are told apart, and of a line that is looked at."""


_PATH = re.compile(r"(?:[A-Za-z]:\\|/)[^\s:*?\"<>|]{1,250}")
"""A line with the path of an open file, which hosts add."""


class PastedOutput(NamedTuple):
    """The user's own words in a message, and the lines that a program wrote."""

    words: str
    lines: Sequence[str]

    def describe(self, max_chars: int) -> str:
        """Return a description of the output: its size, its kind, and its error or its first line."""
        error, first = _find_error(self.lines), next(filter(_says_something, self.lines), "")
        line = " ".join((error or first).replace('"', "'").split())
        shown = clip_closed(line, max_chars).rstrip(".") if max_chars else ""
        link = "with" if error else "that begin"
        return f"{len(self.lines)} lines of {_find_kind(self.lines)}" + (f' {link} "{shown}"' if shown else "")


def split_output(text: str) -> PastedOutput | None:
    """Return the words and the output of a message that is mostly output, None for any other message.

    >>> split_output("Why?\\n$ make\\nmake: error: a.c: x\\nERROR: 2\\nERROR: 3\\nERROR: 4").words
    'Why?'
    """
    if len(text) > MAX_TEXT or text.count("\n") < MIN_LINES - 1 or _has_block(text):
        return None
    lines = [line for line in _split_last_line(_split_first_line(text)) if line.strip()]
    has_script = sum(bool(OTHER_LETTER.search(line)) for line in lines) > SCRIPT_SHARE * len(lines)
    is_output = [
        is_output_line(line[:MAX_LINE]) and (has_script or not OTHER_LETTER.match(line.strip())) for line in lines
    ]
    is_own = _find_own_lines(lines, is_output, has_script=has_script)
    words = [line.strip() for line, flag in zip(lines, is_own, strict=True) if flag]
    output = [" ".join(line.split()) for line, flag in zip(lines, is_own, strict=True) if not flag]
    return PastedOutput("\n".join(words), output) if _is_mostly_output(output, sum(is_output), len(lines)) else None


def is_only_output(text: str) -> bool:
    """Return whether a message has no words of the user: it is output, or sets a variable of the environment.

    >>> is_only_output('SET API_KEY="x"'), is_only_output("Set the key.")
    (True, False)
    """
    output = split_output(text)
    has_words = output is None or any(map(str.isalnum, output.words))
    return is_assignment(text) or not has_words


def is_assignment(text: str) -> bool:
    """Return whether a message only sets a variable of the environment."""
    return bool(_ASSIGNMENT.fullmatch(text.strip()))


def _is_mostly_output(output: Sequence[str], certain: int, total: int) -> bool:
    """Return whether output is most of a message of ``total`` lines, ``certain`` of which only a program writes."""
    if any(map(_is_shell_line, output)):
        return len(output) >= max(MIN_LINES, MIN_SHARE * total)
    return certain >= max(MIN_LINES, MIN_OUTPUT_SHARE * total) and len(output) >= MIN_SHARE * total


def _find_own_lines(lines: Sequence[str], is_output: Sequence[bool], *, has_script: bool) -> list[bool]:
    """Return for each line whether it has the user's own words: a heading above output, or a request after it."""
    places = [at for at, flag in enumerate(is_output) if flag]
    first, last = (places[0], places[-1]) if places else (len(lines), -1)
    labels = Counter(line.split(None, 1)[0] for line in lines)
    own = [_is_heading(line) for line in lines[:first]]
    for at in range(first, len(lines)):
        is_labelled = labels[lines[at].split(None, 1)[0]] >= MIN_LABELS
        is_candidate = not (is_output[at] or is_labelled)
        own.append(is_candidate and _is_own(lines[at][:MAX_LINE], is_last=at > last, has_script=has_script))
    return own


def _split_first_line(text: str) -> list[str]:
    """Return the lines of a text; words before a colon and the output after it are two lines."""
    start = find_terminal(text)
    is_head = start > 0 and len(text[:start].split()) > 1
    head, rest = (text[:start].rstrip(" :\t"), text[start:]) if is_head else ("", text)
    first, _, tail = rest.lstrip("\n").partition("\n")
    words = _INLINE.match(first) if not head else None
    is_own = words and (words[2] or not is_output_line(first))
    if words and is_own and is_output_line(first[words.end() :]):
        return [(words[1] or words[2]).rstrip(), first[words.end() :], *tail.split("\n")]
    return [*head.split("\n"), *rest.split("\n")]


def _split_last_line(lines: Sequence[str]) -> list[str]:
    """Return lines; a request in the last sentence of the last line, after the output on it, is a line by itself."""
    *before, last = lines
    if (end := _PROMPT_END.fullmatch(last.strip())) and OTHER_LETTER.search(end["words"]):
        return [*before, end["prompt"], end["words"]]
    columns, gap, words = last.rpartition("  ")
    if gap and columns.strip() and _PROSE.fullmatch(words.strip()):
        return [*before, columns, words]
    *output, sentence = [*split_sentences(last[-MAX_LINE:]), ""][:-1] or [""]
    if output and (is_instruction(sentence) or sentence.endswith(("?", "？"))) and last.rstrip().endswith(sentence):
        return [*before, last.rstrip().removesuffix(sentence), sentence]
    return list(lines)


def _has_block(text: str) -> bool:
    """Return whether a text has a block of code that is closed, so that what is pasted is marked."""
    return text.count("```") > 1


def is_output_line(line: str) -> bool:
    """Return whether a program wrote a line, or the line is code or data.

    >>> is_output_line("ERROR: 2"), is_output_line("Fix the error: 2")
    (True, False)
    """
    line = line.strip().rstrip("\\")
    if _is_shell_line(line) or _QUESTION.match(line):
        return True
    if line.endswith(("?", "？")) and not is_record_line(line):
        return False
    if _PATH.fullmatch(line) or is_assignment(line) or _COMMAND_LINE.fullmatch(line) or _TEST_COUNT.match(line):
        return True
    if _MARKED.match(line) or _LABELLED_LINE.fullmatch(line) or (is_instruction(line) and "  " not in line):
        return False
    is_written = is_record_line(line) or is_status(line) or is_pasted(line)
    return is_written or bool(_DATA.match(line) or _CODE.match(line))


def _is_heading(line: str) -> bool:
    """Return whether a line before output has the user's own words."""
    line = line.strip()
    is_comment = line.startswith("#")
    return bool(OTHER_LETTER.search(line)) or is_instruction(line) or not (is_comment or _BANNER.search(line))


def _is_shell_line(line: str) -> bool:
    """Return whether a line is a command after the prompt of a shell."""
    line = line.strip()
    return is_prompt_line(line) or bool(_SHELL_LINE.match(line))


def _is_own(line: str, *, is_last: bool, has_script: bool) -> bool:
    """Return whether a line after output has the user's own words: a request, or a sentence in another script."""
    line = line.strip()
    if "  " in line:
        return False
    if OTHER_LETTER.match(line) and not has_script:
        return True
    is_advice = bool(_HELP.search(line)) and not line.lower().startswith(("please", "can you", "could you"))
    if is_last and is_instruction(line) and not is_advice:
        return True
    speaks = bool(_SPEECH.search(line)) and not is_advice
    return speaks and (is_last or is_instruction(line) or line.endswith((".", "?", "!", "。", "？", "！")))


def _find_error(lines: Sequence[str]) -> str:
    """Return the line of output that names its error, empty without one."""
    fatal = next(filter(_FATAL.match, lines), "")
    messages = [line for line in lines if not line.startswith("at ") and not _is_shell_line(line)]
    error = next((line for line in find_error_lines("\n".join(messages)) if has_error_word(line)), "")
    if error.endswith(":") and (below := _find_below(messages, error)):
        return fatal or below
    cause = "" if _CAUSE.search(error) or not error else next(filter(_CAUSE.search, messages), "")
    return fatal or cause or error


def _find_below(messages: Sequence[str], heading: str) -> str:
    """Return the line that names the cause among those right below a heading of one or two lines, empty without one."""
    at = next((at for at, line in enumerate(messages) if heading.endswith(line)), len(messages))
    near = messages[at + 1 : at + 1 + MAX_BELOW]
    return next((line for line in near if _CAUSE.search(line) and not line.endswith(":")), "")


def _says_something(line: str) -> bool:
    return sum(sign.isalpha() for sign in line) >= MIN_LETTERS


def _find_kind(lines: Sequence[str]) -> str:
    if any(map(_is_shell_line, lines)):
        return "a terminal"
    if sum(line[0] in _CODE_SIGNS or bool(_CODE.match(line)) for line in lines) > MIN_SHARE * len(lines):
        return "code"
    return "a log" if sum(map(is_record_line, lines)) > MIN_SHARE * len(lines) else "output"
