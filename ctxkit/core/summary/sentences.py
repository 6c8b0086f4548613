"""Sentences of chat text: split, shortened, and what a user demands or forbids in them, in English."""

import re
from collections.abc import Iterator

_ENDS = re.compile(
    r"(?<![.!?…])(?!(?<=/)\.{3}\s+[^\sA-Z])[.!?…]+[\"'”’)\]*_]*(?=\s+\S)|(?<![。！？])[。！？]+(?:[」』”）]*(?=\S)|[」』”）]*\s+)"
)
"""The end of a sentence; that of `./...`, the pattern of all packages of Go, is none before a word in lower case."""
_CODE = re.compile(r"(`{1,8})[^\n]*?\1|https?://\S+")
_SHORT = re.compile(
    r"(?:^|[\s(\[\"'])(?:e\.?g|i\.?e|etc|vs|cf|al|Mr|Mrs|Ms|Dr|St|No|Fig|approx|incl|re|esp|resp|pp?|[A-Z])\.$|^\d{1,2}\.$"
)
_FENCES = re.compile(r"^ {0,8}(```++|~~~++)[^\n]*\n.*?(?:^ {0,8}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_MARK = re.compile(r"[ \t]*(?:>+[ \t]*)?(?:(?:[-*+•–]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]?\][ \t]+)?(?:#{1,6}[ \t]+)?")
_LONG_PARAGRAPH = 2_000
"""Characters after which a paragraph is split into lines, because it is not prose."""


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, each on one line, without marks of lists, quotes and headings.

    A list item, a quote, a heading, or a line after a blank line begins a sentence. Other lines of a paragraph are
    joined if the next one begins in lower case. Code blocks are skipped.
    """
    for paragraph in _split_paragraphs(_strip_code(text)):
        yield from _split_paragraph(paragraph)


def _strip_code(text: str) -> str:
    """Return a text without its fenced code blocks."""
    return _FENCES.sub("\n", text) if "```" in text or "~~~" in text else text


def _split_paragraphs(text: str) -> Iterator[str]:
    paragraph = ""
    for line in text.splitlines():
        body = line[_marker_end(line) :].strip()
        goes_on = 0 < len(paragraph) < _LONG_PARAGRAPH and body and body == line.strip() and body[0].islower()
        if goes_on and paragraph[-1] not in ".!?:;。！？" and paragraph[0] not in '{[|"':
            paragraph = f"{paragraph} {body}"
            continue
        if paragraph:
            yield paragraph
        paragraph = body
    if paragraph:
        yield paragraph


def _marker_end(line: str) -> int:
    match = _MARK.match(line)
    return match.end() if match else 0


def _split_paragraph(line: str) -> Iterator[str]:
    line = " ".join(line.split())
    kept = [match.span() for match in _CODE.finditer(line)] if "`" in line or "://" in line else []
    start = 0
    for match in _ENDS.finditer(line):
        at = match.start()
        is_code = any(begin <= at < end - 1 for begin, end in kept)
        if is_code or _SHORT.search(line, max(start, at - 8), at + 1):
            continue
        if piece := line[start : match.end()].strip():
            yield piece
        start = match.end()
    if piece := line[start:].strip():
        yield piece


_HARD = re.compile(
    r"\b(?:(?:never|always|only)(?! \w*[^\Ws]s\b)|don['’]?t|do not|must(?:n['’]t| not)?|not allowed|forbidden"
    r"|under no circumstances|no more than"
    r"|at most|at least|mandatory|strictly|exactly|avoid|refrain|should(?:n['’]t| not)?|cannot|no need to|without"
    r"|unless|from now on|going forward|except|make sure|ensure|stick to|leave\b.*\balone|instead(?: of)?|rather than"
    r"|prefer(?:ably)?|keep|(?:has|have|needs?) to|(?<!to )use|please"
    r"|no (?:new|other|more|extra|unit|external)|I(?:['’]d| would)? (?:want|like|prefer))\b",
    re.IGNORECASE,
)
"""Words of a demand."""
_STANDING = re.compile(
    r"\b(?:from now on|going forward|in (?:all|any|every|each) \w+|for (?:all|any|every|each) \w+|at all times"
    r"|until further notice|every time|whenever|in (?:this|the) (?:whole )?(?:session|conversation))\b",
    re.IGNORECASE,
)
"""Words with which a demand says that it holds beyond the current task."""
_BINDING = re.compile(
    r"\b(?:never|don['’]?t|do not|must|always|only|not allowed|forbidden|avoid|make sure|ensure|use|keep|without"
    r"|prefer)\b",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"\b(?:never|don['’]?t|do not|must|always|only|not allowed|forbidden|under no circumstances|no more than|at most"
    r"|at least|mandatory|strictly|avoid|refrain|cannot|should(?:n['’]t| not)|from now on|going forward|instead of"
    r"|rather than|prefer\w*|without)\b",
    re.IGNORECASE,
)
"""Words of a demand that is not done with once."""
_BEGINNING = re.compile(
    r"\W*(?:never|don['’]?t|do not|must|always|only|no|avoid|refrain|make sure|ensure|keep|use|please|prefer|run|when"
    r"|if|you (?:must|should|need|have|cannot|can['’]t))\b",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"^\W*(?:(?:and|but|so|because|since|well|yes|no|h+m+|actually|ok(?:ay)?|alright|oh),? ){0,2}"
    r"(?:I|it|that|this|there|they|he|she)(?:['’]\w+)? "
    r"(?!(?:want|need|would|['’]d|must|should|has to|needs to|have to)\b)"
    r"|^\W*the (?:(?!\b(?:must|should|never|always|only|not|to)\b).){1,80}\b(?:is|are|was|were)\b"
    r"(?!.*\b(?:must|should|never|always|only|please|use|keep)\b)"
    r"|^\W*only\b(?:(?!\b(?:what|that|which|where|who|if|when)\b).){1,80}\b(?:is|are|was|were|has|have)\b(?! to\b)",
    re.IGNORECASE,
)
"""The beginning of a sentence that tells how things are."""
_OUTPUT = re.compile(
    r"^\s*(?:[+-] ?\d+ |\d+ [-+|] |at |File \"|\d{4}-\d\d-\d\d|\w*(?:Error|Exception)\b|[\w./-]+:\d+|[$>#|] )"
    r"|[{};]\s*$|^\W*$|^\d{3}\b|^\S+ \d\d:\d\d|\b[45]\d\d [A-Z]|^\[[^\]]{1,60}\] "
)
"""A line of a program, a log or a trace that a person pasted."""
_GOING_ON = re.compile(r"(?:(?:instead|otherwise|if (?:so|not)),?|(?:do|use) (?:this|that|it)) ", re.IGNORECASE)
"""The beginning of a sentence that means nothing without the one before it."""
_MIN_SENTENCE, MAX_SENTENCE = 6, 320
"""Characters of a demand: a longer sentence is other text."""


def find_demands(text: str) -> Iterator[str]:
    """Yield the sentences of a text that demand or forbid something, verbatim.

    >>> list(find_demands("The build is slow. Never push to main."))
    ['Never push to main.']
    """
    joined: list[tuple[str, bool]] = []
    for sentence in split_sentences(text):
        before, demanded = joined[-1] if joined else ("", False)
        if _GOING_ON.match(sentence) and before[-1:] in (".", "!"):
            if len(before) + len(sentence) < MAX_SENTENCE:
                joined[-1] = (f"{before} {sentence}", demanded or is_demand(sentence))
        else:
            joined.append((sentence, is_demand(sentence)))
    return (sentence for sentence, demanded in joined if demanded)


def is_demand(sentence: str) -> bool:
    """Return whether a sentence demands or forbids something."""
    if not _MIN_SENTENCE <= len(sentence) <= MAX_SENTENCE or sentence[-1] in ":?":
        return False
    return bool(_HARD.search(sentence)) and not (is_output(sentence) or _STATEMENT.match(sentence))


def is_binding(sentence: str) -> bool:
    """Return whether a demand limits what is done later too, unlike one to do something once.

    >>> is_binding("Never push."), is_binding("Please add a theme.")
    (True, False)
    """
    return _STRICT.search(sentence) is not None


def begins_as_demand(sentence: str) -> bool:
    """Return whether a sentence begins with a word of a demand, and so is no description.

    >>> begins_as_demand("**Never** push"), begins_as_demand("The tab shows only one row.")
    (True, False)
    """
    return _BEGINNING.match(sentence) is not None


def is_output(sentence: str) -> bool:
    """Return whether a sentence is a line of a program, a log or a trace."""
    return _OUTPUT.search(sentence) is not None


def is_standing_rule(sentence: str) -> bool:
    """Return whether a demand says that it holds beyond the current task.

    >>> is_standing_rule("From now on, only use tabs."), is_standing_rule("Use tabs.")
    (True, False)
    """
    return _STANDING.search(sentence) is not None and _BINDING.search(sentence) is not None and is_demand(sentence)


GAP = "[... {} characters ...]"
"""What stands for the middle of a text."""


def clip_middle(text: str, max_chars: int) -> tuple[str, ...]:
    """Return the parts of a text that stay of it: all of it, or its beginning and its end, cut at blanks if possible.

    >>> clip_middle("one two three four", 12)
    ('one two', 'four')
    """
    if len(text) <= max_chars:
        return (text,)
    head, tail = max_chars * 2 // 3, max_chars // 3
    end, start = text.rfind(" ", head // 2, head + 1), text.find(" ", len(text) - tail, len(text) - tail // 2)
    first, last = (
        text[: end if end > 0 else head].rstrip(),
        text[start + 1 if start >= 0 else len(text) - tail :].lstrip(),
    )
    return (first, last)


def join_parts(text: str, parts: tuple[str, ...], separator: str = " ") -> str:
    """Return the parts of a text with a mark between them that counts what is left out."""
    if len(parts) == 1:
        return parts[0]
    return separator.join((parts[0], GAP.format(f"{len(text) - sum(map(len, parts)):,}"), parts[1]))


def clip_line(text: str, max_chars: int) -> str:
    """Return a text on one line, at most about ``max_chars`` characters of it."""
    line = " ".join(text.split())
    return join_parts(line, clip_middle(line, max_chars))
