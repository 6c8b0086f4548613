"""Count short texts with a table of ranks, which needs no load; longer ones with the library, which counts faster."""

from collections.abc import Callable

from ctxkit.core.tokens.byte_pairs import RankFinder, count_merged
from ctxkit.core.tokens.rank_table import ABSENT, RankTable
from ctxkit.core.tokens.tokenizer import Tokenizer
from ctxkit.core.tokens.words import Splitter, UnknownCharacterError

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
