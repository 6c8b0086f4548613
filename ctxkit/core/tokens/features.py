"""Count the features of a text for estimates: words, numbers, marks, gaps and scripts.

Counts of parts add up, except for runs divided by a cut. Each different run is processed once, so that most work is in
``bytes.translate``, ``bytes.split`` and ``Counter``.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from itertools import repeat

GROUPS = {
    "known": ("known word",),
    "word": (*(f"word of {size}" for size in range(1, 13)), "word of 13 to 16", "longer word", "letters past 16"),
    "case": ("inner word", "inner letter", "capitals", "capitals of 2", "capitals of 3", "letters of capitals"),
    "mixed": ("pieces of mixed runs", "letters of mixed runs", "digits of mixed runs", "triples of mixed runs"),
    "number": ("number", "digits", "triples of digits", "number after a space"),
    "mark": (
        *(f"mark {mark}" for mark in "_.-/\"',:=()<>"),
        *("other mark", "double mark", "pair of marks", "repeated mark", "marks repeated"),
        *("run of marks", "marks in runs"),
    ),
    "gap": ("line", "blank lines", "indent", "tab", "tabs of indents", "gap", "width of long gaps", "control"),
    "accented": (
        *("accented word", "letters of accented words", "accented letter", "vietnamese letter", "combining mark"),
    ),
    "greek": ("greek word", "greek letter", "polytonic letter"),
    "cyrillic": ("cyrillic word", "cyrillic letter"),
    "hebrew": ("hebrew word", "hebrew letter"),
    "arabic": ("arabic word", "arabic letter", "arabic vowel mark", "arabic form"),
    "indic": (
        *("devanagari word", "devanagari letter", "bengali word", "bengali letter"),
        *("other indic word", "other indic letter"),
    ),
    "thai": ("thai letter",),
    "letters": ("other word", "other letter"),
    "scarce": ("letter of a scarce script", "rest", "rest past the first plane"),
    "han": ("common han", "han"),
    "kana": ("hiragana", "katakana"),
    "hangul": ("hangul word", "hangul"),
    "sign": (
        *("wide mark", "latin-1 sign", "run of punctuation", "punctuation", "run of signs", "sign"),
        *("run of boxes", "box", "replacement", "emoji"),
    ),
}
"""Features by group; a group has one error share."""
WORDS = ("known", "word", "case", "accented")
"""Groups of words of Latin letters."""
NAMES = tuple(name for names in GROUPS.values() for name in names)
_AT = {name: index for index, name in enumerate(NAMES)}
SPANS = tuple((_AT[names[0]], _AT[names[-1]] + 1, group in WORDS) for group, names in GROUPS.items())
"""The first and the last feature (exclusive) of each group, and whether the group is of words of Latin letters."""

_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS = b"0123456789"
_OTHERS = bytes(range(128, 256))
_SIGNS = bytes(code for code in range(33, 127) if code not in _LETTERS + _DIGITS)
_CONTROL = bytes((*range(9), 11, 12, *range(14, 32), 127))


def _mask_table(kept: bytes) -> bytes:
    """Return the translation table that replaces all bytes except ``kept`` by spaces."""
    return bytes(code if code in kept else 32 for code in range(256))


_RUNS = _mask_table(_LETTERS + _DIGITS + _OTHERS)
_MARKS = _mask_table(_SIGNS)
_FEW_RUNS = 40
"""Number of runs up to which they are counted one by one, as those of a line."""
_ZEROS = bytes(48 if code in _DIGITS else code for code in range(256))
_GAP = re.compile(rb"[ \t\r\n]{2,}|[\t\n]")
_PIECE = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_HUMP = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]")
_COMMON_TOKEN = _AT["known word"]
_WORD = (0, *(_AT[f"word of {size}"] for size in range(1, 13)), *(_AT["word of 13 to 16"],) * 4, _AT["longer word"])
_EXTRA_LETTER = _AT["letters past 16"]
_INNER, _INNER_LETTER = _AT["inner word"], _AT["inner letter"]
_CAPITALS = (0, 0, _AT["capitals of 2"], _AT["capitals of 3"], _AT["capitals"])
_CAPITAL_LETTERS = _AT["letters of capitals"]
_MIXED = tuple(_AT[name] for name in GROUPS["mixed"])
_NUMBER = tuple(_AT[name] for name in GROUPS["number"])
_MARK = {ord(mark): _AT[f"mark {mark}"] for mark in "_.-/\"',:=()<>"}
_MORE_MARKS = tuple(_AT[name] for name in GROUPS["mark"][13:])
_GAPS = tuple(_AT[name] for name in GROUPS["gap"])
_ACCENTED, _ACCENTED_LETTERS = _AT["accented word"], _AT["letters of accented words"]

_SCRIPTS = (
    (0x00, ""), (0x80, "latin-1 sign"), (0xC0, "accented letter"), (0x250, "rest"), (0x300, "combining mark"),
    (0x370, "greek letter"), (0x400, "cyrillic letter"), (0x530, "other letter"), (0x590, "hebrew letter"),
    (0x600, "arabic letter"), (0x64B, "arabic vowel mark"), (0x660, "arabic letter"), (0x6D6, "arabic vowel mark"),
    (0x6E5, "arabic letter"), (0x700, "other letter"), (0x750, "arabic letter"), (0x780, "other letter"),
    (0x900, "devanagari letter"), (0x980, "bengali letter"), (0xA00, "other indic letter"),
    (0xD80, "letter of a scarce script"), (0xE00, "thai letter"), (0xE80, "letter of a scarce script"),
    (0x10A0, "other letter"), (0x1100, "letter of a scarce script"), (0x1E00, "vietnamese letter"),
    (0x1F00, "polytonic letter"), (0x2000, "punctuation"), (0x2070, "sign"), (0x2500, "box"), (0x25A0, "sign"),
    (0x2C00, "rest"), (0x3000, "wide mark"), (0x3040, "hiragana"), (0x30A0, "katakana"), (0x3100, "rest"),
    (0x4E00, "han"), (0xA000, "rest"), (0xAC00, "hangul"), (0xD7B0, "rest"), (0xFB50, "arabic form"),
    (0xFE00, "rest"), (0xFE70, "arabic form"), (0xFF00, "wide mark"), (0xFFF0, "replacement"),
    (0x10000, "rest past the first plane"), (0x1F000, "emoji"), (0x20000, "rest past the first plane"),
)  # fmt: skip
"""First code point of each kind of character (Unicode blocks)."""
_STARTS = tuple(start for start, _ in _SCRIPTS)
_LATIN = -1
_COMMON = _AT["common han"]
_KINDS = tuple(_LATIN if not name else _AT[name] for _, name in _SCRIPTS)
_ACCENTS = tuple(_AT[name] for name in GROUPS["accented"][2:])
_RUN_OF = {
    _AT[letter]: _AT[word]
    for letter, word in (
        *((f"{script} letter", f"{script} word") for script in ("greek", "cyrillic", "hebrew", "arabic")),
        *((f"{script} letter", f"{script} word") for script in ("devanagari", "bengali", "other indic", "other")),
        *(("hangul", "hangul word"), ("punctuation", "run of punctuation"), ("sign", "run of signs")),
        ("box", "run of boxes"),
    )
}
"""Feature of a run by the feature of its characters."""


def count_features(text: str) -> list[float]:
    """Return the counts of the features NAMES in a text."""
    counts = [0.0] * len(NAMES)
    data = text.encode("utf-8", "replace")
    _count_runs(counts, data)
    _count_marks(counts, data)
    _count_gaps(counts, data)
    counts[_NUMBER[3]] = data.translate(_ZEROS).count(b" 0")
    return counts


def _count_runs(counts: list[float], data: bytes) -> None:
    """Count letters and digits, run by run."""
    from ctxkit.core.tokens.single_token_words import COMMON_TOKENS

    known = 0
    for run, times in _group_runs(data.translate(_RUNS).split()):
        if run in COMMON_TOKENS:
            known += times
        elif run.isalpha():  # bytes.isalpha: only ASCII letters
            if run.islower() and len(run) < 17:  # the most frequent case
                counts[_WORD[len(run)]] += times
            else:
                _count_word(counts, run, times, COMMON_TOKENS)
        elif not run.isascii():
            _count_non_ascii(counts, run.decode("utf-8", "replace"), times)
        elif run.isdigit():
            number, digits, triples, _ = _NUMBER
            counts[number] += times
            counts[digits] += times * len(run)
            counts[triples] += times * ((len(run) + 2) // 3)
        else:
            _count_mixed_run(counts, run, times)
    counts[_COMMON_TOKEN] += known


def _count_word(counts: list[float], word: bytes, times: int, known: frozenset[bytes]) -> None:
    """Count a word of ASCII letters; humps as in ``camelCase`` count as words inside it."""
    if word[1:].islower() or len(word) == 1:
        _count_plain_word(counts, word, times, known)
    elif word.isupper():
        _count_capitals(counts, len(word), times)
    else:
        humps = _HUMP.findall(word)
        counts[_INNER] += times * (len(humps) - 1)
        for hump in humps:
            if len(hump) == 1:
                counts[_INNER_LETTER] += times
            elif hump.isupper():
                _count_capitals(counts, len(hump), times)
            else:
                _count_plain_word(counts, hump, times, known)


def _count_plain_word(counts: list[float], word: bytes, times: int, known: frozenset[bytes]) -> None:
    if word.lower() in known:
        counts[_COMMON_TOKEN] += times
    else:
        _count_length(counts, len(word), times)


def _count_length(counts: list[float], size: int, times: int) -> None:
    counts[_WORD[min(size, 17)]] += times
    if size > 16:
        counts[_EXTRA_LETTER] += times * (size - 16)


def _count_capitals(counts: list[float], size: int, times: int) -> None:
    counts[_CAPITALS[min(size, 4)]] += times
    counts[_CAPITAL_LETTERS] += times * size


def _count_mixed_run(counts: list[float], run: bytes, times: int) -> None:
    """Count a run of letters and digits, such as a hash or a part of base64."""
    pieces, letters, digits, triples = _MIXED
    for piece in _PIECE.findall(run):
        counts[pieces] += times
        if piece.isdigit():
            counts[digits] += times * len(piece)
            counts[triples] += times * ((len(piece) + 2) // 3)
        else:
            counts[letters] += times * len(piece)


def _count_non_ascii(counts: list[float], run: str, times: int) -> None:
    """Count a run with non-ASCII characters, character by character."""
    from ctxkit.core.tokens.single_token_words import COMMON_CHARACTERS

    latin = accents = before = 0
    for character in run:
        kind = _COMMON if character in COMMON_CHARACTERS else _KINDS[bisect_right(_STARTS, ord(character)) - 1]
        if kind == _LATIN or kind in _ACCENTS:
            latin += 1
            if kind != _LATIN:
                accents += 1
                counts[kind] += times
            kind = _LATIN
        else:
            counts[kind] += times
            if kind != before and kind in _RUN_OF:
                counts[_RUN_OF[kind]] += times
            if latin:
                _count_latin(counts, latin, accents, times)
                latin = accents = 0
        before = kind
    if latin:
        _count_latin(counts, latin, accents, times)


def _count_latin(counts: list[float], size: int, accents: int, times: int) -> None:
    if accents:
        counts[_ACCENTED] += times
        counts[_ACCENTED_LETTERS] += times * size
    else:
        _count_length(counts, size, times)


def _count_marks(counts: list[float], data: bytes) -> None:
    """Count ASCII punctuation, run by run."""
    other, double, pair, repeated, repeats, run_of, in_runs = _MORE_MARKS
    for run, times in _group_runs(data.translate(_MARKS).split()):
        size = len(run)
        if size == 1:
            counts[_MARK.get(run[0], other)] += times
        elif size == 2:
            counts[double if run[0] == run[1] else pair] += times
        elif run.count(run[:1]) == size:
            counts[repeated] += times
            counts[repeats] += times * size
        else:
            counts[run_of] += times
            counts[in_runs] += times * size


def _group_runs(runs: list[bytes]) -> Iterable[tuple[bytes, int]]:
    """Return each different run and its frequency; of a short text each run, which is quicker than a counter."""
    return Counter(runs).items() if len(runs) > _FEW_RUNS else zip(runs, repeat(1))


def _count_gaps(counts: list[float], data: bytes) -> None:
    """Count white space; a single space costs nothing, because it joins the next word."""
    line, blank, indent, tab, tabs, gap, width, control = _GAPS
    for run, times in _group_runs(_GAP.findall(data)):
        lines = run.count(b"\n")
        if lines:
            counts[blank if lines > 1 else line] += times
            counts[indent] += 0 if run.endswith(b"\n") else times
        else:
            counts[tab if run == b"\t" else gap] += times
        if len(run) > 1:
            counts[tabs] += times * run.count(b"\t")
            counts[width] += times * max(len(run) - 16, 0) / 16
    counts[control] = len(data) - len(data.translate(None, _CONTROL))
