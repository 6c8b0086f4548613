"""The labelled fields in which Gemini CLI and Qwen Code write the output of a command."""

import re

_COMMAND, _STATUS, _ERROR = "Command: ", "\nExit Code: ", "\nError: "
_OUTPUTS = ("\nOutput: ", "\nStdout: ")
_EMPTY = ("(empty)", "(none)")
"""The values of fields that contain nothing."""
_INTEGER = re.compile(r"-?[0-9]{1,10}(?![^\n])")


def read_output_fields(text: str) -> tuple[str, int | None] | None:
    """Return the output, the error and the status of a command from labelled fields, None for any other text.

    >>> read_output_fields("Command: make\\nDirectory: (root)\\nOutput: (empty)\\nError: (none)\\nExit Code: 1\\n")
    ('', 1)
    """
    status_at = text.rfind(_STATUS) if text.startswith(_COMMAND) else -1
    error_at = text.rfind(_ERROR, 0, status_at) if status_at >= 0 else -1
    places = [(at, label) for label in _OUTPUTS if 0 <= (at := text.find(label)) < error_at]
    if not places:
        return None
    at, label = min(places)
    output, error = text[at + len(label) : error_at], text[error_at + len(_ERROR) : status_at]
    output = output.removesuffix("\nStderr: (empty)") if label == _OUTPUTS[1] else output
    status = _INTEGER.match(text, status_at + len(_STATUS))
    content = "\n".join(part for part in (output, error) if part.strip() not in _EMPTY)
    return content, int(status[0]) if status else None
