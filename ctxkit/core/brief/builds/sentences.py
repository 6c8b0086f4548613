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
MAX_LINE_LENGTH = 1_000
"""Characters past which a line is no sentence of a compiler."""


def parse_sentence(text: str) -> tuple[str, str, str] | None:
    """Return the file, how bad it is (error or warning), and the message of a sentence, or None."""
    match = SENTENCE.fullmatch(text) if " line " in text and len(text) <= MAX_LINE_LENGTH else None
    if match is None:
        return None
    if match["eclipse"]:
        return match["source"], match["eclipse"].lower(), ""
    if match["php"]:
        return match["script"], "error" if "error" in match["php"] else "warning", match["said"]
    if match["module"]:
        return match["module"], "error", match["told"]
    return (match["policy"], "warning", match["told"]) if match["policy"] and match["column"] else None
