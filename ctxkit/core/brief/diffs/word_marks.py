"""Marks around the changed words of a diff: signs of git diff --word-diff, or colours."""

import re

from ctxkit.core.lazy_pattern import compile_lazily

COLOUR = compile_lazily(r"\x1b\[[\d;]*[mK]")
WORDS = compile_lazily(r"\[-(?:(?!\[-).)+?-\]|\{\+(?:(?!\{\+).)+?\+\}")
"""Pattern of the marks that git diff --word-diff puts around removed and added words."""
COLOURED = compile_lazily(r"\x1b\[3([12])m([^\x1b\n]+)\x1b\[m")
SIGNED = compile_lazily(r"^[+-](?!-- |\+\+ )", re.MULTILINE)


def is_worded(text: str) -> bool:
    """Return whether hunks mark changed words within lines, instead of whole lines with a sign."""
    bare, marked = COLOUR.sub("", text), COLOUR.sub("", mark_colours(text))
    hunks = bare.find("\n@@")
    return hunks >= 0 and len(WORDS.findall(marked, hunks)) > 2 * len(SIGNED.findall(bare, hunks))


def mark_colours(text: str) -> str:
    """Put marks around words that are marked only by colour: removed words are red, added words green."""
    return COLOURED.sub(lambda match: f"[-{match[2]}-]" if match[1] == "1" else f"{{+{match[2]}+}}", text)
