"""What people do to a statement when they say it again: other format, small edits, or another meaning."""

import random
import re
import textwrap
from collections.abc import Callable

from bench.lint.pool import NAMES, NUMBERS, PATHS, Saying

SAME = (
    ("Never ", "Do not ever "), ("Do not ", "Don't "), ("must not ", "may not "), ("Ask ", "Always ask "),
    ("because ", "since "), ("Keep ", "Always keep "), ("Use ", "Make sure to use "), ("Run ", "Execute "),
    ("Explain ", "Make sure to explain "),
    ("larger than", "bigger than"), ("every ", "each "), ("at most ", "no more than "), ("whole ", "entire "),
    ("Write ", "Always write "),
    ("at least ", "no less than "), ("rather than ", "instead of "), ("instead of ", "rather than "),
    ("Prefer ", "Always prefer "),
    ("are kept ", "are stored "), ("Delete ", "Remove "), ("is fetched", "is downloaded"),
    ("explains ", "describes "), ("Stop ", "Halt "),
    ("Only ", "Just "), ("clear ", "plain "), ("must ", "have to "), ("whenever ", "each time "),
    ("below ", "under "), ("small ", "little "),
    ("必须", "一定要"), ("不要", "请不要"), ("统一", "一律"), ("先", "首先"), ("不得", "不可"),
    ("不允许", "禁止"), ("请", "务必"), ("一次", "一遍"),
    ("يجب", "من الضروري"), ("دون", "بدون"), ("جميع", "كل"), ("ولا", "ولن"), ("ثم", "وبعد ذلك"), ("باختصار", "بإيجاز"),
)  # fmt: skip
"""Words that another may stand for without a change of meaning."""
ADDED = {
    "en": (
        "{} (no exceptions)",
        "{}, please",
        "In this project: {}",
        "{}, as agreed",
        "Remember: {}",
        "{} at all times",
    ),
    "zh": ("{}，没有例外", "请记住：{}", "在本项目中，{}"),
    "ar": ("{} دون استثناء", "تذكر: {}", "في هذا المشروع {}"),
}
"""Words around a statement that add nothing."""
LESS = re.compile(r", (?:because|since|not even|even|especially|beside|so that)\b.*$")
"""Reasons and stress at the end, which can be left out without making another rule of it."""
SPARE = re.compile(r" (?:the|a|an|its|whole|own|very|clear|always|explicit|obvious|realistic|then) ")
"""Words that can be left out too."""
GAP = re.compile(r"(?<=[a-z]{3}) (?=(?:the|a|an|and|with|in|for|before|by|from) )")
STRESS = ("as a rule", "of course", "as always", "in general", "please")
NOT = (
    (r"^Never (\w)", lambda m: "Always " + m[1]), (r"^Do not (\w)", lambda m: m[1].upper()), (r"\bmust not\b", "must"),
    (r"\bmust\b", "must not"), (r"\bmay\b", "may not"), (r"\bare\b", "are not"), (r"\bis\b", "is not"),
    (r"\bhave to\b", "do not have to"),
    (r"^(Prefer|Keep|Use|Run|Store|Cache|Log|Open|Ask|Delete|Write|Mark|Round|Quote|Name|Group)\b",
    lambda m: "Never " + m[1].lower()),
    ("不允许", "允许"), ("不得", "可以"), ("必须", "不必"), ("不要", "一定要"), ("^لا ", ""), ("^يجب", "لا يجب"),
)  # fmt: skip
"""Ways to turn a statement into its contrary."""


def shape(saying: Saying, chance: random.Random) -> tuple[str, list[str]]:
    """Return the name of a change of format, and the lines: the same words in another dress."""
    text = saying.text
    ways: dict[str, list[str]] = {
        "marker": [f"{chance.choice('*+')} {text}"],
        "numbering": [f"{chance.randrange(1, 9)}. {text}"],
        "emphasis": [f"- {_emphasize(text, chance)}"],
        "stop": [f"- {text}{'。' if saying.language == 'zh' else chance.choice('.!')}"],
        "paragraph": [f"{text}."],
    }
    if saying.language != "zh":  # a line end within Chinese is no blank
        ways["rewrapping"] = _wrap(text, chance)
    if "`" in text:
        ways["backticks"] = [f"- {text.replace('`', '')}"]
    if saying.language == "en":
        ways["case"] = [f"- {text[0].lower()}{text[1:]}" if "`" in text else f"- {text.upper()}"]
    name = chance.choice(sorted(ways))
    return name, ways[name]


def _emphasize(text: str, chance: random.Random) -> str:
    mark = chance.choice(("**", "*", "__"))
    if " " not in text or chance.random() < 0.4:
        return f"{mark}{text}{mark}"
    pieces = text.split(" ")
    place = chance.randrange(len(pieces))
    if "`" not in pieces[place]:
        pieces[place] = f"{mark}{pieces[place]}{mark}"
    return " ".join(pieces)


def _wrap(text: str, chance: random.Random) -> list[str]:
    width = max(24, len(text) // chance.choice((2, 3)))
    wide = textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False)
    return [f"- {wide[0]}", *(f"  {row}" for row in wide[1:])]


def nearly(saying: Saying, chance: random.Random, edits: int) -> tuple[str, str] | None:
    """Return the kinds of so many small edits and the edited text, None where it offers too few places for them."""
    ways: dict[str, Callable[[str], str]] = {
        "synonym": _synonym(chance),
        "added": _adder(saying.language, chance),
        "left out": _less(chance),
        "inserted": _insert(chance),
    }
    done, text = [], saying.text
    if saying.tail_first and chance.random() < 0.5:
        done, text = ["reordered"], saying.tail_first
    names = list(ways)
    chance.shuffle(names)
    for name in names:
        edited = ways[name](text)
        if len(done) < edits and edited != text:
            done.append(name)
            text = edited
    return ("+".join(sorted(done)), text) if len(done) == edits else None


def _synonym(chance: random.Random) -> Callable[[str], str]:
    def replace(text: str) -> str:
        itemss = [(word, other) for word, other in SAME if word in text]
        within = [(f" {word.lower()}", f" {other.lower()}") for word, other in SAME if word[0] in "DEO"]
        itemss += [pair for pair in within if pair[0] in text and pair[0] != " do not "]
        return text.replace(*chance.choice(itemss), 1) if itemss else text

    return replace


def _adder(language: str, chance: random.Random) -> Callable[[str], str]:
    return lambda text: chance.choice(ADDED[language]).format(text)


def _less(chance: random.Random) -> Callable[[str], str]:
    def shorter(text: str) -> str:
        short = LESS.sub("", text, count=1)
        if short != text and len(short) > 0.6 * len(text):
            return short
        spare = list(SPARE.finditer(text))
        for match in chance.sample(spare, min(2, len(spare))):
            text = text.replace(match[0], " ", 1)
        return text

    return shorter


def _insert(chance: random.Random) -> Callable[[str], str]:
    def longer(text: str) -> str:
        gaps = [match.start() for match in GAP.finditer(text)]
        if not gaps or text.count("`") > 1:
            return text
        gap = chance.choice(gaps)
        return f"{text[:gap]}, {chance.choice(STRESS)},{text[gap:]}"

    return longer


def otherwise(saying: Saying, chance: random.Random) -> tuple[str, str] | None:
    """Return the kind of change and a statement that looks alike but says another thing, None where there is none."""
    kinds = {"number": NUMBERS, "name": NAMES, "path": PATHS}
    ways: dict[str, str] = {}
    for kind, blanks in kinds.items():
        for blank in blanks:
            if blank in saying.values:
                ways[kind] = saying.change_blank(blank, chance).text
    if (not ways or chance.random() < 0.2) and (contrary := negate(saying.text)) is not None:
        ways["negation"] = contrary
    if not ways:
        return None
    kind = chance.choice(sorted(ways))
    return kind, ways[kind]


def negate(text: str) -> str | None:
    """Return the contrary of a statement, None where no way to it is known."""
    for pattern, other in NOT:
        turned, times = re.subn(pattern, other, text, count=1)
        if times:
            return turned
    return None
