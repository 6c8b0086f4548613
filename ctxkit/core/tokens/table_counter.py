"""Count short texts with a table of ranks, which needs no load; longer ones with the library, which counts faster."""

import re
from array import array
from binascii import crc32
from collections.abc import Callable, Sequence
from itertools import accumulate
from struct import Struct
from typing import TYPE_CHECKING

from ctxkit.core.tokens.vocabulary import Tokenizer

if TYPE_CHECKING:
    from mmap import mmap

_HEADER = Struct("=8s5I")
"""Magic and version, byte order, heads, tokens, bytes of text, checksum of everything after the header."""
_MAGIC = b"ctxkBPE1"
_ORDER = 0x01020304
"""A number that reads differently in another byte order."""
ABSENT = 1 << 32
"""Rank of bytes that are no token; it is greater than any rank."""


class RankTable:
    """The ranks of tokens, read from a table in memory or in a mapped file."""

    def __init__(self, data: "bytes | mmap") -> None:
        """Check a table; raise ValueError if it is damaged or foreign."""
        view = memoryview(data)
        if len(view) < _HEADER.size:
            raise ValueError("the table ends early")
        magic, order, heads, tokens, size, checksum = _HEADER.unpack_from(view)
        following = _HEADER.size + 4 * heads
        ends = following + 4 * (tokens + 1)
        self._text = ends + 4 * (tokens + 1)
        if (magic, order, len(view)) != (_MAGIC, _ORDER, self._text + size) or not heads:
            raise ValueError("not a table of this version and machine")
        if crc32(view[_HEADER.size :]) != checksum:
            raise ValueError("the table is damaged")
        self._data = data
        self._mask = heads - 1
        self._heads = view[_HEADER.size : following].cast("I")
        self._following = view[following:ends].cast("I")
        self._ends = view[ends : self._text].cast("I")

    def find_rank(self, token: bytes) -> int:
        """Return the rank of a token, from 1; ``ABSENT`` if the bytes are no token."""
        rank: int = self._heads[crc32(token) & self._mask]
        while rank:
            start, end = self._ends[rank - 1], self._ends[rank]
            if self._data[self._text + start : self._text + end] == token:
                return rank
            rank = self._following[rank]
        return ABSENT


RankFinder = Callable[[bytes], int]
"""Returns the rank of a token, ``ABSENT`` if the bytes are no token."""
Splitter = Callable[[str], Sequence[str]]
"""Returns the words of a text, which join to the text; raises UnknownCharacterError."""
UNICODE = 16
"""Major version of Unicode whose categories splintr-rs 0.22 knows; a later version may assign more characters."""
_UPPER, _LOWER, _CASELESS, _MARK, _NUMBER, _SPACE, _SYMBOL, _CONTROL = "\xc0\xe0\xaa\u0300\xb2\xa0\xa7\xad"
"""Characters that stand for the categories Lu and Lt, Ll, Lm and Lo, M, N, Z, P and S, C."""
_STAND_INS = {
    **dict.fromkeys(("Lu", "Lt"), _UPPER),
    "Ll": _LOWER,
    **dict.fromkeys(("Lm", "Lo"), _CASELESS),
    **dict.fromkeys(("Mn", "Mc", "Me"), _MARK),
    **dict.fromkeys(("Nd", "Nl", "No"), _NUMBER),
    **dict.fromkeys(("Zs", "Zl", "Zp"), _SPACE),
    **dict.fromkeys(("Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So"), _SYMBOL),
    **dict.fromkeys(("Cc", "Cf", "Co", "Cs"), _CONTROL),
}
_NEXT_LINE = "\x85"
"""The control character that is white space."""
_LONG_S = "\u017f"
"""A letter that equals the s of a contraction if case is ignored."""
_KANA, _IDEOGRAPHS = range(0x3040, 0x3100), range(0x4E00, 0x9FA6)
_CJK = "\u4e00"
"""Stands for the characters that DeepSeek's pattern takes by their numbers."""
_L, _N, _S = f"A-Za-z{_UPPER}{_LOWER}{_CASELESS}", f"0-9{_NUMBER}", f"\t-\r {_SPACE}"
_P, _C = rf"!-/:-@\[-`{{-~{_SYMBOL}", f"\0-\x08\x0e-\x1f\x7f{_CONTROL}"
_TITLE, _SMALL = f"[A-Z{_UPPER}{_CASELESS}{_MARK}]", f"[a-z{_LOWER}{_CASELESS}{_MARK}]"
_CONTRACTION = "'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])"
_BEFORE = f"[^\r\n{_L}{_N}]?"
_SYMBOLS = f" ?[^{_S}{_L}{_N}]+"
_BLANKS = f"[{_S}]*[\r\n]+|[{_S}]+(?![^{_S}])|[{_S}]+"
_LLAMA3 = f"{_CONTRACTION}|{_BEFORE}[{_L}]+|[{_N}]{{1,3}}|{_SYMBOLS}[\r\n]*|{_BLANKS}"
_CL100K = _LLAMA3.replace(_BLANKS, rf"[{_S}]+\Z|[{_S}]*[\r\n]|[{_S}]+(?![^{_S}])|[{_S}]")
_BY_CASE = f"{_BEFORE}{_TITLE}*{_SMALL}+|{_BEFORE}{_TITLE}+{_SMALL}*"
_TEKKEN = f"{_BY_CASE}|[{_N}]|{_SYMBOLS}[\r\n/]*|{_BLANKS}"
_O200K = f"(?:{_BY_CASE})(?:{_CONTRACTION})?|[{_N}]{{1,3}}|{_SYMBOLS}[\r\n/]*|{_BLANKS}"
_DEEPSEEK = (
    rf"[{_N}]{{1,3}}|{_CJK}+|[!-/:-@\[-`{{-~][A-Za-z]+|[^\r\n{_L}{_P}{_N}{_CJK}]?[{_L}{_MARK}]+| ?[{_P}]+[\r\n]*"
    rf"|[{_S}]*[\r\n]+|[{_S}]+(?![^{_S}{_N}{_CJK}])|[{_S}]+|(?:[{_C}](?![{_L}{_MARK}]))+"
)
r"""DeepSeek's three patterns in one. Numbers and CJK characters are split off first, so that white space before them is
white space at the end. What no pattern matches is one word.
"""
PATTERNS = {
    "cl100k": _CL100K,
    "deepseek_v3": _DEEPSEEK,
    "glm4": _LLAMA3,
    "llama3": _LLAMA3,
    "mistral_v3": _TEKKEN,
    "o200k": _O200K,
    "olmo2": _LLAMA3,
    "phi4": _LLAMA3,
    "qwen3": _LLAMA3.replace("{1,3}", ""),
}
"""Patterns of the vocabularies that ``make_splitter`` knows (engines/tokens/patterns.py has the originals)."""


class UnknownCharacterError(ValueError):
    """A text has a character that this module may treat differently from the library."""


class _StandIns(dict[int, str]):
    """The stand-in of each character by its number, found when it is first needed."""

    def __init__(self, *, has_cjk: bool) -> None:
        self._has_cjk = has_cjk

    def __missing__(self, code: int) -> str:
        self[code] = stand_in = self._find(code)
        return stand_in

    def _find(self, code: int) -> str:
        from unicodedata import category, unidata_version

        character = chr(code)
        if code < 0x80:
            return character
        if self._has_cjk and (code in _KANA or code in _IDEOGRAPHS):
            return _CJK
        kind = category(character)
        if kind == "Cn" or character == _LONG_S or int(unidata_version.partition(".")[0]) > UNICODE:
            raise UnknownCharacterError(character)
        return _SPACE if character == _NEXT_LINE else _STAND_INS[kind]


MAX_CHARACTERS = 1 << 16
"""Characters, of all texts together, that are counted with a table.

Half of 76 texts of 80 KB took less than 25 to 39 ms, nine of ten less than 62 to 78 ms; the library is loaded in 95 to
260 ms (cl100k, qwen3, o200k).
"""
MAX_SQUARES = 1 << 22
"""Sum of the squared lengths, in bytes, of the words that are merged; merging them takes about 60 ms."""


class TableCounter:
    """Counts texts with a table at first, and with the library from the first text for which the table is not made."""

    def __init__(
        self, split_words: Splitter, open_table: Callable[[], RankTable | None], load_library: Callable[[], Tokenizer]
    ) -> None:
        self._split_words = split_words
        self._open_table = open_table
        self._load_library = load_library
        self._library: Tokenizer | None = None
        self._ranks: _RankCache | None = None
        self._counts: dict[str, int] = {}
        self._characters, self._squares = MAX_CHARACTERS, MAX_SQUARES

    def __call__(self, text: str) -> int:
        """Return the tokens of a text; raise UnicodeEncodeError for a lone surrogate."""
        if self._library is None:
            tokens = self._count_short(text)
            if tokens is not None:
                return tokens
            self._library = self._load_library()
        return self._library(text)

    def _count_short(self, text: str) -> int | None:
        """Return the tokens of a text, None if the library should count it."""
        self._characters -= len(text)
        ranks = self._load_ranks() if self._characters >= 0 else None
        if ranks is None:
            return None
        try:
            words = self._split_words(text)
        except UnknownCharacterError:
            return None
        return sum(map(self._counts.__getitem__, words)) if self._count_words(set(words), ranks) else None

    def _load_ranks(self) -> "_RankCache | None":
        if self._ranks is None and (table := self._open_table()):
            self._ranks = _RankCache(table.find_rank)
        return self._ranks

    def _count_words(self, words: set[str], ranks: "_RankCache") -> bool:
        """Count the words that are new; return False if that takes too long."""
        for word in words.difference(self._counts):
            token = word.encode()
            tokens = 1
            if ranks[token] == ABSENT:
                self._squares -= len(token) ** 2
                if self._squares < 0:
                    return False
                tokens = count_merged(token, ranks.__getitem__)
            self._counts[word] = tokens
        return True


class _RankCache(dict[bytes, int]):
    """The ranks that were looked up in a table."""

    def __init__(self, find_rank: RankFinder) -> None:
        self._find_rank = find_rank

    def __missing__(self, token: bytes) -> int:
        self[token] = rank = self._find_rank(token)
        return rank


def build_table(tokens: Sequence[bytes]) -> bytes:
    """Return the table of tokens in the order of their ranks."""
    heads = array("I", [0]) * (1 << max(2 * len(tokens), 1).bit_length())
    following = array("I", [0]) * (len(tokens) + 1)
    mask = len(heads) - 1
    for rank, checksum in enumerate(map(crc32, tokens), 1):
        slot = checksum & mask
        following[rank] = heads[slot]
        heads[slot] = rank
    ends = array("I", accumulate(map(len, tokens), initial=0))
    body = b"".join((heads.tobytes(), following.tobytes(), ends.tobytes(), *tokens))
    return _HEADER.pack(_MAGIC, _ORDER, len(heads), len(tokens), ends[-1], crc32(body)) + body


def count_merged(word: bytes, find_rank: RankFinder) -> int:
    """Return the tokens of a word: merge the pair of the lowest rank, the first of several, until no pair is a token.

    The time grows with the square of the length; callers bound the length.
    """
    parts = [word[at : at + 1] for at in range(len(word))]
    ranks = [find_rank(word[at : at + 2]) for at in range(len(word) - 1)]
    while ranks and (lowest := min(ranks)) < ABSENT:
        at = ranks.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del ranks[at]
        if at < len(ranks):
            ranks[at] = find_rank(parts[at] + parts[at + 1])
        if at:
            ranks[at - 1] = find_rank(parts[at - 1] + parts[at])
    return len(parts)


def make_splitter(ranks: str) -> Splitter:
    """Return the splitter of a vocabulary; raise KeyError if it has none in ``PATTERNS``."""
    pattern = re.compile(PATTERNS[ranks])
    stand_ins = _StandIns(has_cjk=ranks == "deepseek_v3")

    def split_words(text: str) -> Sequence[str]:
        """Return the words of a text."""
        if text.isascii():
            return pattern.findall(text)
        return [text[slice(*match.span())] for match in pattern.finditer(text.translate(stand_ins))]

    return split_words
