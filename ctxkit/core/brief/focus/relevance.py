"""The order in which lines are relevant to a focus: by the rarity of its terms in the document."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush, nlargest
from math import log

from ctxkit.core.brief.focus.terms import Term, split_focus, split_loosely
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.lines import IndexedLines

_LEVELS = 12
"""Number of indentations that records may begin at; deeper lines belong to these records."""
_BRANCH = "│├└─┬|`+\\"
"""Characters that begin the branch of a drawn tree."""
_BRANCHES = compile_lazily(r"(?:[\s│├└─┬]|[|`+\\](?=-|\s\s))*")
_HEAD_LINES = 8
"""Number of lines below the first of a record among which its names are."""
_NAME = compile_lazily(r"[\w.-]+")
_LETTER = compile_lazily(r"[^\W_]")
Record = tuple[int, int]
"""The level of a record, and its index among those of the level."""


class RecordFinder:
    """Finds the records that each line belongs to, one for each indentation above its own.

    A record begins at a line that is not deeper than its indentation if the line above is deeper or blank, or the line
    below is deeper. The first level has records that begin at the left margin below a blank line only.
    """

    def __init__(self) -> None:
        self._starts: list[list[int]] = [[0] for _ in range(_LEVELS + 1)]
        self._depth, self._number, self._is_blank = _LEVELS, 0, True

    def add(self, number: int, text: str) -> None:
        """Add the next line."""
        if not text or text.isspace():
            self._is_blank = True
            return
        depth = min(_measure_indent(text), _LEVELS)
        if self._is_blank:
            self._begin(number, depth, _LEVELS)
            if not depth:
                self._starts[0].append(number)
        elif depth > self._depth:
            self._begin(self._number, self._depth, depth)
        elif depth < self._depth:
            self._begin(number, depth, self._depth)
        self._depth, self._number, self._is_blank = depth, number, False

    def _begin(self, number: int, depth: int, below: int) -> None:
        """Begin records at a line of an indentation, on the levels up to the indentation ``below``."""
        for starts in self._starts[depth + 1 : below + 1]:
            if starts[-1] != number:
                starts.append(number)

    def find_records(self) -> tuple[Record, ...]:
        """Return the records that hold the last line, the longest first; of those that begin alike, one."""
        records: list[Record] = []
        last = 0
        for level, starts in enumerate(self._starts[: self._depth + 1]):
            if starts[-1] > last:
                last = starts[-1]
                records.append((level, len(starts) - 1))
        return tuple(records)

    def find_range(self, record: Record, total: int) -> tuple[int, int]:
        """Return the first and the last line of a record; ``total`` is the number of lines."""
        level, index = record
        starts = self._starts[level]
        return starts[index], starts[index + 1] - 1 if index + 1 < len(starts) else total


_MAX_SHARE, _MIN_LIMIT = 20, 20
"""Percentage of the lines that a rare term may stand in, and the least number of lines that are few."""
_MAX_MATCHES = 20_000
"""Number of lines that are kept; if more hold terms, those of frequent terms are dropped."""
_MAX_TEXT = 400
"""Number of characters of a line that are kept; a longer line is read again."""
_USED_FACTOR = 0.5
"""Factor of the weight of a term for each line with it that precedes."""
_RECORD_FACTOR = 0.5
"""Factor of the weights of terms in the record of a line, which may be at most its own."""
_MAX_CANDIDATES = 2_000
"""Number of lines that are ranked: those with the highest scores."""
_MAX_EQUAL = 1, 6, 3
"""Number of equal lines in a record, in all records, and of lines in a record that differ in numbers only."""
_EVERY_RECORD = -1
"""The key of what is counted in all records."""
_NESTED, _SMALL_PART = 4, 10
"""Number of records around a line, and number of records of a length in a text, from which one is named although it
holds no other terms."""
_LEAST_EVIDENCE = 0.5
"""Weight of the other terms in a record from which it counts."""
_LEAST_SCORE = 0.02
"""Score below which a line adds nothing: its terms are frequent, or many lines with them precede."""
_VARIABLE = compile_lazily(r"\b[0-9a-f]{6,}\b|\d+")


@dataclass(frozen=True, slots=True)
class Match:
    """Hold a line with the indexes of its terms, and its records."""

    number: int
    text: str
    terms: tuple[int, ...]
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class RelevantLine:
    """Hold a line that is relevant, and its term with the highest weight.

    ``record`` is the line at which its record begins, 0 without one.
    """

    number: int
    text: str
    term: str
    record: int


class _Candidate(NamedTuple):
    """Hold a line, the weights of its terms and of other terms in a record, and the line at which that begins."""

    match: Match
    own: Mapping[int, float]
    others: Mapping[int, float]
    record: int

    def rate(self, factors: Mapping[int, float]) -> float:
        """Return the score of the line by the factors of terms that lines before it hold."""
        own = sum(weight * factors.get(term, 1.0) for term, weight in self.own.items())
        others = sum(weight * factors.get(term, 1.0) for term, weight in self.others.items())
        return own + min(own, others)


@dataclass(slots=True)
class _TermSearch:
    """Collect the lines that hold terms; ``total`` is their number, with those that are not kept."""

    terms: Sequence[Term]
    matches: list[Match]
    finder: RecordFinder
    total: int = 0

    def keep(self, active: Mapping[int, Term]) -> None:
        """Keep the lines with active terms, and of these terms those that are not a part of another."""
        rows = ((match, _drop_parts(match.terms, active)) for match in self.matches)
        self.matches = [Match(match.number, match.text, terms, match.records) for match, terms in rows if terms]


class Relevance:
    """Orders the lines that hold rare terms of a focus.

    A line scores the weights of its terms, by their rarity among the lines, and of the other terms in its record, by
    their rarity among records of its length. ``total`` is the number of lines whose terms weigh at least half as much
    as those of the best, ``terms`` that of the terms.
    """

    def __init__(self, lines: IndexedLines, focus: str) -> None:
        words = split_focus(focus)
        for terms, is_rare in ((words, True), (words, False), (split_loosely(focus), False)):
            search = _find_matches(lines, terms, is_rare=is_rare)
            if search.matches:
                break
        self.terms, self._terms, self._lines = len(words), search.terms, lines
        self._weights = _Weights(search, lines.total)
        self.total = self._weights.count_best() + search.total - len(search.matches)
        self._candidates = self._weights.choose_candidates()

    def rate_text(self, text: str) -> float:
        """Return the weights of the rare terms that a text holds."""
        low, weights = text.lower(), self._weights.own
        present = [at for at in weights if self._terms[at].is_in(text, low)]
        return sum(weights[at] for at in _drop_parts(present, dict(enumerate(self._terms))))

    def rank(self) -> Iterator[RelevantLine]:
        """Yield the lines in the order of their relevance to the focus; of a record, each text once."""
        factors: dict[int, float] = {}
        queue = [(-candidate.rate(factors), at) for at, candidate in enumerate(self._candidates)]
        heapify(queue)
        counts: Counter[tuple[int, str]] = Counter()
        while queue:
            score, at = heappop(queue)
            candidate = self._candidates[at]
            current = -candidate.rate(factors)
            if current > score:  # terms have been used since, and a score can only fall
                if -current >= _LEAST_SCORE:
                    heappush(queue, (current, at))
                continue
            line = self._make_line(candidate)
            text = line.text.strip()
            keys = ((line.record, text), (_EVERY_RECORD, text), (line.record, _VARIABLE.sub("0", text[:_MAX_TEXT])))
            if any(counts[key] >= most for key, most in zip(keys, _MAX_EQUAL, strict=True)):
                continue
            counts.update(set(keys))
            yield line
            for term in candidate.match.terms:
                factors[term] = factors.get(term, 1.0) * _USED_FACTOR

    def _make_line(self, candidate: _Candidate) -> RelevantLine:
        number, text = candidate.match.number, candidate.match.text
        term = max(candidate.own, key=lambda term: candidate.own[term])
        whole = self._lines.at(number) if len(text) == _MAX_TEXT else text
        record = candidate.record
        if record and not candidate.others and _is_telling(self._lines.at(record)):
            record = 0  # only the bracket or the key above a block says that it holds the line
        return RelevantLine(number, whole, self._terms[term].text, record)


class _Weights:
    """Weighs the terms of lines, and of the records that hold them; ``own`` has the weights in lines."""

    def __init__(self, search: _TermSearch, total: int) -> None:
        self._matches, self._finder, self._total = search.matches, search.finder, total
        counts = Counter(term for match in self._matches for term in match.terms)
        self._shares = {term: count / (total + 1) for term, count in counts.items()}
        self._factors = [term.weight for term in search.terms]
        self.own = {term: -self._factors[term] * log(share) for term, share in self._shares.items()}
        terms_by_record: dict[Record, set[int]] = {}
        for match in self._matches:
            for record in match.records:
                terms_by_record.setdefault(record, set()).update(match.terms)
        self._by_record = {record: self._weigh_record(record, terms_by_record[record]) for record in terms_by_record}
        self._sums = {record: sum(weights.values()) for record, weights in self._by_record.items()}

    def choose_candidates(self) -> list[_Candidate]:
        """Return the lines with the highest scores, in the order of the lines."""
        rated = [(self._rate(match), -at) for at, match in enumerate(self._matches)]
        best = sorted(-at for _, at in nlargest(_MAX_CANDIDATES, rated))
        return [self._make_candidate(self._matches[at]) for at in best]

    def count_best(self) -> int:
        """Return the number of lines whose terms weigh at least half as much as those of the best."""
        sums = [sum(self.own[term] for term in match.terms) for match in self._matches]
        most = max(sums, default=0.0)
        return sum(weight * 2 >= most for weight in sums)

    def _weigh_record(self, record: Record, terms: Collection[int]) -> dict[int, float]:
        """Return the weights of terms by the chance that a record of this length holds them."""
        start, end = self._finder.find_range(record, self._total)
        length = end - start + 1
        return {
            term: -_RECORD_FACTOR * self._factors[term] * log(1 - (1 - self._shares[term]) ** length) for term in terms
        }

    def _rate_others(self, record: Record, terms: Collection[int]) -> float:
        weights = self._by_record[record]
        return self._sums[record] - sum(weights[term] for term in terms)

    def _rate(self, match: Match) -> float:
        own = sum(self.own[term] for term in match.terms)
        return own + min(own, max((self._rate_others(record, match.terms) for record in match.records), default=0.0))

    def _make_candidate(self, match: Match) -> _Candidate:
        own = {term: self.own[term] for term in match.terms}
        record = max(match.records, key=lambda record: self._rate_others(record, match.terms), default=None)
        others = {} if record is None else {t: w for t, w in self._by_record[record].items() if t not in own}
        if record is None or sum(others.values()) < _LEAST_EVIDENCE:
            return _Candidate(match, own, {}, self._find_enclosing_line(match))
        return _Candidate(match, own, others, self._finder.find_range(record, self._total)[0])

    def _find_enclosing_line(self, match: Match) -> int:
        """Return the first line of the longest record around a nested line that is a small part of the text, or 0."""
        if len(match.records) < _NESTED:
            return 0
        ranges = (self._finder.find_range(record, self._total) for record in match.records)
        return next((start for start, end in ranges if (end - start) * _SMALL_PART < self._total), 0)


def _count_terms(active: dict[int, Term], counts: list[int], present: Sequence[int], limit: int) -> None:
    """Count the terms of a line, and no longer look for those that are in more lines than the ``limit``."""
    for at in present:
        counts[at] += 1
        if counts[at] > limit:
            del active[at]


def _find_matches(lines: IndexedLines, terms: Sequence[Term], *, is_rare: bool) -> _TermSearch:
    """Return the lines with terms that are rare, or the first lines with any terms."""
    limit = max(_MIN_LIMIT, lines.total * _MAX_SHARE // 100) if is_rare else lines.total
    active, counts, search = dict(enumerate(terms)), [0] * len(terms), _TermSearch(terms, [], RecordFinder())
    for number, line in lines.enumerate_lines():
        text = strip_escapes(line) if "\x1b" in line else line
        search.finder.add(number, text)
        low = text.lower()
        present = tuple(at for at, term in active.items() if term.text in low and term.is_in(text, low))
        if not present:
            continue
        search.total += 1
        _count_terms(active, counts, present, limit)
        if len(search.matches) == _MAX_MATCHES and is_rare:
            limit = min(limit, _MAX_MATCHES) // 2
            active = {at: term for at, term in active.items() if counts[at] <= limit}
            search.keep(active)
        if len(search.matches) < _MAX_MATCHES:
            search.matches.append(Match(number, text[:_MAX_TEXT], present, search.finder.find_records()))
    if is_rare:
        search.keep(active)
        search.total = len(search.matches)
    return search


def _drop_parts(present: Sequence[int], active: Mapping[int, Term]) -> tuple[int, ...]:
    """Return the rare terms of a line that are not a part of another of its terms, unless that is a phrase."""
    rare = [at for at in present if at in active]
    if len(rare) < 2:
        return tuple(rare)
    names = [(at, active[at].text) for at in rare if " " not in active[at].text]
    return tuple(at for at in rare if not any(active[at].text in name for other, name in names if other != at))


def _measure_indent(text: str) -> int:
    rest = text.lstrip()
    depth = len(text) - len(rest)
    match = _BRANCHES.match(text, depth) if rest[:1] in _BRANCH else None
    return match.end() if match else depth


def find_names(lines: IndexedLines, start: int) -> list[tuple[int, str]]:
    """Return the lines that name the record that begins at a line, with their numbers.

    These are its first line that is more than a bracket or a key, and the title below a head such as that of a commit.
    """
    rows = list(lines.enumerate_lines(start, min(start + _HEAD_LINES, lines.total)))
    first = next((row for row in rows if _is_telling(row[1])), rows[0])
    blank = next((at for at, (_, text) in enumerate(rows) if at and not text.strip()), len(rows))
    head, body = rows[:blank], rows[blank + 1 : blank + 2]
    depths = {_measure_indent(text) for _, text in head}
    is_title = len(depths) == 1 and bool(body) and _measure_indent(body[0][1]) > max(depths)
    return [first, *(body if is_title else ())]


def _is_telling(text: str) -> bool:
    """Return whether a line says more than a bracket, or a key above its value, does."""
    is_opener = text.rstrip()[-1:] in "{[(:" and len(_NAME.findall(text)) < 2
    return bool(_LETTER.search(text)) and not is_opener
