"""Whether the words of a user name work that can be open: not a short question, and not only general words."""

import re

from ctxkit.core.context.other_languages import OTHER_LETTER

_QUESTION = re.compile(
    r"\W*(?:(?:so|and|but|ok(?:ay)?|well|wait|hey|now|oh),? )*(?:what|why|how|who|whose|where|when|which|wtf"
    r"|wie|was|warum|wo|wann|wer|quoi|comment|pourquoi|qu[eé]|c[oó]mo|por qu[eé]|como|perch[eé]|cosa|gì|sao|tại sao)\b"
    r"(?! (?:to|about)\b)|\W*(?:что|как|почему|где|когда|зачем)\b",
    re.IGNORECASE,
)
"""The word with which a question begins, also without a question mark."""
_OTHER_QUESTION = re.compile(
    r"(?:吗|呢|么|嘛|ですか|ますか|の|かな|까|나요|니|지)[。.!~]*$|什么|什麼|怎么|怎麼|为什么|為什麼|为何|哪|谁|誰|多少|何|なに|どう|なぜ|뭐|왜|어떻게|어디"
)
"""The end of a question, or a word that asks, in a script without blanks and in Korean."""
_ORDER = re.compile(
    r"\b(?:can|could|will|would) (?:you|we|u)\b|\bplease\b|^\W*(?:请|請|帮|幫)|ください|세요", re.IGNORECASE
)
"""Words with which a question asks for work."""
_NAME = re.compile(r"[`/\\_\d@#]|\w\.\w|[a-z][A-Z]")
"""A mark of code, a path or a number, which says what a question is about."""
_WORD = re.compile(r"[\w'’]+")
_GENERAL_WORDS = """
a all again an and another answer at best better bring build complete continue could create deliver do done everything
excellent final finish first for full further generate get give go going good great have help i in into it job keep let
let's lets let’s like make me my need new next nice now of off ok okay on one our out output perfect please possible
proceed produce provide quality ready really response responses result results right same show so solution start started
stuff task that the them then these thing things this those to try up us very want we well with work working write you
your yours
"""
_GENERAL = frozenset(_GENERAL_WORDS.split())
"""Words that say nothing of the work without others."""
_PALETTE = re.compile(r"(?:Developer|Preferences|View|Window|Terminal|Tasks|Debug): (?:[A-Z][\w']* ?){1,5}")
"""A command of the palette of Visual Studio Code, which the user meant for the editor."""
MAX_QUESTION_WORDS, MAX_QUESTION_SIGNS = 5, 12
"""Maximum words of a short question, and maximum characters of one in a script without blanks."""


def names_work(text: str) -> bool:
    """Return whether a message or a sentence of the user names work, so that it can be an open item.

    >>> names_work("what happened"), names_work("lets generate the best response"), names_work("Fix the parser")
    (False, False, True)
    """
    text = text.strip()
    if _is_short_question(text) or _PALETTE.fullmatch(text):
        return False
    return not _GENERAL.issuperset(_WORD.findall(text.lower()))


def _is_short_question(text: str) -> bool:
    """Return whether a text is a question of a few words that asks for no work and names nothing."""
    if _ORDER.search(text) or _NAME.search(text):
        return False
    if OTHER_LETTER.search(text):
        is_short = len(text) <= MAX_QUESTION_SIGNS or len(text.split()) in range(2, MAX_QUESTION_WORDS + 1)
        return is_short and (text.endswith(("?", "？")) or bool(_QUESTION.match(text) or _OTHER_QUESTION.search(text)))
    is_short = len(text.split()) <= MAX_QUESTION_WORDS
    return is_short and (text.endswith("?") or bool(_QUESTION.match(text)))
