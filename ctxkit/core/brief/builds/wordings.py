"""How compilers and linters word what they find, where a finding takes more than the line of its place."""

import re

ARROW = re.compile(r"\s*(?:-->|╭─\[|┌─) *(\S.*?):(\d+)(?::(\d+))?\]?(?: .*)?")
"""Where a finding that began with its message is: rustc, ruff and others."""
HEAD = re.compile(r"(error|warning)(?:\[([\w:]+)\])?: (\S.*)")
"""A finding that begins with its message."""
RULE = re.compile(r"([A-Z]{1,7}\d{2,5}|[a-z]+(?:-[a-z]+)+)(?:: | )(?:\[\*\] )?(\S.*)")
"""A finding that begins with its code: ruff with its source shown."""
ROW = re.compile(r"(\d+):(\d+) *[ \t]+(?:(error|warning|info)[ \t]+)?(\S.*)")
"""A finding below the name of its file: eslint, stylelint, ruff grouped by file."""
CELLS = re.compile(r"(.*?)(?:\s{2,}([@\w][\w@/-]*))?")
CODED = re.compile(r"([A-Z]{1,7}\d{2,5}|invalid-syntax):? (?:\[\*\] )?(.*)")
FILE = re.compile(r"(?:[A-Za-z]:[\\/]|[./~\w@-])[^:*?\"<>|\t]*\.\w{1,8}:?|/\S+")
"""A line that is nothing but a path."""
LINE = re.compile(r"In (\S.*) line (\d+):")
CARETS = re.compile(r"\s*\^-*\^? (SC\d+) \((\w+)\): (.*)")
"""What shellcheck puts below a line of a script."""
CMAKE = re.compile(r"CMake (Error|Warning|Deprecation Warning)(?: \(dev\))?(?: at ([^:\n]+):(\d+))?(?: \([^)]*\))?:.*")
BOXED = re.compile(r"[│|] (Error|Warning): (.*)")
INSIDE = re.compile(r"[│|] +on (\S+) line (\d+).*")
LINT = re.compile(r"`#\[(?:warn|deny|forbid)\(([\w:-]+)\)\]`|rust-clippy/\S*#(\w+)")
LINKER = re.compile(
    r"(?:\S*/)?ld(?:\.\w+)?: (?:error: )?(\S.*)|(\S+\.o): in function .*|(\S+):\((?:\.\w+)+\+0x[\da-f]+\): (.*)"
)
LOOSE = re.compile(
    r"(?:ERROR|Error|error|FATAL|fatal|FATAL ERROR)(?: \[[\w.-]+\])?(?: in [^:]*)?: ?(\S.*)"
    r"|(?:npm (?:ERR!|error)) (\S.*)|\[ERROR\] (\S.*)"
)
"""Trouble that names no file."""
LEADING = re.compile(
    r"In file included from |\*{5,} Module |\s+from \S+:\d+|\S+: (?:In |At )\S|# \S+/?\S*$"
    r"|\S+\.\w+:\d+:\d+: +required from"
)
"""What a compiler says before a finding."""
CONTINUED = re.compile(
    r"\s|\d* +\||\d+ \S|\d+\||\|\s|[│╵╷├╰|>~^]|(?:note|help|hint): |In file included|\.{3}$|={3,}$|symbol: "
    r"|location: |:::|\s*[~^]+\s*$"
)
"""What belongs to the finding above it."""
CARET = re.compile(r"\s*[~^][\s~^-]*")
WRAP = re.compile(r"(?:  |^)\[([a-z][\w-]*)\]$| \((report\w+)\)$")
"""The code at the end of a message that goes on over lines."""
WRAPPED = 3
"""Lines that a message may take without a mark of its own: one broken at the width of a terminal, a line of source."""
WAITING = 6
"""Lines in which the place of a message may follow."""
QUIET = re.compile(
    r"(?!In |[Ee]rror |CMake |npm |[Ff]atal |[Ww]arning )[A-Za-z]?[a-z]+ "
    r"(?:[^:(\[]*|[^:(\[/]*(?:[:(](?!\d)[^:(\[]*)?)"
)
"""Words that name no place and close nothing: most of what programs print."""
_SAID = r"[^:(\[\x00-\x1f\x7f-\x9f]*"
QUIETLY = re.compile(
    rf"(?:(?!In |[Ee]rror |CMake |npm |[Ff]atal |[Ww]arning )[A-Za-z]?[a-z]+ "
    rf"(?:{_SAID}|[^:(\[/\x00-\x1f\x7f-\x9f]*(?:[:(](?!\d){_SAID})?)(?<!\s)\n){{2,1000}}"
)
"""Whole lines of that sort, one after another, with nothing in them that has to be removed first."""
