"""The settings: how each is read, its default, and whether a project's own file may give it."""

import os
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ctxkit.core import budget
from ctxkit.core.escapes import escape_line
from ctxkit.core.quantity import age_of, bytes_of

LONGEST = 80
"""Characters of a value that a message shows."""


class Permission(NamedTuple):
    """Say what a project's file may give: in words, and by the part of a value in a directory that it may, or None."""

    words: str
    permitted: Callable[[Any, str], Any]


class Key(NamedTuple):
    """Define a setting: how its value is read, its default, and what a project's file may give.

    Without a permission only the user may set it: on the command line, in the environment, or in the user's file.
    A setting for ``user_file_only`` has no variable, and is never taken from a project, trusted or not.
    """

    read: Callable[[object], Any]
    default: Any
    project: Permission | None = None
    user_file_only: bool = False


def _truth(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("1", "true", "yes", "on", "0", "false", "no", "off", ""):
        return value.lower() in ("1", "true", "yes", "on")
    raise ValueError("is not true or false")


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("is not a whole number")
    try:
        number = int(value)
    except ValueError:
        raise ValueError("is not a whole number") from None
    if number < 0:
        raise ValueError("is negative")
    if number > 10**12:
        raise ValueError("is more than any window holds")
    return number


def _share(value: object) -> float:
    try:
        share = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else -1.0
    except (ValueError, OverflowError):
        share = -1.0
    if not 0 < share <= 1:
        raise ValueError("is not a number between 0 and 1")
    return share


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("is not text")
    try:
        return str(value)
    except ValueError:  # more digits than Python converts
        raise ValueError("is too long") from None


def _texts(value: object) -> list[str]:
    """Return a list of texts; a variable of the environment gives one a line."""
    texts = [text for text in value.split("\n") if text.strip()] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError("is not a list of texts")
    return texts


def _quantity(read: Callable[[str], float]) -> Callable[[object], str]:
    """Return a reader of ages or sizes that keeps their text, once it is known to be good."""

    def checked(value: object) -> str:
        """Return the text of a value that ``read`` understands; raise ValueError for any other."""
        text = _text(value)
        try:
            read(text)
        except ValueError as error:
            raise ValueError(str(error).removeprefix(f"{text!r} ")) from None
        return text

    return checked


def _factors(value: object) -> dict[str, Any]:
    """Return what receipts taught, family by family, once each is known to be good."""
    from ctxkit.core.calibration import factor_of

    if not isinstance(value, dict):
        raise ValueError("is not a table of factors")
    return {name: factor_of(factor)._asdict() for name, factor in value.items()}


def _lint(value: object) -> dict[str, Any]:
    """Return what is said of linting, once it is known to be good."""
    from ctxkit.core.lint.control import control_of

    if not isinstance(value, dict):
        raise ValueError("is no table")
    control_of(value)
    return value


def _directories(value: object) -> tuple[str, ...]:
    """Return patterns of directories, once each is known to be good."""
    from ctxkit.edge.trusted import fault_of

    if not isinstance(value, list) or not all(isinstance(pattern, str) for pattern in value):
        raise ValueError('is not a list of directories, as in ["~/src/mine"]')
    for pattern in value:
        if fault := fault_of(pattern):
            raise ValueError(fault)
    return tuple(value)


def is_path(tokenizer: str) -> bool:
    """Tell whether a tokenizer is named by a path."""
    from ctxkit.edge import own

    return own.is_path(tokenizer)


def _preset(hint: str, _directory: str) -> str | None:
    from ctxkit.core.hint import PRESETS

    return hint if hint in PRESETS else None


LINT = (
    *("select", "ignore", "extend_select", "per_file_ignores", "exclude", "fail_level"),
    *("file_tokens", "set_tokens", "budgets", "load_sets"),
)
"""What a project's table of linting may have whatever its value."""


def _lint_inside(table: Mapping[str, Any], directory: str) -> dict[str, Any]:
    """Return a table of linting with the keys that a project may give, its baseline only inside the project."""
    return {
        key: value
        for key, value in table.items()
        if key.replace("-", "_") in LINT or (key == "baseline" and (not value or _is_inside(value, directory)))
    }


def _is_inside(path: str, directory: str) -> bool:
    """Tell whether a path leads to no place outside a directory, by whatever links stand on the way."""
    parts = path.replace(os.sep, "/").split("/")
    if os.path.isabs(path) or os.path.splitdrive(path)[0] or ".." in parts or path.startswith("~") or "\0" in path:
        return False
    root = os.path.realpath(directory)
    return os.path.realpath(os.path.join(root, path)).startswith(os.path.join(root, ""))


ANYTHING = Permission("yes", lambda value, _directory: value)
VOCABULARY = Permission("a tokenizer's name", lambda name, _directory: None if is_path(name) else name)
HINT = Permission("a built-in name", _preset)
RULES = Permission("rules, and a baseline inside the project", _lint_inside)

KEYS: dict[str, Key] = {
    "model": Key(_text, "", ANYTHING),
    "session": Key(_text, ""),
    "window": Key(_whole, 0, ANYTHING),
    "context_budget": Key(_whole, 0, ANYTHING),
    "reserve": Key(_text, "", ANYTHING),
    "max_output_tokens": Key(_whole, 0, ANYTHING),
    "tokenizer": Key(_text, "", VOCABULARY),
    "calibration": Key(_factors, {}),
    "compact_trigger": Key(_share, budget.COMPACT_TRIGGER, ANYTHING),
    "hard_block": Key(_share, budget.HARD_BLOCK, ANYTHING),
    "briefing_cap": Key(_whole, budget.BRIEFING_CAP, ANYTHING),
    "low_water": Key(_share, 0.5, ANYTHING),
    "keep_recent": Key(_whole, 0, ANYTHING),
    "keep_last": Key(_whole, 0, ANYTHING),
    "summarizer": Key(_text, "extract"),
    "result_offload_threshold": Key(_whole, 4096),
    "tool_deferral_threshold": Key(_share, 0.10),
    "hint": Key(_text, "ctxkit", HINT),
    "lint": Key(_lint, {}, RULES),
    "store": Key(_truth, True),
    "redact": Key(_truth, False),
    "never_store": Key(_texts, []),
    "strict": Key(_truth, False),
    "events": Key(_text, ""),
    "cache_dir": Key(_text, ""),
    "data_dir": Key(_text, ""),
    "cache_max_age": Key(_quantity(age_of), "7d"),
    "cache_max_size": Key(_quantity(bytes_of), "2GB"),
    "trusted": Key(_directories, (), user_file_only=True),
}
"""Every setting. Environment names are CTXKIT_ and the key."""
OF_MODEL = {"window": "window", "max_output": "max_output_tokens", "tokenizer": "tokenizer"}
"""What a file may say of one model in a table [models."NAME"], each with the setting that is read alike."""
MODELS = "models."
"""The beginning of a key that is said of a model."""
AGENT = (
    *("context_budget", "max_output_tokens", "compact_trigger", "hard_block"),
    *("result_offload_threshold", "tool_deferral_threshold"),
)
"""The settings that a table [agent] may hold too, as agents' own files have it; those outside it win."""
PATHS = ("cache_dir", "data_dir", "events")
"""The settings that are paths."""


def shown(value: object, longest: int = LONGEST) -> str:
    """Return a value as it is written in a file: without the password in an address, without controls, not too long."""
    try:
        text = str(value).lower() if isinstance(value, bool) else str(value)
    except (RecursionError, ValueError):  # nested deeply, or a number of more digits than Python converts
        return "..."
    text = re.sub(r"(://[^/@\s:]*:)[^/@\s]+@", r"\1***@", text[: longest + 1000])
    return escape_line(text if len(text) <= longest else f"{text[:longest]}...")
