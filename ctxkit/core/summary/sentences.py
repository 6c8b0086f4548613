"""Splitting of chat text into sentences, verbatim."""

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
LONG_PARAGRAPH = 2_000
"""Characters after which a paragraph is split into lines, because it is not prose."""


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, each on one line, without marks of lists, quotes and headings.

    A list item, a quote, a heading, or a line after a blank line begins a sentence. Other lines of a paragraph are
    joined if the next one begins in lower case. Code blocks are skipped.
    """
    for paragraph in _split_paragraphs(strip_code(text)):
        yield from _split_paragraph(paragraph)


def strip_code(text: str) -> str:
    """Return a text without its fenced code blocks."""
    return _FENCES.sub("\n", text) if "```" in text or "~~~" in text else text


def _split_paragraphs(text: str) -> Iterator[str]:
    paragraph = ""
    for line in text.splitlines():
        body = line[_marker_end(line) :].strip()
        goes_on = 0 < len(paragraph) < LONG_PARAGRAPH and body and body == line.strip() and body[0].islower()
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
