"""Read what the caller of a command is after from a comment of its script: ``make test # focus: leaked socket``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_FOCUS = 1_000
"""Characters of a focus in a comment; what follows is left out."""
_COMMENT = re.compile(r"#[ \t]*focus:[ \t]*(?P<focus>\S[^\n]*)", re.IGNORECASE)


class FocusComment(NamedTuple):
    """The focus that the last comment of its form in a script states, "" for none, and the comment as it stands."""

    focus: str = ""
    comment: str = ""

    def remove_from(self, script: str) -> str:
        """Return a script without the comment if it ends with it, for a title that need not repeat the focus."""
        bare = script.rstrip()
        return bare.removesuffix(self.comment).rstrip() if self.comment and bare.endswith(self.comment) else script


NO_FOCUS = FocusComment()


def find_focus_comment(script: str, list_comments: Callable[[str], list[str]]) -> FocusComment:
    """Return the focus in a script; ``list_comments`` parses it, and is called only if a comment may state a focus."""
    if not _COMMENT.search(script):
        return NO_FOCUS
    matches = [match for comment in list_comments(script) if (match := _COMMENT.match(comment))]
    if not matches:
        return NO_FOCUS
    return FocusComment(matches[-1]["focus"].strip()[:MAX_FOCUS], matches[-1].string)
