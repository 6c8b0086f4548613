"""Findings written as a sentence with file and line at the end, as in PHP, Perl and Eclipse's compiler."""

from ctxkit.core.lazy_pattern import compile_lazily

SENTENCE = compile_lazily(
    r"\d+\. (?P<eclipse>ERROR|WARNING) in (?P<source>\S.*) \(at line (?P<row>\d+)\)"
    r"|(?:PHP )?(?P<php>(?:Parse|Fatal|Compile|Core|Recoverable fatal) error|Warning|Notice|Deprecated):"
    r" +(?P<said>\S.*) in (?P<script>[^:*?\"<>|]\S*|[A-Z]:\\[^:*?\"<>|]+) on line (?P<line>\d+)"
    r"|(?:(?P<policy>[^\s:]+): )?(?P<told>\S.*) at (?:(?P<module>\S+\.(?:pl|pm|t|cgi|psgi)) )?line (?P<perl>\d+)"
    r"(?:, column (?P<column>\d+)\.|, near .*|\.).*"
)
"""Pattern of the complete sentence of a compiler."""
MAX_LINE_LENGTH = 1_000
"""Maximum number of characters of such a sentence."""


def parse_sentence(text: str) -> tuple[str, str, str] | None:
    """Return the file, the severity (error or warning) and the message of a sentence, or None."""
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
