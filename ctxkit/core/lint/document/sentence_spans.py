"""Split a statement into sentences, with their offsets."""

from collections.abc import Iterator

from ctxkit.core.lazy_pattern import compile_lazily

_ENDS = compile_lazily(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_`]*+(?=\s)|(?<![。！？])[。！？]++[」』”）]*+")
_SHORT = compile_lazily(
    r"(?:^|[\s(\[\"'])(?:e\.?g|i\.?e|etc|vs|cf|al|Mr|Mrs|Ms|Dr|St|No|Nr|Fig|approx|incl|resp|z\.B|d\.h|bzw|ca|p|[A-Z])"
    r"\.$|^\d{1,2}\.$"
)
"""Matches an abbreviation or a number, which ends no sentence."""
_CODE = compile_lazily(r"`[^`\n]*+`")
_MARK = compile_lazily(r"(?:[ \t]*>)*+[ \t]*+(?:(?:[-*+•‣◦]|\d{1,4}[.)]|[a-zA-Z][.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?")
"""Matches the marker of a statement: a bullet or a number, and a check box."""
_BLANKS = compile_lazily(r"\s*+")


def find_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end (exclusive) of each sentence of a statement, without its marker."""
    masked = _CODE.sub(lambda match: "x" * len(match[0]), text)
    mark = _MARK.match(text)
    start = mark.end() if mark else 0
    for match in _ENDS.finditer(masked, start):
        if not _SHORT.search(masked[max(start, match.start() - 8) : match.start() + 1]):
            yield start, match.end()
            blanks = _BLANKS.match(text, match.end())
            start = blanks.end() if blanks else match.end()
    if text[start:].strip():
        yield start, len(text.rstrip())
