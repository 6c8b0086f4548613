"""The text of a request on one line: whole, or its beginning and its end."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.error_lines import has_error_word, is_telling
from ctxkit.core.context.extract.reference import is_status
from ctxkit.core.context.extract.reply import is_record_line
from ctxkit.core.context.instructions import is_instruction
from ctxkit.core.context.other_languages import OTHER_LETTER

_FENCES = ("```", "~~~")
_CONFLICT_START, _CONFLICT_MIDDLE, _CONFLICT_ENDS = "<<<<<<< ", "=======", (">>>>>>> ", "> > > > > > > ")
_LINE_MARKS = "#> \t"
MIN_LOG = 3
"""Minimum lines of a log."""
_TERMINAL = re.compile(
    r"\bLast login: [A-Z][a-z]{2} |(?:^|[ \t])(?:\([\w.-]{1,40}\) )?(?:~|/[^\s❯⚡➜]{0,100})?[ \t]?[❯⚡➜] "
    r"|(?:^|[:>)][ \t])[\w.-]{1,60}@[\w.-]{1,60}[: ][^\n#$%>]{0,80}[#$%] ",
    re.MULTILINE,
)
"""The beginning of a copy of a terminal: its greeting, or a prompt."""
_PAIRS = ("()", "[]", "{}", "“”", "«»")
_PROMPT = ("(Open file: ", "(Current directory: ", "bash-$")
_PROSE_LANGUAGES = ("", "markdown", "md", "text", "txt", "plaintext", "prompt", "yaml", "yml", "toml")
"""Languages of blocks that may contain instructions."""
MIN_ORDERS, MIN_ORDER_WORDS = 3, 5
"""Minimum number of instructions in a block of code whose end is lost, and minimum words of each."""
LINE_CHARS = 200
"""Maximum characters of the line that stands for a block of code or output."""
PARTS = ((420, 320), (260, 200), (160, 120), (90, 70), (60, 50))
"""Characters of the beginning and of the end of a long request, in ever shorter forms."""
_ENUMERATOR = re.compile(r"(?<![\w(])(\d{1,2}|[A-Za-z])\)(?=\s)")
"""The number of an item, whose bracket nothing opens."""
_STEP = re.compile(r"^[ \t]{0,8}\d{1,2}[.)][ \t]+\*\*([^*\n\"`]{3,60}?):?\*\*", re.MULTILINE)
"""The title of a step in a numbered list."""
MIN_STEPS, MAX_STEPS = 3, 8
"""Minimum number of titles that outline a request, and the maximum that is quoted."""
MIN_GAP = 40
"""Minimum characters that are worth leaving out."""
_SENTENCE_ENDS = (". ", "? ", "! ", "。", "？", "！")


def flatten_text(text: str) -> str:
    """Return a text on one line: of a block its first line with an error, and double quotation marks as single ones.

    Of the two sides that a conflict of merging has left, only the first stays.

    >>> flatten_text('We get this error:\\n```\\nit failed\\n```\\n- How can "I" fix it?')
    "We get this error: 'it failed' - How can 'I' fix it?"
    """
    lines = clean_text(text).split("\n")
    words = " ".join(line.strip().lstrip(_LINE_MARKS) for line in replace_blocks(lines))
    flat = " ".join(words.replace('"', "'").split())
    return flat if flat.count("(") == flat.count(")") else _ENUMERATOR.sub(r"\1.", flat)


def clean_text(text: str) -> str:
    """Return a text without the prompt of SWE-agent below it, the second side of a conflict, and a log above."""
    lines = _drop_log(drop_conflict(text).split("\n"))
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].startswith(_PROMPT)):
        lines.pop()
    return "\n".join(lines)


def find_terminal(text: str) -> int:
    """Return where a copy of a terminal begins after the words of the user, -1 without one."""
    copy = _TERMINAL.search(text)
    return copy.start() if copy and text[: copy.start()].strip() else -1


def _drop_log(lines: Sequence[str]) -> list[str]:
    """Return lines without a log in Latin letters above words in another script, unless it tells of an error.

    The words may begin in the last line of the log.
    """
    at = next((at for at, line in enumerate(lines) if OTHER_LETTER.search(line) or not is_record_line(line)), 0)
    if at < MIN_LOG or any(map(has_error_word, lines[: at + 1])) or not (words := OTHER_LETTER.search(lines[at])):
        return list(lines)
    start = words.start() if is_record_line(lines[at]) else 0
    return [lines[at][start:], *lines[at + 1 :]]


def drop_conflict(text: str) -> str:
    """Return a text without the marks and the second side of the conflicts that a merge left in it."""
    if _CONFLICT_START not in text:
        return text
    kept: list[str] = []
    side = 0
    for line in text.split("\n"):
        if side == 0 and line.startswith(_CONFLICT_START):
            side = 1
        elif side == 1 and line.strip() == _CONFLICT_MIDDLE:
            side = 2
        elif side and f"{line.strip()} ".startswith(_CONFLICT_ENDS):
            side = 0
        elif side < 2:
            kept.append(line)
    return "\n".join(kept) if not side else text


def replace_blocks(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a text, with a name and a line in place of each block of code or output."""
    block: list[str] | None = None
    language = ""
    for line in lines:
        if not line.strip().startswith(_FENCES) or line.strip()[3:].strip().endswith(_FENCES):
            if block is None:
                yield line
            else:
                block.append(line)
        elif block is None:
            block, language = [], line.strip()[3:].strip().lower()
        else:
            yield from block if _has_lost_end(language, block) else (_name_block(block),)
            block = None
    yield from block or ()  # a fence that nothing closes


def _has_lost_end(language: str, block: Sequence[str]) -> bool:
    """Return whether a block of code contains instructions: it ended before them, and its fence was lost in a copy."""
    lines = (line.strip()[:LINE_CHARS] for line in block) if language not in _PROSE_LANGUAGES else ()
    orders = (line for line in lines if line[:1].isalpha() and len(line.split()) >= MIN_ORDER_WORDS)
    return sum(map(is_instruction, orders)) >= MIN_ORDERS


def _name_block(block: Sequence[str]) -> str:
    """Return a quotation of the line of a block that tells most, with the number of the other lines."""
    lines = [" ".join(line.split()) for line in block if line.strip()]
    errors = [line for line in lines if is_telling(line) and not is_status(line)]
    line = next(iter(errors or lines), "")
    shown = line if len(line) <= LINE_CHARS else f"{line[:LINE_CHARS].rsplit(' ', 1)[0]} …"
    rest = f" [and {len(lines) - 1} more pasted lines]" if len(lines) > 1 else ""
    return f"'{shown}'{rest}" if line else ""


def find_steps(text: str) -> list[str]:
    """Return the titles of the steps that a request numbers, none if there are too few to outline it.

    >>> find_steps("1. **Load**: x\\n2. **Generate tasks.md**: y\\n3. **Report**: z")
    ['Load', 'Generate tasks.md', 'Report']
    """
    titles = list(dict.fromkeys(match[1].strip() for match in _STEP.finditer(text)))
    return titles[:MAX_STEPS] if len(titles) >= MIN_STEPS else []


def quote_parts(text: str, steps: Sequence[str] = ()) -> Iterator[str]:
    """Yield ever shorter statements that quote the beginning and the end of a flat text, and say what they leave out.

    The parts end and begin at words; each closes its brackets. Without an end that does, only the beginning is quoted.
    ``steps`` are the titles of the steps that the text numbers.
    """
    names = ", ".join(f'"{step}"' for step in steps)
    outline = f", has the steps {names}," if names else ""
    for beginning_chars, end_chars in PARTS:
        beginning = clip_beginning(text, beginning_chars)
        end = clip_end(text, end_chars)
        left_out = len(text) - len(beginning) - len(end)
        if beginning and end and left_out >= MIN_GAP:
            gap = f"({left_out:,} characters between are left out)"
            yield f'The request begins "{beginning} …"{outline} and ends "… {end}" {gap}.'
        elif beginning and not end:
            yield f'The request begins "{beginning} …"{outline} ({left_out:,} characters after that are left out).'


def clip_beginning(text: str, max_chars: int) -> str:
    """Return the beginning of a flat text in whole words that closes all brackets, empty if there is none.

    >>> clip_beginning("Use a queue (or a list of them) here.", 16)
    'Use a queue'
    """
    if len(text) <= max_chars:
        return text
    ends = [at for at in _find_closed(text[: max_chars + 1]) if text[at : at + 1] == " "]
    wide = [at for at in _find_closed(text[:max_chars]) if ord(text[at - 1]) > 0x2E80]  # scripts without blanks
    return text[: max([*ends, *wide], default=0)].rstrip(" ,;:-…")


def clip_closed(text: str, max_chars: int) -> str:
    """Return the longest beginning of a flat text in whole words that closes all brackets, with a mark if it is cut.

    >>> clip_closed("Use a queue (or", 40), clip_closed("Use it", 40)
    ('Use a queue …', 'Use it')
    """
    beginning = clip_beginning(text, max_chars)
    if beginning and max(_find_closed(beginning), default=0) < len(beginning):
        beginning = clip_beginning(text, min(max_chars, len(text) - 1))
    return f"{beginning} …" if beginning and len(beginning) < len(text) else beginning


def clip_end(text: str, max_chars: int) -> str:
    """Return the end of a flat text that closes all brackets, from a sentence if possible, else from a word."""
    if len(text) <= max_chars:
        return text
    tail = text[-max_chars - 1 :]
    swap = str.maketrans("()[]{}“”«»", ")(][}{”“»«")
    starts = [len(tail) - at for at in _find_closed(tail[::-1].translate(swap))]
    words = [at for at in starts if tail[at - 1 : at] == " " or (at < len(tail) and ord(tail[at]) > 0x2E80)]
    sentences = [at for at in words if tail[max(at - 2, 0) : at].endswith(_SENTENCE_ENDS) and at < max_chars // 2]
    return tail[min(sentences or words, default=len(tail)) :]


def _find_closed(text: str) -> Iterator[int]:
    """Yield the places of a text up to which all brackets and all marks of code are closed."""
    depths = dict.fromkeys(_PAIRS, 0)
    codes = 0
    for at, sign in enumerate(text):
        for pair in _PAIRS:
            depths[pair] += (sign == pair[0]) - (sign == pair[1])
        codes += sign == "`"
        if codes % 2 == 0 and not any(depths.values()):
            yield at + 1
