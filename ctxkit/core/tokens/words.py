r"""Split text into words by the patterns of byte-level vocabularies, with ``re`` of the standard library.

``re`` has no Unicode categories such as ``\p{L}``. So a character that is not ASCII is replaced by a character that
stands for its category: the patterns treat both alike, and a word has the same place in both texts.
"""

import re
from collections.abc import Callable, Sequence

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
