"""The terms of a focus: what a line has to hold to be relevant to it."""

from collections.abc import Iterator

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple

MAX_TERMS = 200
"""Maximum number of terms of a focus that are searched."""
MAX_PHRASE = 60
"""Maximum number of characters of a focus that is also searched as it stands."""
EXACT_WEIGHT = 2.0
"""Weight of identifiers, paths, numbers and quoted text, which a caller repeats exactly; that of a word is 1."""
SHORT_WORD = 3
"""Number of letters up to which a word has to end where it ends in the line; longer ones may go on."""
LONG_WORD = 6
"""Number of letters from which a word of another language than English loses its last two, which often decline."""
_COMPOUND = compile_lazily(r"(?<!\w)\w+(?:[-./:@\\+~]+\w+)+")
_QUOTED = compile_lazily(r"`([^`\n]+)`|\"([^\"\n]+)\"|(?<!\w)'([^'\n]+)'(?!\w)")
_WORD = compile_lazily(r"\w+")
_STOP_WORDS = frozenset(
    _WORD.findall(
        "a about above after again against all also am an and any are as at be because been before being below"
        " between both but by can could did do does doing done down during each every few for from further give"
        " given had has have having he her here hers him his how i if in into is it its itself just let may me"
        " might more most much must my need no nor not now of off on once one only or other our out over own per"
        " please same say says she should show so some such tell than that the their them then there these they"
        " this those through to too under until up us very want was we were what when where whether which while who"
        " whom whose why will with within without would yes yet you your"
    )
)
_PART = compile_lazily(r"[^\W_]+")
_HUMP = compile_lazily(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ENDING = compile_lazily(r"(?<=[a-z]{4})(?:ations?|ures?|ings?|ies|ed|ely|ly|est|es|s|e|y)\Z")
_UNSPACED = compile_lazily(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]+"
)
"""A run of characters of scripts that set no blanks between words, or join endings to them."""


class Term(NamedTuple):
    """Hold a text in lower case, and how it has to stand in a line.

    With ``begins``, a word has to begin where it begins; with ``ends``, a word has to end where it ends. ``weight`` is
    higher for what is quoted exactly.
    """

    text: str
    begins: bool = True
    ends: bool = False
    weight: float = 1.0

    def is_in(self, line: str, low: str) -> bool:
        """Return whether the term stands in ``line``; ``low`` is the line in lower case."""
        at = low.find(self.text)
        while at >= 0:
            if self._stands_at(at, line, low):
                return True
            at = low.find(self.text, at + 1)
        return False

    def _stands_at(self, at: int, line: str, low: str) -> bool:
        end = at + len(self.text)
        if self.begins and at and low[at - 1].isalnum() and not self._begins_part(at, line, low):
            return False
        if self.text.isdigit() and _is_inside_number(low, at, end):
            return False
        if not self.ends or end >= len(low):
            return True
        return not (low[end].isdigit() if self.text[-1].isdigit() else low[end].isalnum())

    def _begins_part(self, at: int, line: str, low: str) -> bool:
        """Return whether a term inside a word begins a part of it: a hump, or the number of a version."""
        is_hump = line[at : at + 1].isupper() and (line[at - 1].islower() or line[at + 1 : at + 2].islower())
        return is_hump or (self.text[0].isdigit() and low[at - 1] == "v")


def _is_inside_number(low: str, at: int, end: int) -> bool:
    """Return whether digits are a part of a dotted number or of a time of day: ``139`` in ``10.139.2.7``."""
    is_before = at > 1 and low[at - 1] in ".:" and low[at - 2].isdigit()
    return is_before or (low[end : end + 1] == "." and low[end + 1 : end + 2].isdigit())


def split_focus(focus: str) -> tuple[Term, ...]:
    """Return the terms of a focus: quoted text, identifiers and paths whole, and words without stop words and endings.

    A short focus with blanks or symbols is a term as it stands. A focus of stop words only has all its words.
    """
    words = list(_split_words(_COMPOUND.sub(" ", focus)))
    terms = [*_find_phrases(focus), *_split_compounds(focus), *words]
    telling = [term for term in terms if term.text not in _STOP_WORDS] or terms
    best: dict[str, Term] = {}
    for term in telling:
        if term.text not in best or best[term.text].weight < term.weight:
            best[term.text] = term
    return tuple(list(best.values())[:MAX_TERMS])


def split_loosely(focus: str) -> tuple[Term, ...]:
    """Return all words of a focus, or its symbols, as terms that may stand anywhere in a word."""
    low = focus.lower()
    return tuple(
        Term(text, begins=False) for text in list(dict.fromkeys(_WORD.findall(low) or low.split()))[:MAX_TERMS]
    )


def _find_phrases(focus: str) -> Iterator[Term]:
    """Yield the focus as it stands if it is short and more than a word, and what stands in quotation marks."""
    whole = " ".join(focus.lower().split())
    if 0 < len(whole) <= MAX_PHRASE and not _COMPOUND.fullmatch(whole) and not _WORD.fullmatch(whole):
        yield Term(whole, begins=False, weight=EXACT_WEIGHT)
    for match in _QUOTED.finditer(focus.lower()):
        text = next(filter(None, match.groups())).strip()
        if text:
            yield Term(text, begins=False, weight=EXACT_WEIGHT)


def _split_compounds(focus: str) -> Iterator[Term]:
    """Yield paths, versions and dotted or hyphenated names whole, the last name of a path, and their parts."""
    for text in _COMPOUND.findall(focus):
        yield _make_term(text.lower(), EXACT_WEIGHT)
        if "/" in text:
            yield _make_term(text.lower().rpartition("/")[2], EXACT_WEIGHT)
        yield from _split_names(text)


def _split_words(text: str) -> Iterator[Term]:
    """Yield identifiers whole and by their parts, other words without their endings, and pairs of characters."""
    for word in _WORD.findall(text):
        for run in _UNSPACED.findall(word):
            yield from (Term(run[at : at + 2], begins=False) for at in range(max(len(run) - 1, 1)))
        rest = _UNSPACED.sub("", word)
        parts = list(_split_names(rest))
        if len(parts) > 1 or rest.isdigit():
            yield _make_term(rest.lower(), EXACT_WEIGHT)
        yield from parts


def _split_names(text: str) -> Iterator[Term]:
    """Yield the parts of a name; together they weigh as much as a word."""
    parts = [part for run in _PART.findall(text) for part in _HUMP.split(run)]
    yield from (_make_term(_drop_ending(part.lower()), 1 / len(parts)) for part in parts)


def _make_term(text: str, weight: float) -> Term:
    return Term(text, ends=len(text) <= SHORT_WORD or text[-1].isdigit(), weight=weight)


def _drop_ending(word: str) -> str:
    if word.isascii():
        return word if word in _STOP_WORDS else _ENDING.sub("", word)
    return word[:-2] if len(word) >= LONG_WORD and word.isalpha() else word
