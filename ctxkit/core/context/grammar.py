"""The template as a grammar in GBNF, llama.cpp's notation, so that any model fills it validly."""

from ctxkit.core.context.template import MAX_BULLETS

MAX_BULLET, MAX_TASK = 240, 320
"""Characters of a bullet and of the task, at most."""
_FORBIDDEN = "<\\u25C1\\u25B7"
"""Signs that marks of reasoning begin with; ``<`` stands only before what no tag begins with."""

_BLANK = "\\u0080-\\u00A0\\u00AD\\u1680\\u2000-\\u200F\\u2028-\\u202F\\u205F-\\u2064\\u3000\\uFEFF"
"""Signs that nobody sees, after which what a line must not begin with could come."""


def build_grammar(bullets: int = MAX_BULLETS, length: int = MAX_BULLET) -> str:
    """Return the grammar: every heading in order, at most ``bullets`` a section, each one line of bounded length.

    A line does not begin with a blank, a mark of a list, a bracket or a heading, and holds no tag, so that neither
    thinking tags nor the slots of the template can come. A section may be empty.
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
