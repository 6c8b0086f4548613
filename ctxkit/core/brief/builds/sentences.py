"""Findings that are told in a sentence, the file and its line at the end: PHP, Perl, Eclipse's compiler."""

import re

SENTENCE = re.compile(
    r"\d+\. (?P<eclipse>ERROR|WARNING) in (?P<source>\S.*) \(at line (?P<row>\d+)\)"
    r"|(?:PHP )?(?P<php>(?:Parse|Fatal|Compile|Core|Recoverable fatal) error|Warning|Notice|Deprecated):"
    r" +(?P<said>\S.*) in (?P<script>[^:*?\"<>|]\S*|[A-Z]:\\[^:*?\"<>|]+) on line (?P<line>\d+)"
    r"|(?:(?P<policy>[^\s:]+): )?(?P<told>\S.*) at (?:(?P<module>\S+\.(?:pl|pm|t|cgi|psgi)) )?line (?P<perl>\d+)"
    r"(?:, column (?P<column>\d+)\.|, near .*|\.).*"
)
"""A sentence of a compiler, from its first word to its last."""
WIDEST = 1_000
"""Characters past which a line is no sentence of a compiler."""


def told(text: str) -> tuple[str, str, str] | None:
    """Return the file, how bad it is (error or warning), and the message of a sentence, or None."""
    found = SENTENCE.fullmatch(text) if " line " in text and len(text) <= WIDEST else None
    if found is None:
        return None
    if found["eclipse"]:
        return found["source"], found["eclipse"].lower(), ""
    if found["php"]:
        return found["script"], "error" if "error" in found["php"] else "warning", found["said"]
    if found["module"]:
        return found["module"], "error", found["told"]
    return (found["policy"], "warning", found["told"]) if found["policy"] and found["column"] else None
