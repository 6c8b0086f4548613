"""Detection of sentences that are rules: demands or prohibitions of a user, in several languages."""

import re
from functools import lru_cache

from ctxkit.core.context.instructions import is_instruction, is_manner, is_other_half, is_report
from ctxkit.core.context.sentences import split_sentences

_STRONG = re.compile(
    r"\b(?:never|don'?t|do not|does not need|must(?:n'?t)?|always|only|not allowed|forbidden"
    r"|under no circumstances|no more than|at most"
    r"|at least|mandatory|required? to|strictly|exactly|avoid|refrain|shouldn'?t|should not|cannot|can'?t use"
    r"|no need to|without|unless|from now on|going forward"
    r"|except|make sure|ensure|remember|stick to|leave\b.*\balone|stop \w+ing|use\b.+\b(?:not|instead|rather)"
    r"|instead of|rather than"
    r"|prefer(?:ably)?|keep (?:it|the|all|to|in|this|using)|no (?:new|other|more|extra|unit|external)\b"
    # German
    r"|niemals|nie|nicht|immer|nur|muss|müssen|darf|dürfen|kein(?:e[nmrs]?)?|ohne|stattdessen|statt|vermeide"
    r"|unbedingt|sollte?n?"
    # French
    r"|jamais|toujours|seulement|uniquement|doit|doivent|sans|évite[rz]?|ne\b.{1,30}\bpas|n'.{1,30}\bpas"
    r"|utilise[rz]?|surtout|il faut"
    # Spanish, Portuguese, Italian
    r"|nunca|jamás|siempre|sólo|solamente|debes?|deben|evita[r]?|no (?:uses?|hagas|toques|cambies"
    r"|modifiques|borres|quiero)"
    r"|sempre|apenas|somente|deve[m]?|não|evite|soltanto|devono|senza|evitare"
    # Polish, Turkish, Dutch
    r"|nigdy|zawsze|tylko|musi|nie wolno|asla|her zaman|sadece|nooit|altijd|alleen|moet|niet|geen"
    # Russian, Ukrainian
    r"|никогда|всегда|только|должн\w*|нельзя|обязательно|не надо|без|используй\w*|ніколи|завжди|тільки)\b"
    # Chinese, Japanese, Korean
    r"|不要|别|必须|只能|只|永远|始终|一定|禁止|不能|不得|应该|務必|务必|不可|しないで|必ず|のみ|だけ|絶対|常に|べき|てはいけない|ないこと"
    r"|하지 ?마|반드시|항상|금지|절대|해야|말고|않도록|지금부터|앞으로|이제부터"
    r"|从现在(?:开始|起)|今后|今後|これから",
    re.IGNORECASE,
)
_POLITE_WORDS = r"bitte|por favor|per favore|s'il (?:te|vous) pla[iî]t|пожалуйста"
_POLITE_SIGNS = "请|ください|하세요"
_MILD = re.compile(
    r"\b(?:please|should|(?<!i )needs? to|has to|have to|i(?:'d| would)? (?:only |really )?(?:want|like|prefer)"
    rf"|we want|use|{_POLITE_WORDS})\b|{_POLITE_SIGNS}",
    re.IGNORECASE,
)
_POLITE = re.compile(rf"\b(?:please|pls|{_POLITE_WORDS})\b|{_POLITE_SIGNS}", re.IGNORECASE)
_NEED = re.compile(
    r"^\W*(?:(?:now|so|also|then|and|ok|specifically|yes|thank you|thanks|hi|hello),? ){0,3}"
    r"(?:we|i)(?:['’]d| would)? (?:also |still |just )?(?:need|want|like)(?: you)? (?:to|an?)\b"
    r"(?!.*\buse\b)(?! (?:be|keep|see|stay|avoid|have)\b)",
    re.IGNORECASE,
)
_STATE = re.compile(r"\b(?:be|stay|remain)\b", re.IGNORECASE)
_HARD = re.compile(
    r"\b(?:never|don'?t|do not|must|always|only|not allowed|forbidden|under no circumstances|should not|shouldn'?t"
    r"|avoid|instead)\b"
    r"|不要|别|必须|禁止|しないで|必ず|하지 ?마|반드시"
    r"|\b(?:niemals|nie|immer|jamais|toujours|nunca|siempre|sempre|никогда|всегда|нельзя)\b",
    re.IGNORECASE,
)
_ANY = re.compile("|".join((_HARD.pattern, _STRONG.pattern, _MILD.pattern)), re.IGNORECASE)
"""Any word of a rule: a sentence without one is searched once instead of nine times."""
_QUESTION = re.compile(
    r"^(?:why|what|how|when|where|who|which|is|are|was|were|does|did|do (?:you|we|i)\b|can i|could it|have you|has"
    r"|warum|wieso|pourquoi|por qué)\b.*\?\W*$",
    re.IGNORECASE,
)
_PASTED_TEXT = re.compile(
    r"^\s*(?:[+-] ?\d+ |\d+ [-+|] |at |File \"|\d{4}-\d\d-\d\d|\w*(?:Error|Exception)\b|[\w./-]+:\d+|[$>#|] )"
    r"|[{};]\s*$|^\W*$"
)
_STATEMENT = re.compile(
    r"\b(?:I|we|you|they|it|that|this|which)(?:'ve|'d| really| still| just| also)? "
    r"(?:don'?t|do not|didn'?t|did not|doesn'?t|does not|can'?t|cannot|could ?n[o']t|couldn'?t|can|never|always|only) "
    r"(?:really |even |quite |yet )?(?:th?ink|know|see|saw|seen|understand|get|got|remember|believe|recall|care|mind"
    r"|have(?! to)|work|works|seem|seems|look|looks|help|exist|happened|worked|found|find)\b",
    re.IGNORECASE,
)
"""Statements about facts that contain words of a rule."""
_ADVERTISEMENT = re.compile(
    r"^\W*(?:use|try|join|discover|get|explore|download|visit|check out) (?:our|\w+['’]s) (?:free|new|premium"
    r"|latest|pro)\b",
    re.IGNORECASE,
)
"""What a seller says of what it sells."""
_POLITE_REQUEST = re.compile(r"^(?:can|could|would) you\b|\bplease\b", re.IGNORECASE)
_CONTRAST = re.compile(r"\b(?:instead(?: of)?|rather than)\b", re.IGNORECASE)
"""Words that an instruction has in common with a report of what is wrong."""
_PURPOSE = re.compile(r"\b(?:(?:in order )?to|so as to) avoid\b", re.IGNORECASE)
"""A purpose, not a prohibition: "reuse presets to avoid repetition"."""
_FINDING = re.compile(
    r"^\W*(?:the|a|one) (?:[\w-]+ ){0,3}(?:issue|problem|cause|reason|bug|culprit|mistake)s?\b"
    r".{0,80}\b(?:is|are|was|were)\b"
    r"|^\W*(?:i|we) (?:believe|guess|noticed?|see|saw|found) "
    r"|^(?:once|when|after|if)\b.{1,80}, I(?:'ll| will)\b|^I(?:'ll| will) ",
    re.IGNORECASE,
)
"""What is wrong, or what the speaker will do: no demand unless it says what should be."""
_WANTED = re.compile(
    r"\b(?:should|must|(?:we|you) (?:need|have) to|let'?s|please|want|don'?t (?!adhere|seem|look|work|think))",
    re.IGNORECASE,
)
_COMPLAINT = re.compile(
    r"^\W*(?:i|we) (?:think|believe|noticed?) .{0,60}\b(?:does|do|is|are|was|were)(?:n[’']?t| not)\b", re.IGNORECASE
)
_SUBJECTLESS = re.compile(r"^\W*(?:(?:yes|yeah|yep|no|ok),? )?(?:needs?|has|have) to\b", re.IGNORECASE)
"""A demand without its subject, which says nothing alone."""
_HEADING = re.compile(r"#{1,6}[ \t]")
_EXAMPLE = re.compile(r"\b(?:examples?|samples?|scenarios?|beispiele?|exemples?|ejemplos?)\b", re.IGNORECASE)
"""A word in the heading of a section of examples: what that tells to do is no demand."""
_FILLER = re.compile(r"^(?:(?:ok(?:ay)?|alright|well|sure|hmm+)[,.!]* )+(?=\w)", re.IGNORECASE)
_STANDING = re.compile(
    r"\b(?:from now on|in (?:all|any|every|each) (?:task|case|session|commit|file|answer|reply|message)s?"
    r"|for (?:all|any|every|each) (?:task|session|commit|answer|reply|message|time)s?|at all times|until further notice"
    r"|throughout|every time|whenever|in (?:this|the) (?:whole )?(?:session|conversation)|as long as we"
    r"|ab jetzt|ab sofort|in (?:allen|jeder|jedem)|jedes Mal|désormais|à partir de maintenant|dans tou(?:s|tes) les"
    r"|chaque fois|a partir de ahora|en tod[oa]s l[oa]s|cada vez|d'ora in poi|a partir de agora|em tod[oa]s"
    r"|отныне|во всех|каждый раз)\b|从现在(?:开始|起)|每次|所有任务|今後|毎回|すべての|앞으로|매번|모든",
    re.IGNORECASE,
)
"""Words with which a rule says that it holds beyond the current task."""
HARD, RULE, WISH, STEP = 790, 735, 690, 5
"""Scores of a hard rule, a rule and a wish, and the reduction for each older one."""
MAX_SENTENCE = 320
"""Maximum characters of a rule; longer sentences are other text."""


@lru_cache(maxsize=1 << 16)  # the summary and its record read each request, and short requests are often the same
def find_demands(text: str) -> tuple[tuple[str, int], ...]:
    """Return the demands in a text with their scores; an instruction beside a short prohibition belongs to it.

    >>> find_demands("Read files directly. Do not use subagents.")
    (('Read files directly.', 790), ('Do not use subagents.', 790))
    """
    text = _drop_examples(text) if "#" in text else text
    sentences = [_FILLER.sub("", sentence) for sentence in split_sentences(text)]
    scores = [score_rule(sentence) for sentence in sentences]
    for at, sentence in enumerate(sentences):
        neighbours = [*sentences[max(at - 1, 0) : at], *sentences[at + 1 : at + 2]]
        if scores[at] < HARD and any(is_other_half(sentence, neighbour) for neighbour in neighbours):
            scores[at] = HARD
    return tuple((sentence, score) for sentence, score in zip(sentences, scores, strict=True) if score)


def _drop_examples(text: str) -> str:
    """Return a text without its sections whose heading announces examples."""
    kept_lines: list[str] = []
    is_example = False
    for line in text.splitlines():
        if _HEADING.match(line):
            is_example = bool(_EXAMPLE.search(line[:MAX_SENTENCE]))
        if not is_example:
            kept_lines.append(line)
    return "\n".join(kept_lines)


def score_rule(sentence: str) -> int:
    """Return the score of a sentence as a rule, 0 if it is not a rule."""
    if (
        not 6 <= len(sentence) <= MAX_SENTENCE
        or sentence[-1] == ":"
        or not _ANY.search(sentence)
        or _PASTED_TEXT.search(sentence)
        or _QUESTION.match(sentence)
        or _ADVERTISEMENT.match(sentence)
        or is_report(sentence)
        or _COMPLAINT.match(sentence)
        or (_FINDING.match(sentence) and not _WANTED.search(sentence))
    ):
        return 0
    asks = sentence.endswith("?") and not _POLITE_REQUEST.search(sentence)
    sentence = _PURPOSE.sub(" ", _STATEMENT.sub(" ", sentence))
    if not is_instruction(sentence):
        sentence = _CONTRAST.sub(" ", sentence)
    if _HARD.search(sentence):
        return 0 if asks else HARD
    if _STRONG.search(sentence):
        return 0 if asks else RULE
    if _MILD.search(sentence) and not sentence.endswith("?") and not _SUBJECTLESS.match(sentence):
        return WISH
    return 0


def is_job(sentence: str) -> bool:
    """Return whether a wish only asks for a piece of work, which holds until it is done.

    >>> is_job("Please move the parser."), is_job("We need a section on themes."), is_job("Please be brief.")
    (True, True, False)
    """
    if _NEED.match(sentence):
        return True
    words = _POLITE.sub(" ", sentence)
    return words != sentence and not (_MILD.search(words) or _STATE.search(words) or is_manner(sentence))


def is_rule(sentence: str) -> bool:
    """Return whether a sentence is a rule from a user."""
    return score_rule(sentence) >= RULE


def is_standing_rule(sentence: str) -> bool:
    """Return whether a rule says that it holds beyond the current task."""
    return _STANDING.search(sentence) is not None and is_rule(sentence)
