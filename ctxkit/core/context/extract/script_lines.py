"""The lines of a script that do its work, without the documents in it."""

import re
from itertools import takewhile

from ctxkit.core.context.extract.call_kind import command_of
from ctxkit.core.context.extract.tool_call import ToolCall
from ctxkit.core.text.shell_script import shorten_documents

_BLOCK_WORD = re.compile(r"(?:for|while|until|if|case|do|then|else|done|fi|esac|function)\b|[{}]")
_HERE_DOCUMENT = re.compile(r"<<-?[ \t]*['\"]?(\w+)")
_WRITING = re.compile(r"(?:^|&&|;)[ \t]*(?:sudo )?(?:cat|tee)\b[^|]*$")
"""The beginning of a here-document that goes into a file, not to a program."""
_DECLARATION = re.compile(
    r"[ \t]*(?:import |from |def |class |#|@|with |for |if |else|try|except|return\b|[\]})\"']|$)"
)
MAX_SCRIPT, MAX_OPENING = 80, 500
"""Maximum characters of the line that names a script, and of the line before a here-document that are searched."""
CONTINUED = re.compile(r"\\[ \t]*\n")
"""The end of a line that the next one continues."""


def drop_written_files(command: str) -> str:
    """Return a script without the commands that write a here-document into a file, and without the documents."""
    if "<<" not in command:
        return command
    kept: list[str] = []
    end = ""
    for line in command.splitlines():
        if end:
            end = "" if line.strip() == end else end
        elif (match := _HERE_DOCUMENT.search(line[:MAX_OPENING])) and _WRITING.search(line[:MAX_OPENING]):
            end = match[1]
        else:
            kept.append(line)
    return "\n".join(kept)


def find_script_lines(call: ToolCall) -> list[str]:
    """Return the working lines of a command, each on one line; none if it contains a loop, or a document for a program.

    An ellipsis stands for a document that is an argument.
    """
    command = CONTINUED.sub(" ", shorten_documents(command_of(call)))
    lines = [" ".join(line.split()) for line in command.splitlines() if line.strip()]
    is_plain = "<<" not in command and not any(_BLOCK_WORD.match(line) for line in lines)
    return [line for line in lines if not line.startswith("#")] if is_plain else []


def find_script_line(command: str) -> str:
    """Return the last statement of the here-document that a command runs, empty if there is none.

    >>> find_script_line("python - <<'EOF'\\nimport app\\nprint(app.run(3))\\nEOF")
    'print(app.run(3))'
    """
    lines = command.splitlines()
    start = next((at for at, line in enumerate(lines) if "<<" in line), -1)
    match = _HERE_DOCUMENT.search(lines[start][:MAX_OPENING]) if start >= 0 else None
    if match is None or _WRITING.search(lines[start][:MAX_OPENING]):
        return ""
    end = match[1]
    body = takewhile(lambda line: line.split()[:1] != [end], lines[start + 1 :])
    statements = [line.strip() for line in body if not _DECLARATION.match(line)]
    return next((line for line in reversed(statements) if len(line) <= MAX_SCRIPT and "`" not in line), "")
