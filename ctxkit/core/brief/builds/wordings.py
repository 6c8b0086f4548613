"""Patterns of compiler and linter findings that take more than one line."""

from ctxkit.core.lazy_pattern import compile_lazily

ARROW = compile_lazily(r"\s*(?:-->|╭─\[|┌─) *(\S.*?):(\d+)(?::(\d+))?\]?(?: .*)?")
"""Pattern of the place of a finding that began with its message, as in rustc and ruff."""
HEAD = compile_lazily(r"(error|warning)(?:\[([\w:-]+)\])?: (\S.*)")
"""Pattern of a finding that begins with its message."""
RULE = compile_lazily(r"([A-Z]{1,7}\d{2,5}|[a-z]+(?:-[a-z]+)+)(?:: | )(?:\[\*\] )?(\S.*)")
"""Pattern of a finding that begins with its code, as in ruff's full format."""
ROW = compile_lazily(r"(\d+):(\d+) *[ \t]+(?:\u2713 )?(?:(error|warning|info)[ \t]+)?(\S.*)")
"""Pattern of a finding below the name of its file, as in eslint, stylelint and ruff's grouped format."""
CELLS = compile_lazily(r"(.*?)(?:\s{2,}\(?([@\w][\w@/-]*)\)?)?")
CODED = compile_lazily(r"([A-Z]{1,7}\d{2,5}|invalid-syntax):? (?:\[\*\] )?(.*)")
FILE = compile_lazily(r"(?:[A-Za-z]:[\\/]|[./~\w@-])[^:*?\"<>|\t]*\.\w{1,8}:?|/\S+")
"""Pattern of a line that is only a path."""
LINE = compile_lazily(r"In (\S.*) line (\d+):")
CARETS = compile_lazily(r"\s*\^-*\^? (SC\d+) \((\w+)\): (.*)")
"""Pattern of shellcheck's finding below a line of a script."""
CMAKE = compile_lazily(
    r"CMake (Error|Warning|Deprecation Warning)(?: \(dev\))?(?: at ([^:\n]+):(\d+))?(?: \([^)]*\))?:.*"
)
BOXED = compile_lazily(r"[│|] (Error|Warning): (.*)")
INSIDE = compile_lazily(r"[│|] +on (\S+) line (\d+).*")
LINT = compile_lazily(r"`#\[(?:warn|deny|forbid)\(([\w:-]+)\)\]`|rust-clippy/\S*#(\w+)")
LINKER = compile_lazily(
    r"(?P<ld>(?:\S*/)?ld(?:\.\w+)?: )?(?:(?P<function>\S+\.l?o(?:bj)?: [Ii]n function .*)"
    r"|(?:\S+\.l?o(?:bj)?\)?:)?(?P<path>\S+):(?:\((?:\.\w+)+\+0x[\da-f]+\)"
    r"|\d+(?=: (?:(?:more )?undefined ref|multiple def))): (?P<message>.*)"
    r"|(?(ld)(?:error: )?(?P<other>\S.*)|(?!)))"
)
"""Pattern of an error of a linker, or of the function in which those below it are."""
LOOSE = compile_lazily(
    r"(?:ERROR|Error|error|FATAL|fatal|FATAL ERROR)(?: \[[\w.-]+\])?(?: in [^:]*)?: ?(\S.*)"
    r"|(?:npm (?:ERR!|error)) (\S.*)"
    r"|\[ERROR\] (?!\[Help \d+\]|For more information about|To see the full stack trace|Re-run )"
    r"(\S.*)"
)
"""Pattern of an error without a file, but not of Maven's help below it."""
LEADING = compile_lazily(
    r"In file included from |\*{5,} Module |\s+from \S+:\d+|\S+: (?:In |At )\S|# \S+/?\S*$"
    r"|\S+\.\w+:\d+:\d+: +required from"
)
"""Pattern of lines that introduce a finding."""
CONTEXT = (":", ">", ": ", "> ")
"""Beginnings of lines of context above a finding, as in codespell."""
CONTINUED = compile_lazily(
    r"\s|\d* +\||\d+ \S|\d+\||\|\s|[│╵╷├╰|>~^]|(?:note|help|hint): |In file included|\.{3}$|={3,}$|symbol: "
    r"|location: |:::|\s*[~^]+\s*$"
)
"""Pattern of lines that continue the finding above."""
CARET = compile_lazily(r"\s*[~^][\s~^-]*")
WRAP = compile_lazily(r"(?:  |^)\[([a-z][\w-]*)\]$| \((report\w+)\)$")
"""Pattern of the code at the end of a message of several lines."""
WRAPPED = 3
"""Maximum number of unmarked lines in a message, wrapped at the terminal's width or with a line of source."""
WAITING = 6
"""Maximum number of lines between a message and its place."""
QUIET = compile_lazily(
    r"(?!In |[Ee]rror |CMake |npm |[Ff]atal |[Ww]arning |line \d)[A-Za-z]?[a-z]+ "
    r"(?:[^:(\[]*|[^:(\[/]*(?:[:(](?!\d)[^:(\[]*)?)"
)
"""Pattern of lines that name no place and close nothing: most of the output of programs."""
_SAID = r"[^:(\[\x00-\x1f\x7f-\x9f]*"
QUIETLY = compile_lazily(
    rf"(?:(?!In |[Ee]rror |CMake |npm |[Ff]atal |[Ww]arning |line \d)[A-Za-z]?[a-z]+ "
    rf"(?:{_SAID}|[^:(\[/\x00-\x1f\x7f-\x9f]*(?:[:(](?!\d){_SAID})?)(?<!\s)\n){{2,1000}}"
)
"""Pattern of several such lines in a row without control characters."""
