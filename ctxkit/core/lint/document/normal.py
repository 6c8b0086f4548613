"""Normalize statements without formatting, case and blanks, and split them into words and sentences."""

import re
from collections.abc import Iterator
from unicodedata import normalize

from ctxkit.core.lazy_pattern import compile_lazily

CJK = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Kana, ideographs and Hangul: scripts with few or no spaces between words."""
_BETWEEN = compile_lazily(rf"(?<=[{CJK}])[\s、。，．；：！？…·「」『』（）《》“”]+(?=[{CJK}])")
_MARKS = compile_lazily("[\u0640\u064b-\u065f\u0670\u200b-\u200f\ufeff]")
"""Tatweel, the vowel signs of Arabic, and characters of zero width."""
_ARABIC = str.maketrans("أإآٱىة", "ااااي" + "ه")
_LINK = compile_lazily(
    r"!?\[([^\[\]\n]{0,400})\]\([ \t]{0,9}<?((?:[^)\s>\]]|\](?!\()){0,1000}+)>?"
    r"(?:[ \t](?:[^)\n\]]|\](?!\()){0,400}+)?\)"
)
"""Matches a link; neither target nor title reaches into the next link, so that links that never close cost little."""
_REFERENCE = compile_lazily(r"\[([^\[\]\n]{1,400})\]\[[^\[\]\n]{0,200}\]")
_LEAD = compile_lazily(r"(?:\s*>)*\s*(?:(?:[-*+•‣◦]|\d{1,3}[.)]|[a-z][.)])(?:\s+|$))?(?:\[[ xX]\]\s+)?(?:#{1,6}\s+)?")
"""Matches the prefix of a statement: quote marks, a bullet or number, a checkbox, a heading's marks."""
_QUOTED = compile_lazily(r"\n[^\S\n]*+>\s?")
_TAG = compile_lazily(r"</?(?:b|br|i|em|strong|code|kbd|u|sub|sup|span|p)\b[^<>\n]{0,400}>", re.IGNORECASE)
_MAX_COMMENT_LENGTH = 2000
"""Maximum characters of a comment that is removed from a statement."""
_FORMAT = compile_lazily(r"\*+|~~|`+|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)")


def _make_token_pattern(start: str, letter: str) -> str:
    """Return the pattern of a token, for what may begin a word and for its letters."""
    return (
        r"(?<![\w-])--?[A-Za-z](?:[\w.-]*\w)?"  # an option of a command
        r"|(?<!\w)[A-Za-z](?:\+\+|#)(?!\w)"  # C++ and C# are not C
        rf"|(?:{start}[$@#/.~]{{1,2}})?{letter}+(?:[-./:@\\'’+~=]{letter}+)*"
        r"|[<>]=?|[!=]=|≤|≥|≠|%"
    )


_TOKEN = compile_lazily(rf"[{CJK}]+|" + _make_token_pattern(rf"(?<![\w{CJK}])", rf"(?:(?![{CJK}])\w)"))
_ASCII_TOKEN = compile_lazily(_make_token_pattern(r"(?<!\w)", r"\w"))
"""Matches the tokens of ASCII text as ``_TOKEN`` does, which takes longer to compile than most texts to read."""
_OPTION = compile_lazily(r"(?<![\w-])-[A-Z]")
_SIGNS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "–": "-", "—": " ", "→": " "})
_ARROW = compile_lazily(r"<?[-=]{1,2}>")
_TRAILING_MARKS = " .,;:!?"
"""Characters at the end of a statement that are part of no token."""


def strip_markup(text: str) -> str:
    """Return a statement on one line without Markdown markup; replace links by their text and target."""
    lead = _LEAD.match(text)
    text = text[lead.end() :] if lead else text
    if "\n" in text:
        text = _QUOTED.sub(" ", text)
    if "<" in text:
        text = _TAG.sub(" ", _strip_comments(text))
    if "[" in text:
        text = _REFERENCE.sub(r"\1", _LINK.sub(_link_text, text))
    if "*" in text or "`" in text or "_" in text or "~" in text:
        text = _FORMAT.sub("", text)
    return " ".join(text.split())


def _strip_comments(text: str) -> str:
    """Return text with a blank in place of each comment."""
    pieces: list[str] = []
    at, start, end = 0, text.find("<!--"), 0
    while start >= 0:
        end = max(end, text.find("-->", start + 4) if end < start + 4 else end)
        if end < start + 4:
            break
        if end - start - 4 <= _MAX_COMMENT_LENGTH:
            pieces += [text[at:start], " "]
            at = end + 3
        start = text.find("<!--", max(at, start + 1))
    return "".join([*pieces, text[at:]])


def _link_text(match: re.Match[str]) -> str:
    """Return the text of a link, and its target if the text does not contain it."""
    title, target = match[1], match[2]
    return title if target.strip("./<>") in title or not target else f"{title} {target}"


def normalize_text(text: str) -> str:
    """Return the tokens of a statement in lower case, separated by one blank; empty if there are none.

    Formatting and punctuation are removed; numbers, paths, options and comparisons are kept.
    """
    text = strip_markup(text)
    words = text.rstrip(_TRAILING_MARKS)
    if words.isascii() and words.replace(" ", "").isalnum():  # most statements are plain words: their own tokens
        return words.lower()
    return join_tokens(text)


def join_tokens(text: str) -> str:
    """Return the tokens of a statement without signs of format, as ``normalize_text`` does."""
    text = text.translate(_SIGNS)
    pattern = _ASCII_TOKEN
    if not text.isascii():
        pattern = _TOKEN
        text = _BETWEEN.sub("", _MARKS.sub("", normalize("NFKC", text)).translate(_ARABIC))
    if ">" in text:
        text = _ARROW.sub(" ", text)
    if "-" in text and _OPTION.search(text):  # -d and -D are different options
        return " ".join(token if token[0] == "-" else token.casefold() for token in pattern.findall(text))
    return " ".join(pattern.findall(text.casefold()))


_HAN = compile_lazily(rf"[{CJK}]")


def split_tokens(normal: str) -> list[str]:
    """Return the words of a normalized statement, and pairs of characters in scripts without spaces."""
    token_list: list[str] = []
    for token in normal.split():
        if token.isascii():
            token_list.append(token)
        elif _HAN.match(token):
            token_list.extend((token[i : i + 2] for i in range(len(token) - 1)) if len(token) > 1 else (token,))
        else:
            token_list.append(token[2:] if token.startswith("ال") and len(token) > 4 else token)
    return token_list


_LONG_TOKEN_LENGTH, _LONG_TOKEN_WORDS = 20, 3
"""Minimum characters of a path, URL or name that counts as several words, and the number of these words."""


def count_words(normal: str) -> int:
    """Return the number of words of a statement; two characters of a script without spaces count as one."""
    words = normal.split()
    if normal.isascii() and max(map(len, words), default=0) < _LONG_TOKEN_LENGTH:  # as in most statements
        return len(words)
    return sum(map(_word_weight, words))


def _word_weight(token: str) -> int:
    if token.isascii() or not _HAN.match(token):
        return _LONG_TOKEN_WORDS if len(token) >= _LONG_TOKEN_LENGTH and not token.isalpha() else 1
    return -(-len(token) // 2)


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
