"""Define the settings: how a value is read, its default, and whether a project's own file may set it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.tokens import budget

LONGEST = 80
"""Maximum characters of a value in a message."""


class Permission:
    """What a project's file may set: in words, and as a function that returns the allowed part of a value, or None."""

    def __init__(self, words: str, allowed_part: Callable[[Any, str], Any]) -> None:
        self.words, self.allowed_part = words, allowed_part


class SettingDefinition(NamedTuple):
    """The definition of a setting: parser, default, and what a project's file may set.

    Without a permission, only the user may set it: on the command line, in the environment, or in the user's file. A
    setting for ``user_file_only`` has no variable, and is never taken from a project, trusted or not. Neither is a
    value that ``is_personal``. A value that ``names_place`` names a file, a directory, a program or an address.
    """

    read: Callable[[object], Any]
    default: Any
    project: Permission | None = None
    user_file_only: bool = False
    is_personal: Callable[[Any], bool] = lambda _value: False
    names_place: Callable[[Any], bool] = lambda _value: False


def _allow_name(tokenizer: str, _directory: str) -> str | None:
    from ctxkit.edge.custom_vocabulary import is_path

    return None if is_path(tokenizer) else tokenizer


def _allow_model(model: str, _directory: str) -> str | None:
    """A GGUF file would be read, and a project must not choose what is read."""
    return None if model.lower().endswith(".gguf") else model


def _allow_preset(hint: str, _directory: str) -> str | None:
    from ctxkit.core.text.retrieval_hint import PRESETS

    return hint if hint in PRESETS else None


PROJECT_LINT_KEYS = (
    *("select", "ignore", "extend_select", "per_file_ignores", "exclude", "fail_level"),
    *("file_tokens", "set_tokens", "budgets", "sizes", "load_sets"),
)
"""Keys that a project's lint settings may contain with any value."""


def _allow_lint(table: Mapping[str, Any], directory: str) -> dict[str, Any]:
    """Return the lint settings that a project may set; its baseline must be inside the project, and no other file."""
    return {
        key: value
        for key, value in table.items()
        if key.replace("-", "_") in PROJECT_LINT_KEYS
        or (key == "baseline" and (not value or _may_be_baseline(value, directory)))
    }


def _may_be_baseline(path: str, directory: str) -> bool:
    """Return whether a project may name a file as its baseline: it exists, or it is a new JSON file.

    A new file with another name could be one that a shell or a build runs. Nothing below .git is a baseline.
    """
    if not _is_inside(path, directory):
        return False
    real = os.path.realpath(os.path.join(directory, path))
    inside = os.path.relpath(real, os.path.realpath(directory))
    if ".git" in inside.lower().split(os.sep):
        return False
    return os.path.exists(real) or real.endswith(".json")


def _is_inside(path: str, directory: str) -> bool:
    """Return whether a path stays inside a directory, also through links."""
    parts = path.replace(os.sep, "/").split("/")
    if os.path.isabs(path) or os.path.splitdrive(path)[0] or ".." in parts or path.startswith("~") or "\0" in path:
        return False
    root = os.path.realpath(directory)
    return os.path.realpath(os.path.join(root, path)).startswith(os.path.join(root, ""))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_file(tokenizer: str) -> bool:
    return _allow_name(tokenizer, "") is None


def _is_gguf(model: str) -> bool:
    return _allow_model(model, "") is None


def _is_own_hint(hint: str) -> bool:
    """Return whether a hint is a command of the user's own, which an agent runs."""
    return bool(hint) and _allow_preset(hint, "") is None


def _is_no_extract(summarizer: str) -> bool:
    """Return whether a summarizer is a program, an address or a model's file."""
    return summarizer not in ("", "extract")


_ANYTHING = Permission("yes", lambda value, _directory: value)
VOCABULARY = Permission("a tokenizer's name", _allow_name)
MODEL = Permission("a model's name", _allow_model)
HINT = Permission("a built-in name", _allow_preset)
RULES = Permission("rules, and a baseline inside the project that exists or ends in .json", _allow_lint)


def _read_bool(value: object) -> bool:
    """Return whether a value is true; raise ValueError if it is neither true nor false."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("1", "true", "yes", "on", "0", "false", "no", "off", ""):
        return value.lower() in ("1", "true", "yes", "on")
    raise ValueError("is not true or false")


def read_store(value: object) -> bool | str:
    """Return whether content is stored, or the URL of a shared store; raise ValueError if it is neither."""
    if isinstance(value, str) and (":" in value or "/" in value):
        from ctxkit.core.store.address import parse_address

        parse_address(value)
        return value
    try:
        return _read_bool(value)
    except ValueError:
        raise ValueError("is neither true, false nor a URL such as redis://HOST:6379") from None


def _read_server(value: object) -> bool | str:
    """Return whether a server is used, or the absolute path of its socket; raise ValueError if it is neither."""
    return value if isinstance(value, str) and os.path.isabs(value) else _read_bool(value)


def _read_int(value: object) -> int:
    """Return a whole number, also of text such as 128k; raise ValueError if it is not one, negative or too large."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("is not a whole number")
    try:
        number = int(value)
    except ValueError:
        from ctxkit.core.text.quantity import parse_number

        try:
            number = parse_number(str(value))
        except ValueError:
            raise ValueError("is not a whole number") from None
    if number < 0:
        raise ValueError("is negative")
    if number > 10**12:
        raise ValueError("is more than any window holds")
    return number


def _read_cap(value: object) -> int:
    """Return a whole number, 0 for ``none``; raise ValueError if it is neither."""
    return 0 if isinstance(value, str) and value.strip().lower() == "none" else _read_int(value)


def read_bytes(value: object) -> int:
    """Return a size in bytes, also of text such as 16KB; raise ValueError if it is not one."""
    from ctxkit.core.text.quantity import parse_size

    if isinstance(value, int):
        return _read_int(value)
    return parse_size(_check_quantity(value, parse_size))


def _read_share(value: object) -> float:
    """Return a number between 0 and 1; raise ValueError if it is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("is not a number between 0 and 1")
    from ctxkit.core.text.quantity import parse_share

    try:
        return parse_share(str(value))
    except ValueError:
        raise ValueError("is not a number between 0 and 1") from None


def read_text(value: object) -> str:
    """Return a text, also of a whole number; raise ValueError for another type."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("is not text")
    try:
        return str(value)
    except ValueError:  # more digits than Python converts
        raise ValueError("is too long") from None


def _read_texts(value: object) -> list[str]:
    """Return a list of texts; an environment variable contains one per line. Raise ValueError for another type."""
    texts = [text for text in value.split("\n") if text.strip()] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError("is not a list of texts")
    return texts


def _read_duration(value: object) -> str:
    """Return the text of a duration; raise ValueError if it is not one."""
    from ctxkit.core.text.quantity import parse_duration

    return _check_quantity(value, parse_duration)


def _read_size(value: object) -> str:
    """Return the text of a size in bytes; raise ValueError if it is not one."""
    from ctxkit.core.text.quantity import parse_size

    return _check_quantity(value, parse_size)


def _check_quantity(value: object, parse: Callable[[str], float]) -> str:
    """Return the text of a duration or a size; raise ValueError if it is neither."""
    text = read_text(value)
    try:
        parse(text)
    except ValueError as error:
        raise ValueError(str(error).removeprefix(f"{text!r} ")) from None
    return text


def _read_price(value: object) -> float:
    """Return a price; raise ValueError if it is not one."""
    try:
        price = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else -1.0
    except ValueError:
        price = -1.0
    if not 0 <= price < 1e6:
        raise ValueError("is not a price in US dollars for a million tokens, such as 3.00")
    return price


def _read_factors(value: object) -> dict[str, Any]:
    """Return the learned factors by family; raise ValueError if one is invalid."""
    from ctxkit.core.tokens.estimate import parse_factor

    if not isinstance(value, dict):
        raise ValueError("is not a table of factors")
    return {name: parse_factor(factor)._asdict() for name, factor in value.items()}


def _read_lint(value: object) -> dict[str, Any]:
    """Return the lint settings; raise ValueError if they are invalid."""
    from ctxkit.core.lint.lint_settings import parse_lint_settings

    if not isinstance(value, dict):
        raise ValueError("is not a table")
    parse_lint_settings(value)
    return value


def _read_kinds(value: object) -> dict[str, Any]:
    """Return the user's rules for kinds of content; raise ValueError if one is invalid."""
    from ctxkit.core.brief.custom_kinds import parse_kind_rules

    if not isinstance(value, dict):
        raise ValueError("is not a table of rules, as in [kinds.deploy]")
    parse_kind_rules(value)
    return value


def _read_directories(value: object) -> tuple[str, ...]:
    """Return patterns of directories; raise ValueError if one is invalid."""
    from ctxkit.edge.trusted_dirs import find_fault

    if not isinstance(value, list) or not all(isinstance(pattern, str) for pattern in value):
        raise ValueError('is not a list of directories, as in ["~/src/mine"]')
    for pattern in value:
        if fault := find_fault(pattern):
            raise ValueError(fault)
    return tuple(value)


KEYS: dict[str, SettingDefinition] = {
    "model": SettingDefinition(read_text, "", MODEL, names_place=_is_gguf),
    "session": SettingDefinition(read_text, ""),
    "turn": SettingDefinition(read_text, ""),
    "agent_id": SettingDefinition(read_text, ""),
    "focus": SettingDefinition(read_text, ""),
    "again": SettingDefinition(_read_bool, False),
    "window": SettingDefinition(_read_int, 0, _ANYTHING),
    "context_budget": SettingDefinition(_read_int, 0, _ANYTHING),
    "reserve": SettingDefinition(read_text, "", _ANYTHING),
    "max_output_tokens": SettingDefinition(_read_int, 0, _ANYTHING),
    "tokenizer": SettingDefinition(read_text, "", VOCABULARY, names_place=_is_file),
    "input_price": SettingDefinition(_read_price, 0.0, _ANYTHING),
    "price_date": SettingDefinition(read_text, "", _ANYTHING),
    "calibration": SettingDefinition(_read_factors, {}),
    "compact_trigger": SettingDefinition(_read_share, budget.COMPACT_TRIGGER, _ANYTHING),
    "hard_block": SettingDefinition(_read_share, budget.HARD_BLOCK, _ANYTHING),
    "briefing_cap": SettingDefinition(_read_int, budget.BRIEFING_CAP, _ANYTHING),
    "result_cap": SettingDefinition(_read_cap, budget.RESULT_CAP),
    "low_water": SettingDefinition(_read_share, 0.5, _ANYTHING),
    "keep_recent": SettingDefinition(_read_int, 0, _ANYTHING),
    "keep_last": SettingDefinition(_read_int, 0, _ANYTHING),
    "summarizer": SettingDefinition(read_text, "extract", names_place=_is_no_extract),
    "result_offload_threshold": SettingDefinition(read_bytes, 0),
    "tool_deferral_threshold": SettingDefinition(_read_share, 0.10),
    "hint": SettingDefinition(read_text, "ctxkit", HINT, names_place=_is_own_hint),
    "lint": SettingDefinition(_read_lint, {}, RULES, names_place=bool),
    "kinds": SettingDefinition(_read_kinds, {}, user_file_only=True),
    "store": SettingDefinition(read_store, True, is_personal=_is_text, names_place=_is_text),
    "server": SettingDefinition(_read_server, True, is_personal=_is_text, names_place=_is_text),
    "redact": SettingDefinition(_read_bool, False),
    "never_store": SettingDefinition(_read_texts, []),
    "exclude": SettingDefinition(_read_texts, []),
    "include": SettingDefinition(_read_texts, []),
    "pipe_notes": SettingDefinition(_read_bool, True),
    "strict": SettingDefinition(_read_bool, False),
    "events": SettingDefinition(read_text, "", names_place=bool),
    "cache_dir": SettingDefinition(read_text, "", names_place=bool),
    "data_dir": SettingDefinition(read_text, "", names_place=bool),
    "cache_max_age": SettingDefinition(_read_duration, "7d"),
    "cache_max_size": SettingDefinition(_read_size, "2GB"),
    "trusted": SettingDefinition(_read_directories, (), user_file_only=True),
}
"""Every setting. Its environment variable is CTXKIT_ and the key in upper case."""
OF_MODEL = {
    "window": "window",
    "max_output": "max_output_tokens",
    "tokenizer": "tokenizer",
    "input_price": "input_price",
    "price_date": "price_date",
}
"""Keys of a table [models."NAME"] in a file, each with the setting that is parsed the same way."""
MODELS = "models."
"""Prefix of the keys of a model."""
AGENT_KEYS = (
    *("context_budget", "max_output_tokens", "compact_trigger", "hard_block"),
    *("result_offload_threshold", "tool_deferral_threshold"),
)
"""Settings that a table [agent] may contain too, as agents' own files do; the same keys outside it win."""
PATH_KEYS = ("cache_dir", "data_dir", "events")
"""Settings that are paths."""


def format_value(value: object, longest: int = LONGEST) -> str:
    """Return a value for a message: without a password in a URL, with control characters escaped, shortened."""
    from ctxkit.core.redaction.masking import mask_secrets
    from ctxkit.core.text.escapes import escape_line

    try:
        text = str(value).lower() if isinstance(value, bool) else str(value)
    except (RecursionError, ValueError):  # deep nesting, or a number with more digits than Python converts
        return "..."
    text = mask_secrets(text[: longest + 1000])
    return escape_line(text if len(text) <= longest else f"{text[:longest]}...")
