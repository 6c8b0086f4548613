"""Define the settings: parser, default, and whether a project's own file may set them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.tokens import budget
from ctxkit.edge.setting_readers import (
    read_bool,
    read_bytes,
    read_cap,
    read_directories,
    read_duration,
    read_factors,
    read_int,
    read_kinds,
    read_lint,
    read_price,
    read_server,
    read_share,
    read_size,
    read_store,
    read_text,
    read_texts,
)

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


ANYTHING = Permission("yes", lambda value, _directory: value)
VOCABULARY = Permission("a tokenizer's name", _allow_name)
MODEL = Permission("a model's name", _allow_model)
HINT = Permission("a built-in name", _allow_preset)
RULES = Permission("rules, and a baseline inside the project that exists or ends in .json", _allow_lint)

KEYS: dict[str, SettingDefinition] = {
    "model": SettingDefinition(read_text, "", MODEL, names_place=_is_gguf),
    "session": SettingDefinition(read_text, ""),
    "turn": SettingDefinition(read_text, ""),
    "agent_id": SettingDefinition(read_text, ""),
    "focus": SettingDefinition(read_text, ""),
    "again": SettingDefinition(read_bool, False),
    "window": SettingDefinition(read_int, 0, ANYTHING),
    "context_budget": SettingDefinition(read_int, 0, ANYTHING),
    "reserve": SettingDefinition(read_text, "", ANYTHING),
    "max_output_tokens": SettingDefinition(read_int, 0, ANYTHING),
    "tokenizer": SettingDefinition(read_text, "", VOCABULARY, names_place=_is_file),
    "input_price": SettingDefinition(read_price, 0.0, ANYTHING),
    "price_date": SettingDefinition(read_text, "", ANYTHING),
    "calibration": SettingDefinition(read_factors, {}),
    "compact_trigger": SettingDefinition(read_share, budget.COMPACT_TRIGGER, ANYTHING),
    "hard_block": SettingDefinition(read_share, budget.HARD_BLOCK, ANYTHING),
    "briefing_cap": SettingDefinition(read_int, budget.BRIEFING_CAP, ANYTHING),
    "result_cap": SettingDefinition(read_cap, budget.RESULT_CAP),
    "low_water": SettingDefinition(read_share, 0.5, ANYTHING),
    "keep_recent": SettingDefinition(read_int, 0, ANYTHING),
    "keep_last": SettingDefinition(read_int, 0, ANYTHING),
    "summarizer": SettingDefinition(read_text, "extract", names_place=_is_no_extract),
    "result_offload_threshold": SettingDefinition(read_bytes, 0),
    "tool_deferral_threshold": SettingDefinition(read_share, 0.10),
    "hint": SettingDefinition(read_text, "ctxkit", HINT, names_place=_is_own_hint),
    "lint": SettingDefinition(read_lint, {}, RULES, names_place=bool),
    "kinds": SettingDefinition(read_kinds, {}, user_file_only=True),
    "store": SettingDefinition(read_store, True, is_personal=_is_text, names_place=_is_text),
    "server": SettingDefinition(read_server, True, is_personal=_is_text, names_place=_is_text),
    "redact": SettingDefinition(read_bool, False),
    "never_store": SettingDefinition(read_texts, []),
    "exclude": SettingDefinition(read_texts, []),
    "include": SettingDefinition(read_texts, []),
    "pipe_notes": SettingDefinition(read_bool, True),
    "strict": SettingDefinition(read_bool, False),
    "events": SettingDefinition(read_text, "", names_place=bool),
    "cache_dir": SettingDefinition(read_text, "", names_place=bool),
    "data_dir": SettingDefinition(read_text, "", names_place=bool),
    "cache_max_age": SettingDefinition(read_duration, "7d"),
    "cache_max_size": SettingDefinition(read_size, "2GB"),
    "trusted": SettingDefinition(read_directories, (), user_file_only=True),
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
