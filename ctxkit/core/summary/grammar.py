"""The page template as a GBNF grammar (llama.cpp), so that any model fills it validly."""

from ctxkit.core.summary.template import MAX_BULLETS

MAX_BULLET, MAX_TASK = 240, 320
"""Maximum characters of a bullet and of the task."""
_FORBIDDEN = "<\\u25C1\\u25B7"
"""Characters that begin reasoning marks; ``<`` is allowed only before characters that begin no tag."""

_BLANK = "\\u0080-\\u00A0\\u00AD\\u1680\\u2000-\\u200F\\u2028-\\u202F\\u205F-\\u2064\\u3000\\uFEFF"
"""Invisible characters, which could precede a forbidden beginning of a line."""


def build_grammar(bullets: int = MAX_BULLETS, length: int = MAX_BULLET) -> str:
    """Return the grammar: every heading in order, and at most ``bullets`` single-line bullets per section.

    Bullets are at most ``length`` characters long. A line does not begin with a blank, a list mark, a bracket or a
    heading, and contains no tag. This excludes reasoning tags and template slots. A section may be empty.
    """
    rest = max(length - 1, 1)
    return "\n".join(
        (
            'root ::= "# Context\\n\\n## Task\\n" task "\\n\\n## Decisions\\n" items "\\n## Facts\\n" items more',
            'more ::= "\\n## Pending\\n" boxes "\\n## Errors\\n" items',
            f"task ::= first rest{{0,{MAX_TASK - 1}}}",
            f"items ::= item{{0,{bullets}}}",
            f"boxes ::= box{{0,{bullets}}}",
            f'item ::= "- " first rest{{0,{rest}}} "\\n"',
            f'box ::= "- [ ] " first rest{{0,{rest}}} "\\n"',
            f"first ::= [^\\x00-\\x20\\x7F{_BLANK}{_FORBIDDEN}#*+\\[\\]-]",
            f'rest ::= [^\\x00-\\x1F\\x7F{_FORBIDDEN}] | "<" [ =0-9-]',
            "",
        )
    )
