"""Count the features of a text for estimates: words, numbers, marks, scripts; and their weights in tokens.

Counts of parts add up, except for runs divided by a cut. Each different run is processed once, so that most work is in
``bytes.translate``, ``bytes.split`` and ``Counter``.

Made by ``python -m tools.fitting.estimates DIRECTORY --weights``; tools/fitting/texts.py lists the texts.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from functools import cache
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


WEIGHTS = {
    "o200k": (
        ".88 .867 1.038 1.786 1.91 1.463 1.618 1.583 1.685 1.673 2.04 2.48 2.529 2.871 2.3 .174 0 1.124 1.007 .699 "
        "1.368 .06 .513 .394 0 .563 .687 .066 .669 .63 0 .38 .389 .293 .87 .518 .629 .761 .693 .615 0 .453 .47 .294 "
        ".787 .725 1.053 .021 .729 .168 1.41 1.556 .511 2.051 .079 1.333 .73 1.89 0 .312 .186 0 2 .187 .374 2.284 "
        "1.334 .087 0 .454 .451 .253 1.263 3 .003 .378 .352 .342 1.065 .278 .431 .906 .17 .719 3 3.981 .655 1.54 .47 "
        ".716 .174 .612 1.113 1.012 .311 .208 0 2.287 2.081 .109 0 4",
        ".022 .14 .083 .144 .075 .208 .161 .157 .122 .404 .377 .092 .281 .518 1.617 .927 .027 .348 .119 .282 2.977",
        ".024 .151 .089 .155 .08 .223 .172 .169 .131 .434 .405 .098 .302 .556 1.736 .995 .029 .374 .128 .303 3.196",
    ),
    "cl100k": (
        ".838 .93 1.092 1.767 1.945 1.808 1.822 1.808 1.879 1.995 2.272 2.523 2.797 3.235 4.708 .285 0 1.129 .937 "
        ".875 1.49 .061 .527 .441 .026 .446 .628 .085 .641 .698 0 .419 .385 .178 .918 1.087 .682 .789 .619 .177 .318 "
        ".367 .767 .356 .988 .723 1.235 .016 .537 .172 .991 1.323 .788 2.056 .02 1.428 .47 1.024 0 .43 .486 .607 2 0 "
        "1.061 2.912 1.506 .287 .35 1.091 1.451 .558 .597 .728 .819 1.039 .02 1.429 2.034 1.532 .983 1.013 2 2.048 3 "
        "4 .988 2.425 .73 1.062 .83 .832 .931 1.183 .602 0 0 1.904 1.913 .122 1.533 4",
        ".023 .117 .148 .199 .079 .282 .028 .172 .084 .412 .043 .112 .125 .149 .089 .364 .076 .198 .267 .409 3.415",
        ".022 .115 .145 .195 .077 .277 .028 .169 .083 .404 .042 .11 .123 .146 .087 .357 .075 .195 .262 .401 3.353",
    ),
    "llama3": (
        ".812 .973 1.125 1.688 1.916 1.806 1.953 1.978 1.976 2.1 2.344 2.994 3.048 3.915 5.705 .191 0 1.101 .84 .763 "
        "1.395 .079 .515 .443 .004 .504 .692 .103 .581 .658 0 .353 .387 .125 .893 .963 .658 .772 .579 .166 .294 .406 "
        ".676 .333 .873 .729 1.269 .009 .533 .173 1.073 1.258 .783 2.215 .043 1.331 .489 1.268 0 .354 0 0 2 .008 .436 "
        "1.555 .718 .226 .351 1.085 .948 .255 .789 3 .097 .619 .044 1.421 2.016 1.526 .509 .251 1.971 2.014 3 3.969 "
        ".689 1.45 .441 .704 .165 .673 1.167 .622 .887 0 0 1.954 1.571 .18 .84 4",
        ".023 .105 .09 .182 .094 .277 .089 .259 .107 .209 .035 .225 .116 .223 .173 .408 .03 .154 .086 .339 3.666",
        ".025 .116 .099 .201 .103 .305 .098 .286 .118 .23 .039 .248 .128 .245 .191 .45 .033 .169 .095 .373 4.043",
    ),
    "qwen3": (
        ".802 .969 1.163 1.745 2.032 1.899 1.865 1.978 1.988 2.14 2.342 2.847 2.886 3.772 6.552 .071 0 1.243 .915 "
        ".962 1.51 .061 .375 .485 .834 0 .39 1.015 0 .668 0 .355 .335 .129 .881 .808 .599 .776 .586 .161 .127 .298 "
        ".744 .38 .864 .727 1.152 .021 .556 .176 1.025 1.344 .837 2.006 0 1.296 .619 1.512 0 .329 .284 0 2 .242 .984 "
        "1.234 1.513 .155 0 .462 .961 .241 1.207 3 .762 .96 .604 1.131 2.923 1.072 .609 0 1.154 1.371 3 3.575 .58 "
        "1.266 .418 .714 .536 .628 1.014 .743 1.097 0 0 1.921 1.537 .16 .164 4",
        ".022 .097 .08 .156 .066 .296 .032 .328 .066 .604 .222 .215 .142 .182 .043 .247 .046 .253 .134 .437 4.053",
        ".025 .111 .092 .179 .076 .341 .037 .377 .076 .695 .255 .248 .164 .209 .049 .284 .053 .29 .154 .503 4.662",
    ),
    "deepseek_v3": (
        ".862 .871 .99 1.863 1.92 1.678 1.765 1.795 1.735 1.806 2.264 2.669 2.632 3.312 6.063 .226 .041 1.568 .819 "
        ".415 1.091 .189 .43 .459 0 .611 .494 .081 .665 .743 .438 .572 .569 .516 .857 .576 .782 1.112 1.095 .652 .122 "
        ".379 .509 .342 .851 .84 .743 .047 .618 .256 1.498 1.146 .309 2.132 .155 .956 .774 1.658 0 .345 .536 .513 2 "
        ".084 .515 1.345 1.731 .063 .012 .545 1.054 .205 .727 3 .409 .588 0 .486 2.761 .401 .407 1.007 .537 1.205 3 "
        "3.955 .463 1.274 .402 .758 .111 .75 1.141 .969 0 1.265 0 2.225 1.982 .131 0 3.499",
        ".023 .11 .146 .12 .102 .145 .234 .189 .136 .547 .324 .124 .241 .465 .346 .402 .116 .159 .083 .197 3.446",
        ".022 .107 .142 .117 .099 .142 .228 .184 .133 .533 .316 .121 .235 .454 .337 .392 .113 .155 .081 .192 3.362",
    ),
    "mistral_v3": (
        ".889 .897 1.079 1.79 1.954 1.595 1.685 1.782 1.654 1.755 2.146 2.407 2.605 3.261 4.455 .124 0 1.491 0 .49 "
        ".523 .36 .366 .523 .817 0 .342 1.016 0 .681 .118 .482 .42 .42 .963 .322 .65 1.063 1.065 .649 .001 .327 .688 "
        ".324 .734 .756 .575 .07 .455 .301 1.252 1.538 .518 2.464 .078 1.321 .826 1.941 0 .288 .29 .107 2 .256 .388 "
        "2.561 .99 .178 0 .52 .647 .199 1.012 3 0 .467 1.096 .297 1.876 .283 .558 1.562 .191 .936 3 3.967 .88 1.643 "
        ".414 .714 .435 .539 1.006 .822 1.114 .077 0 2.633 1.71 .279 0 4",
        ".022 .106 .043 .132 .076 .178 .202 .137 .099 .308 .457 .105 .281 .279 .743 4.319 .022 .101 .092 1.351 3.34",
        ".022 .106 .043 .132 .076 .178 .202 .137 .099 .308 .457 .105 .281 .279 .743 4.321 .022 .101 .092 1.351 3.342",
    ),
    "glm4": (
        ".812 .943 1.158 1.709 1.888 1.632 1.719 1.837 1.937 1.91 2.261 2.593 2.652 3.156 4.452 .122 0 1.33 .79 .802 "
        "1.353 .084 .404 .503 .455 0 .231 .374 .608 .661 0 .483 .433 .154 .902 .881 .676 .608 .521 .22 .292 .381 .694 "
        ".316 .974 .722 1.289 .011 .656 .158 1.087 1.459 .811 2.102 .01 1.35 .54 1.084 0 .33 .234 0 2 0 .467 2.474 "
        "1.241 .111 .363 1.081 .897 .298 1.316 3 .807 1.037 0 1.428 2.065 1.518 .976 1.012 2 2.047 3 3.97 .56 1.735 "
        ".489 .742 .296 .855 .432 .848 .87 0 0 2.014 1.754 .168 1.454 4",
        ".022 .09 .106 .24 .103 .3 .022 .206 .132 .449 .041 .184 .113 .128 .089 .349 .078 .234 .112 .447 3.899",
        ".025 .102 .121 .272 .117 .341 .025 .235 .15 .511 .046 .209 .128 .146 .101 .397 .089 .266 .127 .508 4.434",
    ),
    "kimi_k2": (
        ".821 1.005 1.07 1.554 2.109 1.949 1.843 1.877 1.868 2.001 2.365 2.743 2.625 3.726 7.143 .184 0 1.188 .682 "
        ".841 1.14 .104 .544 .372 0 .536 .606 .049 .759 .655 0 .441 .307 .098 .889 1.148 .671 .823 .604 .3 .376 .397 "
        ".695 .314 .796 .696 .922 .016 .394 .206 1.12 1.337 .753 2.017 .058 1.364 .391 .838 .516 .442 .118 .69 2 .033 "
        ".674 1.417 .988 .276 .448 .61 .404 .477 1.433 3 .52 .564 .423 .654 1.413 .611 .827 1.035 .572 .899 3 4 .504 "
        "1.862 .542 .763 .009 .963 .364 1.365 .472 0 0 1.636 1.687 .119 1.942 3.835",
        ".023 .18 .175 .172 .086 .171 .104 .075 .14 .184 .085 .05 .211 .202 .41 .798 .163 .359 .12 .246 3.894",
        ".022 .173 .168 .164 .082 .164 .1 .072 .134 .176 .081 .048 .202 .194 .393 .765 .156 .344 .115 .236 3.731",
    ),
    "gemma3": (
        ".859 1.127 .943 1.702 1.568 1.48 1.519 1.546 1.66 1.6 1.702 2.257 2.287 3.035 2.877 0 0 1.167 .814 .365 .964 "
        ".104 .526 .338 .783 0 .062 1.027 0 .744 .932 .835 1.021 .857 1.101 .563 .863 1.114 1.145 1.298 .462 .301 0 "
        ".812 .934 .919 .301 .07 .789 .186 1.735 1.592 .515 2.13 .035 .784 .966 .705 0 .274 .231 0 2 .315 .356 1.11 "
        "1.154 .086 .36 .438 .318 .297 1.05 3 .43 .211 1.251 .042 1.719 .14 .343 .641 .369 .515 3 3.995 .496 1.041 "
        ".234 .392 .027 .62 1.662 1.911 .525 0 0 1.097 1.795 .078 2.086 4",
        ".019 .132 .114 .074 .048 .044 .138 .145 .182 .314 .057 .089 .28 .438 .557 .558 .019 .278 .101 .421 2.045",
        ".024 .168 .145 .095 .061 .056 .175 .184 .232 .399 .073 .114 .356 .557 .707 .71 .024 .353 .128 .535 2.599",
    ),
    "gemma2": (
        ".873 1.095 .948 1.73 1.514 1.339 1.324 1.503 1.545 1.502 1.809 2.006 2.168 2.756 2.138 0 0 .756 .446 .421 "
        ".692 .16 .522 .315 .798 0 .054 1.02 0 .791 .919 .863 1.003 .891 1.105 .608 .928 1.083 1.106 1.304 .447 .279 "
        "0 .847 .962 .935 .493 .07 .766 .179 1.607 1.542 .572 2.036 .027 .791 .978 1.548 0 .268 .27 0 2 .232 .394 "
        ".944 1.323 .065 .31 .411 .741 .218 1.02 3 0 .472 .213 .611 1.653 .386 .408 .986 .537 .891 3 1.559 .49 1.062 "
        ".233 .372 .13 .719 1.729 .956 .764 0 0 1.22 1.764 .124 0 3.409",
        ".019 .138 .102 .071 .048 .046 .132 .143 .175 .317 .273 .112 .187 .385 .539 .423 .066 .39 .101 .173 1.827",
        ".022 .16 .117 .082 .055 .053 .153 .165 .201 .366 .315 .129 .216 .444 .622 .488 .076 .45 .117 .2 2.107",
    ),
    "llama2": (
        ".902 1.182 1.05 1.89 1.823 2.035 2.042 2.144 2.086 2.306 2.626 3.117 2.689 3.294 5.647 0 .062 1.396 0 .313 "
        ".234 .465 .424 .556 .761 0 0 1.007 0 .945 .797 .976 .998 .87 1.187 .76 .984 1.267 1.323 .672 1.4 .913 .939 "
        ".894 1.083 1.04 .675 .1 .468 .314 1.06 2.075 .833 2.257 .545 .782 2.215 1.533 0 .232 1.505 2.572 2 1.154 .94 "
        ".492 .905 .259 1.714 .784 2.014 .658 .105 0 2.292 .815 0 1.482 3 1.275 1.102 .537 1.133 1.99 3 3.99 1.299 "
        "2.609 .994 1.008 .351 1.871 1.395 1.181 .001 0 .026 .832 1.58 .245 0 4",
        ".019 .109 .161 .098 .025 .054 .142 .17 .045 .167 .167 .063 .331 .101 .094 .53 .019 .019 .06 .813 2.219",
        ".025 .144 .213 .129 .034 .071 .187 .225 .059 .221 .22 .083 .437 .133 .124 .7 .025 .025 .08 1.075 2.933",
    ),
    "mistral_v1": (
        ".86 1.145 1.058 2.042 2.008 2.077 2.155 2.095 2.043 2.282 2.764 3.099 2.506 3.596 6.778 .195 0 1.294 .396 "
        ".171 .676 .263 .46 .523 .753 0 .011 1.02 0 .875 .948 .924 1.048 .972 1.186 1.128 1.031 1.266 1.228 .687 "
        "1.342 .856 1.025 .898 .957 1.061 1.29 .058 .723 .293 1.023 2.207 .862 2.279 .629 .753 2.302 1.273 0 .311 "
        "1.352 1.977 2 1.266 .935 1.232 .846 .316 1.629 .8 1.969 .646 .018 0 1.684 .91 .834 1.148 3 1.281 1.034 .914 "
        "1.046 1.671 3 3.986 .867 2.078 .948 1.041 .547 1.17 2.15 1.31 1.233 0 0 1.406 1.75 .538 .536 4",
        ".02 .111 .294 .1 .035 .053 .121 .158 .056 .133 .136 .054 .297 .048 .097 .455 .064 .038 .093 .337 2.613",
        ".025 .136 .36 .123 .042 .065 .148 .193 .068 .163 .167 .066 .364 .059 .119 .557 .078 .046 .113 .413 3.2",
    ),
    "estimate": (
        ".836 .938 1.054 1.778 1.914 1.664 1.754 1.739 1.763 1.866 2.174 2.578 2.721 3.392 4.8 .145 0 1.224 .97 .715 "
        "1.463 .079 .55 .397 .194 .353 .614 .256 .468 .493 .124 .538 .508 .41 .958 .735 .733 1.03 .905 .543 .428 .505 "
        ".397 .403 .878 .784 .699 .036 .662 .193 1.449 1.645 .425 2.183 .075 1.349 .683 1.36 0 .366 .159 0 2 .144 .48 "
        "1.758 1.252 .147 .073 .579 .567 .316 1.279 3 .321 .453 1.622 .238 2.163 .321 .514 2.235 .211 .892 3 3.209 "
        ".595 1.544 .416 .657 .222 .717 1.08 1.085 .875 0 0 1.987 1.77 .139 .721 4",
        ".057 .092 .139 .22 .397 .215 .105 .397 .436 .394 .696 .342 .761 .58 1.924 .944 .218 .391 .27 .231 2.373",
        ".124 .2 .302 .477 .862 .465 .228 .86 .945 .853 1.51 .742 1.65 1.258 4.171 2.047 .474 .849 .586 .5 5.146",
    ),
}
"""Weights by vocabulary: tokens for each of features.NAMES, then lower and upper errors.

An error is the share of a group's tokens (features.GROUPS) by which the count may be off; its last number is tokens per
text. ``estimate`` is fitted on all vocabularies except those of 32,000 tokens.
"""


@cache
def feature_weights(name: str) -> tuple[tuple[float, ...], ...]:
    """Return the numbers of a vocabulary: weights, lower errors, upper errors."""
    return tuple(tuple(map(float, numbers.split())) for numbers in WEIGHTS[name])
